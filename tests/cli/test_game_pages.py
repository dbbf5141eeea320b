"""The pages of the games: pictures show what the program draws, and tables what the games declare."""

import re
import shlex
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

import boardgames
from boardgames.plugins import load_features, registry

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs/images"
PAGES = {game: ROOT / f"plugins/{game}/README.md" for game in ("abalone", "connect4", "hexifence")}
SECTIONS = [
    "Rules",
    "Layouts and options",
    "Notation",
    "Features and evaluation",
    "Agents and weights",
    "Speed",
    "Symmetries, codes and limits",
    "Sources",
]
DRAWN = re.compile(r"<!-- boardgames (show .*--svg (docs/images/[a-z0-9-]+\.svg)) -->")
"""The comment beside a picture that contains its command; `make pictures` runs them all."""
MEASURED = re.compile(r"boardgames experiment .*--svg (docs/images/[a-z0-9-]+\.svg)")
"""A command in the text that measures something and draws it; it takes too long to be repeated."""
COMMANDS = [
    pytest.param(command, picture, id=Path(picture).stem)
    for page in PAGES.values()
    for command, picture in DRAWN.findall(page.read_text("utf-8"))
]


def tokens_of(game: str) -> Iterator[Token]:
    for token in MarkdownIt().enable("table").parse(PAGES[game].read_text("utf-8")):
        yield token
        yield from token.children or ()


def rows_of(game: str) -> Iterator[list[str]]:
    """Yield the rows of all tables of a page, without headings."""
    cells: list[str] = []
    kind = ""
    for token in tokens_of(game):
        if token.type == "tr_open":
            cells = []
        elif token.type == "inline" and kind == "td_open":
            cells.append(token.content)
        elif token.type == "tr_close" and cells:
            yield cells
        kind = token.type


@pytest.mark.parametrize(("command", "picture"), COMMANDS)
def test_picture_is_what_its_command_draws(
    command: str, picture: str, bg: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / picture).parent.mkdir(parents=True)
    ran = bg(*shlex.split(command))
    assert ran.code == 0, ran.err
    is_current = (tmp_path / picture).read_bytes() == (ROOT / picture).read_bytes()
    assert is_current, f"the program draws {picture} differently; look at it and run `make pictures`"


@pytest.mark.parametrize("game", PAGES)
def test_pictures_of_a_page_have_commands(game: str) -> None:
    page = PAGES[game]
    shown = {page.parent / str(token.attrs["src"]) for token in tokens_of(game) if token.type == "image"}
    text = page.read_text("utf-8")
    pictures = [picture for _, picture in DRAWN.findall(text)] + MEASURED.findall(text)
    drawn = {ROOT / picture for picture in pictures}
    assert {path.resolve() for path in shown} == drawn
    assert drawn


def test_game_pages_have_the_same_sections() -> None:
    for game in PAGES:
        tokens = list(tokens_of(game))
        titles = [
            (token.tag, following.content)
            for token, following in pairwise(tokens)
            if token.type == "heading_open"
        ]
        assert titles[0] == ("h1", boardgames.load(game).facts.title)
        assert [title for tag, title in titles if tag == "h2"] == SECTIONS


@pytest.mark.parametrize("game", PAGES)
def test_layouts_and_options_are_listed(game: str) -> None:
    names = {row[0].strip("`") for row in rows_of(game)}
    facts = boardgames.load(game).facts
    assert names >= set(facts.layouts) | {option.name for option in facts.options}


@pytest.mark.parametrize(
    ("game", "features"),
    [
        *(("abalone", name) for name in ("simple", "classic14", "extended", "engine")),
        ("connect4", "lines"),
        ("hexifence", "control"),
        ("hexifence", "simple"),
    ],
)
def test_features_are_listed_with_their_ranges(game: str, features: str) -> None:
    listed = {(row[0], row[-1]) for row in rows_of(game)}
    declared = {
        (re.sub("^(own|opponent's|early|late) (?!cells)", "", term.name), f"{term.low:g} to {term.high:g}")
        for term in load_features(features, boardgames.load(game)).features
    }
    assert declared <= listed


@pytest.mark.parametrize("game", PAGES)
def test_leaf_counts_are_listed(game: str) -> None:
    listed = [[cell.replace(",", "") for cell in row] for row in rows_of(game)]
    for counts in boardgames.load(game).facts.perft.values():
        wanted = [str(count) for count in counts]
        assert any(row[1 : len(wanted) + 1] == wanted for row in listed), wanted


@pytest.mark.parametrize("game", PAGES)
def test_shipped_weights_are_listed(game: str) -> None:
    names = {row[0].strip("`") for row in rows_of(game)}
    assert {offer.entry.name for offer in registry().offers("weights", game)} <= names
