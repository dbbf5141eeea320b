"""What programs show of a training run: names of its weights, and what agents call its result."""

from pathlib import Path

from boardgames.errors import BoardgamesError
from boardgames.game import Game
from boardgames.learner import Learner
from boardgames.learning.base import FeatureLearner
from boardgames.learning.config import Config
from boardgames.paths import runs_folder
from boardgames.weights.lookup import offered_names


def learner_of(config: Config) -> Learner | None:
    """Return the learner of a run, or None if its game or plug-in is no longer installed.

    Examples
    --------
    >>> learner_of(Config("connect4")).name, learner_of(Config("no-such-game"))
    ('td', None)
    """
    try:
        return config.load()
    except BoardgamesError:
        return None


def weight_names(learner: Learner | None, count: int) -> list[str]:
    """Return the names of the weights, or numbers if the learner does not name them.

    Examples
    --------
    >>> weight_names(learner_of(Config("connect4")), 11)[:2], weight_names(None, 2)
    (['own twos', 'own threes'], ['weight 1', 'weight 2'])
    """
    if isinstance(learner, FeatureLearner) and len(learner.features.features) == count:
        return [feature.name for feature in learner.features.features]
    return [f"weight {number}" for number in range(1, count + 1)]


def run_reference(folder: Path) -> str:
    """Return the name of a run in the user's folder, or the path of any other."""
    return folder.name if folder == runs_folder() / folder.name else str(folder)


def result_of(folder: Path, game: Game) -> str:
    """Return the result of a run as the value of an option of an agent, in quotes if it needs them.

    It is the path if a plug-in offers weights with the name of the run, since these take precedence.

    Examples
    --------
    >>> from boardgames.plugins import load
    >>> [result_of(runs_folder() / name, load("connect4")) for name in ("first", "a,b")]
    ['first', '"a,b"']
    """
    result = str(folder) if folder.name in offered_names(game) else run_reference(folder)
    if any(character in result for character in ',"\\'):
        escaped = result.replace("\\", "\\\\").replace('"', '\\"')
        result = f'"{escaped}"'
    return result
