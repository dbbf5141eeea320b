"""The option `weights` of players that search: another evaluation, and another fingerprint."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from reference.minimax import minimax_values, reached, search_value

import boardgames
from boardgames.declarations import NO_EVALUATION, Evaluation
from boardgames.errors import BoardgamesError
from boardgames.options import Option
from boardgames.player import Limit
from boardgames.players.alphabeta import AlphaBeta
from boardgames.score import RETURN
from boardgames.weights import Weights, find_evaluation
from boardgames.weights.files import as_bytes
from boardgames.weights.linear import WEIGHTED_SUM

CONNECT4 = boardgames.load("connect4")
LINES = boardgames.load_features("lines", CONNECT4)
AGENTS = pytest.mark.parametrize("agent", ["minimax:depth=3,", "alphabeta:depth=3,", "greedy:"])


@pytest.fixture
def weights_file(tmp_path: Path) -> Path:
    return write(tmp_path / "mine.safetensors")


def write(path: Path, seed: int = 0, *, tanh: bool = True) -> Path:
    values = np.random.default_rng(seed).uniform(-1, 1, 11)
    Weights.of(CONNECT4, LINES, values, tanh=tanh).write(path)
    return path


@pytest.mark.parametrize("tanh", [False, True], ids=["sum", "tanh"])
@pytest.mark.parametrize(("agent", "depth"), [("minimax:", 3), ("alphabeta:", 3), ("greedy:", 1)])
def test_the_move_is_best_according_to_the_weights(
    tmp_path: Path, agent: str, depth: int, tanh: bool
) -> None:
    path = write(tmp_path / "x.safetensors", tanh=tanh)
    evaluation = find_evaluation(str(path), CONNECT4)
    player = boardgames.load_player(f"{agent}weights={path}", CONNECT4, seed=1)
    for seed in range(4):
        position = reached(CONNECT4, 8 + seed, seed)
        values = minimax_values(position, depth, evaluation=evaluation)
        choice = player.choose(position, Limit(depth=depth))
        assert choice.move is not None
        assert values[position.actions.index(choice.move.action)] == pytest.approx(max(values), abs=1e-9)
        assert choice.score is not None
        assert search_value(choice.score) == pytest.approx(max(values), abs=1e-9)
        assert evaluation.unit is (RETURN if tanh else WEIGHTED_SUM)


@pytest.mark.parametrize("agent", ["minimax:depth=3,", "alphabeta:depth=3,"])
def test_tables_of_patterns_evaluate_the_leaves_of_a_search(agent: str) -> None:
    evaluation = find_evaluation("ntuple", CONNECT4)
    player = boardgames.load_player(f"{agent}weights=ntuple", CONNECT4)
    for seed in range(4):
        position = reached(CONNECT4, 8 + seed, seed)
        values = minimax_values(position, 3, evaluation=evaluation)
        choice = player.choose(position)
        assert choice.move is not None
        assert values[position.actions.index(choice.move.action)] == pytest.approx(max(values), abs=1e-9)
        assert choice.score is not None
        assert search_value(choice.score) == pytest.approx(max(values), abs=1e-9)


def test_tables_of_patterns_evaluate_the_simulations_of_mcts() -> None:
    evaluation, start = find_evaluation("ntuple", CONNECT4), CONNECT4.start()
    # without playouts and priors, only the evaluation distinguishes the moves
    player = boardgames.load_player("mcts:weights=ntuple,cutoff=0,prior=none,simulations=7,depth=1", CONNECT4)
    for entry in player.analyse(start).moves:
        value = -evaluation.value(start.apply(entry.move).words)
        assert entry.score.to_return() == pytest.approx(value, abs=1e-6)


@AGENTS
def test_weights_are_part_of_the_agent_text_and_the_fingerprint(
    agent: str, weights_file: Path, tmp_path: Path
) -> None:
    player = boardgames.load_player(f"{agent}weights={weights_file}", CONNECT4)
    assert player.describe() == f"{agent}weights={weights_file}"
    others = [
        boardgames.load_player(agent.rstrip(":,"), CONNECT4),
        boardgames.load_player(f"{agent}weights={write(tmp_path / 'other.safetensors', 1)}", CONNECT4),
        boardgames.load_player(f"{agent}weights={write(tmp_path / 'sum.safetensors', tanh=False)}", CONNECT4),
    ]
    assert len({player.fingerprint(), *(other.fingerprint() for other in others)}) == 4


@AGENTS
def test_changed_weights_change_the_fingerprint(agent: str, weights_file: Path) -> None:
    text = f"{agent}weights={weights_file}"
    before = boardgames.load_player(text, CONNECT4).fingerprint()
    assert boardgames.load_player(text, CONNECT4).fingerprint() == before
    write(weights_file, 1)
    assert boardgames.load_player(text, CONNECT4).fingerprint() != before


@AGENTS
def test_without_weights_the_fingerprint_is_that_of_the_games_evaluation(agent: str) -> None:
    game = boardgames.load("connect4")
    player = boardgames.load_player(agent.rstrip(":,"), game)
    assert player.fingerprint() == boardgames.player.fingerprint_of(game.evaluation.weights.tobytes())
    game.evaluation = replace(game.evaluation, weights=game.evaluation.weights + 1)
    assert player.fingerprint() == boardgames.player.fingerprint_of(game.evaluation.weights.tobytes())


@AGENTS
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("nobody", "no such weights, run or file 'nobody'"),
        ("{folder}/none.safetensors", "cannot read {folder}/none.safetensors: no such file"),
        (
            "{folder}/abalone.safetensors",
            "{folder}/abalone.safetensors has weights for 'abalone', not for connect4",
        ),
        ("{folder}/rows.safetensors", "connect4 has no feature set 'rows'"),
        ("{folder}/ranges.safetensors", "the weights are for features 'lines' with other ranges"),
        ("{folder}/cut.safetensors", "{folder}/cut.safetensors is not a file of weights"),
        (
            "{folder}/nan.safetensors",
            "cannot use the weights in {folder}/nan.safetensors: weights must be -1e+06 to 1e+06, not nan",
        ),
        ("{folder}", "the run {folder} has no weights yet"),
    ],
    ids=["no name", "no file", "another game", "other features", "other ranges", "damaged", "nan", "folder"],
)
def test_missing_or_invalid_weights_give_a_one_line_error(
    agent: str, weights: str, message: str, tmp_path: Path, home: Path
) -> None:
    good = Weights.of(CONNECT4, LINES, np.zeros(11))
    for name, changed in {
        "abalone": replace(good, game="abalone"),
        "rows": replace(good, features="rows"),
        "ranges": replace(good, ranges="0123456789ab"),
        "cut": good,
    }.items():
        changed.write(tmp_path / f"{name}.safetensors")
    cut = tmp_path / "cut.safetensors"
    cut.write_bytes(cut.read_bytes()[:-3])
    (tmp_path / "nan.safetensors").write_bytes(as_bytes({"weights": np.full(11, np.nan)}, good.header()))
    with pytest.raises(BoardgamesError) as raised:
        boardgames.load_player(agent + "weights=" + weights.format(folder=tmp_path), CONNECT4)
    assert message.format(folder=tmp_path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_agent_may_declare_an_option_of_that_name_itself(weights_file: Path) -> None:
    class Own(AlphaBeta):
        name = "own"
        declared_options = (Option("weights", str, "heavy", "has another meaning here"),)

        def evaluation(self) -> Evaluation:
            return NO_EVALUATION

    score = Own(CONNECT4).choose(CONNECT4.start(), Limit(depth=1)).score
    assert score is not None
    assert score.amount == 0.0
    with pytest.raises(BoardgamesError, match="has no option 'weights'"):
        boardgames.load_player(f"simple:weights={weights_file}", boardgames.load("abalone"))
