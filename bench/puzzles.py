"""Make the puzzles of Abalone from the suite of tactical positions, which bench/tactics.py generates.

    python bench/puzzles.py     # takes a minute

The agent `simple:depth=3` plays the replies. The lines of play contain every move of the solving side that
still reaches the goal.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import boardgames
from boardgames.game import Game, Position
from boardgames.paths import write_atomic
from boardgames.player import Player

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from reference.tactics import Balances, Tactic, read_suite

PUZZLES = Path(__file__).parent.parent / "plugins/abalone/boardgames_abalone/data/tactics.txt"
ORDER = ("win 1", "win 3", "save 2", "win 5", "save 4")
MOST_LINES = 40
"""Maximum number of lines of play that solve a puzzle; positions with more solutions are left out."""


def main() -> None:
    """Write the puzzles."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=PUZZLES)
    arguments = parser.parse_args()
    game = boardgames.load("abalone")
    balances, replier = Balances(game), boardgames.load_player("simple:depth=3", game)
    lines = [
        "# Puzzles of Abalone, made by `python bench/puzzles.py`",
        "# position; title; task; lines of play that solve it",
    ]
    for tactic in sorted(read_suite(), key=lambda one: ORDER.index(one.name)):
        position = game.parse(tactic.position)
        solutions = [" ".join(line) for line in solve(position, tactic, balances, replier)]
        if len(solutions) <= MOST_LINES:
            lines.append("; ".join((tactic.position, *words(game, position, tactic), *solutions)))
    write_atomic(arguments.out, "\n".join([*lines, ""]))
    print(f"{len(lines) - 2} puzzles in {arguments.out}")


def solve(position: Position, tactic: Tactic, balances: Balances, replier: Player) -> Iterator[list[str]]:
    """Yield the lines that solve a tactic."""
    if tactic.kind == "save":
        yield from ([move] for move in tactic.moves)
        return
    for move in tactic.moves:
        yield from win(position, move, 1, tactic.plies, balances, replier)


def win(
    position: Position, move: str, goal: int, plies: int, balances: Balances, replier: Player
) -> Iterator[list[str]]:
    """Yield the lines that begin with a move and gain `goal` marbles in a number of plies."""
    after = position.apply(move)
    goal -= lost_by_opponent(position, after)
    if goal <= 0 or after.outcome is not None:
        yield [move]
        return
    reply = replier.choose(after).move
    assert reply is not None
    following = after.apply(reply)
    goal += lost_by_opponent(after, following)
    for action in sorted(balances.at_least(following, goal, plies - 2)):
        text = following.game.decode(following, action).text
        for rest in win(following, text, goal, plies - 2, balances, replier):
            yield [move, str(reply), *rest]


def lost_by_opponent(before: Position, after: Position) -> int:
    """Return the number of marbles that a move has pushed off."""
    return after.score[before.side_to_move] - before.score[before.side_to_move]


def words(game: Game, position: Position, tactic: Tactic) -> tuple[str, str]:
    """Return the title and the task of a puzzle."""
    own, other = game.facts.sides[position.side_to_move], game.facts.sides[1 - position.side_to_move]
    moves = tactic.plies // 2 + 1
    within = f"in {moves} move" if moves == 1 else f"within {moves} moves"
    if tactic.kind == "win" and tactic.stake == "match":
        return "Win the match", f"{own.capitalize()} to move and win {within}."
    if tactic.kind == "win":
        return "Push off a marble", f"{own.capitalize()} to move and push off a {other} marble {within}."
    if tactic.stake == "match":
        return (
            "Save the match",
            f"{other.capitalize()} threatens to win. {own.capitalize()} to move and prevent it.",
        )
    return (
        "Save a marble",
        f"{other.capitalize()} threatens to push off a marble. {own.capitalize()} to move and save it.",
    )


if __name__ == "__main__":
    main()
