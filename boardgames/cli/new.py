"""`boardgames new`: creates a plug-in distribution with a working game, which authors turn into their own."""

import keyword
import re
import shlex
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from types import MappingProxyType

import click

from boardgames.cli.options import examples, user_path
from boardgames.cli.program import PROGRAM
from boardgames.errors import FileError, OptionError, quote
from boardgames.paths import describe_os_error

MAX_NAME_LENGTH = 40
RESERVED = frozenset({"core"})
"""Names that a new game must not have: the distribution `boardgames-core` is the framework itself."""

COMMON_FILES = MappingProxyType(
    {
        "check.yml": ".github/workflows/check.yml",
        "README.md": "README.md",
        "pyproject.toml": "pyproject.toml",
        "__init__.py": "{package}/__init__.py",
        "plugin.py": "{package}/plugin.py",
        "test_game.py": "tests/test_game.py",
    }
)
"""Templates in the folder `common`, and the files that are made from them."""
BOARD_FILES = MappingProxyType(
    {
        "rules.py": "{package}/rules.py",
        "features.py": "{package}/features.py",
        "game.py": "{package}/game.py",
        "reference.py": "tests/{module}_reference.py",
        "test_rules.py": "tests/test_rules.py",
    }
)
"""Templates in the folder of each kind of board."""
PLAIN_FILES = MappingProxyType(
    {
        "README.md": "README.md",
        "plugin.py": "{package}/plugin.py",
        "game.py": "{package}/game.py",
        "test_game.py": "tests/test_game.py",
    }
)
"""Templates of games in plain Python, which replace templates of the same names in `common`."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of board: its form on the command line, the bounds of its sizes, and its game."""

    form: str
    smallest: tuple[int, ...]
    largest: int
    summary: str
    features: str
    rules: str
    first_moves: Callable[..., int]


KINDS = MappingProxyType(
    {
        "square": Kind(
            "ROWSxCOLUMNS",
            (4, 2),
            26,
            "two pieces on the far row win",
            "pieces and the two leading pieces, per side",
            "pieces step forward and capture diagonally, and whoever has two pieces on the far row wins.",
            lambda rows, columns: (3 if rows > 4 else 2) * columns - 2,
        ),
        "hex": Kind(
            "SIZE",
            (3,),
            13,
            "four in a line win, a triangle loses",
            "winning and losing cells, per side",
            "four pieces in a line win, but three in a triangle of neighbouring cells lose.",
            lambda size: 3 * size * (size - 1) + 1,
        ),
        "edges": Kind(
            "ROWSxCOLUMNS",
            (1, 1),
            12,
            "complete boxes to own them and move again; corners count double",
            "points of both sides, and points to score at once",
            "whoever completes a box owns it and moves again, and boxes in the corners count double.",
            lambda rows, columns: (rows + 1) * columns + rows * (columns + 1),
        ),
    }
)
PLAIN = "plain"
"""The folder with the templates of games in plain Python."""
DEFAULT_BOARD = "square:8x8"
BOARD_EXAMPLES = "square:8x8, hex:5 or edges:5x5"


@click.command(
    epilog=examples(
        "boardgames new othello",
        "boardgames new trail --plain",
        "boardgames new havannah --board hex:5",
        "boardgames new boxes --board edges:5x5 --folder ~/games/boxes",
    )
)
@click.argument("name")
@click.option(
    "--board",
    metavar="KIND:SIZE",
    help="Board of the game: square:ROWSxCOLUMNS, hex:SIZE or edges:ROWSxCOLUMNS.  "
    f"[default: {DEFAULT_BOARD}]",
)
@click.option("--plain", is_flag=True, help="Write the rules in plain Python, without kernels.")
@click.option("--folder", metavar="FOLDER", help="Folder to create; default: boardgames-NAME.")
def new(name: str, board: str | None, plain: bool, folder: str | None) -> None:
    """Create a plug-in with a working game called NAME, to turn into your own.

    The folder has rules, notation, picture, features, a slow reference and
    tests. On square cells, two pieces on the far row win; on hexagonal ones, four
    in a line win and a triangle loses; on edges, boxes are points and corners
    count double. With --plain the rules are plain Python, which is easier to
    write and slower to run. An existing folder is never overwritten.
    """
    if plain and board is not None:
        raise OptionError("--plain writes a game on 7x7 cells; it does not work with --board")
    content = plugin_files(name, None if plain else board or DEFAULT_BOARD)
    target = Path(distribution_name(name)) if folder is None else user_path(folder)
    write_folder(target, content)
    click.echo(f"created {target}:")
    for path in sorted(content):
        click.echo(f"  {path}")
    click.echo("\nnext:")
    click.echo(f"  cd {shlex.quote(str(target))}")
    click.echo('  pip install -e ".[test]"')
    click.echo(f"  {PROGRAM} play {name}")
    click.echo(f"  {PROGRAM} check {name}")


def distribution_name(name: str) -> str:
    """Return the name of the distribution for a game's name.

    Raises
    ------
    OptionError
        If the name is not valid for a game, a distribution and a module, or a game
        of this name is installed.
    """
    if len(name) > MAX_NAME_LENGTH or not re.fullmatch(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*", name):
        raise OptionError(
            f"{quote(name)} cannot be the name of a game; write at most {MAX_NAME_LENGTH} lower-case letters "
            "and digits, starting with a letter, with '-' or '_' between words"
        )
    if name in RESERVED:
        raise OptionError(f"the name {quote(name)} is reserved: boardgames-{name} is part of the framework")
    from boardgames.plugins import registry

    if any(offer.entry.name == name for offer in registry().offers("games")):
        raise OptionError(f"a game called {quote(name)} is installed already; choose another name")
    return f"boardgames-{name.replace('_', '-')}"


def plugin_files(name: str, board: str | None) -> dict[str, str]:
    """Return the files of a new plug-in by their paths in its folder; without a board, in plain Python.

    Raises
    ------
    OptionError
        If the name or the board is invalid.

    Examples
    --------
    >>> sorted(plugin_files("try-it", "hex:4"))[3:5]
    ['boardgames_try_it/features.py', 'boardgames_try_it/game.py']
    """
    distribution = distribution_name(name)
    values: dict[str, object]
    if board is None:
        folder, own_files = PLAIN, PLAIN_FILES
        values = {
            "summary": "four in a line win; every stone touches the last one",
            "features": "pairs and threes in lines of four, per side",
        }
    else:
        (folder, sizes), own_files = parse_board(board), BOARD_FILES
        kind = KINDS[folder]
        values = {
            "board": board,
            "rules": kind.rules,
            "summary": kind.summary,
            "features": kind.features,
            "moves": kind.first_moves(*sizes),
            **dict(zip(("size",) if len(sizes) == 1 else ("rows", "columns"), sizes, strict=True)),
        }
    templates = {
        path: (files("boardgames.cli") / "templates" / place / f"{source}.template").read_text("utf-8")
        for place, paths in (("common", COMMON_FILES), (folder, own_files))
        for source, path in paths.items()
    }
    words = re.split("[-_]", name)
    values |= {
        "name": name,
        "distribution": distribution,
        "module": name.replace("-", "_"),
        "package": f"boardgames_{name.replace('-', '_')}",
        "class_name": _class_name(words, "".join(templates.values())),
        "title": " ".join(words).capitalize(),
    }
    return {
        path.format(package=values["package"], module=values["module"]): Template(text).substitute(values)
        for path, text in templates.items()
    }


def parse_board(text: str) -> tuple[str, tuple[int, ...]]:
    """Return kind and sizes of a board such as `square:8x8`.

    Raises
    ------
    OptionError
        If there is no such kind, or a size is missing or out of range.

    Examples
    --------
    >>> parse_board("edges:5x4")
    ('edges', (5, 4))
    """
    name, _, sizes = text.partition(":")
    kind = KINDS.get(name)
    numbers = sizes.split("x")
    if kind is None or not all(re.fullmatch("[0-9]{1,3}", number) for number in numbers):
        raise OptionError(f"a board is written {BOARD_EXAMPLES}, not {quote(text)}")
    if len(numbers) != len(kind.smallest):
        raise OptionError(f"a board of this kind is written {name}:{kind.form}, not {quote(text)}")
    values = tuple(map(int, numbers))
    for what, value, smallest in zip(kind.form.lower().split("x"), values, kind.smallest, strict=True):
        if not smallest <= value <= kind.largest:
            raise OptionError(
                f"the {what} of a board {name}:{kind.form} must be {smallest} to {kind.largest}, not {value}"
            )
    return name, values


def write_folder(folder: Path, content: Mapping[str, str]) -> None:
    """Write a new folder with these files, completely or not at all.

    Raises
    ------
    FileError
        If the folder exists or cannot be written.
    """
    if folder.exists() or folder.is_symlink():
        raise FileError(f"{quote(str(folder))} exists already; choose another folder with --folder")
    if not folder.parent.is_dir():
        raise FileError(f"no such folder: {quote(str(folder.parent))}")
    try:
        with tempfile.TemporaryDirectory(prefix=".boardgames-new-", dir=folder.parent) as temporary:
            draft = Path(temporary) / folder.name
            for name, text in content.items():
                path = draft / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
            draft.rename(folder)
    except OSError as error:
        raise FileError(f"cannot write {folder}: {describe_os_error(error)}") from None


def _class_name(words: list[str], source: str) -> str:
    """Return a class name such as `ThreeInLine`, with `Game` at the end if the templates use the name."""
    name = "".join(word.capitalize() for word in words)
    is_taken = keyword.iskeyword(name) or re.search(rf"\b{name}\b", source)
    return f"{name}Game" if is_taken else name
