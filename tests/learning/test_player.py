"""The player `td`: what it plays, what it learns in a match, and what it saves where."""

from pathlib import Path

import numpy as np
import pytest
from nim import Nim

import boardgames
from boardgames import Manager
from boardgames.errors import BoardgamesError, MatchError, OptionError, PositionError, UnknownNameError
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.learning.player import EPSILON_FLOOR, TemporalPlayer
from boardgames.manager import MatchRules
from boardgames.player import Context
from boardgames.score import RETURN
from boardgames.selfplay import MatchSetup, TDParameters, train_players
from boardgames.weights import Weights
from boardgames.weights.linear import WEIGHTED_SUM

CONNECT4 = boardgames.load("connect4")
SMALL = boardgames.load("connect4", columns=5, rows=4)
ABALONE = boardgames.load("abalone")
FEATURES = {"connect4": "lines", "abalone": "classic14"}


def write(path: Path, game: Game, seed: int = 0, *, squashes: bool = True, **provenance: object) -> Path:
    """Write random weights of a game and return where."""
    features = boardgames.load_features(FEATURES[game.facts.name], game)
    values = np.random.default_rng(seed).uniform(-0.5, 0.5, len(features.features))
    Weights.of(game, features, values, squashes=squashes, provenance=provenance).write(path)
    return path


def player(text: str, game: Game = CONNECT4, seed: int = 1) -> TemporalPlayer:
    made = boardgames.load_player(text, game, seed=seed)
    assert isinstance(made, TemporalPlayer)
    return made


def worth(weights: Weights, position: Position, side: int) -> float:
    """Return what a position is worth to `side`, by the formula."""
    features = boardgames.load_features(weights.features, position.game)
    numbers = np.zeros(len(features.features))
    features.kernel(position.words, side, numbers)
    total = float(features.normalised(numbers) @ weights.values)
    return float(np.tanh(total)) if weights.squashes else total


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return write(tmp_path / "mine.safetensors", CONNECT4)


# --- what it plays --------------------------------------------------------


@pytest.mark.parametrize("squashes", [False, True], ids=["sum", "tanh"])
@pytest.mark.parametrize("game", [CONNECT4, ABALONE], ids=str)
def test_it_plays_the_move_after_which_its_weights_value_the_position_most(
    tmp_path: Path, game: Game, squashes: bool
) -> None:
    found = player(f"td:weights={write(tmp_path / 'x.safetensors', game, squashes=squashes)}", game)
    position, random = game.start(), np.random.default_rng(3)
    for _ in range(12):
        side = position.side_to_move
        worths = [worth(found.weights, position.apply(move), side) for move in position.legal_moves]
        choice = found.choose(position)
        assert choice.move == position.legal_moves[int(np.argmax(worths))]
        assert choice.score.amount == pytest.approx(max(worths), abs=1e-12)
        assert choice.score.unit is (RETURN if squashes else WEIGHTED_SUM)
        position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])


def test_it_values_every_legal_move_best_first(mine: Path) -> None:
    position = CONNECT4.parse("4453")
    found = player(f"td:weights={mine}")
    analysis = found.analyse(position)
    assert sorted(entry.move.action for entry in analysis.moves) == list(position.actions)
    scores = [entry.score for entry in analysis.moves]
    assert scores == sorted(scores, reverse=True)
    for entry in analysis.moves:
        assert entry.score.amount == pytest.approx(
            worth(found.weights, position.apply(entry.move), 0), abs=1e-12
        )
        assert not entry.proven
    assert (analysis.score, analysis.unit) == (scores[0], RETURN)
    assert analysis.moves[0].move == found.choose(position).move


def test_it_takes_a_win_and_says_that_it_is_one(mine: Path) -> None:
    position = CONNECT4.parse("112233")
    found = player(f"td:weights={mine}")
    assert str(found.choose(position).move) == "4"
    best = found.analyse(position).moves[0]
    assert (str(best.move), best.score.amount, best.proven) == ("4", 1.0, True)


def test_it_plays_alike_whatever_it_may_spend(mine: Path) -> None:
    found = player(f"td:weights={mine}")
    assert not found.respects_limits
    choices = [found.choose(CONNECT4.start(), boardgames.Limit(depth=depth)).move for depth in (1, 9)]
    assert choices[0] == choices[1]


def test_chance_comes_from_the_seed_and_only_where_it_explores(mine: Path) -> None:
    def line(text: str, seed: int) -> tuple[str, ...]:
        found, position, moves = player(text, seed=seed), CONNECT4.start(), []
        while position.outcome is None:
            moves.append(found.choose(position).move)
            position = position.apply(moves[-1])
        return tuple(map(str, moves))

    still, curious = f"td:weights={mine}", f"td:weights={mine},epsilon=0.5"
    assert len({line(still, seed) for seed in range(4)}) == 1
    assert len({line(curious, seed) for seed in range(4)}) == 4
    assert line(curious, 7) == line(curious, 7)


def test_a_position_that_is_over_or_of_another_game_is_refused(mine: Path) -> None:
    found = player(f"td:weights={mine}")
    with pytest.raises(PositionError):
        found.choose(SMALL.start())
    with pytest.raises(MatchError, match="is over"):
        found.analyse(CONNECT4.parse("1122334"))


def test_it_says_what_it_is_made_of(mine: Path, tmp_path: Path) -> None:
    found = player(f"td:weights={mine}")
    assert found.describe() == found.label() == f"td:weights={mine}"
    other = player(f"td:weights={write(tmp_path / 'other.safetensors', CONNECT4, 1)}")
    assert found.fingerprint() == found.weights.fingerprint() != other.fingerprint()
    assert "saves to mine.safetensors" in player(f"td:weights={mine},learn=true").label()


# --- what it learns -------------------------------------------------------


@pytest.mark.parametrize("squashes", [False, True], ids=["sum", "tanh"])
@pytest.mark.parametrize("shares", [False, True], ids=["own weights", "one player"])
@pytest.mark.parametrize(("game", "ply_limit"), [(CONNECT4, 400), (SMALL, 400), (ABALONE, 31)], ids=str)
def test_a_match_teaches_what_compiled_self_play_learns_from_it(
    tmp_path: Path, game: Game, ply_limit: int, shares: bool, squashes: bool
) -> None:
    files = [write(tmp_path / f"{seed}.safetensors", game, seed, squashes=squashes) for seed in range(2)]
    rates = "alpha=0.05,gamma=0.8,lambda=0.7,epsilon=0"
    players = [player(f"td:weights={file},learn=true,{rates}", game) for file in files]
    seats = [players[0], players[0] if shares else players[1]]
    before = np.array([seat.weights.values for seat in seats])
    match = Manager(game, seats, rules=MatchRules(ply_limit=ply_limit))
    match.play()
    setting = MatchSetup.of(game, FEATURES[game.facts.name], opening=0, ply_limit=ply_limit)
    taught = train_players(
        setting, before, TDParameters(0.05, 0.8, 0.7, 0.0, squashes, shares), matches=1, seed=0
    )
    assert taught.matches[0].plies == match.ply
    assert taught.matches[0].winner == match.outcome.winner
    learned = np.array([seat.weights.values for seat in seats])
    rows = taught.weights[[0, 0]] if shares else taught.weights
    assert np.abs(learned - rows).max() <= 1e-12
    assert np.abs(learned - before).max() > 1e-6


def test_what_is_saved_is_what_it_plays_by(mine: Path) -> None:
    found = player(f"td:weights={mine},learn=true")
    Manager(CONNECT4, [found, boardgames.load_player("random", CONNECT4, seed=1)]).play()
    assert np.array_equal(Weights.read(mine).values, found.weights.values)
    assert player(f"td:weights={mine}").fingerprint() == found.fingerprint()


def test_nothing_is_learned_or_saved_unless_it_is_wanted(mine: Path) -> None:
    before, found = mine.read_bytes(), player(f"td:weights={mine},epsilon=0.3")
    values = found.weights.values
    Manager(CONNECT4, [found, boardgames.load_player("random", CONNECT4, seed=1)]).play()
    assert mine.read_bytes() == before
    assert np.array_equal(found.weights.values, values)


def test_valuing_moves_teaches_nothing(mine: Path) -> None:
    found, before = player(f"td:weights={mine},learn=true"), mine.read_bytes()
    found.match_started(0)
    found.analyse(CONNECT4.start())
    found.match_ended(Outcome(0, Termination.RESIGNATION))
    assert mine.read_bytes() == before


def test_a_resignation_of_the_other_side_is_a_win(mine: Path) -> None:
    found = player(f"td:weights={mine},learn=true,epsilon=0,lambda=0")
    match = Manager(CONNECT4, [found, None])
    before = found.weights
    match.step()
    match.resign(1)
    after = match.position
    assert worth(found.weights, after, 0) > worth(before, after, 0)
    assert worth(found.weights, after, 0) <= 1


def learned_in(mine: Path, *, undo: bool, rates: str = "epsilon=0") -> Weights:
    """Return what is learned in a match in which the other side may take a move back on the way."""
    found = player(f"td:weights={mine},learn=true,save={mine}.{undo},{rates}")
    match = Manager(CONNECT4, [found, None])
    match.step()
    match.make_move(1, "1")
    match.step()
    if undo:
        match.make_move(1, "1")
        match.undo()
    match.make_move(1, "2")
    match.step()
    match.resign(1)
    return found.weights


def test_a_move_that_the_other_side_takes_back_at_once_changes_nothing(mine: Path) -> None:
    assert learned_in(mine, undo=True).fingerprint() == learned_in(mine, undo=False).fingerprint()


@pytest.mark.parametrize("has_history", [True, False], ids=["with history", "without"])
def test_own_moves_that_are_taken_back_are_not_learned_from(mine: Path, has_history: bool) -> None:
    """Asked for a position that its last move did not lead to, it begins as at the start of a match."""

    def learned(positions: list[Position], *, begins_anew: bool = False) -> str:
        target = mine.with_suffix(".x")
        target.unlink(missing_ok=True)
        found = player(f"td:weights={mine},learn=true,save={target},epsilon=0,alpha=0.5")
        for position in positions:
            if begins_anew:
                found.match_started(0)
            history = (CONNECT4.start(), CONNECT4.parse("4"))[: 2 if has_history else 0]
            found.choose(position, context=Context(history=history))
        found.match_ended(Outcome(1, Termination.RULES))
        return found.fingerprint()

    first, then = CONNECT4.parse("45"), CONNECT4.parse("46")
    assert learned([first, then]) == learned([first, then], begins_anew=True) == learned([then])


@pytest.mark.parametrize("ends", [False, True], ids=["goes on", "ends between"])
def test_whoever_keeps_no_history_teaches_the_same(mine: Path, ends: bool) -> None:
    """Two moves and their answers; a match that ends between them is not gone on with."""

    def learned(*, has_history: bool) -> str:
        target = mine.with_suffix(".x")
        target.unlink(missing_ok=True)
        found = player(f"td:weights={mine},learn=true,save={target},epsilon=0,alpha=0.5,lambda=1")
        position, history = CONNECT4.start(), []
        for _ in range(4):
            choice = found.choose(position, context=Context(history=tuple(history) if has_history else ()))
            history.append(position)
            after = position.apply(choice.move)
            history.append(after)
            position = after.apply(after.legal_moves[0])
            if ends:
                found.match_ended(Outcome(0, Termination.RULES))
        found.match_ended(Outcome(0, Termination.RULES))
        return found.fingerprint()

    assert learned(has_history=True) == learned(has_history=False)


def test_moves_after_the_end_begin_anew(mine: Path) -> None:
    def learned(*, begins_anew: bool) -> str:
        target = mine.with_suffix(".x")
        target.unlink(missing_ok=True)
        found = player(f"td:weights={mine},learn=true,save={target},epsilon=0,alpha=0.5,lambda=1")
        position = CONNECT4.start()
        for ply in range(4):
            after = position.apply(found.choose(position).move)
            position = after.apply(after.legal_moves[0])
            if ply == 1:
                found.match_ended(Outcome(0, Termination.RULES))
                if begins_anew:
                    found.match_started(0)
        found.match_ended(Outcome(0, Termination.RULES))
        return found.fingerprint()

    assert learned(begins_anew=True) == learned(begins_anew=False)


def test_a_match_goes_on_after_its_last_move_is_taken_back(mine: Path) -> None:
    found = player(f"td:weights={mine},learn=true,epsilon=0")
    match = Manager(CONNECT4, [found, None], start=CONNECT4.parse("11223"))
    for takes_back in (True, False):
        match.make_move(1, "3")
        match.step()
        assert match.outcome is not None
        if takes_back:
            match.undo()
    assert Weights.read(mine).provenance["matches"] == 2


def test_one_that_moves_twice_in_a_row_learns_too(tmp_path: Path) -> None:
    hexifence = boardgames.load("hexifence", dimension=2)
    features = boardgames.load_features("simple", hexifence)
    path = tmp_path / "x.safetensors"
    Weights.of(hexifence, features, np.linspace(-0.3, 0.3, 9), squashes=True).write(path)
    rates = "epsilon=0,gamma=0.9,lambda=0.9"
    players = [
        player(f"td:weights={path},learn=true,save={path}.{side},{rates}", hexifence) for side in (0, 1)
    ]
    before = np.array([found.weights.values for found in players])
    Manager(hexifence, players, rules=MatchRules()).play()
    setting = MatchSetup.of(hexifence, "simple", opening=0, ply_limit=400)
    taught = train_players(setting, before, TDParameters(0.1, 0.9, 0.9, 0.0), matches=1, seed=0)
    assert np.abs(np.array([found.weights.values for found in players]) - taught.weights).max() <= 1e-12


class Scripted:
    """Chance that explores when it is told to."""

    def __init__(self, *explores: bool) -> None:
        self.explores = list(explores)

    def random(self) -> float:
        return 0.0 if self.explores.pop(0) else 0.99

    def integers(self, count: int) -> int:
        return count - 1


@pytest.mark.parametrize("explores", [(True, True, True), (False, False, True)], ids=["all", "the last"])
def test_an_exploratory_move_teaches_nothing_but_how_the_match_ended(
    mine: Path, explores: tuple[bool, ...]
) -> None:
    """Where the last move explored, its position alone is learned from at the end: no trace leads back."""
    found = player(f"td:weights={mine},learn=true,epsilon=0.5,lambda=1,gamma=1,alpha=0.5")
    found.random = Scripted(*explores)  # type: ignore[assignment]  # what is used of a generator
    match = Manager(CONNECT4, [found, None])
    for _ in explores:
        before = found.weights
        match.step()
        last = match.position
        match.make_move(1, last.legal_moves[0])
    assert np.array_equal(found.weights.values, before.values)
    match.resign(0)
    features = boardgames.load_features("lines", CONNECT4)
    seen = np.zeros(11)
    features.kernel(last.words, 0, seen)
    value = worth(before, last, 0)
    step = 0.5 * (-1 - value) * (1 - value**2) * features.normalised(seen)
    assert found.weights.values == pytest.approx(before.values + step, abs=1e-12)


def test_rates_that_are_too_high_lose_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "x.safetensors", CONNECT4, squashes=False)
    found = player(f"td:weights={path},learn=true,alpha=100,gamma=1,lambda=1,epsilon=0")

    def play_some() -> None:
        for _ in range(10):
            Manager(CONNECT4, [found, boardgames.load_player("random", CONNECT4, seed=2)]).play()

    with pytest.warns(RuntimeWarning, match=r"expected weights from .* too high\)"):
        play_some()
    assert np.array_equal(found.weights.values, Weights.read(path).values)


# --- what it saves, and where ---------------------------------------------


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
    tmp_path: Path, saved: dict[str, object], option: str, expected: float
) -> None:
    path = write(tmp_path / "x.safetensors", CONNECT4, **saved)
    found = player(f"td:weights={path},learn=true,epsilon_decay=0.9{option}")
    Manager(CONNECT4, [found, boardgames.load_player("random", CONNECT4, seed=1)]).play()
    assert Weights.read(path).provenance["epsilon"] == pytest.approx(expected)


def test_what_it_saves_says_how_it_came_about(mine: Path) -> None:
    first = Weights.read(mine)
    for matches in (1, 2):
        found = player(f"td:weights={mine},learn=true")
        Manager(CONNECT4, [found, boardgames.load_player("random", CONNECT4, seed=1)]).play()
        made = Weights.read(mine).provenance
        assert (made["player"], made["begun"], made["matches"]) == ("td", first.fingerprint(), matches)


def test_a_file_to_save_to_is_gone_on_from(mine: Path, tmp_path: Path) -> None:
    before, target = mine.read_bytes(), tmp_path / "deep" / "learned.safetensors"
    text = f"td:weights={mine},learn=true,save={target}"
    for matches in (1, 2):
        Manager(CONNECT4, [player(text), boardgames.load_player("random", CONNECT4, seed=1)]).play()
        assert Weights.read(target).provenance["matches"] == matches
    assert mine.read_bytes() == before
    assert player(f"td:learn=true,save={target}").weights.fingerprint() == Weights.read(target).fingerprint()


@pytest.fixture
def shipped(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have Connect Four ship other weights under the name `td`; return their file."""
    path = write(tmp_path / "shipped" / "td.safetensors", CONNECT4, 5)
    monkeypatch.setattr("boardgames_connect4.evaluation.TD_WEIGHTS", path)
    return path


def test_the_games_own_weights_are_taken_where_none_are_named(shipped: Path) -> None:
    assert player("td").fingerprint() == Weights.read(shipped).fingerprint()
    assert player("td").fingerprint() == player("td:weights=td").fingerprint()


@pytest.mark.parametrize("text", ["td:learn=true", "td:weights=td,learn=true", "td:weights={},learn=true"])
def test_shipped_weights_stay_as_they_are_and_a_copy_learns(shipped: Path, home: Path, text: str) -> None:
    before, copy = shipped.read_bytes(), home / "data" / "weights" / "connect4-td.safetensors"
    for matches in (1, 2):
        found = player(text.format(shipped))
        assert found.saves_to == copy
        Manager(CONNECT4, [found, boardgames.load_player("random", CONNECT4, seed=1)]).play()
        assert Weights.read(copy).provenance["matches"] == matches
    assert shipped.read_bytes() == before
    assert player("td").fingerprint() == Weights.read(shipped).fingerprint()


def test_a_runs_checkpoint_stays_as_it_is(home: Path) -> None:
    best = write(home / "runs" / "first-try" / "checkpoints" / "best.safetensors", CONNECT4)
    (home / "runs" / "first-try" / "config.toml").touch()
    before = best.read_bytes()
    for text in ("first-try", best):
        found = player(f"td:weights={text},learn=true")
        assert found.saves_to == home / "data" / "weights" / "connect4-first-try.safetensors"
        Manager(CONNECT4, [found, boardgames.load_player("random", CONNECT4, seed=1)]).play()
    assert best.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("td:weights=nobody", "expected weights, a run or a file: 'nobody'; available: td"),
        ("td:weights={mine},save=x", "expected learn=true beside save: td:weights="),
        ("td:weights={mine},learn=true,save={folder}", "is none"),
        (
            "td:weights={mine},learn=true,save=~no-such-user/x",
            "expected a file to save to: '~no-such-user/x'",
        ),
        ("td:weights={mine},epsilon=2", "epsilon must be 0 to 1, not '2'"),
        ("td:weights={mine},lambda=-1", "lambda must be 0 to 1, not '-1'"),
        ("td:weights={mine},tanh=true", "agent 'td' has no option 'tanh'"),
    ],
)
def test_what_cannot_be_is_said_before_the_match(
    home: Path, mine: Path, tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(BoardgamesError) as raised:
        player(text.format(mine=mine, folder=tmp_path))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("text", ["td", "td:learn=true"])
def test_a_game_that_ships_no_weights_wants_some(home: Path, text: str) -> None:
    hexifence = boardgames.load("hexifence")
    message = "expected weights=NAME, RUN or FILE: hexifence has no 'td'; none available"
    with pytest.raises(UnknownNameError, match=message):
        player(text, hexifence)


def test_shipped_weights_are_not_saved_to_even_if_they_are_named(shipped: Path) -> None:
    with pytest.raises(OptionError, match="expected a file of your own to save to"):
        player(f"td:learn=true,save={shipped}")


def test_a_game_without_features_has_no_such_player(home: Path) -> None:
    with pytest.raises(BoardgamesError, match="nim has no 'td'"):
        TemporalPlayer(Nim())
