"""The agent `siege`, which seeks contact once nothing has been pushed off for some plies."""

import pytest
from reference.minimax import reached

import boardgames
from boardgames.game import Position
from boardgames.player import Context
from boardgames_abalone.board import CELLS, DISTANCES
from boardgames_abalone.evaluation import engine_evaluation
from boardgames_abalone.notation import cells_of
from boardgames_abalone.siege import CONTACT, evaluate_siege, plies_without_progress, siege_evaluation

GAME = boardgames.load("abalone", layout="standard")
PUSH_OFF = "...../....../......./......../......bbw/......../......./bb..../ww...:b:0:0"


def history_of(position: Position, *moves: str) -> list[Position]:
    """Return the position and those after each move."""
    positions = [position]
    for move in moves:
        positions.append(positions[-1].apply(move))
    return positions


def test_progress_is_counted_from_the_last_push_off() -> None:
    positions = history_of(GAME.parse(PUSH_OFF), "b1c2", "a1b1", "e7e8", "a2a3", "e8d7")
    counts = [
        plies_without_progress(position, Context(history=tuple(positions[:ply])))
        for ply, position in enumerate(positions)
    ]
    assert counts == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("plies", [20, 41])
def test_contact_counts_in_favour_of_the_besieger(side: int, plies: int) -> None:
    position = reached(GAME, plies, 3)
    black, white = (set(cells) for cells in cells_of(position.words))
    contacts = sum(
        DISTANCES[one, other] == 1 and one in black and other in white
        for one in range(CELLS)
        for other in range(CELLS)
    )
    assert contacts > 0
    engine, siege = engine_evaluation(), siege_evaluation(side)
    plain = float(engine.kernel(position.words, engine.weights))
    value = float(evaluate_siege(position.words, siege.weights))
    assert value - plain == pytest.approx(CONTACT * contacts * (1 if side == position.side_to_move else -1))


@pytest.mark.parametrize(("patience", "seeks_contact"), [(2, True), (3, False)])
def test_siege_plays_as_alphabeta_until_its_patience_ends(patience: int, seeks_contact: bool) -> None:
    opening = GAME.parse(GAME.facts.openings["fortress"][0])
    *earlier, position = history_of(opening, *(str(move) for move in _two_moves(opening)))
    context = Context(history=tuple(earlier))
    alphabeta = boardgames.load_player("alphabeta:depth=4", GAME).choose(position, context=context)
    siege = boardgames.load_player(f"siege:depth=4,patience={patience}", GAME).choose(
        position, context=context
    )
    assert (siege.score != alphabeta.score) == seeks_contact


def _two_moves(position: Position) -> list[object]:
    first = position.legal_moves[0]
    return [first, position.apply(first).legal_moves[0]]
