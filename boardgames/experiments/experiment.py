"""The base class of experiments, and a function that runs their tasks.

An experiment belongs to a plug-in, which subclasses `Experiment`. Its `run`
sends tasks to an executor with `run_tasks`. An experiment that plays matches returns
`Findings`, tables of wins; one that measures something else returns `Measurements`.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from boardgames.errors import BoardgamesError, PluginError, describe_error
from boardgames.executors import worker_count
from boardgames.experiments.results import Findings, Measurements
from boardgames.game import Game
from boardgames.learning.base import Configured
from boardgames.options import Option, OptionValue, read_options
from boardgames.plugins import registry

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class StageProgress:
    """Progress of an experiment: its current stage, and how many of the stage's tasks are done."""

    stage: str
    done: int
    total: int


Listener = Callable[[StageProgress], None]


class Experiment(Configured, ABC):
    """Base class of the experiments that `bg_experiments` offers.

    Parameters
    ----------
    game : Game
        The game.
    options : keywords
        See `declared_options`.

    Attributes
    ----------
    has_chart : bool
        True if it returns `Measurements`, which can be drawn.

    Raises
    ------
    OptionError
        If an option is unknown or has an invalid value.
    """

    name: ClassVar[str]
    declared_options: ClassVar[tuple[Option, ...]] = ()
    has_chart: ClassVar[bool] = False

    def __init__(self, game: Game, **options: object) -> None:
        self.game = game
        owner = f"experiment {self.name!r}"
        self.options: dict[str, OptionValue] = read_options(self.declared_options, options, owner)

    @abstractmethod
    def run(
        self, executor: Executor, seed: int, listener: Listener | None = None
    ) -> "Findings | Measurements":
        """Return the results.

        Work is sent to `executor` in tasks that are seeded by their content, so
        that equal seeds give equal results on any number of workers.
        """

    @property
    def settings(self) -> dict[str, OptionValue]:
        """Return all options."""
        return dict(self.options)


def load_experiment(name: str, game: Game, /, **options: object) -> Experiment:
    """Return an experiment by name; options may be given as values or as text.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        If there is no such experiment or option, or its plug-in is broken.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> load_experiment("basic-training", game, matches="20").settings["matches"]
    20
    """
    loaded = registry().load("experiments", name, game.facts.name)
    if not (isinstance(loaded, type) and issubclass(loaded, Experiment)):
        raise PluginError(f"experiment {name!r} must be a subclass of Experiment, not {loaded!r}")
    try:
        # read the options first, so that none is mistaken for another parameter of the class
        return loaded(game, **read_options(loaded.declared_options, options, f"experiment {name!r}"))
    except BoardgamesError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"experiment {name!r} is broken: {describe_error(error)}") from error


def run_tasks(
    executor: Executor, tasks: Sequence[Callable[[], Result]], listener: Listener | None, stage: str
) -> list[Result]:
    """Run tasks and return their results in order; the listener is called after each.

    Only a few tasks are submitted ahead, because some executors run each task
    immediately, and the listener should be called after each.

    Examples
    --------
    >>> from functools import partial
    >>> from boardgames.executors import InProcess
    >>> run_tasks(InProcess(), [partial(abs, -1), partial(abs, 2)], print, "signs")
    StageProgress(stage='signs', done=0, total=2)
    StageProgress(stage='signs', done=1, total=2)
    StageProgress(stage='signs', done=2, total=2)
    [1, 2]
    """
    results: list[Result] = []
    pending: deque[Future[Result]] = deque()

    def report() -> None:
        if listener is not None:
            listener(StageProgress(stage, len(results), len(tasks)))

    report()
    for task in tasks:
        pending.append(executor.submit(task))
        while len(pending) > 2 * worker_count(executor) - 2:  # workers may have joined
            results.append(pending.popleft().result())
            report()
    while pending:
        results.append(pending.popleft().result())
        report()
    return results
