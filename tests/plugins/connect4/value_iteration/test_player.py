"""The player `value-iteration`: its moves, adapting to an opponent, learning, and its files."""

from pathlib import Path

import numpy as np
import pytest

import boardgames
from boardgames import Manager
from boardgames.errors import (
    MatchError,
    OptionError,
    PositionError,
    UnknownNameError,
    WeightsError,
)
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.player import Context
from boardgames_connect4.value_iteration.abstraction import find_abstraction
from boardgames_connect4.value_iteration.player import VALUE, PolicyPlayer
from boardgames_connect4.value_iteration.policy import Experience, Policy

CONNECT4 = boardgames.load("connect4")
WIDE = boardgames.load("connect4", layout="8x7")
TOPS = find_abstraction("tops", CONNECT4)


def load(text: str = "value-iteration", game: Game = CONNECT4, seed: int = 1) -> PolicyPlayer:
    player = boardgames.load_player(text, game, seed=seed)
    assert isinstance(player, PolicyPlayer)
    return player


def play_match(player: PolicyPlayer, seed: int = 1) -> Manager:
    """Let a player play a match as red against random moves."""
    match = Manager(CONNECT4, [player, boardgames.load_player("random", CONNECT4, seed=seed)])
    match.play()
    return match


def value(policy: Policy, position: Position, action: int, reward: str = "board") -> float:
    """Return the value of a move: its reward, and the discounted values of the states that followed."""
    side, move = position.side_to_move, position.game.decode(position, action)
    state = TOPS.state(position.words, side)
    solution = policy.experience.solve(policy.gamma)
    gained = TOPS.reward(position.apply(move).words, side)
    if reward == "observed":
        gained = solution.rewards[state, action]
    return float(gained + solution.ahead[state, action])


# --- moves --------------------------------------------------------------------


@pytest.mark.parametrize("game", [CONNECT4, WIDE], ids=str)
def test_shipped_policy_plays_without_options(game: Game) -> None:
    player, position = load(game=game), game.start()
    while position.outcome is None:
        move = player.choose(position).move
        assert move is not None
        position = position.apply(move)
    assert player.policy.experience.visited > 1000


@pytest.mark.parametrize("reward", ["board", "observed"])
def test_best_move_is_played_and_scored_by_its_value(reward: str) -> None:
    player = load(f"value-iteration:epsilon=0,guards=none,wins_first=false,reward={reward}")
    random, position = np.random.default_rng(1), None
    for _ in range(10):
        position = CONNECT4.start() if position is None or position.outcome else position
        values = {action: value(player.policy, position, action, reward) for action in position.actions}
        choice = player.choose(position)
        assert choice.move is not None
        assert values[choice.move.action] == pytest.approx(max(values.values()), abs=1e-9)
        assert choice.score is not None
        assert choice.score.amount == pytest.approx(max(values.values()), abs=1e-9)
        assert choice.score.unit is VALUE
        position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])


def test_analysis_values_every_legal_move_best_first() -> None:
    position, player = CONNECT4.parse("4453"), load()
    analysis = player.analyse(position)
    assert sorted(entry.move.action for entry in analysis.moves) == list(position.actions)
    assert [entry.score for entry in analysis.moves] == sorted(
        (entry.score for entry in analysis.moves), reverse=True
    )
    for entry in analysis.moves:
        assert entry.score.amount == pytest.approx(value(player.policy, position, entry.move.action))
    assert len(player.analyse(position, lines=2).moves) == 2


def test_guards_can_be_switched_off_one_by_one() -> None:
    two = CONNECT4.parse("314")  # b.rr...: the guard open-two demands column 2
    assert {str(load(seed=seed).choose(two).move) for seed in range(9)} == {"2"}
    off = {str(load("value-iteration:guards=gap+diagonal", seed=seed).choose(two).move) for seed in range(9)}
    assert off != {"2"}
    with pytest.raises(OptionError, match="no such guard 'gaps'"):
        load("value-iteration:guards=gaps")


def test_seed_decides_random_moves() -> None:
    def line(seed: int, text: str = "value-iteration:epsilon=1,guards=none") -> list[str]:
        player, position, moves = load(text, seed=seed), CONNECT4.start(), []
        while position.outcome is None:
            moves.append(str(player.choose(position).move))
            position = position.apply(moves[-1])
        return moves

    assert line(1) == line(1)
    assert len({tuple(line(seed)) for seed in range(4)}) == 4


def test_random_moves_respect_the_bound() -> None:
    position = CONNECT4.parse("44")
    values = {action: value(load().policy, position, action) for action in position.actions}
    for bound in (0.5, 2.0, 100.0):
        text = f"value-iteration:epsilon=1,guards=none,bound={bound}"
        player = load(text)
        moves = [player.choose(position).move for _ in range(100)]
        assert None not in moves
        chosen = {move.action for move in moves if move is not None}
        near = {action for action, one in values.items() if max(values.values()) - one < bound}
        assert chosen == near


def test_discount_of_the_policy_can_be_overruled() -> None:
    position = CONNECT4.start()
    default, far = load(), load("value-iteration:gamma=0.9")
    assert (default.policy.gamma, far.policy.gamma) == (0.1, 0.9)
    assert default.analyse(position).score != far.analyse(position).score
    assert default.fingerprint() != far.fingerprint()


def test_success_alone_plays_the_most_successful_state() -> None:
    player, position = load("value-iteration:choose=success,epsilon=0,guards=none"), CONNECT4.parse("12")
    success = player.policy.experience.success()[0]
    reached = {str(move): success[TOPS.state(position.apply(move).words, 0)] for move in position.legal_moves}
    assert reached[str(player.choose(position).move)] == max(reached.values())


def test_finished_and_foreign_positions_are_rejected() -> None:
    with pytest.raises(PositionError):
        load().choose(WIDE.start())
    with pytest.raises(MatchError, match="is over"):
        load().analyse(CONNECT4.parse("1122334"))


# --- adapting and learning ----------------------------------------------------


def history(moves: str) -> tuple[Position, ...]:
    positions = [CONNECT4.start()]
    for move in moves:
        positions.append(positions[-1].apply(move))
    return tuple(positions)


def test_the_player_observes_its_own_moves_and_what_follows_them() -> None:
    path = history("445352")
    observed = load()._observed(path, 0, None)
    turns = [TOPS.state(one.words, 0) for one in path if one.side_to_move == 0]
    assert sorted(observed.pairs // 7) == sorted(turns[:-1])
    assert sorted(observed.pairs % 7) == [3, 4, 4]  # the moves 4, 5 and 5
    assert sorted(observed.links % TOPS.states) == sorted(turns[1:])


def test_adapted_values_follow_from_the_merged_experience() -> None:
    *before, position = history("44535")
    player = load("value-iteration:adapt=50")
    observed = player._observed((*before, position), 1, None, 50)
    merged = Policy("connect4", "tops", player.policy.experience.merged([observed]), 0.1)
    analysis = player.analyse(position, context=Context(history=tuple(before)))
    for entry in analysis.moves:
        assert entry.score.amount == pytest.approx(value(merged, position, entry.move.action))


def test_adaptations_to_an_opponent_are_forgotten_after_the_match() -> None:
    *before, position = history("445352")
    player = load("value-iteration:adapt=1000")
    fingerprint = player.fingerprint()
    player.choose(position, context=Context(history=tuple(before)))
    player.match_started(0)
    assert player.fingerprint() == fingerprint
    assert np.array_equal(player._workspace.table, load()._workspace.table)
    assert not player.is_learning


def test_learning_adds_the_match_and_saves_it(home: Path) -> None:
    player = load("value-iteration:learn=true")
    before = player.policy.experience
    match = play_match(player)
    assert player.saved_to == home / "data" / "weights" / "connect4-value-iteration.safetensors"
    saved = Policy.read(player.saved_to)
    positions = match.positions
    own = [one for one in positions if one.side_to_move == 0 and one.outcome is None]
    assert saved.experience.visits.sum() == before.visits.sum() + len(own)
    assert saved.provenance["matches"] == 1
    assert match.outcome is not None
    reached = {TOPS.state(positions[place + 1].words, 0) for place in range(0, len(positions) - 1, 2)}
    won = saved.experience.wins.sum() - before.wins.sum()
    assert won == (len(reached) if match.outcome.winner == 0 else 0)


def test_learning_continues_from_what_was_saved(home: Path) -> None:
    for matches in (1, 2):
        player = load("value-iteration:learn=true")
        play_match(player, seed=matches)
        assert Policy.read(player.saved_to or home).provenance["matches"] == matches
    shipped = load()
    assert shipped.fingerprint() != player.fingerprint()
    assert shipped.policy.experience.visits.sum() < player.policy.experience.visits.sum()


def test_lost_match_is_learned_without_success(home: Path, tmp_path: Path) -> None:
    player = load(f"value-iteration:learn=true,save={tmp_path / 'mine.safetensors'}")
    wins = player.policy.experience.wins.sum()
    player.match_started(0)
    player.choose(CONNECT4.start())
    player.match_ended(Outcome(1, Termination.RESIGNATION))
    assert player.policy.experience.wins.sum() == wins
    assert Policy.read(tmp_path / "mine.safetensors").provenance["matches"] == 1


def test_match_without_a_move_is_not_saved(home: Path) -> None:
    player = load("value-iteration:learn=true")
    player.match_started(0)
    player.match_ended(Outcome(1, Termination.RESIGNATION))
    assert player.saved_to is None


# --- files --------------------------------------------------------------------


def empty(path: Path, game: Game = CONNECT4) -> Path:
    states = find_abstraction("tops", game).states
    Policy("connect4", "tops", Experience.empty(states, game.facts.actions), 0.1).write(path)
    return path


def test_policy_is_read_from_a_file(tmp_path: Path) -> None:
    player = load(f"value-iteration:policy={empty(tmp_path / 'none.safetensors')}")
    assert player.policy.experience.visited == 0
    assert player.choose(CONNECT4.start()).move in CONNECT4.start().legal_moves


def test_own_file_is_learned_in_place(tmp_path: Path) -> None:
    path = empty(tmp_path / "mine.safetensors")
    player = load(f"value-iteration:policy={path},learn=true")
    play_match(player)
    assert player.saved_to == path
    assert Policy.read(path).experience.visited > 0


def test_policy_of_another_board_is_rejected(tmp_path: Path) -> None:
    path = empty(tmp_path / "wide.safetensors", WIDE)
    with pytest.raises(WeightsError, match="6561 states"):
        load(f"value-iteration:policy={path}")


def test_board_without_a_policy_says_how_to_make_one() -> None:
    with pytest.raises(UnknownNameError, match="has no policy of its own: train one with --learner value-it"):
        load(game=boardgames.load("connect4", layout="5x4"))


def test_weights_are_not_a_policy() -> None:
    with pytest.raises(WeightsError, match="has no policy"):
        load("value-iteration:policy=td")


def test_learned_file_of_another_policy_is_rejected(home: Path, tmp_path: Path) -> None:
    save = tmp_path / "mine.safetensors"
    play_match(load(f"value-iteration:learn=true,save={save}"))
    other = empty(tmp_path / "other.safetensors")
    with pytest.raises(
        WeightsError, match=r"mine.safetensors was not learned from .*other.safetensors as it"
    ):
        load(f"value-iteration:learn=true,policy={other},save={save}")


def test_saving_needs_learning(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="save needs learn=true"):
        load(f"value-iteration:save={tmp_path / 'mine.safetensors'}")
