"""Find the weights that a user asks for by name, training run or file."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from boardgames import plugins
from boardgames.declarations import Evaluation, FeatureSet
from boardgames.errors import BoardgamesError, PluginError, UnknownNameError, WeightsError, quote, suggest
from boardgames.game import Game
from boardgames.paths import data_folder, find_path, runs_folder
from boardgames.patterns import PatternSet
from boardgames.weights.files import read_header
from boardgames.weights.weights import NETWORK, Weights

BEST = Path("checkpoints") / "best.safetensors"
"""The best weights in the folder of a run."""

SUFFIX = ".safetensors"


@dataclass(frozen=True, slots=True)
class Source:
    """A file of weights, and the name under which a plug-in offers it or of its run; may be empty."""

    path: Path
    name: str = ""


def find_weights(text: str, game: Game) -> tuple[Weights, FeatureSet | PatternSet]:
    """Return the weights that a text names, together with their features or patterns.

    Parameters
    ----------
    text : str
        The name of weights that a plug-in offers for the game, the name of a
        run in the user's folder, the folder of a run, or a file.

    Raises
    ------
    UnknownNameError
        If there are no weights with this name; the message suggests similar names.
    WeightsError, FileError
        If the file cannot be read, or has weights for another game or other features.
    """
    return read_weights(find_source(text, game).path, game)


def find_evaluation(text: str, game: Game) -> Evaluation:
    """Return an evaluation for search with the weights that a text names; see `find_weights`."""
    weights, features = find_weights(text, game)
    return weights.evaluation(game, features)


def find_feature_weights(text: str, game: Game) -> tuple[Weights, FeatureSet]:
    """Return weights of features, as `find_weights` does.

    Raises
    ------
    WeightsError
        If the weights are for patterns.
    """
    weights, features = find_weights(text, game)
    return weights, _checked_features(features, text)


def read_feature_weights(path: Path, game: Game) -> tuple[Weights, FeatureSet]:
    """Return weights of features, as `read_weights` does; weights of patterns raise WeightsError."""
    weights, features = read_weights(path, game)
    return weights, _checked_features(features, str(path))


def read_weights(path: Path, game: Game) -> tuple[Weights, FeatureSet | PatternSet]:
    """Return the weights in a file, together with their features or patterns.

    Raises
    ------
    WeightsError, FileError
        If the file cannot be read, or has weights for another game or other features.
    """
    weights = Weights.read(path)
    if weights.game != game.facts.name:
        raise WeightsError(f"{path} has weights for {quote(weights.game)}, not for {game.facts.name}")
    try:
        features = load_features_of(weights, game)
        weights.check(game, features)
    except (UnknownNameError, WeightsError) as error:
        raise WeightsError(f"cannot use the weights in {path}: {error}") from None
    return weights, features


def load_features_of(weights: Weights, game: Game) -> FeatureSet | PatternSet:
    """Return the feature set or pattern set that weights name; `Weights.check` then checks that they fit."""
    load = plugins.load_patterns if weights.groups else plugins.load_features
    return load(weights.features, game)


def _checked_features(features: FeatureSet | PatternSet, text: str) -> FeatureSet:
    if isinstance(features, PatternSet):
        raise WeightsError(
            f"{quote(text)} has weights of patterns, not of features; agents such as 'ntuple' and "
            "'alphabeta' can use them"
        )
    return features


def find_source(text: str, game: Game) -> Source:
    """Return the file of the weights that a text names; see `find_weights`."""
    names = offered_names(game)
    if text in names:
        path = plugins.registry().load("weights", text, game.facts.name)
        if not isinstance(path, Path):
            raise PluginError(f"a plug-in offers {quote(path)} as weights {text!r}, not the path of a file")
        return Source(path, text)
    if is_plain_name(text) and _is_folder(runs_folder() / text):
        return _best_of(runs_folder() / text)
    path = find_path(text)
    if path is not None:
        return _best_of(path) if path.is_dir() else Source(path, owner_of(path, game))
    raise UnknownNameError(
        f"no such weights, run or file {quote(text)}{suggest(text, [*names, *run_names()])}"
    )


def owner_of(path: Path, game: Game) -> str:
    """Return the name of the offered weights or of the run to which a file belongs, or an empty string."""
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


def usable_names(game: Game) -> list[str]:
    """Return the names of weights and runs that fit a game with its options, offered weights first."""
    names = []
    for name in [*offered_names(game), *run_names()]:
        with suppress(BoardgamesError):
            path = find_source(name, game).path
            if NETWORK not in read_header(path):  # faster than reading a network to reject it
                read_weights(path, game)
                names.append(name)
    return list(dict.fromkeys(names))


def network_names(game: str) -> list[str]:
    """Return the names of networks for a game that plug-ins offer or that runs have learned."""
    loaded = plugins.registry()
    offered = [offer.entry.name for offer in loaded.offers("weights", game)]
    names = []
    for name in dict.fromkeys([*offered, *run_names()]):
        with suppress(BoardgamesError):
            path = loaded.load("weights", name, game) if name in offered else runs_folder() / name / BEST
            header = read_header(path) if isinstance(path, Path) else {}
            if NETWORK in header and header.get("game") == game:
                names.append(name)
    return names


def usable_agents(game: str) -> list[plugins.Offer]:
    """Return the agents that can play a game.

    An agent that needs weights (`Entry.needs`) is included if a plug-in offers weights with the agent's
    name, or if the user has a run that learned weights of the required kind for this game. An agent that
    needs a network is included if there is a network for this game.
    """
    offers = plugins.registry().offers("agents", game)
    shipped = {offer.entry.name for offer in plugins.registry().offers("weights", game)}
    waiting = {offer.entry.name for offer in offers if "weights" in offer.entry.needs} - shipped
    learned = _kinds_learned(game) if waiting else set()
    if any(NETWORK in offer.entry.needs for offer in offers) and network_names(game):
        learned.add(NETWORK)
    return [
        offer
        for offer in offers
        if offer.entry.name not in waiting or not learned.isdisjoint(offer.entry.needs)
    ]


def _kinds_learned(game: str) -> set[str]:
    """Return the kinds of weights for a game that the user's runs have: `"features"`, `"patterns"`."""
    kinds = set()
    for name in run_names():
        path = runs_folder() / name / BEST
        with suppress(BoardgamesError):
            header = read_header(path)
            if NETWORK in header or header.get("game") != game:
                continue
            weights = Weights.read(path)
            if weights.game == game:
                kinds.add("patterns" if weights.groups else "features")
    return kinds


def run_names() -> list[str]:
    """Return the names of the runs in the user's folder, sorted."""
    try:
        return sorted(folder.name for folder in runs_folder().iterdir() if folder.is_dir())
    except OSError:
        return []


def learned_copy(name: str, game: Game) -> Path:
    """Return the user's file in which learning during play continues the weights called `name`."""
    return data_folder() / "weights" / f"{game.facts.name}-{name}{SUFFIX}"


def learned_files(game: str) -> dict[str, Path]:
    """Return the files of `learned_copy` that exist for a game, by the names of the weights, sorted."""
    paths = sorted((data_folder() / "weights").glob(f"{game}-*{SUFFIX}"))
    return {path.name.removeprefix(f"{game}-").removesuffix(SUFFIX): path for path in paths}


def is_plain_name(text: str) -> bool:
    """Return True if a text is a single name, not a path."""
    return bool(text) and Path(text).name == text and text not in (".", "..") and "\0" not in text


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # the name is too long
        return False


def _best_of(run: Path) -> Source:
    path = run / BEST
    if not path.is_file():
        raise WeightsError(f"the run {run} has no weights yet")
    return Source(path, run.resolve().name)
