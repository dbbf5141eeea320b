"""Contempt: moves suggested by a one-sided evaluation and checked by the normal search."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import boardgames
from boardgames.declarations import Contempt, Evaluation
from boardgames.errors import PluginError
from boardgames.game import Game, Position
from boardgames.kernels import Evaluate, Reals, Words, kernel
from boardgames.player import Choice, Context, Limit, Stop
from boardgames.players.contempt import CREDIT_PLIES, MAX_CREDIT, ContemptSearch, plies_without_progress
from boardgames.score import Score
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames_abalone.evaluation import CLASSIC, evaluate

PUSH_OFF = "...../....../......./......../......bbw/......../......./bb..../ww...:b:0:0"
QUIET = "...../..w.../.wwwww./.wwwww../...www.../..bbb.../.bbbbb./bbbbb./..b..:w:0:0"


@kernel(Evaluate)
def evaluate_backwards(position: Words, weights: Reals) -> float:
    """Return the evaluation `classic` with the opposite sign."""
    return -evaluate(position, weights)


def game_with(evaluation: Callable[[Game], Evaluation], patience: int = 0) -> Game:
    """Return Abalone with another evaluation for contempt."""
    game = boardgames.load("abalone")
    made = evaluation(game)
    game.contempt = Contempt(lambda side: made, patience, 10.0)
    return game


def unchanged(game: Game) -> Evaluation:
    """Return the evaluation that the normal search uses too."""
    return game.evaluation


def backwards(game: Game) -> Evaluation:
    """Return an evaluation that prefers bad positions."""
    return replace(CLASSIC, kernel=evaluate_backwards, unit=game.evaluation.unit, margin=0.0)


def choose(game: Game, text: str, agent: str = "alphabeta", **limits: Any) -> Choice:  # the fields of Limit
    """Return the choice of an agent in a position."""
    return boardgames.load_player(agent, game).choose(game.parse(text), Limit(**limits))


def history_of(position: Position, *moves: str) -> list[Position]:
    """Return a position, and the position after each of these moves."""
    positions = [position]
    for move in moves:
        positions.append(positions[-1].apply(move))
    return positions


def test_progress_is_counted_from_the_last_change_of_the_score() -> None:
    game = boardgames.load("abalone")
    positions = history_of(game.parse(PUSH_OFF), "b1c2", "a1b1", "e7e8", "a2a3", "e8d7")
    counts = [
        plies_without_progress(position, Context(history=tuple(positions[:ply])))
        for ply, position in enumerate(positions)
    ]
    assert counts == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize(
    ("position", "is_played"),
    [
        ("...../....../......./......../......bbw/......../......./bb..../ww...:w:1:0", True),
        ("...../....../......./......../......bbw/.ww...../......./bb..../ww...:w:1:0", False),
    ],
    ids=["still ahead", "then behind"],
)
def test_a_suggested_move_is_not_played_if_it_leaves_the_side_behind(position: str, is_played: bool) -> None:
    game = game_with(backwards)
    choice, best = (
        choose(game, position, depth=3),
        choose(game, position, "alphabeta:contempt=false", depth=3),
    )
    assert (choice.move != best.move) == is_played
    assert choice.score >= Score.of(0.0, game.evaluation.unit)


def test_the_best_move_is_played_if_both_searches_agree() -> None:
    game = game_with(unchanged)
    choice, best = choose(game, QUIET, depth=5), choose(game, QUIET, "alphabeta:contempt=false", depth=5)
    assert (choice.move, choice.score) == (best.move, best.score)


@pytest.mark.parametrize(
    ("patience", "options", "is_used"),
    [(2, "depth=2", True), (3, "depth=2", False), (2, "depth=2,time=0.1", True), (2, "time=0.01", False)],
)
def test_contempt_begins_when_patience_ends_if_there_is_time(
    patience: int, options: str, is_used: bool
) -> None:
    asked = []

    def evaluation(side: int) -> Evaluation:
        asked.append(side)
        return game.evaluation

    game = boardgames.load("abalone")
    game.contempt = Contempt(evaluation, patience, 1.0)
    positions = [game.parse(QUIET)]
    for _ in range(2):
        positions.append(positions[-1].apply(positions[-1].legal_moves[0]))
    player = boardgames.load_player(f"alphabeta:{options}", game)
    player.choose(positions[-1], context=Context(history=tuple(positions[:-1])))
    assert bool(asked) == is_used


@pytest.mark.parametrize(
    "agent", ["alphabeta:contempt=false", "alphabeta:weights=engine", "tapered", "minimax"]
)
def test_contempt_can_be_switched_off_and_is_part_of_the_default_only(agent: str) -> None:
    def evaluation(side: int) -> Evaluation:
        pytest.fail(f"contempt was used for side {side}")

    game = boardgames.load("abalone")
    game.contempt = Contempt(evaluation, 0, 1.0)
    player = boardgames.load_player(agent, game)
    assert player.choose(game.parse(QUIET), Limit(depth=2)).move is not None
    assert player.fingerprint()


def credit_after_reply(place: int, *, patience: int = 0, lost: int = 0, is_reply: bool = True) -> float:
    """Return the credit that a move earns; `place` counts the opponent's replies from the best one on."""
    game = boardgames.load("abalone", layout="standard")
    assert game.contempt is not None
    normal, other = (Searcher(game, game.evaluation, SearchOptions(table=1)) for _ in range(2))
    search = ContemptSearch(game, replace(game.contempt, patience=patience), SearchOptions(table=1))
    start, position = game.parse(QUIET), game.parse(QUIET.replace(":0:0", f":0:{lost}"))
    earlier = (start, *(position,) * CREDIT_PLIES)
    limit = Limit(depth=4)
    move = search.choose(normal, position, limit, Context(history=earlier)).move
    assert move is not None
    after = position.apply(move)
    reply = other.search(after, limit, Context(), lines=None).moves[place].move
    history = (*earlier, position, after if is_reply else position)
    search.choose(normal, after.apply(reply), limit, Context(history=history))
    credit = search.credit
    search.forget()
    assert search.credit == 0.0
    return credit


def test_only_replies_that_give_something_away_earn_credit() -> None:
    game = boardgames.load("abalone")
    assert game.contempt is not None
    largest = MAX_CREDIT * game.contempt.concession
    good, bad = credit_after_reply(0), credit_after_reply(-1)
    assert good < 0.25 * largest < bad <= largest


@pytest.mark.parametrize(
    "match",
    [{"patience": 10}, {"lost": 1}, {"is_reply": False}],
    ids=["not stuck for long", "the opponent has scored", "not a reply"],
)
def test_no_credit_is_earned_when_the_opponent_does_not_only_wait(match: dict[str, Any]) -> None:
    assert credit_after_reply(-1, **match) == 0.0


def test_all_searches_together_keep_to_the_limit_of_nodes() -> None:
    game = boardgames.load("abalone")
    assert game.contempt is not None
    game.contempt = replace(game.contempt, patience=0)
    for text in game.facts.openings["fortress"][:8]:
        assert choose(game, text, nodes=20_000).nodes <= 20_000


def test_a_stopped_search_answers_with_a_legal_move() -> None:
    game, stop = game_with(unchanged), Stop()
    stop.set()
    position = game.parse(QUIET)
    choice = boardgames.load_player("alphabeta", game).choose(position, Limit(), Context(stop=stop))
    assert choice.move in position.legal_moves


def test_contempt_changes_the_fingerprint() -> None:
    game = boardgames.load("abalone")
    agents = [boardgames.load_player(text, game) for text in ("alphabeta", "alphabeta:contempt=false")]
    assert agents[0].fingerprint() != agents[1].fingerprint()


def test_contempt_without_an_evaluation_is_reported_as_a_fault_of_the_game() -> None:
    game = boardgames.load("abalone")
    game.contempt = Contempt(lambda side: None, 0, 1.0)  # type: ignore[arg-type,return-value]  # on purpose
    with pytest.raises(
        PluginError, match=r"Contempt.evaluation\(1\) of abalone must return an Evaluation, not None"
    ):
        choose(game, QUIET, depth=1)


@pytest.mark.parametrize(
    ("evaluation", "patience", "message"),
    [(None, 3, "function"), (unchanged, -1, "0 or more"), (unchanged, 1.5, "0 or more")],
)
def test_impossible_contempt_is_rejected(evaluation: object, patience: object, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        Contempt(evaluation, patience, 1.0)  # type: ignore[arg-type]  # on purpose
