"""Self-play in a game in which repeated positions mean something."""

import numpy as np
import pytest
from maze import Maze

from boardgames import plugins
from boardgames.declarations import Feature, FeatureSet
from boardgames.kernels import Features, Reals, Words, kernel
from boardgames.selfplay import Contestant, SelfPlaySetup, TDParameters
from boardgames.selfplay.worker import WorkerState

pytestmark = pytest.mark.plain

OWN_WORDS = 5


@kernel(Features)
def length(position: Words, side: int, out: Reals) -> None:
    """Write the number of words that a feature sees."""
    out[0] = position.size


LENGTH = FeatureSet("length", length, (Feature("length", "", 0.0, OWN_WORDS, "words"),))


@pytest.fixture
def state(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> WorkerState:
    """Return the state of a worker for a maze of two rooms with a rule."""
    game = Maze(repetition=request.param, rooms="a:0:b..,a..")
    monkeypatch.setattr(plugins, "load", lambda *_, **__: game)
    monkeypatch.setattr(plugins, "load_features", lambda *_: LENGTH)
    return WorkerState(SelfPlaySetup("maze", "", (), features="length", opening=0, ply_limit=30))


CASES = [("", 30, None), ("draw", 4, None), ("draw:5", 8, None), ("loss", 2, 0), ("forbidden", 1, 0)]


@pytest.mark.parametrize(("state", "plies", "winner"), CASES, indirect=["state"])
def test_contests_obey_repetition(state: WorkerState, plies: int, winner: int | None) -> None:
    for depth in (1, 3):
        contestant = Contestant(None, depth=depth)
        for match in state.play_matches(contestant, contestant, 4, seed=1):
            assert (match.plies, match.winner) == (plies, winner)


@pytest.mark.parametrize(("state", "plies", "winner"), CASES, indirect=["state"])
def test_training_matches_obey_repetition(state: WorkerState, plies: int, winner: int | None) -> None:
    parameters = (TDParameters(), TDParameters())
    trained = state.train_players(np.zeros((2, 1)), parameters, 4, seed=1)
    assert {(match.plies, match.winner) for match in trained.matches} == {(plies, winner)}
