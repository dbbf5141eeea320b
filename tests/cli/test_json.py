"""Every JSON object of the command line is what docs/json.md says, keys, types and examples."""

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from training import small

from boardgames.executors import InProcess
from boardgames.game import Outcome, Termination
from boardgames.learning.runs import Run as Folder
from boardgames.learning.trainer import Trainer
from boardgames.record import Record, write_records
from boardgames.store import NewMatch, PlayerKey, Rating, Store

DOCUMENT = Path(__file__).parents[2] / "docs" / "json.md"
MEASURED = ("seconds", "nodes")
KINDS: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "text": (str,),
    "truth": (bool,),
    "list": (list,),
    "object": (dict,),
    "null": (type(None),),
}


@dataclass(frozen=True)
class Section:
    """What the document says about one command: types by path, and examples by command line."""

    types: dict[str, str]
    examples: dict[str, Any]


def sections() -> dict[str, Section]:
    found = {}
    for text in DOCUMENT.read_text().split("\n## ")[1:]:
        types = dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", text, re.MULTILINE))
        pairs = re.findall(r"```sh\n(.*?)\n```\n\n```json\n(.*?)\n```", text, re.DOTALL)
        title = text.partition("\n")[0]
        found[title] = Section(types, {command: json.loads(example) for command, example in pairs})
    return found


SECTIONS = sections()
EXAMPLES = [(section, command) for section in SECTIONS.values() for command in section.examples]


def paths(value: object, types: dict[str, str], path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the documented form of the path of everything inside `value`, with what stands there."""
    if path and not (isinstance(value, dict) and path.endswith("[]")):
        yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            any_key = f"{path}.*"
            yield from paths(inner, types, any_key if any_key in types else f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, types, f"{path}[]")


def fits(value: object, kind: str) -> bool:
    kinds = kind.replace("true or false", "truth").split(" or ")
    return any(type(value) in KINDS[name] for name in kinds)


def is_within(example: object, real: object) -> bool:
    """Say whether an example is what came, measured figures and ends of long lists left out."""
    if isinstance(example, dict) and isinstance(real, dict):
        return all(key in real for key in example) and all(
            key in MEASURED or is_within(inner, real[key]) for key, inner in example.items()
        )
    if isinstance(example, list) and isinstance(real, list):
        return all(any(is_within(inner, other) for other in real) for inner in example)
    return example == real


@pytest.fixture(autouse=True)
def _some_runs_are_there(home: Path) -> None:
    """Make what the examples of `bg runs` show, the first the older one."""
    with Folder.create(home / "runs" / "first", small(steps=1, test_matches=4)) as run:
        Trainer(run).train(InProcess())
    (home / "runs" / "torn").mkdir()
    for age, path in enumerate((home / "runs" / "first" / "config.toml", home / "runs" / "torn")):
        os.utime(path, (10**9 + age, 10**9 + age))


@pytest.fixture(autouse=True)
def _some_matches_are_kept(home: Path) -> None:
    """Keep what the examples of `bg matches` show."""
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


@pytest.fixture(autouse=True)
def _a_record_is_there(home: Path) -> None:
    """Write the match that the example of `bg analyze GAME RECORD` goes through."""
    moves = ("1", "2", "1", "2", "1", "3", "1")
    end = Outcome(0, Termination.RULES)
    record = Record("connect4", start="-", names=("Ann", "Bob"), moves=moves, outcome=end)
    write_records(home.parent / "match.record", [record])


def printed(bg: Callable[..., Any], command: str) -> Any:
    ran = bg(*shlex.split(command)[1:])
    assert ran.code == 0
    assert not ran.err or command.startswith("bg train ")  # which tells of its steps there
    assert ran.out.count("\n") == 1
    return json.loads(ran.out, parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))


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
        "plugins",
        "matches list",
        "matches show",
        "arena",
        "ladder",
        "train",
        "runs",
        "experiment",
    ],
)
def test_every_command_that_reports_is_documented(words: str) -> None:
    assert SECTIONS[f"bg {words}"].examples


@pytest.mark.parametrize(("section", "command"), EXAMPLES, ids=[command for _, command in EXAMPLES])
def test_an_object_has_the_documented_keys_and_types(
    section: Section, command: str, bg: Callable[..., Any]
) -> None:
    real = printed(bg, command)
    found = list(paths(real, section.types))
    assert [path for path, value in found if not fits(value, section.types[path])] == []
    top = [path for path in section.types if not re.search(r"[.\[]", path)]
    assert list(real) == top
    assert real["schema"] == 1


@pytest.mark.parametrize("title", SECTIONS)
def test_every_documented_key_occurs(title: str, bg: Callable[..., Any]) -> None:
    section = SECTIONS[title]
    found = [entry for command in section.examples for entry in paths(printed(bg, command), section.types)]
    seen = {path for path, _ in found}
    empty = tuple(path for path, value in found if value in ([], None))
    assert {path for path in section.types if path not in seen and not path.startswith(empty)} == set()


@pytest.mark.parametrize(("section", "command"), EXAMPLES, ids=[command for _, command in EXAMPLES])
def test_an_example_is_accurate(section: Section, command: str, bg: Callable[..., Any]) -> None:
    assert is_within(section.examples[command], printed(bg, command))
