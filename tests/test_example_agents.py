"""The example plug-in that adds a solver, an agent, a learner and an overlay to tic-tac-toe."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from installed import plugins_installed

import boardgames
from boardgames import Game, Learner, MatchSetup, Player
from boardgames.executors import InProcess
from boardgames.player import ExactPlayer
from boardgames.plugins import load_overlay

EXAMPLE = Path(__file__).parents[1] / "examples" / "tictactoe_agents"


@pytest.fixture(autouse=True)
def game() -> Iterator[Game]:
    with plugins_installed(tictactoe_agents=EXAMPLE):
        yield boardgames.load("tictactoe")


def test_the_solver_agrees_with_a_full_search(game: Game) -> None:
    solver, search = (
        boardgames.load_player(agent, game, seed=1) for agent in ("solver", "alphabeta:depth=9")
    )
    for text in (".../.../...", "x../.o./...", "xx./oo./...", "x.o/.x./..o", "xo./.../..."):
        position = game.parse(text)
        exact = solver.analyse(position).score
        assert (exact.win_in, exact.to_return()) == (
            search.analyse(position).score.win_in,
            search.analyse(position).score.to_return(),
        )


def test_the_solver_is_the_one_that_commands_use(game: Game) -> None:
    assert isinstance(boardgames.load_player(game.facts.solver, game), ExactPlayer)


def test_perfect_play_draws(game: Game) -> None:
    match = MatchSetup(game, ("solver", "alphabeta:depth=9"), seed=3).start_match().play()
    assert match.outcome is not None
    assert match.outcome.winner is None


@pytest.mark.parametrize(("agent", "is_blocked"), [("watchful", True), ("watchful:blocks=false", False)])
def test_the_options_of_the_agent_decide_how_it_plays(agent: str, is_blocked: bool, game: Game) -> None:
    threatened = game.parse("o.x/.o./x..")
    seeds = range(20)
    moves = {str(boardgames.load_player(agent, game, seed=seed).choose(threatened).move) for seed in seeds}
    assert (moves == {"c1"}) == is_blocked


def test_the_agent_wins_at_once_if_it_can(game: Game) -> None:
    player = boardgames.load_player("watchful:blocks=false", game, seed=1)
    assert str(player.choose(game.parse("xx./oo./...")).move) == "c3"


def test_the_learner_improves_and_can_be_resumed(game: Game) -> None:
    learner = boardgames.load_learner("hill-climbing", game, steps=12, matches=20, test_matches=100)
    state, scores = learner.start(2), []
    states = [state]
    while not learner.is_done(state):
        state, metrics = learner.step(state, InProcess())
        states.append(state)
        scores.append(metrics["score"])
    assert max(scores[-3:]) > 0.7
    again, _ = learner.step(states[5], InProcess())
    assert (again.arrays["weights"] == states[6].arrays["weights"]).all()


def test_the_overlay_marks_wins_and_blocks(game: Game) -> None:
    overlay = load_overlay("threats", game.parse("xx./oo./..."))
    assert dict(overlay.marks) == {"c3": "w", "c2": "b"}


@pytest.mark.parametrize(
    ("base", "methods"),
    [
        (Player, {"choose"}),
        (ExactPlayer, {"choose", "scores"}),
        (Learner, {"start", "step", "is_done", "weights"}),
    ],
)
def test_a_class_that_lacks_a_method_cannot_be_made(base: Any, methods: set[str], game: Game) -> None:
    lacking = type("Lacking", (base,), {"name": "lacking"})
    with pytest.raises(TypeError) as caught:
        lacking(game)
    assert all(name in str(caught.value) for name in methods)


def test_every_module_of_the_table_exists() -> None:
    listed = [
        line.split("`")[1]
        for line in (EXAMPLE / "README.md").read_text().splitlines()
        if line.startswith("| `")
    ]
    assert {path.name for path in Path(EXAMPLE, "boardgames_tictactoe_agents").glob("*.py")} == {
        *listed,
        "__init__.py",
    }
