"""Weights by the text that a user gives: a name, a training run, a file."""

from pathlib import Path

from boardgames.declarations import Evaluation, FeatureSet
from boardgames.errors import PluginError, UnknownNameError, WeightsError, near, shown
from boardgames.game import Game
from boardgames.paths import runs_folder
from boardgames.plugins import feature_set, registry
from boardgames.weights.weights import Weights

BEST = Path("checkpoints") / "best.safetensors"
"""Where a run's folder has its best weights."""


def find_weights(text: str, game: Game) -> tuple[Weights, FeatureSet]:
    """Return the weights that a text names, and the features that they are for.

    Parameters
    ----------
    text : str
        A name that a plug-in offers for the game, the name of a run in the
        user's folder, the folder of a run, or a file.

    Raises
    ------
    UnknownNameError
        If nothing has this name; the message names near ones.
    WeightsError, FileError
        If the file cannot be read, or they are for another game.
    """
    weights = Weights.read(weights_path(text, game))
    if weights.game != game.facts.name:
        raise WeightsError(f"expected weights of {game.facts.name}: {shown(text)} has {weights.game}'s")
    features = feature_set(weights.features, game)
    weights.check(game, features)
    return weights, features


def find_evaluation(text: str, game: Game) -> Evaluation:
    """Return the weights that a text names as an evaluation for search; raises as `find_weights`."""
    weights, features = find_weights(text, game)
    return weights.evaluation(game, features)


def weights_path(text: str, game: Game) -> Path:
    """Return the file of the weights that a text names; see `find_weights`."""
    names = [offer.entry.name for offer in registry().offers("weights", game.facts.name)]
    if text in names:
        path = registry().load("weights", text, game.facts.name)
        if not isinstance(path, Path):
            raise PluginError(f"expected the path of a file as weights {text!r}: {shown(path)}")
        return path
    runs = runs_folder()
    if is_plain_name(text) and (runs / text).is_dir():
        return _best_of(runs / text)
    try:
        path = Path(text).expanduser()
        if path.is_dir():
            return _best_of(path)
        if path.is_file() or len(path.parts) > 1 or path.suffix:
            return path
    except (OSError, ValueError, RuntimeError):
        pass
    known = [*names, *run_names()]
    raise UnknownNameError(f"expected weights, a run or a file: {shown(text)}{near(text, known)}")


def run_names() -> list[str]:
    """Return the names of the runs in the user's folder, sorted."""
    try:
        return sorted(folder.name for folder in runs_folder().iterdir() if folder.is_dir())
    except OSError:
        return []


def is_plain_name(text: str) -> bool:
    """Say whether a text is one name, no path."""
    return bool(text) and Path(text).name == text and text not in (".", "..") and "\0" not in text


def _best_of(run: Path) -> Path:
    path = run / BEST
    if not path.is_file():
        raise WeightsError(f"expected a run with weights: {run} has none yet")
    return path
