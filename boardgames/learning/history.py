"""What programs show about a training run: its steps, its weights by name, and the agent that uses them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from boardgames.errors import BoardgamesError
from boardgames.game import Game
from boardgames.learner import Learner
from boardgames.learning.config import Config
from boardgames.learning.metrics import StepRecord
from boardgames.learning.runs import run_reference
from boardgames.weights.lookup import offered_names

_Row = TypeVar("_Row")


def learner_of(config: Config | None) -> Learner | None:
    """Return the learner of a run; None without a config, or if a plug-in is no longer installed.

    Examples
    --------
    >>> learner_of(Config("connect4")).name, learner_of(Config("no-such-game"))
    ('td', None)
    """
    try:
        return None if config is None else config.load()
    except BoardgamesError:
        return None


def weight_names(learner: Learner | None, count: int) -> list[str]:
    """Return the names of the weights, or numbers if the learner does not name them.

    Examples
    --------
    >>> weight_names(learner_of(Config("connect4")), 11)[:2], weight_names(None, 2)
    (['own twos', 'own threes'], ['weight 1', 'weight 2'])
    """
    if learner is not None and len(learner.weight_names) == count:
        return list(learner.weight_names)
    return [f"weight {number}" for number in range(1, count + 1)]


def result_of(folder: Path, game: Game) -> str:
    """Return the option value with which agents load the result of a run, in quotes if it needs them.

    It is the run's name if possible, and its path if a plug-in offers weights with the same name, which
    would take precedence.

    Examples
    --------
    >>> from boardgames.paths import runs_folder
    >>> from boardgames.plugins import load
    >>> [result_of(runs_folder() / name, load("connect4")) for name in ("first", "a,b")]
    ['first', '"a,b"']
    """
    return option_value(str(folder) if folder.name in offered_names(game) else run_reference(folder))


def option_value(text: str) -> str:
    r"""Return a text as the value of an agent's option, in quotes if it needs them.

    Examples
    --------
    >>> option_value("a b"), option_value("a,b")
    ('a b', '"a,b"')
    """
    if any(character in text for character in ',"\\'):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return text


def weights_over_time(steps: Sequence[StepRecord]) -> tuple[list[int], list[tuple[float, ...]]]:
    """Return the numbers and weights of the steps that recorded as many weights as the last step.

    Examples
    --------
    >>> weights_over_time([StepRecord(1, 0.5, {}), StepRecord(2, 0.5, {}, (1.0, 2.0))])
    ([2], [(1.0, 2.0)])
    """
    count = len(steps[-1].weights) if steps else 0
    rows = [one for one in steps if count and len(one.weights) == count]
    return [one.step for one in rows], [one.weights for one in rows]


def metric_names(steps: Sequence[StepRecord]) -> list[str]:
    """Return the names of all metrics, in the order in which they first appear."""
    return list(dict.fromkeys(name for one in steps for name in one.metrics))


def sample(rows: Sequence[_Row], count: int) -> list[_Row]:
    """Return at most `count` rows at equal distances, including the last one.

    Examples
    --------
    >>> sample([1, 2, 3, 4, 5, 6], 3), sample([1, 2], 3)
    ([2, 4, 6], [1, 2])
    """
    count = min(len(rows), count)
    return [rows[(place + 1) * len(rows) // count - 1] for place in range(count)]
