"""Policies: experience as sparse tables, value iteration, the matches of workers, and files."""

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boardgames
from boardgames.errors import FileError, OptionError, WeightsError
from boardgames.kernels import OutcomeOf, Words, kernel
from boardgames.selfplay import SelfPlaySetup
from boardgames.selfplay.worker import worker_state
from boardgames.weights import Weights
from boardgames.weights.files import read_arrays, write_arrays
from boardgames_connect4.value_iteration.abstraction import find_abstraction
from boardgames_connect4.value_iteration.policy import (
    ChoiceOptions,
    Experience,
    Policy,
    TablePlayer,
    guard_bits,
    play_recorded,
)

GAME = boardgames.load("connect4", columns=5, rows=4)
SETUP = SelfPlaySetup.of(GAME, "tops", opening=2, ply_limit=100)

Record = list[tuple[int, int, int, int, int]]


def random_match(
    random: np.random.Generator, states: int, actions: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return a record in which the sides alternate, the rewards, and the winner."""
    record = np.array(
        [(ply % 2, random.integers(states), random.integers(actions), -1, random.integers(states))
         for ply in range(random.integers(1, 9))]
    )  # fmt: skip
    for ply in range(len(record) - 2):
        record[ply, 3] = record[ply + 2, 1]
    return record, random.integers(-9, 9, len(record)).astype(float), int(random.integers(3))


def random_experience(states: int = 6, actions: int = 3, matches: int = 30) -> Experience:
    random = np.random.default_rng(1)
    return Experience.empty(states, actions).merged(
        [
            Experience.of_match(states, actions, record, rewards, None if winner == 2 else winner)
            for record, rewards, winner in (random_match(random, states, actions) for _ in range(matches))
        ]
    )


def same(first: Experience, second: Experience) -> bool:
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in Experience.NAMES)


# --- experience ---------------------------------------------------------------


def test_experience_counts_what_dictionaries_count() -> None:
    random, states, actions = np.random.default_rng(1), 6, 3
    visits: Counter[tuple[int, int]] = Counter()
    links: Counter[tuple[int, int, int]] = Counter()
    wins: Counter[tuple[int, int]] = Counter()
    rewards: defaultdict[tuple[int, int], float] = defaultdict(float)
    for _ in range(30):
        record, gained, winner = random_match(random, states, actions)
        for (_, state, action, following, _), reward in zip(record.tolist(), gained, strict=True):
            visits[state, action] += 1
            rewards[state, action] += reward
            if following >= 0:
                links[state, action, following] += 1
        wins.update({(winner, row[4]) for row in record.tolist() if row[0] == winner})
    experience = random_experience()
    pairs = [divmod(key, actions) for key in experience.pairs.tolist()]
    assert dict(zip(pairs, experience.visits.tolist(), strict=True)) == visits
    assert dict(zip(pairs, experience.rewards.tolist(), strict=True)) == rewards
    followed = [(*divmod(key // states, actions), key % states) for key in experience.links.tolist()]
    assert dict(zip(followed, experience.counts.tolist(), strict=True)) == links
    won = [divmod(key, states) for key in experience.won.tolist()]
    assert dict(zip(won, experience.wins.tolist(), strict=True)) == wins
    assert experience.visited == len({state for state, _ in visits})


def test_weighted_match_counts_as_so_many() -> None:
    record, rewards, _ = random_match(np.random.default_rng(3), 6, 3)
    once = Experience.of_match(6, 3, record, rewards, 0)
    assert same(Experience.of_match(6, 3, record, rewards, 0, weight=3), once.merged([once, once]))


def test_success_moves_half_of_the_way_to_one_with_each_won_match() -> None:
    record, rewards = np.array([[1, 2, 0, -1, 4]]), np.ones(1)
    expected, experience = 0.0, Experience.empty(6, 3)
    for _ in range(4):
        experience = experience.merged([Experience.of_match(6, 3, record, rewards, 1)])
        expected = expected + (1 - expected) / 2
        assert experience.success()[1, 4] == expected
    assert np.count_nonzero(experience.success()) == 1
    lost = experience.merged([Experience.of_match(6, 3, record, rewards, 0)])
    assert lost.success()[1, 4] == expected


# --- value iteration ----------------------------------------------------------


def test_values_of_a_small_problem_solved_by_hand() -> None:
    # state 0: action 0 gains 1 and leads to state 1 in one match of two, to state 2 in the other;
    # action 1 gains 2 and ends. State 1: gains 4 and returns to state 0. State 2: gains 6 and ends.
    first = np.array([[0, 0, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 1, -1, 0]])
    second = np.array([[0, 0, 0, 2, 0], [0, 2, 1, -1, 0]])
    experience = Experience.of_match(3, 2, first, np.array([1.0, 4.0, 2.0]), None).merged(
        [Experience.of_match(3, 2, second, np.array([1.0, 6.0]), None)]
    )
    solution = experience.solve(0.5)
    # V0 = max(1 + 0.5 (V1 + V2) / 2, 2), V1 = 4 + 0.5 V0, V2 = 6: V0 = 1 + 0.25 (10 + 0.5 V0) = 4
    assert solution.values == pytest.approx([4.0, 6.0, 6.0], abs=1e-8)
    assert solution.rewards == pytest.approx(np.array([[1.0, 2.0], [4.0, 0.0], [0.0, 6.0]]))
    assert solution.ahead == pytest.approx(np.array([[3.0, 0.0], [2.0, 0.0], [0.0, 0.0]]), abs=1e-8)


@pytest.mark.parametrize("gamma", [0.0, 0.1, 0.9, 0.99])
def test_values_satisfy_the_equation_of_bellman(gamma: float) -> None:
    experience = random_experience()
    solution = experience.solve(gamma)
    values: dict[int, float] = {}
    for place, pair in enumerate(experience.pairs.tolist()):
        state, visits = pair // 3, experience.visits[place]
        value = experience.rewards[place] / visits
        for link, count in zip(experience.links.tolist(), experience.counts.tolist(), strict=True):
            if link // 6 == pair:
                value += gamma * count / visits * solution.values[link % 6]
        values[state] = max(values.get(state, -np.inf), value)
    assert solution.values == pytest.approx([values.get(state, 0.0) for state in range(6)], abs=1e-6)


def test_nothing_is_worth_anything_without_experience() -> None:
    solution = Experience.empty(6, 3).solve(0.9)
    assert not solution.values.any()
    assert solution.sweeps == 0


def test_tolerance_is_relative_to_the_rewards() -> None:
    experience = random_experience()
    large = replace(experience, rewards=experience.rewards * 2**40).solve(0.99)
    assert large.sweeps == experience.solve(0.99).sweeps
    assert large.values == pytest.approx(experience.solve(0.99).values * 2**40)


def test_tolerance_decides_the_number_of_sweeps() -> None:
    experience = random_experience()
    assert experience.solve(0.9, 1e-2).sweeps < experience.solve(0.9, 1e-9).sweeps


# --- matches ------------------------------------------------------------------


def test_two_matches_from_each_opening_have_the_sides_exchanged() -> None:
    played = play_recorded(SETUP, TablePlayer(), TablePlayer(depth=1), matches=40, seed=3)
    assert [match.side for match in played.matches] == [0, 1] * 20
    assert sum(played.experience.visits) == sum(match.plies for match in played.matches)


def test_matches_of_a_player_against_itself_are_all_different() -> None:
    played = play_recorded(SETUP, TablePlayer(options=ChoiceOptions(epsilon=0.2)), matches=30, seed=3)
    assert len({match.moves_hash for match in played.matches}) > 25


def test_better_player_scores_more_whichever_is_named_first() -> None:
    good, bad = TablePlayer(), TablePlayer(depth=0)
    for first, second, share in ((good, bad, 0.9), (bad, good, 0.1)):
        played = play_recorded(SETUP, first, second, matches=100, seed=3)
        assert np.mean([match.points for match in played.matches]) == pytest.approx(share, abs=0.1)


def test_ply_limit_leaves_matches_unfinished() -> None:
    short = SelfPlaySetup.of(GAME, "tops", opening=2, ply_limit=3)
    played = play_recorded(short, TablePlayer(), matches=4, seed=3)
    assert all(match.is_unfinished and match.plies == 3 for match in played.matches)


@kernel(OutcomeOf)
def second_side(position: Words) -> int:
    """Return 1: the second side wins at a limit."""
    return 1


def test_a_game_may_say_who_wins_at_the_ply_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    short = SelfPlaySetup.of(GAME, "tops", opening=2, ply_limit=3)
    game = worker_state(short).game
    monkeypatch.setattr(game, "kernels", replace(game.kernels, outcome_at_limit=second_side))
    played = play_recorded(short, TablePlayer(), matches=4, seed=3)
    assert all(match.winner == 1 and match.plies == 3 for match in played.matches)


# --- files --------------------------------------------------------------------


def policy(**changes: Any) -> Policy:  # its fields
    experience = play_recorded(SETUP, TablePlayer(), matches=20, seed=5).experience
    fields: dict[str, Any] = {
        "game": "connect4", "abstraction": "tops", "experience": experience, "gamma": 0.3,
        "provenance": {"seed": 5},
    }  # fmt: skip
    return Policy(**fields | changes)


def test_policy_survives_a_file(tmp_path: Path) -> None:
    before, path = policy(), tmp_path / "policy.safetensors"
    before.write(path)
    after = Policy.read(path)
    assert same(after.experience, before.experience)
    assert (after.game, after.abstraction, after.gamma) == ("connect4", "tops", 0.3)
    assert (after.provenance, after.fingerprint()) == ({"seed": 5}, before.fingerprint())
    content = path.read_bytes()
    after.write(path)
    assert path.read_bytes() == content
    assert policy(gamma=0.2).fingerprint() != before.fingerprint()


def test_damaged_file_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    policy().write(path)
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(WeightsError, match="damaged"):
        Policy.read(path)
    with pytest.raises(FileError):
        Policy.read(tmp_path / "missing")


def test_file_of_weights_is_rejected(tmp_path: Path) -> None:
    features = boardgames.load_features("lines", GAME)
    path = tmp_path / "weights.safetensors"
    Weights.of(GAME, features, np.ones(len(features.features))).write(path)
    with pytest.raises(WeightsError, match="has no policy of version 1"):
        Policy.read(path)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("pairs", lambda keys: keys[::-1].copy(), "keys that are out of order"),
        ("pairs", lambda keys: keys * 10**6, "out of range"),
        ("visits", lambda counts: counts * 0, "counts below 1"),
        ("counts", lambda counts: counts[1:], "must have as many rows as 'links'"),
        ("wins", lambda counts: counts.astype(float), "of another type"),
        ("targets", lambda states: states + 243, "do not fit together"),
        ("followers", lambda counts: counts * 2, "do not fit together"),
        ("rewards", lambda sums: sums * np.nan, "must be finite"),
    ],
)
def test_tables_that_do_not_fit_together_are_rejected(
    name: str, change: object, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "policy.safetensors"
    policy().write(path)
    arrays, header = read_arrays(path)
    wide = {key: array.astype(np.int64) for key, array in arrays.items()}
    assert callable(change)
    write_arrays(path, {**wide, name: change(wide[name])}, header)
    with pytest.raises(WeightsError, match=message):
        Policy.read(path)


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("gamma", 1.0),
        ("states", 0),
        ("states", 10**30),
        ("actions", 10**9),
        ("abstraction", 3),
        ("schema", 2),
        ("provenance", 1),
    ],
)
def test_header_with_a_bad_value_is_rejected(change: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    policy().write(path)
    arrays, header = read_arrays(path)
    write_arrays(path, arrays, {**header, change: value})
    with pytest.raises(WeightsError, match="has no policy of version 1"):
        Policy.read(path)


def test_policy_for_other_states_is_rejected() -> None:
    tops = find_abstraction("tops", GAME)
    policy().check(GAME, tops)
    plain = find_abstraction("tops-plain", GAME)
    with pytest.raises(WeightsError, match="is for 'tops' of 'connect4', not for 'tops-plain' of connect4"):
        policy().check(GAME, plain)
    large = boardgames.load("connect4")
    with pytest.raises(WeightsError, match=r"243 states and 5 actions.* 2187 and 7"):
        policy().check(large, find_abstraction("tops", large))


# --- names --------------------------------------------------------------------


def test_unknown_guard_is_rejected() -> None:
    with pytest.raises(OptionError, match="no such guard 'gaps'; did you mean 'gap'"):
        guard_bits("diagonal+gaps")
