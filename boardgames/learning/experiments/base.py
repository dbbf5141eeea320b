"""Experiment: what all experiments share, and how one is had by name."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from boardgames.errors import BoardgamesError, PluginError, describe_error
from boardgames.executors import worker_count
from boardgames.game import Game
from boardgames.learning.base import FEATURES, OPENING, PLY_LIMIT, Configured, features_of
from boardgames.learning.experiments.tables import Findings
from boardgames.options import Option, OptionValue, read_options
from boardgames.plugins import registry
from boardgames.selfplay import MatchSetup, TDParameters

TESTS = Option(
    "test_matches", int, 10, "matches of a contest, two from each opening", minimum=1, maximum=100_000
)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an experiment has come: what it is at, and how much of that is done."""

    stage: str
    done: int
    planned: int


Listener = Callable[[Progress], None]


class Experiment(Configured, ABC):
    """Something that is tried and measured; base class of what `bg_experiments` offers.

    It declares at least the options `FEATURES`, `OPENING` and `PLY_LIMIT`.

    Parameters
    ----------
    game : Game
        Whose features are learned with.
    options : keywords
        As `declared_options` has them.

    Attributes
    ----------
    features : FeatureSet
        What the weights are of.
    setup : MatchSetup
        Of all matches.

    Raises
    ------
    OptionError
        If an option is unknown or has a bad value, or if the game has no features.
    """

    name: ClassVar[str]
    declared_options: ClassVar[tuple[Option, ...]] = (FEATURES, OPENING, PLY_LIMIT)

    def __init__(self, game: Game, **options: object) -> None:
        self.game = game
        of = f"experiment {self.name!r}"
        self.options: dict[str, OptionValue] = read_options(self.declared_options, options, of)
        self.features = features_of(game, self.text("features"))
        self.setup = MatchSetup.of(
            game, self.features.name, opening=self.whole("opening"), ply_limit=self.whole("ply_limit")
        )

    @abstractmethod
    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Findings:
        """Return what is found.

        Work that fans out goes to `executor` in tasks seeded by their content,
        so that equal seeds give equal findings, whoever does it.
        """

    @property
    def settings(self) -> dict[str, OptionValue]:
        """Return all options, the feature set that is used among them."""
        return {**self.options, "features": self.features.name}

    def rates(self, epsilon: float) -> TDParameters:
        """Return how players learn in an experiment that declares `td.RATES` too, exploring so much."""
        return TDParameters(
            self.number("alpha"),
            self.number("gamma"),
            self.number("lambda"),
            epsilon,
            bool(self.options["tanh"]),
        )


def experiment(name: str, game: Game, /, **options: object) -> Experiment:
    """Return an experiment by name, with its options as values or texts.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        If there is no such experiment or option, or its plug-in is broken.

    Examples
    --------
    >>> import boardgames
    >>> found = experiment("basic-training", boardgames.load("connect4"), matches="20")
    >>> found.settings["features"], found.settings["matches"]
    ('lines', 20)
    """
    made = registry().load("experiments", name, game.facts.name)
    if not (isinstance(made, type) and issubclass(made, Experiment)):
        raise PluginError(f"expected a subclass of Experiment as experiment {name!r}: {made!r}")
    try:
        # first, so that no option takes the place of another keyword
        return made(game, **read_options(made.declared_options, options, f"experiment {name!r}"))
    except BoardgamesError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"experiment {name!r} is broken: {describe_error(error)}") from error


def gathered(
    executor: Executor, calls: Sequence[Callable[[], Result]], listener: Listener | None, stage: str
) -> list[Result]:
    """Return the results of tasks in their order, telling of each.

    Few are submitted ahead, so that an executor that does a task at once does
    not end with all of them before the first is told of.

    Examples
    --------
    >>> from functools import partial
    >>> from boardgames.executors import InProcess
    >>> gathered(InProcess(), [partial(abs, -1), partial(abs, 2)], print, "signs")
    Progress(stage='signs', done=0, planned=2)
    Progress(stage='signs', done=1, planned=2)
    Progress(stage='signs', done=2, planned=2)
    [1, 2]
    """
    results: list[Result] = []
    waiting: deque[Future[Result]] = deque()
    ahead = 2 * worker_count(executor) - 2

    def tell() -> None:
        if listener is not None:
            listener(Progress(stage, len(results), len(calls)))

    tell()
    for call in calls:
        waiting.append(executor.submit(call))
        if len(waiting) > ahead:
            results.append(waiting.popleft().result())
            tell()
    while waiting:
        results.append(waiting.popleft().result())
        tell()
    return results
