"""Puzzles of Hexifence: each has one winning move of its kind, checked by a search without the table."""

import numpy as np
import pytest

from boardgames import load, load_player
from boardgames.kernels import Words
from boardgames.player import ExactPlayer
from boardgames.puzzles import Puzzle, make_puzzles
from boardgames_hexifence.edges import kind_of, new_edge_set, number_of
from boardgames_hexifence.features import CAPTURING, FREE, SACRIFICING, SAFE
from boardgames_hexifence.game import Hexifence
from boardgames_hexifence.puzzles import sacrifices
from boardgames_hexifence.solver import Solver


def puzzles(kind: str, dimension: int, count: int) -> list[Puzzle]:
    game = load("hexifence", dimension=dimension)
    player = load_player("strong", game)
    assert isinstance(player, ExactPlayer)
    return make_puzzles(game, kind, player, count=count, seed=3)


def final_scores(puzzle: Puzzle) -> dict[str, int]:
    """Return the final difference of cells after each move, by another search than that of the puzzles."""
    position = puzzle.position
    own, other = position.score[position.side_to_move], position.score[1 - position.side_to_move]
    values = Solver(position.game, all_values=False).solve(position).values
    return {str(move): own - other + value for move, value in values.items()}


@pytest.mark.parametrize(
    ("kind", "dimension"),
    [
        ("hand-out", 2),
        *(pytest.param(kind, 2, marks=pytest.mark.slow) for kind in ("sacrifice", "safe-edge")),
        *(pytest.param(kind, 3, marks=pytest.mark.slow) for kind in ("hand-out", "sacrifice", "safe-edge")),
        pytest.param("hand-out", 5, marks=pytest.mark.slow),
    ],
)
def test_only_the_solution_wins_and_greedy_does_not_play_it(kind: str, dimension: int) -> None:
    for puzzle in puzzles(kind, dimension, 2):
        scores = final_scores(puzzle)
        assert [move for move, score in scores.items() if score > 0] == [str(puzzle.solution)]
        assert puzzle.score.amount == scores[str(puzzle.solution)]
        assert puzzle.next_best.amount == max(score for score in scores.values() if score < 0)
        assert puzzle.mistake_score.amount == scores[str(puzzle.mistake)] < 0


@pytest.mark.slow
def test_solutions_are_of_the_kind_that_is_asked_for() -> None:
    for kind, edge_kind in (("sacrifice", SACRIFICING), ("hand-out", SACRIFICING), ("safe-edge", SAFE)):
        for puzzle in puzzles(kind, 2, 2):
            edge_set = new_edge_set(puzzle.position.words)
            free, capturing, safe = (int(number_of(edge_set, one)) for one in (FREE, CAPTURING, SAFE))
            assert kind_of(edge_set, puzzle.solution.action) == edge_kind
            assert (free + capturing > 0) == (kind == "hand-out")
            assert safe >= {"sacrifice": 1, "hand-out": 0, "safe-edge": 3}[kind]
            assert sum(puzzle.position.apply(puzzle.solution).score) == sum(puzzle.position.score)


def test_moves_of_rejected_positions_are_not_written_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    original = Hexifence.format_action

    def format_action(self: Hexifence, words: Words, action: int) -> str:
        written.append(action)
        return original(self, words, action)

    monkeypatch.setattr(Hexifence, "format_action", format_action)
    game = load("hexifence", dimension=2)
    candidate = next(sacrifices(game, np.random.default_rng(1)))
    assert written == [move.action for move in candidate.position.legal_moves]
