"""The player `td`: the moves it plays, what it learns in a match, and the files that it saves to."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nim import Nim

import boardgames
from boardgames import Manager
from boardgames.errors import (
    BoardgamesError,
    MatchError,
    OptionError,
    PositionError,
    UnknownNameError,
    WeightsError,
)
from boardgames.game import Game, Move, Outcome, Position, Termination
from boardgames.learning.player import EPSILON_FLOOR, TDPlayer
from boardgames.match_state import MatchRules
from boardgames.player import Context
from boardgames.score import RETURN
from boardgames.selfplay import SelfPlaySetup, TDParameters, train_players
from boardgames.weights import Weights
from boardgames.weights.linear import WEIGHTED_SUM

CONNECT4 = boardgames.load("connect4")
SMALL = boardgames.load("connect4", columns=5, rows=4)
ABALONE = boardgames.load("abalone")
FEATURES = {"connect4": "lines", "abalone": "classic14"}


def write(
    path: Path, game: Game = CONNECT4, seed: int = 0, *, tanh: bool = True, **provenance: object
) -> Path:
    """Write random weights to a file and return its path."""
    features = boardgames.load_features(FEATURES[game.facts.name], game)
    values = np.random.default_rng(seed).uniform(-0.5, 0.5, len(features.features))
    Weights.of(game, features, values, tanh=tanh, provenance=provenance).write(path)
    return path


def load(text: str, game: Game = CONNECT4, seed: int = 1) -> TDPlayer:
    player = boardgames.load_player(text, game, seed=seed)
    assert isinstance(player, TDPlayer)
    return player


def play_match(player: TDPlayer, seed: int = 1) -> None:
    """Let a player play a match against random moves."""
    Manager(CONNECT4, [player, boardgames.load_player("random", CONNECT4, seed=seed)]).play()


def value(weights: Weights, position: Position, side: int) -> float:
    """Return the value of a position for `side`, computed by the formula."""
    features = boardgames.load_features(weights.features, position.game)
    numbers = np.zeros(len(features.features))
    features.kernel(position.words, side, numbers)
    total = float(features.normalised(numbers) @ weights.values)
    return float(np.tanh(total)) if weights.tanh else total


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return write(tmp_path / "mine.safetensors")


# --- moves --------------------------------------------------------------------


@pytest.mark.parametrize("tanh", [False, True], ids=["sum", "tanh"])
@pytest.mark.parametrize("game", [CONNECT4, ABALONE], ids=str)
def test_move_to_the_position_with_the_highest_value_is_played(
    tmp_path: Path, game: Game, tanh: bool
) -> None:
    player = load(f"td:weights={write(tmp_path / 'x.safetensors', game, tanh=tanh)}", game)
    position, random = game.start(), np.random.default_rng(3)
    for _ in range(8):
        side = position.side_to_move
        values = [value(player.weights, position.apply(move), side) for move in position.legal_moves]
        choice = player.choose(position)
        assert choice.move == position.legal_moves[int(np.argmax(values))]
        assert choice.score is not None
        assert choice.score.amount == pytest.approx(max(values), abs=1e-12)
        assert choice.score.unit is (RETURN if tanh else WEIGHTED_SUM)
        position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])


def test_analysis_values_every_legal_move_best_first(mine: Path) -> None:
    position, player = CONNECT4.parse("4453"), load(f"td:weights={mine}")
    analysis = player.analyse(position)
    assert sorted(entry.move.action for entry in analysis.moves) == list(position.actions)
    scores = [entry.score for entry in analysis.moves]
    assert scores == sorted(scores, reverse=True)
    for entry in analysis.moves:
        expected = value(player.weights, position.apply(entry.move), 0)
        assert entry.score.amount == pytest.approx(expected, abs=1e-12)
        assert not entry.proven
    assert (analysis.score, analysis.unit) == (scores[0], RETURN)
    assert analysis.moves[0].move == player.choose(position).move


def test_win_in_one_is_played_and_proven(mine: Path) -> None:
    position, player = CONNECT4.parse("112233"), load(f"td:weights={mine}")
    assert str(player.choose(position).move) == "4"
    best = player.analyse(position).moves[0]
    assert (str(best.move), best.score.amount, best.proven) == ("4", 1.0, True)


def test_limits_do_not_change_the_move(mine: Path) -> None:
    player = load(f"td:weights={mine}")
    assert not player.respects_limits
    choices = [player.choose(CONNECT4.start(), boardgames.Limit(depth=depth)).move for depth in (1, 9)]
    assert choices[0] == choices[1]


def test_seed_decides_exploratory_moves_and_nothing_else(mine: Path) -> None:
    def line(text: str, seed: int) -> tuple[str, ...]:
        player, position = load(text, seed=seed), CONNECT4.start()
        moves: list[str] = []
        while position.outcome is None:
            moves.append(str(player.choose(position).move))
            position = position.apply(moves[-1])
        return tuple(moves)

    greedy, exploring = f"td:weights={mine}", f"td:weights={mine},epsilon=0.5"
    assert len({line(greedy, seed) for seed in range(4)}) == 1
    assert len({line(exploring, seed) for seed in range(4)}) == 4
    assert line(exploring, 7) == line(exploring, 7)


def test_finished_and_foreign_positions_are_rejected(mine: Path) -> None:
    player = load(f"td:weights={mine}")
    with pytest.raises(PositionError):
        player.choose(SMALL.start())
    with pytest.raises(MatchError, match="is over"):
        player.analyse(CONNECT4.parse("1122334"))


def test_player_is_identified_by_its_weights(mine: Path, tmp_path: Path) -> None:
    player = load(f"td:weights={mine}")
    assert player.describe() == player.label() == f"td:weights={mine}"
    other = load(f"td:weights={write(tmp_path / 'other.safetensors', seed=1)}")
    assert player.fingerprint() == player.weights.fingerprint() != other.fingerprint()
    assert "saves to mine.safetensors" in load(f"td:weights={mine},learn=true").label()


# --- repetition ---------------------------------------------------------------


@cache
def random_positions() -> list[Position]:
    """Return positions with several legal moves from random matches."""
    random, positions = np.random.default_rng(2), []
    for _ in range(80):
        position = CONNECT4.start()
        for _ in range(8):
            position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])
            if position.outcome is not None:
                break
            if len(position.legal_moves) > 1:
                positions.append(position)
    return positions


def positions_with_value(player: TDPlayer, sign: int) -> Iterator[tuple[Position, boardgames.Choice]]:
    """Yield positions that a player values above (or below) 0, with its choice."""
    choices = [(position, player.choose(position)) for position in random_positions()]
    fitting = [(position, choice) for position, choice in choices if sign_of(choice) == sign]
    assert len(fitting) > 10
    yield from fitting


def sign_of(choice: boardgames.Choice) -> int:
    """Return the sign of the value of a choice."""
    assert choice.score is not None
    return choice.score.sign


def move_values(player: TDPlayer, position: Position) -> dict[str, float]:
    """Return the values of all moves, in the order of legal moves."""
    values: dict[Move, float] = {}
    for entry in player.analyse(position).moves:
        assert entry.score.amount is not None
        values[entry.move] = entry.score.amount
    return {str(move): values[move] for move in position.legal_moves}


@pytest.fixture
def avoiding(tmp_path: Path) -> str:
    return f"td:weights={write(tmp_path / 'x.safetensors', seed=1)}"


def test_repetition_is_worth_a_draw_to_a_player_that_is_ahead(avoiding: str) -> None:
    player, avoided = load(avoiding), 0
    for position, free in positions_with_value(player, 1):
        assert free.move is not None
        repeated = Context(history=(position.apply(free.move),))
        values = move_values(player, position) | {str(free.move): 0.0}
        best = max(values, key=lambda move: values[move])
        choice = player.choose(position, context=repeated)
        assert choice.score is not None
        assert (str(choice.move), choice.score.amount) == (best, values[best])
        avoided += choice.move != free.move
    assert avoided > 2


def test_all_positions_of_the_match_count_as_repetitions(avoiding: str) -> None:
    player = load(avoiding)
    for position, _ in positions_with_value(player, 1):
        repeated = Context(history=tuple(map(position.apply, position.legal_moves)))
        score = player.choose(position, context=repeated).score
        assert score is not None
        assert score.amount == 0
        assert sign_of(player.choose(position, context=Context(history=(CONNECT4.start(),)))) > 0


@pytest.mark.parametrize(
    ("options", "sign"), [("", -1), (",learn=true,epsilon=0,alpha=0", 1)], ids=["behind", "learning"]
)
def test_player_that_is_behind_or_learning_may_repeat(avoiding: str, options: str, sign: int) -> None:
    player = load(avoiding + options)
    for position, free in positions_with_value(player, sign):
        assert free.move is not None
        choice = player.choose(position, context=Context(history=(position.apply(free.move),)))
        assert (choice.move, choice.score) == (free.move, free.score)


# --- learning -----------------------------------------------------------------


@pytest.mark.parametrize("tanh", [False, True], ids=["sum", "tanh"])
@pytest.mark.parametrize("shared", [False, True], ids=["two players", "one player"])
@pytest.mark.parametrize(("game", "ply_limit"), [(CONNECT4, 400), (SMALL, 400), (ABALONE, 31)], ids=str)
def test_match_teaches_the_same_as_compiled_self_play(
    tmp_path: Path, game: Game, ply_limit: int, shared: bool, tanh: bool
) -> None:
    files = [write(tmp_path / f"{seed}.safetensors", game, seed, tanh=tanh) for seed in range(2)]
    options = "alpha=0.05,gamma=0.8,lambda=0.7,epsilon=0"
    players = [load(f"td:weights={file},learn=true,{options}", game) for file in files]
    seats = [players[0], players[0] if shared else players[1]]
    before = np.array([seat.weights.values for seat in seats])
    match = Manager(game, seats, rules=MatchRules(ply_limit=ply_limit))
    match.play()
    setup = SelfPlaySetup.of(game, FEATURES[game.facts.name], opening=0, ply_limit=ply_limit)
    parameters = TDParameters(0.05, 0.8, 0.7, 0.0, tanh, shared)
    trained = train_players(setup, before, parameters, matches=1, seed=0)
    assert match.outcome is not None
    assert (trained.matches[0].plies, trained.matches[0].winner) == (match.ply, match.outcome.winner)
    learned = np.array([seat.weights.values for seat in seats])
    rows = trained.weights[[0, 0]] if shared else trained.weights
    assert np.abs(learned - rows).max() <= 1e-12
    assert np.abs(learned - before).max() > 1e-6


def test_player_that_moves_twice_in_a_row_learns_like_compiled_self_play(tmp_path: Path) -> None:
    hexifence = boardgames.load("hexifence", dimension=2)
    features = boardgames.load_features("simple", hexifence)
    path = tmp_path / "x.safetensors"
    Weights.of(hexifence, features, np.linspace(-0.3, 0.3, 9), tanh=True).write(path)
    text = f"td:weights={path},learn=true,epsilon=0,gamma=0.9,lambda=0.9,save={path}"
    players = [load(f"{text}.{side}", hexifence) for side in (0, 1)]
    before = np.array([player.weights.values for player in players])
    Manager(hexifence, players, rules=MatchRules()).play()
    setup = SelfPlaySetup.of(hexifence, "simple", opening=0, ply_limit=400)
    trained = train_players(setup, before, TDParameters(0.1, 0.9, 0.9, 0.0), matches=1, seed=0)
    learned = np.array([player.weights.values for player in players])
    assert np.abs(learned - trained.weights).max() <= 1e-12


def test_saved_weights_are_those_it_plays_with(mine: Path) -> None:
    player = load(f"td:weights={mine},learn=true")
    play_match(player)
    assert np.array_equal(Weights.read(mine).values, player.weights.values)
    assert load(f"td:weights={mine}").fingerprint() == player.fingerprint()


def test_player_learns_only_with_learn_true(mine: Path) -> None:
    before, player = mine.read_bytes(), load(f"td:weights={mine},epsilon=0.3")
    values = player.weights.values
    play_match(player)
    assert mine.read_bytes() == before
    assert np.array_equal(player.weights.values, values)


def test_analysis_teaches_nothing(mine: Path) -> None:
    player, before = load(f"td:weights={mine},learn=true"), mine.read_bytes()
    player.match_started(0)
    player.analyse(CONNECT4.start())
    player.match_ended(Outcome(0, Termination.RESIGNATION))
    assert mine.read_bytes() == before


def test_resignation_of_the_other_side_is_a_win(mine: Path) -> None:
    player = load(f"td:weights={mine},learn=true,epsilon=0,lambda=0")
    match = Manager(CONNECT4, [player, None])
    before = player.weights
    match.step()
    match.resign(1)
    assert value(before, match.position, 0) < value(player.weights, match.position, 0) <= 1


class Scripted:
    """A random generator that explores when its script says so."""

    def __init__(self, *explores: bool) -> None:
        self.explores = list(explores)

    def random(self) -> float:
        return 0.0 if self.explores.pop(0) else 0.99

    def integers(self, count: int) -> int:
        return count - 1


@pytest.mark.parametrize("explores", [(True, True, True), (False, False, True)], ids=["all", "the last"])
def test_after_an_exploratory_move_only_the_outcome_is_learned_from(
    mine: Path, explores: tuple[bool, ...]
) -> None:
    """If the last move was exploratory, no trace leads back beyond its position."""
    player = load(f"td:weights={mine},learn=true,epsilon=0.5,lambda=1,gamma=1,alpha=0.5")
    player.random = Scripted(*explores)  # type: ignore[assignment]  # has the methods that are used
    match = Manager(CONNECT4, [player, None])
    for _ in explores:
        before = player.weights
        match.step()
        last = match.position
        match.make_move(1, last.legal_moves[0])
    assert np.array_equal(player.weights.values, before.values)
    match.resign(0)
    features = boardgames.load_features("lines", CONNECT4)
    numbers = np.zeros(11)
    features.kernel(last.words, 0, numbers)
    old = value(before, last, 0)
    change = 0.5 * (-1 - old) * (1 - old**2) * features.normalised(numbers)
    assert player.weights.values == pytest.approx(before.values + change, abs=1e-12)


def test_diverged_weights_are_restored(tmp_path: Path) -> None:
    path = write(tmp_path / "x.safetensors", tanh=False)
    player = load(f"td:weights={path},learn=true,alpha=100,gamma=1,lambda=1,epsilon=0")

    def play_matches() -> None:
        for _ in range(10):
            play_match(player, seed=2)

    with pytest.warns(RuntimeWarning, match="a smaller learning rate may help"):
        play_matches()
    assert np.array_equal(player.weights.values, Weights.read(path).values)


# --- moves that are taken back ------------------------------------------------


def test_taking_back_the_other_sides_move_changes_nothing(mine: Path) -> None:
    def learn(*, undo: bool) -> str:
        player = load(f"td:weights={mine},learn=true,save={mine}.{undo},epsilon=0")
        match = Manager(CONNECT4, [player, None])
        match.step()
        match.make_move(1, "1")
        match.step()
        if undo:
            match.make_move(1, "1")
            match.undo()
        match.make_move(1, "2")
        match.step()
        match.resign(1)
        return player.fingerprint()

    assert learn(undo=True) == learn(undo=False)


@pytest.fixture
def learning(mine: Path) -> str:
    """Return a learning player that saves to another file."""
    return f"td:weights={mine},learn=true,save={mine.with_suffix('.x')},epsilon=0,alpha=0.5"


@pytest.mark.parametrize("has_history", [True, False], ids=["with history", "without"])
def test_own_moves_that_are_taken_back_are_not_learned_from(learning: str, has_history: bool) -> None:
    """In a position that its last move did not lead to, it learns as in a new match."""

    def learn(positions: list[Position], *, begins_anew: bool = False) -> str:
        player = load(learning)
        for position in positions:
            if begins_anew:
                player.match_started(0)
            history = (CONNECT4.start(), CONNECT4.parse("4"))[: 2 if has_history else 0]
            player.choose(position, context=Context(history=history))
        player.match_ended(Outcome(1, Termination.RULES))
        Path(str(player.saves_to)).unlink()
        return player.fingerprint()

    first, then = CONNECT4.parse("45"), CONNECT4.parse("46")
    assert learn([first, then]) == learn([first, then], begins_anew=True) == learn([then])


@pytest.mark.parametrize("ends", [False, True], ids=["one match", "two matches"])
def test_history_is_not_needed_to_learn(learning: str, ends: bool) -> None:
    def learn(*, has_history: bool) -> str:
        player = load(f"{learning},lambda=1")
        position = CONNECT4.start()
        history: list[Position] = []
        for _ in range(4):
            context = Context(history=tuple(history) if has_history else ())
            choice = player.choose(position, context=context)
            assert choice.move is not None
            after = position.apply(choice.move)
            history += [position, after]
            position = after.apply(after.legal_moves[0])
            if ends:
                player.match_ended(Outcome(0, Termination.RULES))
        player.match_ended(Outcome(0, Termination.RULES))
        Path(str(player.saves_to)).unlink()
        return player.fingerprint()

    assert learn(has_history=True) == learn(has_history=False)


def test_moves_after_the_end_belong_to_a_new_match(learning: str) -> None:
    def learn(*, begins_anew: bool) -> str:
        player = load(f"{learning},lambda=1")
        position = CONNECT4.start()
        for ply in range(4):
            move = player.choose(position).move
            assert move is not None
            after = position.apply(move)
            position = after.apply(after.legal_moves[0])
            if ply == 1:
                player.match_ended(Outcome(0, Termination.RULES))
                if begins_anew:
                    player.match_started(0)
        player.match_ended(Outcome(0, Termination.RULES))
        Path(str(player.saves_to)).unlink()
        return player.fingerprint()

    assert learn(begins_anew=True) == learn(begins_anew=False)


def test_match_continues_after_its_last_move_is_taken_back(mine: Path) -> None:
    player = load(f"td:weights={mine},learn=true,epsilon=0")
    match = Manager(CONNECT4, [player, None], start=CONNECT4.parse("11223"))
    for takes_back in (True, False):
        match.make_move(1, "3")
        match.step()
        assert match.outcome is not None
        if takes_back:
            match.undo()
    assert Weights.read(mine).provenance["matches"] == 2


# --- what is saved, and where -------------------------------------------------


@pytest.mark.parametrize(
    ("saved", "option", "expected"),
    [
        ({}, "", EPSILON_FLOOR),
        ({"epsilon": 0.5}, "", 0.45),
        ({"epsilon": 0.11}, "", EPSILON_FLOOR),
        ({"epsilon": 0.05}, "", 0.05),
        ({"epsilon": "high"}, "", EPSILON_FLOOR),
        ({"epsilon": 7}, "", EPSILON_FLOOR),
        ({"epsilon": 0.5}, ",epsilon=0", 0.0),
        ({}, ",epsilon=1", 0.9),
    ],
    ids=str,
)
def test_epsilon_decays_to_its_floor_and_is_saved(
    tmp_path: Path, saved: dict[str, Any], option: str, expected: float
) -> None:
    path = write(tmp_path / "x.safetensors", **saved)
    play_match(load(f"td:weights={path},learn=true,epsilon_decay=0.9{option}"))
    assert Weights.read(path).provenance["epsilon"] == pytest.approx(expected)


def test_provenance_counts_matches_and_names_the_first_weights(mine: Path) -> None:
    first = Weights.read(mine)
    for matches in (1, 2):
        play_match(load(f"td:weights={mine},learn=true"))
        provenance = Weights.read(mine).provenance
        saved = (provenance["player"], provenance["begun"], provenance["matches"])
        assert saved == ("td", first.fingerprint(), matches)


def test_hyperparameters_default_to_those_with_which_weights_were_learned(home: Path, tmp_path: Path) -> None:
    settings = {"alpha": 0.1, "gamma": 1.0, "lambda": 0.8}
    path = write(tmp_path / "x.safetensors", settings=settings, metrics={"alpha": 0.001})
    for text, expected in (
        ("td:learn=true", (0.001, 1.0, 0.8)),
        ("td:learn=true,gamma=0.5", (0.001, 0.5, 0.8)),
        ("td:learn=true", (0.001, 0.5, 0.8)),  # the values that were saved
    ):
        player = load(f"{text},weights={path}")
        parameters = player._parameters
        assert (parameters.alpha, parameters.gamma, parameters.trace_decay) == expected
        play_match(player)
    parameters = load(f"td:learn=true,weights={write(tmp_path / 'y.safetensors')}")._parameters
    assert (parameters.alpha, parameters.gamma, parameters.trace_decay) == (0.1, 0.9, 0.5)


def test_learning_continues_from_the_file_saved_to(mine: Path, tmp_path: Path) -> None:
    before, target = mine.read_bytes(), tmp_path / "learned.safetensors"
    for matches in (1, 2):
        play_match(load(f"td:weights={mine},learn=true,save={target}"))
        assert Weights.read(target).provenance["matches"] == matches
    assert mine.read_bytes() == before
    assert load(f"td:learn=true,save={target}").weights.fingerprint() == Weights.read(target).fingerprint()


@pytest.fixture
def shipped(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let Connect Four ship other weights named `td`; return their file."""
    path = write(tmp_path / "shipped" / "td.safetensors", seed=5)
    monkeypatch.setattr("boardgames_connect4.evaluation.TD_WEIGHTS", path)
    return path


def test_default_weights_are_those_the_game_ships(shipped: Path) -> None:
    assert load("td").fingerprint() == Weights.read(shipped).fingerprint()
    assert load("td").fingerprint() == load("td:weights=td").fingerprint()


@pytest.mark.parametrize("text", ["td:learn=true", "td:weights=td,learn=true", "td:weights={},learn=true"])
def test_shipped_weights_do_not_change_and_a_copy_learns(shipped: Path, home: Path, text: str) -> None:
    before, copy = shipped.read_bytes(), home / "data" / "weights" / "connect4-td.safetensors"
    for matches in (1, 2):
        player = load(text.format(shipped))
        assert player.saves_to == copy
        play_match(player)
        assert Weights.read(copy).provenance["matches"] == matches
    assert shipped.read_bytes() == before
    assert load("td").fingerprint() == Weights.read(shipped).fingerprint()


def write_run(home: Path, name: str, seed: int = 0) -> Path:
    """Write a run with only a best checkpoint, and return the checkpoint."""
    best = write(home / "runs" / name / "checkpoints" / "best.safetensors", seed=seed)
    (home / "runs" / name / "config.toml").touch()
    return best


def test_checkpoint_of_a_run_does_not_change(home: Path) -> None:
    best = write_run(home, "first-try")
    before = best.read_bytes()
    for text in ("first-try", best):
        player = load(f"td:weights={text},learn=true")
        assert player.saves_to == home / "data" / "weights" / "connect4-first-try.safetensors"
        play_match(player)
    assert best.read_bytes() == before


def test_copy_of_an_earlier_run_of_the_same_name_is_not_continued(home: Path) -> None:
    best = write_run(home, "first", seed=1)
    play_match(load("td:weights=first,learn=true"))
    assert load("td:weights=first,learn=true").fingerprint() != Weights.read(best).fingerprint()
    write(best, seed=2)
    with pytest.raises(WeightsError, match=r"connect4-first.* was learned from other weights .*move it away"):
        load("td:weights=first,learn=true")
    assert load("td:weights=first").fingerprint() == Weights.read(best).fingerprint()


# --- errors -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("td:weights=nobody", "'nobody'; available: alphazero, ntuple, td"),
        ("td:weights={mine},save=x", "save needs learn=true: td:weights="),
        ("td:weights={mine},learn=true,save={folder}", "is a directory"),
        ("td:weights={mine},learn=true,save={folder}/no/x", "/no does not exist"),
        ("td:weights={mine},learn=true,save=~no-such-user/x", "cannot save to '~no-such-user/x': "),
        ("td:weights={mine},epsilon=2", "epsilon"),
        ("td:weights={mine},lambda=-1", "lambda"),
        ("td:weights={mine},tanh=true", "'tanh'"),
    ],
)
def test_bad_options_are_rejected_before_the_match(
    home: Path, mine: Path, tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(BoardgamesError) as raised:
        load(text.format(mine=mine, folder=tmp_path))
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("text", ["td", "td:learn=true"])
def test_weights_must_be_named_if_the_game_ships_none(home: Path, text: str) -> None:
    message = r"tictactoe.* has no weights 'td'; train some with --learner td, or choose others with weights="
    game = boardgames.load("tictactoe")
    with pytest.raises(UnknownNameError, match=message):
        load(text, game)


def test_shipped_weights_cannot_be_saved_to(shipped: Path) -> None:
    with pytest.raises(OptionError, match=r"cannot save to .*: it belongs to 'td'"):
        load(f"td:learn=true,save={shipped}")


def test_game_without_features_has_no_weights(home: Path) -> None:
    with pytest.raises(BoardgamesError, match=r"nim.* has no weights 'td'"):
        TDPlayer(Nim())
