"""Games and agents in OpenSpiel: its own tests, its searches, and Connect Four as OpenSpiel plays it."""

import pickle
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from maze import Maze

import boardgames
from boardgames import Choice, MatchState, Player
from boardgames.adapters import SPIEL_MAX_PLIES, openspiel
from boardgames.errors import BoardgamesError, MatchError, MissingExtraError, OptionError, UnknownNameError

pyspiel = pytest.importorskip("pyspiel")
evaluate_bots = pytest.importorskip("open_spiel.python.algorithms.evaluate_bots")
mcts = pytest.importorskip("open_spiel.python.algorithms.mcts")
minimax = pytest.importorskip("open_spiel.python.algorithms.minimax")

SETTINGS = {"abalone": "", "connect4": "", "hexifence": "(dimension=2)", "tictactoe": ""}


@pytest.fixture
def game(name: str) -> Any:
    """Return a registered game of OpenSpiel."""
    return pyspiel.load_game(openspiel.register(name) + SETTINGS[name])


def play(game: Any, seed: int) -> Any:
    """Play a match at random; return its last state."""
    state, generator = game.new_initial_state(), random.Random(seed)
    while not state.is_terminal():
        state.apply_action(generator.choice(state.legal_actions()))
    return state


def test_every_game_passes_the_simulations_of_openspiel(game: Any) -> None:
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_a_state_is_the_position_after_its_actions(game: Any) -> None:
    state = play(game, seed=1)
    match = MatchState(game.boardgame.start())
    for action in state.history():
        assert match.outcome is None
        match.push(action)
    assert match.outcome is not None
    assert state.returns() == list(match.outcome.returns)
    assert str(state) == str(match.position) == str(openspiel.match_of(state).position)


def test_a_clone_is_independent(game: Any) -> None:
    state = game.new_initial_state()
    clone = state.clone()
    clone.apply_action(clone.legal_actions()[0])
    assert (state.history(), str(state)) == ([], str(game.boardgame.start()))
    assert openspiel.match_of(clone).ply == 1


def test_games_and_states_can_be_pickled(game: Any) -> None:
    state = play(game, seed=2)
    before = pyspiel.load_game(str(game)).new_initial_state()
    for action in state.history()[:-1]:
        before.apply_action(action)
    for one in (state, before):
        copied = pickle.loads(pickle.dumps(one))
        assert (str(copied), copied.history()) == (str(one), one.history())
        assert copied.legal_actions() == one.legal_actions()
        assert openspiel.match_of(copied).outcome == openspiel.match_of(one).outcome
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


def test_a_process_that_has_not_registered_a_game_can_unpickle_a_state(tmp_path: Path) -> None:
    state = play(pyspiel.load_game(openspiel.register("connect4") + "(columns=5)"), seed=1)
    (tmp_path / "state").write_bytes(pickle.dumps(state))
    program = f"import pickle; print(pickle.load(open({str(tmp_path / 'state')!r}, 'rb')))"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == str(state)


def test_players_observe_the_position_from_their_side(game: Any) -> None:
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[-1])
    for player in (0, 1):
        expected = openspiel.match_of(state).position.observation(player)
        assert np.array_equal(np.reshape(state.observation_tensor(player), expected.shape), expected)
        assert state.observation_string(player) == str(state)


@pytest.mark.parametrize("name", ["tictactoe"])
def test_alpha_beta_search_of_openspiel_solves_our_game(game: Any) -> None:
    state = game.new_initial_state()
    for action in (0, 4, 8):
        state.apply_action(action)
    assert minimax.alpha_beta_search(game, state=state)[0] == 0.0
    state.apply_action(2)
    state.apply_action(1)
    assert minimax.alpha_beta_search(game, state=state)[0] == 1.0


@pytest.mark.parametrize(
    "name", [pytest.param("abalone", marks=pytest.mark.slow), "connect4", "hexifence", "tictactoe"]
)
def test_tree_search_of_openspiel_plays_our_agents(game: Any) -> None:
    generator = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, generator)
    bots = [
        mcts.MCTSBot(game, 2, 2, evaluator, random_state=generator),
        openspiel.bot("random", game, seed=1),
    ]
    state = game.new_initial_state()
    returns = evaluate_bots.evaluate_bots(state, bots, generator)
    assert list(returns) == state.returns()
    assert state.is_terminal()


def test_bots_of_openspiel_can_evaluate_ours_in_compiled_code(game: Any) -> None:
    bots = [openspiel.bot("greedy", game, seed=1), openspiel.bot("random", game, seed=2)]
    first = pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)
    assert sum(first) == 0


@pytest.mark.slow
def test_ten_thousand_matches_of_connect_four_are_those_of_openspiel_move_by_move() -> None:
    ours, theirs = boardgames.load("connect4"), pyspiel.load_game("connect_four")
    as_theirs = str.maketrans("rb/", "xo\n")
    for seed in range(10_000):
        generator, match, state = random.Random(seed), MatchState(ours.start()), theirs.new_initial_state()
        while match.outcome is None:
            assert list(match.actions) == state.legal_actions()
            assert match.side_to_move == state.current_player()
            assert not state.is_terminal()
            action = generator.choice(match.actions)
            match.push(action)
            state.apply_action(action)
            assert str(match.position).translate(as_theirs) == str(state).strip()
        assert list(match.outcome.returns) == state.returns()
        assert state.is_terminal()


def test_parameters_are_the_options_and_the_layout() -> None:
    name = openspiel.register("abalone")
    game = pyspiel.load_game(f"{name}(layout=belgian-daisy,broadside=false)")
    assert game.boardgame == boardgames.load("abalone", broadside=False)
    assert game.boardgame.layout == "belgian-daisy"
    assert pyspiel.load_game(str(game)).boardgame == game.boardgame


def test_a_game_can_be_registered_twice() -> None:
    assert openspiel.register("connect4") == openspiel.register("connect4") == "boardgames_connect4"


def test_a_match_without_any_limit_is_drawn_after_a_thousand_plies() -> None:
    endless = Maze()
    endless.facts = replace(endless.facts, ply_limit=None, longest_match=None)
    assert openspiel._limited(endless).ply_limit == SPIEL_MAX_PLIES
    assert openspiel._limited(boardgames.load("connect4")).ply_limit is None


class Resigning(Player):
    name = "resigning"

    def choose(self, *arguments: object) -> Choice:
        return Choice(None)


def test_what_is_not_ours_is_refused_on_one_line() -> None:
    game = pyspiel.load_game(openspiel.register("connect4"))
    theirs = pyspiel.load_game("tic_tac_toe")
    abalone = boardgames.load_player("random", boardgames.load("abalone"))
    resigning = openspiel.bot(Resigning(game.boardgame), game)
    cases: list[tuple[Any, type[BoardgamesError], str]] = [
        (lambda: openspiel.register("conect4"), UnknownNameError, "no such game 'conect4'; did you mean"),
        (lambda: openspiel.register(game.boardgame), OptionError, "a game is registered by its name"),
        (
            lambda: openspiel.register("spiel:tic_tac_toe"),
            OptionError,
            "'spiel:tic_tac_toe' is a game of OpenSpiel: load it as pyspiel.load_game('tic_tac_toe')",
        ),
        (lambda: openspiel.bot("human", game), OptionError, "a bot must be an agent, not a person: 'human'"),
        (lambda: openspiel.bot("greedy", theirs), OptionError, "the game must be loaded by a name that"),
        (lambda: openspiel.bot("gredy", game), UnknownNameError, "connect4 has no agent 'gredy'; did you"),
        (lambda: openspiel.bot(abalone, game), OptionError, "the agent must be a name or a player of"),
        (lambda: openspiel.match_of(theirs.new_initial_state()), OptionError, "not a state of a game that"),
        (lambda: resigning.step(game.new_initial_state()), MatchError, "<player resigning> resigns, which"),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=f"^{re.escape(message)}") as raised:
            call()
        assert "\n" not in str(raised.value)


def test_an_option_that_a_game_does_not_have_is_refused() -> None:
    with pytest.raises(pyspiel.SpielError, match="colums"):
        pyspiel.load_game(openspiel.register("connect4"), {"colums": 8})


def test_without_openspiel_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingExtraError, match=r"^OpenSpiel needs the extra 'openspiel': run pip install"):
        openspiel.register("connect4")
