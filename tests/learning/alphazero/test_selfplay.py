"""Self-play makes true samples: legal moves, right results, as many as were asked for."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from nim import Nim

import boardgames
from boardgames.batch import Batch
from boardgames.game import Game
from boardgames.learning.alphazero.selfplay import SelfPlay, play_matches, play_random_moves
from boardgames.search.batched import BatchSearchOptions
from boardgames.search.batched.options import ROOTS

GAMES: dict[str, Callable[[], Game]] = {
    "connect4": lambda: boardgames.load("connect4", columns=4, rows=4),
    "tictactoe": lambda: boardgames.load("tictactoe"),
    "nim, moving again": lambda: Nim(again=True, stuck=True),
}
WIN, DRAW, LOSS = [1, 0, 0], [0, 1, 0], [0, 0, 1]


def know_nothing(
    observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
) -> tuple[npt.ArrayLike, npt.ArrayLike]:
    return masks, np.zeros(len(masks))


def winning_moves(game: Game, words: npt.NDArray[np.uint64]) -> list[int]:
    """Return the moves that win at once, but not by leaving the other side without a move."""
    position = game.unpack(words)
    after = {action: position.apply_action(action).words for action in position.actions}
    side = position.side_to_move
    return [action for action, successor in after.items() if game.kernels.outcome(successor) == side]


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("name", GAMES)
def test_samples_have_the_moves_that_win_at_once_and_the_results(name: str, root: str) -> None:
    game = GAMES[name]()
    settings = SelfPlay(
        simulations=20,
        fast_simulations=5,
        full_share=1.0,
        random_plies=12 if name == "connect4" else 8,
        search=BatchSearchOptions(root=root),  # type: ignore[arg-type]  # one of ROOTS
    )
    played = play_matches(game, know_nothing, 150, settings=settings, seed=1)
    samples = played.samples
    assert samples.size == played.plies
    assert sum(played.wins) == 150
    sides = set()
    for words, actions, shares, result, _ in zip(*samples, strict=True):
        position = game.unpack(words)
        chosen = actions[actions >= 0].tolist()
        assert set(chosen) <= set(position.actions)
        assert shares.sum() == pytest.approx(1, abs=1e-5)
        assert shares[len(chosen) :].tolist() == [0] * (len(actions) - len(chosen))
        assert result.tolist() in (WIN, DRAW, LOSS)
        if wins := winning_moves(game, words):
            assert set(chosen) <= set(wins)
            assert result.tolist() == WIN
            sides.add(position.side_to_move)
    assert sides == {0, 1} or name.startswith("nim")  # there, no move takes all


def test_the_requested_share_of_searches_is_full() -> None:
    settings = SelfPlay(simulations=8, fast_simulations=2, full_share=0.25, random_plies=0)
    played = play_matches(boardgames.load("tictactoe"), know_nothing, 100, settings=settings, seed=2)
    assert played.samples.size / played.plies == pytest.approx(0.25, abs=0.07)
    assert played.evaluations < played.plies * 6  # far fewer than full searches would need
    won = [len(winning_moves(boardgames.load("tictactoe"), words)) > 0 for words in played.samples.positions]
    assert sum(won) > 10
    assert (played.samples.results[won] == WIN).all()


def test_positions_are_rarely_evaluated_twice() -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    asked: list[bytes] = []

    def noting(
        observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
    ) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        asked.extend(one.tobytes() for one in observations)
        return know_nothing(observations, masks)

    played = play_matches(game, noting, 1, settings=SelfPlay(simulations=50, random_plies=0), seed=1)
    assert played.evaluations == len(asked) == len(set(asked)) > 50


def test_the_trace_decay_does_not_change_proven_results() -> None:
    game = boardgames.load("tictactoe")
    settings = SelfPlay(simulations=100, full_share=1.0, random_plies=8, trace_decay=0.0)
    samples = play_matches(game, know_nothing, 60, settings=settings, seed=1).samples
    plies = np.array([9 - len(game.unpack(words).actions) for words in samples.positions])
    late = samples.results[plies >= 6].tolist()  # so few simulations prove what comes of these
    assert all(result in (WIN, DRAW, LOSS) for result in late)
    assert DRAW in late


@pytest.mark.parametrize("to_the_end", [True, False])
def test_samples_have_the_final_lead_if_matches_are_played_to_the_end(to_the_end: bool) -> None:
    game = boardgames.load("hexifence", dimension=2)  # seven cells, so nobody ends with a lead of 0
    settings = SelfPlay(simulations=30, full_share=1.0, random_plies=20, to_the_end=to_the_end)
    samples = play_matches(game, know_nothing, 40, settings=settings, seed=1).samples
    assert (np.abs(samples.leads) <= 7).all()
    is_final = samples.leads % 2 == 1
    assert is_final.all() == to_the_end
    assert ((samples.leads > 0) == (samples.results[:, 0] == 1))[is_final].all() or not to_the_end
    sides = {game.unpack(words).side_to_move for words in samples.positions[samples.leads > 0]}
    assert sides == {0, 1}


def test_equal_seeds_give_equal_samples() -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    settings = SelfPlay(simulations=8, fast_simulations=2)
    first, second, other = (
        play_matches(game, know_nothing, 12, settings=settings, seed=seed) for seed in (3, 3, 4)
    )
    assert first.samples.positions.tobytes() == second.samples.positions.tobytes()
    assert first.samples.shares.tobytes() == second.samples.shares.tobytes()
    assert first.samples.results.tobytes() == second.samples.results.tobytes()
    assert first.samples.positions.tobytes() != other.samples.positions.tobytes()


@pytest.mark.parametrize("name", GAMES)
def test_targets_are_lambda_returns_of_a_match(name: str) -> None:
    game, decay = GAMES[name](), 0.75

    def targets(trace_decay: float) -> npt.NDArray[np.float64]:
        settings = SelfPlay(
            simulations=8, fast_simulations=2, full_share=1.0, random_plies=0, trace_decay=trace_decay
        )
        samples = play_matches(game, know_nothing, 1, settings=settings, seed=1).samples
        sides.extend(game.unpack(words).side_to_move for words in samples.positions)
        return samples.results.astype(np.float64)

    sides: list[int] = []
    values, results, mixed = (targets(trace_decay) for trace_decay in (0.0, 1.0, decay))
    assert values[:-1, 1].max() == 0  # the value of a search says nothing of draws, unless it is proven
    assert ((values[:, 0] > 0.3) & (values[:, 0] < 0.7)).any()  # nothing is known of the first positions
    expected = results[-1]
    for index in range(len(mixed) - 1, -1, -1):
        if index + 1 < len(mixed) and sides[index] != sides[index + 1]:
            expected = expected[::-1]
        expected = decay * expected + (1 - decay) * values[index]
        assert mixed[index] == pytest.approx(expected, abs=1e-6)


def test_the_noise_of_a_search_does_not_depend_on_the_random_moves_before_it() -> None:
    game = boardgames.load("connect4")
    batch = Batch(game, 500, seed=3, threads=1)
    batch.step(first := batch.sample())
    settings = SelfPlay(simulations=1, full_share=1.0, random_plies=0)
    recorded = []

    def evaluate(
        observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
    ) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        recorded.append(observations)
        return masks, np.zeros(len(masks))

    play_matches(game, evaluate, 500, settings=settings, seed=3)
    chosen = recorded[1][:, 1, -1].argmax(axis=1)  # by noise alone, since all priors are equal
    assert abs(np.corrcoef(chosen, first)[0, 1]) < 0.2


def test_matches_begin_with_random_moves_and_are_not_over() -> None:
    batch = Batch(boardgames.load("tictactoe"), 300, seed=1)
    play_random_moves(batch, 8, np.random.default_rng(1))
    assert not batch.over.any()
    assert set(batch.plies.tolist()) == set(range(9))
