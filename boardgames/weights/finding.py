"""Weights by the text that a user gives: a name, a training run, a file."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from boardgames import plugins
from boardgames.declarations import Evaluation, FeatureSet
from boardgames.errors import BoardgamesError, PluginError, UnknownNameError, WeightsError, near, shown
from boardgames.game import Game
from boardgames.paths import runs_folder
from boardgames.weights.weights import Weights

BEST = Path("checkpoints") / "best.safetensors"
"""Where a run's folder has its best weights."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where weights come from: their file, and `owner_of` it."""

    path: Path
    name: str = ""


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
        If the file cannot be read, or they are for another game or other features.
    """
    return read_weights(weights_path(text, game), game)


def read_weights(path: Path, game: Game) -> tuple[Weights, FeatureSet]:
    """Return the weights of a file, and the features of the game that they are for.

    Raises
    ------
    WeightsError, FileError
        As `find_weights`.
    """
    weights = Weights.read(path)
    if weights.game != game.facts.name:
        raise WeightsError(f"expected weights of {game.facts.name}: {path} has {shown(weights.game)}'s")
    try:
        features = plugins.load_features(weights.features, game)
        weights.check(game, features)
    except (UnknownNameError, WeightsError) as error:
        raise WeightsError(f"{error} in {path}") from None
    return weights, features


def find_evaluation(text: str, game: Game) -> Evaluation:
    """Return the weights that a text names as an evaluation for search; raises as `find_weights`."""
    weights, features = find_weights(text, game)
    return weights.evaluation(game, features)


def weights_path(text: str, game: Game) -> Path:
    """Return the file of the weights that a text names; see `find_weights`."""
    return find_source(text, game).path


def find_source(text: str, game: Game) -> Source:
    """Return where the weights come from that a text names; see `find_weights`."""
    names = offered_names(game)
    if text in names:
        path = plugins.registry().load("weights", text, game.facts.name)
        if not isinstance(path, Path):
            raise PluginError(f"expected the path of a file as weights {text!r}: {shown(path)}")
        return Source(path, text)
    if is_plain_name(text) and _is_folder(runs_folder() / text):
        return _best_of(runs_folder() / text)
    path = _existing(text)
    if path is not None:
        return _best_of(path) if path.is_dir() else Source(path, owner_of(path, game))
    known = [*names, *run_names()]
    raise UnknownNameError(f"expected weights, a run or a file: {shown(text)}{near(text, known)}")


def owner_of(path: Path, game: Game) -> str:
    """Return the name of the offer or the run that a file of weights belongs to; empty for the user's own."""
    for name in offered_names(game):
        with suppress(BoardgamesError, OSError, TypeError, ValueError):
            if path.samefile(plugins.registry().load("weights", name, game.facts.name)):
                return name
    folder = path.absolute().parent
    is_checkpoint = folder.name == BEST.parent.name and (folder.parent / "config.toml").is_file()
    return folder.parent.name if is_checkpoint else ""


def offered_names(game: Game) -> list[str]:
    """Return the names of the weights that plug-ins offer for a game, sorted."""
    return [offer.entry.name for offer in plugins.registry().offers("weights", game.facts.name)]


def run_names() -> list[str]:
    """Return the names of the runs in the user's folder, sorted."""
    try:
        return sorted(folder.name for folder in runs_folder().iterdir() if folder.is_dir())
    except OSError:
        return []


def is_plain_name(text: str) -> bool:
    """Say whether a text is one name, no path."""
    return bool(text) and Path(text).name == text and text not in (".", "..") and "\0" not in text


def _existing(text: str) -> Path | None:
    """Return the file or folder that a text names; a text that looks like a path names one in any case."""
    try:
        path = Path(text).expanduser()
        is_path = path.exists() or len(path.parts) > 1 or bool(path.suffix)
    except (OSError, ValueError, RuntimeError):  # too long, of no file system, of an unknown user
        return None
    return path if text and is_path else None


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name too long for any
        return False


def _best_of(run: Path) -> Source:
    path = run / BEST
    if not path.is_file():
        raise WeightsError(f"expected a run with weights: {run} has none yet")
    return Source(path, run.resolve().name)
