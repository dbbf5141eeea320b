"""Tables of results name the agents that were measured, and these have not changed since.

Above each table of results is a comment with the game and the fingerprint of every agent
in it, `-` for an agent that has none because only its options matter:

    <!-- results of abalone: greedy:weights=three-terms-by-hand=0123456789ab simple=fedcba987654 random=- -->

If an agent changes, its table has to be made again with the command that the page shows
for it. A table that stays although it was made with earlier agents says so:

    <!-- results of earlier agents: abalone, before the patterns `shapes` -->
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path

import pytest

import boardgames
from boardgames.game import Game
from boardgames.plugins import close_player

ROOT = Path(__file__).parents[2]
PAGES = [
    path.relative_to(ROOT).as_posix()
    for pattern in ("README.md", "docs/**/*.md", "plugins/**/README.md", "examples/*/README.md", "bench/*.md")
    for path in sorted(ROOT.glob(pattern))
]
PRESENT = re.compile(r"<!-- results of ([a-z0-9]+): (.*?) -->")
EARLIER = re.compile(r"<!-- results of earlier agents: .+ -->")
COMMAND = re.compile(r"((?:boardgames (?:arena|experiment|train)|make bench) [^`]*)")
CODE = re.compile(r"`([^`]+)`")
HEADER = re.compile(r"\b(won|lost|Elo|scores?|shares?|loss|against)\b")
ROW = re.compile(r"\d+ ?: ?\d+|[+-]\d+ \[")
"""What the header or the rows of a table of results have."""
PLACEHOLDER = re.compile(r"\b(RUN|FILE|AGENT|FIRST|SECOND)\b")


@dataclass(frozen=True)
class Table:
    """A table of a page: its line, its text, the comments above it, and the command that made it."""

    page: str
    line: int
    text: str
    comments: tuple[str, ...]
    command: str

    @property
    def is_earlier(self) -> bool:
        return any(map(EARLIER.fullmatch, self.comments))

    @property
    def stated(self) -> dict[tuple[str, str], str]:
        """Return the fingerprint of each game and agent in the comments."""
        return {
            (found[1], agent): known
            for found in map(PRESENT.fullmatch, self.comments)
            if found is not None
            for agent, _, known in (item.rpartition("=") for item in found[2].split(" "))
        }

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def tables_of(page: str) -> Iterator[Table]:
    lines = (ROOT / page).read_text("utf-8").splitlines()
    is_code, command, start = False, "", 0
    for number, line in enumerate([*lines, ""]):
        is_code ^= line.startswith("```")
        found = COMMAND.search(line)
        command = found[1].strip() if found else command
        is_row = line.startswith("|") and not is_code
        if is_row and not start:
            start = number + 1
        if start and not is_row:
            above = takewhile(lambda one: one.startswith("<!--"), reversed(lines[: start - 1]))
            yield Table(page, start, "\n".join(lines[start - 1 : number]), tuple(above), command)
            start = 0


def agents_in(text: str) -> set[str]:
    """Return the agents that a table names, except those with weights that its command has just made."""
    return {
        code
        for code in CODE.findall(text)
        if code.partition(":")[0] in agent_names() and " " not in code and not PLACEHOLDER.search(code)
    }


@cache
def agent_names() -> frozenset[str]:
    return frozenset(offer.entry.name for offer in boardgames.registry().offers("agents"))


@cache
def game_of(name: str) -> Game:
    return boardgames.load(name)


@cache
def fingerprint(game: str, agent: str) -> str:
    player = boardgames.load_player(agent, game_of(game))
    try:
        return player.fingerprint() or "-"
    finally:
        close_player(player)


def is_of_results(table: Table) -> bool:
    header, _, rows = table.text.partition("\n")
    return bool(agents_in(table.text) and (HEADER.search(header) or ROW.search(rows)))


TABLES = [table for page in PAGES for table in tables_of(page)]
MARKED = [table for table in TABLES if table.stated]


def test_every_table_of_results_says_which_agents_were_measured() -> None:
    missing = [
        f"{table.place}: write the fingerprints of {', '.join(sorted(agents_in(table.text)))} above the table"
        for table in TABLES
        if is_of_results(table) and not table.stated and not table.is_earlier
    ]
    assert missing == []


def test_every_results_comment_in_the_documentation_can_be_parsed() -> None:
    comments = [
        f"{page}:{number}: {line}"
        for page in PAGES
        for number, line in enumerate((ROOT / page).read_text("utf-8").splitlines(), 1)
        if line.startswith("<!-- results") and not (PRESENT.fullmatch(line) or EARLIER.fullmatch(line))
    ]
    assert comments == []
    assert len(MARKED) > 10


@pytest.mark.parametrize("table", MARKED, ids=lambda table: table.place)
def test_agents_in_a_table_of_results_have_not_changed_since(table: Table) -> None:
    changed = [
        f"{agent} is {fingerprint(game, agent)} now and was {was}"
        for (game, agent), was in table.stated.items()
        if fingerprint(game, agent) != was
    ]
    assert not changed, f"{table.place}: {'; '.join(changed)}; make the table again: {table.command}"
    unknown = agents_in(table.text) - {agent for _, agent in table.stated}
    assert not unknown, f"{table.place}: no fingerprint of {', '.join(sorted(unknown))}"
