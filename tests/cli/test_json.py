"""Every JSON object that the commands print is as docs/json.md describes it."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from training import small

from boardgames.executors import InProcess
from boardgames.game import Outcome, Termination
from boardgames.learning.runs import Run as TrainingRun
from boardgames.learning.trainer import Trainer
from boardgames.record import Record, write_records
from boardgames.store import NewMatch, PlayerKey, Rating, Store

DOCUMENT = Path(__file__).parents[2] / "docs" / "json.md"
MEASURED = ("seconds", "nodes", "peak_memory")
TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "text": (str,),
    "boolean": (bool,),
    "list": (list,),
    "object": (dict,),
    "null": (type(None),),
}
Printed = Callable[[str], Any]


@dataclass(frozen=True)
class Section:
    """What the document says about one command: the type of each path, and examples by command line."""

    types: dict[str, str]
    examples: dict[str, Any]


def read_sections() -> dict[str, Section]:
    sections = {}
    for text in DOCUMENT.read_text().split("\n## ")[1:]:
        types = dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", text, re.MULTILINE))
        pairs = re.findall(r"```console\n\$ (.*?)\n```\n\n```json\n(.*?)\n```", text, re.DOTALL)
        title = text.partition("\n")[0]
        sections[title] = Section(types, {command: json.loads(example) for command, example in pairs})
    return sections


SECTIONS = read_sections()


def marks(words: str) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a test of a command: `check` compiles all kernels again, with bounds checks."""
    return (pytest.mark.slow,) if words.startswith("boardgames check") else ()


EXAMPLES = [
    pytest.param(section, command, id=command, marks=marks(command))
    for section in SECTIONS.values()
    for command in section.examples
]


def paths(value: object, types: dict[str, str], path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the documented path of everything inside `value`, with its value."""
    if path and not (isinstance(value, dict) and path.endswith("[]")):
        yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            any_key = f"{path}.*"
            yield from paths(inner, types, any_key if any_key in types else f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, types, f"{path}[]")


def has_type(value: object, documented: str) -> bool:
    names = documented.replace("true or false", "boolean").split(" or ")
    return any(type(value) in TYPES[name] for name in names)


def is_within(example: object, real: object) -> bool:
    """Return whether an example agrees with real output, apart from measurements and omitted list items."""
    if isinstance(example, dict) and isinstance(real, dict):
        return all(key in real for key in example) and all(
            key in MEASURED or is_within(inner, real[key]) for key, inner in example.items()
        )
    if isinstance(example, list) and isinstance(real, list):
        return all(any(is_within(inner, other) for other in real) for inner in example)
    return example == real


# --- the output of every example, once ---------------------------------------


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory, run_at: Callable[..., Any]) -> Printed:
    """Return a function from a command line to the JSON it prints; every command runs once, on equal data."""
    template = tmp_path_factory.mktemp("json") / "template"
    template.mkdir()
    run_at(template, "games")  # makes the user's folders
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("BOARDGAMES_HOME", str(template / "home"))
        make_runs(template / "home" / "runs")
        store_matches()
    write_match(template / "match.record")
    (template / "positions.txt").write_text("112233\n")

    @cache
    def run(command: str) -> Any:
        folder = tmp_path_factory.mktemp("json") / "copy"
        shutil.copytree(template, folder, symlinks=True)
        ran = run_at(folder, *shlex.split(command)[1:])
        assert ran.code == 0
        assert not ran.err or command.startswith("boardgames train ")  # prints its steps on stderr
        assert ran.out.count("\n") == 1
        return json.loads(ran.out, parse_constant=lambda text: pytest.fail(f"{text} is not JSON"))

    return run


def make_runs(folder: Path) -> None:
    """Make the training runs that `boardgames runs list` shows: a finished one, then a broken one."""
    with TrainingRun.create(folder / "first", small(steps=1, test_matches=4)) as run:
        Trainer(run).train(InProcess())
    (folder / "torn").mkdir()
    for age, path in enumerate((folder / "first" / "config.toml", folder / "torn")):
        os.utime(path, (10**9 + age, 10**9 + age))


def store_matches() -> None:
    """Store the matches that `boardgames matches` shows."""
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    agents = PlayerKey("alphabeta:depth=4", "9a129038d9a0", "100 nodes"), PlayerKey("random")
    options, crash = {"rows": "5"}, Outcome(0, Termination.CRASH)
    first = Record("connect4", start="-", names=("Ann", "Bob"), moves=("4",), seconds=(1.5,), options=options)
    second = Record("connect4", start="-", moves=("4", "4"), seconds=(0.5, 0.25), outcome=crash)
    settings = {
        "agents": ["alphabeta:depth=4", "random"],
        "planned": 2,
        "openings": "random:4",
        "limit": {"nodes": 100, "depth": None},
    }
    with Store(now=lambda: noon) as store:
        run = store.begin_run("arena", "connect4", key="k", settings=settings, seed=7).id
        store.add([NewMatch.from_record(first)])
        store.add(
            [NewMatch.from_record(second, players=agents, fault="ValueError: no move", run=run, number=1)]
        )
        store.finish_run(run, [Rating(agents[0], 1, 40.456, -60.0, None)])


def write_match(path: Path) -> None:
    """Write the match that `boardgames analyze GAME RECORD` reviews."""
    moves = ("1", "2", "1", "2", "1", "3", "1")
    outcome = Outcome(0, Termination.RULES)
    write_records(path, [Record("connect4", start="-", names=("Ann", "Bob"), moves=moves, outcome=outcome)])


# --- tests -------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "show",
        "perft",
        "analyze",
        "analyze GAME RECORD",
        "check",
        "games",
        "agents",
        "agents GAME AGENT",
        "learners",
        "plugins",
        "matches list",
        "matches show",
        "arena",
        "ladder",
        "train",
        "runs list",
        "runs compare",
        "experiment",
        "experiment, measurements",
        "solve",
        "solve --file",
    ],
)
def test_every_command_with_json_is_documented(words: str) -> None:
    assert SECTIONS[f"boardgames {words}"].examples


@pytest.mark.parametrize(("section", "command"), EXAMPLES)
def test_an_object_has_the_documented_keys_and_types(
    section: Section, command: str, printed: Printed
) -> None:
    real = printed(command)
    items = list(paths(real, section.types))
    assert [path for path, value in items if not has_type(value, section.types[path])] == []
    top = [path for path in section.types if not re.search(r"[.\[]", path)]
    assert list(real) == top
    assert real["schema"] == 1


@pytest.mark.parametrize("title", [pytest.param(title, marks=marks(title)) for title in SECTIONS])
def test_every_documented_key_appears(title: str, printed: Printed) -> None:
    section = SECTIONS[title]
    items = [item for command in section.examples for item in paths(printed(command), section.types)]
    seen = {path for path, _ in items}
    empty = tuple(path for path, value in items if value in ([], None))
    assert {path for path in section.types if path not in seen and not path.startswith(empty)} == set()


@pytest.mark.parametrize(("section", "command"), EXAMPLES)
def test_an_example_is_true(section: Section, command: str, printed: Printed) -> None:
    assert is_within(section.examples[command], printed(command))
