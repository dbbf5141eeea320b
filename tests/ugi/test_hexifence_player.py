"""The engines around players of a course: they play Hexifence like any other player."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import boardgames
from boardgames.game import Game
from boardgames.manager import Manager
from boardgames.players.engine import Engine
from boardgames_hexifence.board import grid_places

pytestmark = pytest.mark.skipif(os.name != "posix", reason="engines need POSIX pipes")

FOLDER = Path(__file__).parents[2] / "examples" / "hexifence_player"
WRAPPER = FOLDER / "player_engine.py"
JAVA_PLAYER = """
import java.io.PrintStream;

public class FirstEdge {
    public static class Move { public int P, Row, Col; }

    private int size, piece;
    private boolean[][] drawn;

    public int init(int n, int p) { size = 4 * n - 1; piece = p; drawn = new boolean[size][size]; return 0; }

    public Move makeMove() {
        System.out.println("thinking");
        for (int row = 0; row < size; row++)
            for (int column = 0; column < size; column++)
                if (!drawn[row][column] && isEdge(row, column)) {
                    drawn[row][column] = true;
                    Move move = new Move();
                    move.P = piece; move.Row = row; move.Col = column;
                    return move;
                }
        return null;
    }

    public int opponentMove(Move move) { drawn[move.Row][move.Col] = true; return 0; }
    public int getWinner() { return 0; }
    public void printBoard(PrintStream output) { }

    private boolean isEdge(int row, int column) {
        int half = (size + 1) / 2;
        return (row % 2 == 0 || column % 2 == 0) && Math.abs(row - column) < half;
    }
}
"""


def hexifence() -> Game:
    return boardgames.load("hexifence", dimension=2)


def talk(*lines: str, player: str = "random_player:RandomPlayer", folder: Path = FOLDER) -> list[str]:
    """Return the answers of the engine to these lines."""
    done = subprocess.run(
        [sys.executable, str(WRAPPER), player],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return done.stdout.splitlines()


def play(command: str) -> None:
    engine = Engine(hexifence(), command=command)
    try:
        for number in range(2):
            other = boardgames.load_player("random", hexifence(), seed=number)
            match = Manager(hexifence(), [engine, other] if number else [other, engine])
            assert match.play().outcome is not None
            assert match.fault is None
    finally:
        engine.close()


def test_a_player_in_python_plays_whole_matches_with_both_colours() -> None:
    play(f"{sys.executable} {WRAPPER} random_player:RandomPlayer")


def test_the_engine_states_its_name_and_the_dimensions_it_accepts() -> None:
    assert talk("ugi", "isready") == [
        "id name RandomPlayer",
        "id author the author of the player",
        "option name dimension type spin default 3 min 2 max 8",
        "ugiok",
        "readyok",
    ]


@pytest.mark.parametrize("dimension", range(2, 9))
def test_the_engine_numbers_edges_as_the_game_does(dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    from player_engine import Board  # in the folder of the example

    assert tuple(Board(dimension).places) == grid_places(dimension)[0]


def test_the_engine_answers_queries_according_to_the_rules() -> None:
    queries = ("query p1turn", "query gameover", "query result")
    end = " ".join(map(str, range(30)))
    outcome = hexifence().start().apply_moves(end).outcome
    assert outcome is not None
    result = ("p1win", "p2win")[outcome.winner or 0]
    lines = ("setoption name dimension value 2", "position startpos moves 0", *queries)
    assert talk(*lines) == ["response false", "response false", "response none"]
    answers = talk("setoption name dimension value 2", f"position startpos moves {end}", *queries[1:])
    assert answers == ["response true", f"response {result}"]


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ("startpos moves 0 1", "the player can only continue with moves that it has chosen itself"),
        (f"fen 2:B{'.' * 29}:.......:R", "the player can only start from the empty board"),
        ("startpos moves 0 0", "the edge at (0, 0) cannot be drawn"),
    ],
)
def test_positions_that_a_player_cannot_continue_are_refused_with_a_reason(
    position: str, reason: str
) -> None:
    answers = talk("setoption name dimension value 2", f"position {position}", "go movetime 100")
    assert answers == [f"info string ValueError: {reason}", "bestmove 0000"]


def test_illegal_moves_and_output_of_the_player_do_not_break_the_protocol(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "from types import SimpleNamespace\n"
        "class Loud:\n"
        "    def init(self, n, p): return 0\n"
        "    def makeMove(self):\n"
        "        print('bestmove 3')\n"
        "        return SimpleNamespace(P=1, Row=1, Col=1)\n"
    )
    answers = talk("position startpos", "go", player="loud:Loud", folder=tmp_path)
    assert answers == ["bestmove 1,1"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("javac") is None, reason="Java is not installed")
def test_a_player_in_java_plays_whole_matches_with_both_colours(tmp_path: Path) -> None:
    (tmp_path / "FirstEdge.java").write_text(JAVA_PLAYER)
    sources = [str(FOLDER / "PlayerEngine.java"), str(tmp_path / "FirstEdge.java")]
    subprocess.run(["javac", "-d", str(tmp_path), *sources], check=True)
    play(f"java -cp {tmp_path} PlayerEngine FirstEdge")
