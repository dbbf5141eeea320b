"""`boardgames matches`: listing, showing, exporting, importing and deleting matches and arena runs."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec import to_builtins

from boardgames.game import Move, Outcome, Position, Termination
from boardgames.record import Record, parse_records
from boardgames.store import NewMatch, PlayerKey, Rating, ServedMatch, Store
from boardgames.web.messages import AnnotatedPly, AnnotationReply, KeptReview

Run = Callable[..., Any]
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
DEEP = PlayerKey("alphabeta:depth=4", "9a129038d9a0", "100 nodes")
START = "......./......./......./......./......./......."
WON = Record(
    "connect4",
    start=START,
    names=("Ann", "Bob"),
    moves=("1", "2", "1", "2", "1", "2", "1"),
    seconds=(1.0, 2.0, None, None, None, None, 0.5),
    outcome=Outcome(0, Termination.RULES),
    tags={"Date": "2026.01.31", "Event": 'the "best" [one]'},
)
OPEN = Record("connect4", start=START, names=("Ann", "?"), moves=("4", "5"))
LOST = Record("abalone", start="-", outcome=Outcome(1, Termination.CRASH))
DATED = replace(LOST, tags={"Date": "2026.01.31"})


def three_moves(moves: str, seconds: float | None = None) -> Record:
    return replace(OPEN, moves=tuple(moves), seconds=(seconds,) * 3)


def served(record: Record, *, moves: tuple[str, ...]) -> ServedMatch:
    """Return a match of the page with a review of these moves."""
    values = "50.0%", "51.0%", "win in 2 moves (3 plies)"
    notes = [AnnotatedPly("k", ply, 2, value, 0.0, False, None) for ply, value in enumerate(values)]
    reply = AnnotationReply("k", "solver", "returns", "", ("", ""), (None, None), True)
    review = to_builtins(KeptReview(moves, tuple(notes), reply))
    return ServedMatch("".join(moves), {"review": review}, str(record))


@pytest.fixture
def stored(home: Path) -> list[int]:
    """Store three matches, of which the last belongs to a run; return their IDs."""
    with Store(now=lambda: NOON) as store:
        run = store.begin_run("arena", "abalone", key="k", settings={"pairs": 2}, seed=7).id
        ids = store.add([NewMatch.from_record(WON), NewMatch.from_record(OPEN)])
        players = (DEEP, PlayerKey("random"))
        lost = NewMatch.from_record(
            LOST, players=players, variant="broadside=false", fault="ZeroDivisionError: by zero"
        )
        return ids + store.add([NewMatch(**{**fields(lost), "run": run, "number": 4})])


def fields(match: NewMatch) -> dict[str, Any]:
    return {name: getattr(match, name) for name in NewMatch.__slots__}


def stored_records() -> list[str]:
    with Store() as store:
        return [match.record for match in store.matches()][::-1]


# --- nothing stored ----------------------------------------------------------


@pytest.mark.parametrize("arguments", [["list"], ["list", "--runs"]], ids=" ".join)
def test_an_empty_database_says_so(arguments: list[str], bg: Run) -> None:
    ran = bg("matches", *arguments)
    assert (ran.code, ran.out, ran.err) == (0, "no matches are stored yet\n", "")


def test_an_unfinished_match_is_mentioned_if_no_other_is_stored(bg: Run) -> None:
    assert bg("play", "connect4", "--second", "human", typed="4\nquit\n").code == 0
    assert (
        bg("matches").out
        == "no finished matches are stored yet; `boardgames play --resume` continues your unfinished match\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "--json"],
        ["list", "--runs", "--json"],
        ["show", "1"],
        ["export", "out"],
        ["delete", "1", "--yes"],
        ["delete", "--run", "1", "--yes"],
        ["import", "nothing"],
    ],
    ids=" ".join,
)
def test_reading_creates_no_database(arguments: list[str], bg: Run, home: Path) -> None:
    before = sorted(home.parent.rglob("*"))
    bg("matches", *arguments)
    assert [path for path in sorted(home.parent.rglob("*")) if path.name != "typed"] == before


def test_the_group_alone_lists_the_matches(stored: list[int], bg: Run) -> None:
    assert bg("matches").out == bg("matches", "list").out


def test_the_group_takes_the_options_of_its_list(stored: list[int], bg: Run) -> None:
    assert bg("matches", "--limit", "1").out == bg("matches", "list", "--limit", "1").out
    assert bg("runs", "--json").out == bg("runs", "list", "--json").out
    assert bg("matches", "--lmit", "1").err == "error: no such option '--lmit'; did you mean '--limit'?\n"


# --- list --------------------------------------------------------------------


def test_list_prints_the_newest_first(stored: list[int], bg: Run) -> None:
    lines = bg("matches", "list").out.splitlines()
    assert lines[0].split() == ["ID", "date", "game", "first", "second", "result", "plies", "end"]
    assert lines[1].split() == [
        *("3", "2026-01-31", "abalone", "alphabeta:depth=4", "random", "0-1", "0", "crash:"),
        *("ZeroDivisionError:", "by", "zero"),
    ]
    assert [line.split() for line in lines[2:]] == [
        ["2", "unknown", "connect4", "Ann", "?", "*", "2", "unfinished"],
        ["1", "2026-01-31", "connect4", "Ann", "Bob", "1-0", "7", "rules"],
    ]


LONG = "a name that is longer than any line \x1b[2J [bold]"


def store_long_names() -> None:
    with Store() as store:
        names = (LONG * 2, "名前" * 40)
        outcome = Outcome(None, Termination.ILLEGAL_MOVE)
        record = Record("connect4", start="-", names=names, outcome=outcome)
        store.add([NewMatch.from_record(record, variant="", fault=LONG)])


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_list_shortens_names_to_the_width_of_the_terminal(
    columns: int, home: Path, bg_on_terminal: Run
) -> None:
    store_long_names()
    _, line = bg_on_terminal("matches", "list", columns=columns).out.splitlines()
    wide = sum(1 for character in line if character in "名前")
    assert len(line) + wide <= columns
    assert "1/2-1/2" in line
    assert "\x1b" not in line


def test_list_shortens_nothing_without_a_terminal(home: Path, bg: Run) -> None:
    store_long_names()
    _, line = bg("matches", "list").out.splitlines()
    shown = LONG.replace("\x1b", "?")
    assert f" {shown * 2} {'名前' * 40} 1/2-1/2     0 illegal-move: {shown}".rstrip() in line


def test_list_has_a_line_per_match_on_a_terminal(stored: list[int], bg_on_terminal: Run) -> None:
    lines = bg_on_terminal("matches", "list").out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        (["--game", "connect4"], [2, 1]),
        (["--agent", "alphabeta"], [3]),
        (["--run", "1"], [3]),
        (["--limit", "2"], [3, 2]),
        (["--faults"], [3]),
        (["--result", "1-0"], [1]),
        (["--result", "draw"], []),
        (["--game", "abalone", "--agent", "Ann"], []),
    ],
    ids=str,
)
def test_list_can_be_filtered(filters: list[str], ids: list[int], stored: list[int], bg: Run) -> None:
    ran = bg("matches", "list", *filters, "--json")
    assert [match["id"] for match in json.loads(ran.out)["matches"]] == ids


def test_levels_are_shown_as_people_read_them(home: Path, bg: Run) -> None:
    with Store() as store:
        store.add(
            [NewMatch.from_record(WON, players=(PlayerKey("level:level=3"), PlayerKey("level:level=4")))]
        )
    assert "level 3 level 4" in bg("matches", "list").out
    assert "first: level 3, 1.5 s" in bg("matches", "show", "1").out
    assert '"agent": "level:level=3"' in bg("matches", "list", "--json").out


def test_list_says_how_many_it_leaves_out(stored: list[int], bg: Run) -> None:
    last = "1 of 3 matches; `boardgames matches --limit N` lists more"
    assert bg("matches", "list", "--limit", "1").out.splitlines()[-1] == last
    filtered = ("matches", "list", "--game", "connect4", "--limit")
    assert bg(*filtered, "1").out.splitlines()[-1] == last.replace("3", "2")
    assert "--limit" not in bg(*filtered, "2").out


def test_list_says_if_no_match_passes_the_filter(stored: list[int], bg: Run) -> None:
    ran = bg("matches", "list", "--game", "chess")
    assert (ran.code, ran.out) == (0, "no stored match fits the filters\n")


def test_runs_can_be_filtered(stored: list[int], bg: Run) -> None:
    with Store() as store:
        store.begin_run("arena", "connect4", key="k", settings={}, seed=8)

    def run_ids(*filters: str) -> list[int]:
        ran = bg("matches", "list", "--runs", *filters, "--json")
        return [run["id"] for run in json.loads(ran.out)["runs"]]

    assert run_ids() == [2, 1]
    assert run_ids("--game", "abalone") == run_ids("--run", "1") == [1]
    assert run_ids("--limit", "1") == [2]
    assert bg("matches", "list", "--runs", "--game", "chess").out == "no arena run fits the filters\n"


# --- show --------------------------------------------------------------------


def test_show_prints_players_date_and_every_position(stored: list[int], bg: Run) -> None:
    out = bg("matches", "show", "1").out
    assert out.splitlines()[:5] == [
        "match 1 of connect4",
        "first: Ann, 1.5 s",
        "second: Bob, 2.0 s",
        "date: 2026-01-31 12:00:00 UTC",
        "1. connect4: Ann - Bob 1-0, 7 plies",
    ]
    assert len(re.findall("1 +2 +3 +4 +5 +6 +7", out)) == 8
    assert out.endswith("red wins\n")


def test_show_prints_fingerprint_limits_run_and_fault(stored: list[int], bg: Run) -> None:
    out = bg("matches", "show", "3").out
    assert out.startswith(
        "match 3 of abalone, broadside=false\nfirst: alphabeta:depth=4 (9a129038d9a0), 100 nodes, 0.0 s\n"
    )
    assert "\nrun: 1, number 4\nfault: ZeroDivisionError: by zero\n" in out


def test_show_steps_through_a_match_on_a_terminal(stored: list[int], bg_on_terminal: Run) -> None:
    ran = bg_on_terminal("matches", "show", "2", typed="\nq\n", TERM="dumb")
    assert ran.code == 0
    assert re.findall(r"\[(\d/2)\]", ran.out) == ["0/2", "1/2"]


def test_show_draws_pictures(stored: list[int], bg: Run) -> None:
    assert bg("matches", "show", "2", "--svg", "out").out.endswith("wrote 3 pictures to out\n")
    files = sorted(Path("out").iterdir())
    assert [file.name for file in files] == [f"match-002-ply-000{ply}.svg" for ply in range(3)]
    assert all(ET.fromstring(file.read_text()).tag.endswith("svg") for file in files)  # our own files


def test_show_can_turn_the_board(stored: list[int], bg: Run) -> None:
    assert bg("matches", "show", "2", "--flip").out != bg("matches", "show", "2").out


def test_show_as_json_has_the_record(stored: list[int], bg: Run) -> None:
    shown = json.loads(bg("matches", "show", "1", "--json").out)
    assert shown["record"] == str(WON)
    assert shown["seconds"] == [1.5, 2.0]


# --- export and import -------------------------------------------------------


def test_export_writes_the_oldest_match_first(stored: list[int], bg: Run) -> None:
    assert bg("matches", "export", "out").out == "wrote 3 matches to out\n"
    assert Path("out").read_text() == f"{WON}\n\n{OPEN}\n\n{DATED}\n\n"
    assert bg("matches", "export", "-", "3", "1").out == f"{WON}\n\n{DATED}\n\n"
    assert bg("matches", "export", "-", "--run", "1").out == f"{DATED}\n\n"


def test_a_match_of_a_run_is_exported_with_the_day_on_which_it_was_played(
    home: Path, bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(now=lambda: NOON) as store:
        run = store.begin_run("arena", "connect4", key="k", settings={}, seed=7).id
        store.add([NewMatch.from_record(OPEN, run=run, number=0)])
    bg("matches", "export", "out")
    (exported,) = parse_records(Path("out").read_text(), None).records
    assert exported == replace(OPEN, tags={"Date": "2026.01.31"})
    assert json.loads(bg("matches", "show", "1", "--json").out)["record"] == str(exported)
    assert bg("matches", "import", "out").out == "added 0 matches, 1 match already stored\n"
    monkeypatch.setenv("BOARDGAMES_HOME", "another")
    assert bg("matches", "import", "out").out == "added 1 match\n"
    bg("matches", "export", "again")
    assert Path("again").read_text() == Path("out").read_text()


def test_export_writes_times_and_values_on_request(home: Path, bg: Run) -> None:
    slow = replace(OPEN, seconds=(75.123, 0.5))
    with Store() as store:
        store.add([NewMatch.from_record(slow), NewMatch.from_record(WON)])
        store.save_served([served(slow, moves=slow.moves), served(WON, moves=("1",))])
    assert "%" not in bg("matches", "export", "-").out
    ran = bg("matches", "export", "out", "--times", "--values")
    assert ran.err == ""
    one, other = Path("out").read_text().rstrip().split("*\n\n")
    assert one.endswith(
        "1. 4 {[%eval 51.0%] [%emt 0:01:15.123]} 1... 5 {[%eval win in 2 moves (3 plies)]\n[%emt 0:00:00.5]} "
    )
    assert "%eval" not in other, "that review is of another match"
    assert "{[%emt 0:00:01]}" in other
    assert bg("matches", "import", "out").out == "added 0 matches, 2 matches already stored\n"
    read, same = parse_records(Path("out").read_text(), None).records
    assert (read.seconds, same) == (slow.seconds, WON)
    assert read.notes[2].comments == ("[%eval win in 2 moves (3 plies)]",)
    bg("matches", "export", "timed", "--times")
    assert parse_records(Path("timed").read_text(), None).records == (slow, WON)


def test_export_says_that_there_are_no_values(stored: list[int], bg: Run) -> None:
    ran = bg("matches", "export", "out", "--values")
    assert (ran.code, ran.out) == (0, "wrote 3 matches to out\n")
    assert ran.err == "these matches have no saved review, so no values were written\n"


def test_export_overwrites_a_file_only_with_force(stored: list[int], bg: Run) -> None:
    Path("out").write_text("mine")
    ran = bg("matches", "export", "out")
    assert (ran.code, ran.err) == (2, "error: out already exists; --force overwrites it\n")
    assert Path("out").read_text() == "mine"
    assert bg("matches", "export", "out", "2", "--force").code == 0
    assert Path("out").read_text() == f"{OPEN}\n\n"


def test_export_and_import_lose_nothing_of_a_record(
    stored: list[int], bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bg("matches", "delete", "3", "--yes").code == 0  # only Connect Four can start with "-"
    before = stored_records()
    bg("matches", "export", "out")
    monkeypatch.setenv("BOARDGAMES_HOME", "another")
    assert bg("matches", "import", "out").out == "added 2 matches\n"
    assert stored_records() == before
    assert parse_records("\n\n".join(before), None).records == (WON, OPEN)


def test_a_record_keeps_names_without_limits(home: Path, bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store() as store:
        store.add([NewMatch.from_record(WON, players=(DEEP, PlayerKey("Bob", "", "0.1 s a move")))])
    bg("matches", "export", "out")
    assert bg("matches", "import", "out").out == "added 0 matches, 1 match already stored\n"
    monkeypatch.setenv("BOARDGAMES_HOME", "another")
    assert bg("matches", "import", "out").out == "added 1 match\n"
    with Store() as store:
        assert [match.players for match in store.matches()] == [(PlayerKey("Ann"), PlayerKey("Bob"))]


def test_import_skips_duplicates(home: Path, bg: Run) -> None:
    Path("one").write_text(f"{WON}\n\n{OPEN}\n")
    Path("two").write_text(f"{OPEN}\n\n{WON}\n\n{OPEN}\n")
    assert bg("matches", "import", "one").out == "added 2 matches\n"
    ran = bg("matches", "import", "two", "one")
    assert (ran.code, ran.out) == (0, "added 0 matches, 5 matches already stored\n")
    assert stored_records() == [str(WON), str(OPEN)]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("745\n753\n754\n", ("--game", "connect4")),
        ("".join(f"{three_moves(moves)}\n\n" for moves in ("445", "453", "454")), ()),
        ("".join(f"{three_moves(moves, seconds=1.0)}\n\n" for moves in ("445", "453", "454")), ()),
    ],
    ids=["moves-alone", "records", "records-with-times"],
)
def test_import_applies_each_move_of_a_file_only_once(
    home: Path, bg: Run, monkeypatch: pytest.MonkeyPatch, text: str, options: tuple[str, ...]
) -> None:
    made = []
    apply = Position.apply

    def counting_apply(position: Position, move: Move | str) -> Position:
        made.append(move)
        return apply(position, move)

    monkeypatch.setattr(Position, "apply", counting_apply)
    Path("file").write_text(text)
    assert bg("matches", "import", "file", *options).out == "added 3 matches\n"
    assert len(made) == 9


def test_import_skips_matches_and_files_with_errors(home: Path, bg: Run) -> None:
    wrong = str(OPEN).replace("1. 4", "1. 9")
    Path("mixed").write_text(f"{WON}\n\n{wrong}\n\n{OPEN}\n")
    ran = bg("matches", "import", "none", "mixed")
    assert (ran.code, ran.out) == (2, "added 2 matches\n")
    assert ran.err == (
        "error: cannot read none: no such file or directory\n"
        "error: mixed: match 2: '9' is not a column; columns are 1 to 7 (ply 1, token '9')\n"
    )
    assert stored_records() == [str(WON), str(OPEN)]


# --- delete ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message", "left"),
    [
        (["1", "3"], "deleted 2 matches", [2]),
        (["3"], "deleted 1 match", [2, 1]),
        (["--run", "1"], "deleted run 1 with 1 match", [2, 1]),
    ],
    ids=["by ids", "by id", "by run"],
)
def test_delete_says_what_it_deleted(
    arguments: list[str], message: str, left: list[int], stored: list[int], bg: Run
) -> None:
    assert bg("matches", "delete", *arguments, "--yes").out == f"{message}\n"
    matches = json.loads(bg("matches", "list", "--json").out)["matches"]
    assert [match["id"] for match in matches] == left


def test_a_run_is_kept_when_its_matches_are_deleted(stored: list[int], bg: Run) -> None:
    assert bg("matches", "delete", "3", "--yes").code == 0
    assert len(json.loads(bg("matches", "list", "--runs", "--json").out)["runs"]) == 1
    assert bg("matches", "delete", "--run", "1", "--yes").out == "deleted run 1 with 0 matches\n"
    assert json.loads(bg("matches", "list", "--runs", "--json").out)["runs"] == []


def test_a_run_in_progress_cannot_be_deleted(stored: list[int], bg: Run) -> None:
    with Store() as playing:
        assert playing.claim_run(1)
        ran = bg("matches", "delete", "--run", "1", "--yes")
        message = "error: run 1 is in progress; stop it first\n"
        assert (ran.code, ran.out, ran.err) == (2, "", message)
        assert len(playing.run_matches(1)) == 1
    assert bg("matches", "delete", "--run", "1", "--yes").code == 0


def test_a_run_is_locked_while_the_user_is_asked(
    stored: list[int], bg_on_terminal: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = []
    with Store() as other:

        def refuse(question: str) -> bool:
            assert not other.claim_run(1)
            questions.append(question)
            return False

        monkeypatch.setattr("boardgames.cli.matches.confirm", refuse)
        ran = bg_on_terminal("matches", "delete", "--run", "1")
        assert (ran.code, ran.out) == (0, "nothing deleted\n")
        assert questions == ["delete run 1 with 1 match permanently?"]
        assert other.claim_run(1)


def test_delete_asks_on_a_terminal(stored: list[int], bg: Run, bg_on_terminal: Run) -> None:
    for answer, message in (("n", "nothing deleted"), ("y", "deleted 2 matches")):
        ran = bg_on_terminal("matches", "delete", "1", "2", typed=f"{answer}\n")
        assert ran.code == 0
        assert "delete 2 matches permanently? [y/N]" in ran.out
        assert message in ran.out
    assert len(json.loads(bg("matches", "list", "--json").out)["matches"]) == 1


# --- wrong input -------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lst"], "no command 'lst'; did you mean 'list'? `boardgames matches --help` lists all commands"),
        (["show"], "missing argument 'ID'"),
        (["show", "x"], "must be an integer"),
        (["show", "0"], "must be at least 1"),
        (["show", "9"], "no stored match has the ID 9"),
        (["show", "9" * 30], "no stored match has the ID 999"),
        (["list", "--run", "9" * 30], "a number of more than 64 bits does not fit"),
        (["list", "--limit", "0"], "--limit must be at least 1"),
        (["list", "--runs", "--agent", ""], "--agent does not work with --runs"),
        (["list", "--runs", "--faults"], "--faults does not work with --runs"),
        (["list", "--runs", "--result", "draw"], "--result does not work with --runs"),
        (["list", "--result", "2-0"], "'2-0' is not one of '1-0', '0-1', 'draw'"),
        (["export", "out", "1", "8", "9"], "no stored match has the ID 8, 9"),
        (["export", "out", "--game", "chess"], "no stored match fits the filters"),
        (["export", "missing/../folder"], "already exists; --force overwrites it"),
        (["export", "folder", "--force"], ": is a directory"),
        (["import"], "missing argument 'FILE...'"),
        (["delete"], "give the IDs of matches, or --run N"),
        (["delete", "1", "--run", "1"], "give IDs or --run, not both"),
        (["delete", "1", "9", "--yes"], "no stored match has the ID 9"),
        (["delete", "1"], "--yes is required"),
        (["delete", "--run", "1"], "--yes is required"),
        (["delete", "--run", "9", "--yes"], "there is no run 9"),
        (["delete", "--run", "9" * 30, "--yes"], "a number of more than 64 bits does not fit"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "",
)
def test_invalid_input_gives_a_one_line_error_and_changes_nothing(
    arguments: list[str], message: str, stored: list[int], bg: Run
) -> None:
    Path("missing").mkdir()
    Path("folder").mkdir()
    ran = bg("matches", *arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert len(stored_records()) == 3
    assert not os.path.lexists("out")


def test_a_damaged_database_is_set_aside(stored: list[int], bg: Run, home: Path) -> None:
    path = home / "data" / "matches.db"
    path.write_bytes(b"")
    ran = bg("matches", "list")
    assert (ran.code, ran.out) == (2, "")
    (aside,) = path.parent.iterdir()
    assert ran.err == f"error: {path} is damaged (it is empty) and was set aside as {aside}\n"
    assert bg("matches", "list").out == "no matches are stored yet\n"


def test_import_skips_a_record_that_cannot_be_stored(bg: Run) -> None:
    good = '[Game "connect4"]\n[Start "-"]\n\n1. 4 4 *\n\n'
    endless = '[Game "connect4"]\n[Start "-"]\n\n1. 4 {1e308} 4 2. 4 {1e308} *\n\n'
    Path("mixed.record").write_text(good + endless + good.replace("4 4", "4 5"))
    ran = bg("matches", "import", "mixed.record")
    assert (ran.code, ran.out) == (2, "added 2 matches\n")
    assert ran.err.startswith("error: mixed.record: match 2: the time used cannot be (inf, 0) seconds")


@pytest.mark.parametrize("option", ["--agent", "--game"])
def test_a_filter_that_cannot_be_encoded_matches_nothing(option: str, bg: Run) -> None:
    Path("one.record").write_text('[Game "connect4"]\n[Start "-"]\n\n1. 4 4 *\n')
    assert bg("matches", "import", "one.record").code == 0
    ran = bg("matches", "list", option, "\udcff")
    assert ran.code in (0, 2)
    assert "Traceback" not in ran.err


# --- runs --------------------------------------------------------------------

SETTINGS = {
    "agents": ["alphabeta:depth=4", "random"],
    "planned": 20,
    "openings": "random:4",
    "limit": {"seconds": None, "nodes": 100, "depth": None},
    "time": {"move": None, "match": None, "increment": 0.0, "margin": 0.1},
}
TIMED = {**SETTINGS, "limit": {"nodes": None}, "time": {"move": 0.05 + 0.1, "match": None, "margin": 0.1}}
UNEQUAL = {**TIMED, "time": [{"match": 60.0, "increment": 1.0}, {"match": 30.0, "increment": 2.0}]}


def begin_run(settings: dict[str, object], ratings: list[Rating] | None = None) -> None:
    """Store a run, which is finished if there are ratings."""
    with Store(now=lambda: NOON) as store:
        run = store.begin_run("arena", "abalone", key="k", settings=settings, seed=7).id
        if ratings is not None:
            store.finish_run(run, ratings)


@pytest.mark.parametrize(
    ("settings", "lines"),
    [
        (
            SETTINGS,
            [
                "1. arena of abalone: 0 of 20 matches, not finished",
                "   seed 7, openings random:4, limit nodes=100",
                "   alphabeta:depth=4",
                "   random",
            ],
        ),
        (
            TIMED,
            [
                "1. arena of abalone: 0 of 20 matches, not finished",
                "   seed 7, openings random:4, time move=0.15 margin=0.1",
                "   alphabeta:depth=4",
                "   random",
            ],
        ),
        (
            UNEQUAL,
            [
                "1. arena of abalone: 0 of 20 matches, not finished",
                "   seed 7, openings random:4, time match=60 increment=1 against match=30 increment=2",
                "   alphabeta:depth=4",
                "   random",
            ],
        ),
        ({"pairs": 3, "limit": 4}, ["1. arena of abalone: 0 matches, not finished", "   seed 7"]),
    ],
    ids=["nodes", "time", "times of each side", "another kind of run"],
)
def test_an_unfinished_run_has_its_settings_and_agents(
    settings: dict[str, object], lines: list[str], home: Path, bg: Run
) -> None:
    begin_run(settings)
    assert bg("matches", "list", "--runs").out.splitlines() == lines


def test_a_finished_run_has_the_ratings_of_its_arena(home: Path, bg: Run) -> None:
    sure, unknown = Rating(DEEP, 8, 41.4, -20.6, 99.5), Rating(PlayerKey("random"), 0, None, None, None)
    begin_run(SETTINGS, [sure, Rating(PlayerKey("greedy"), 8, 30.0, 11.7, None), unknown])
    assert bg("matches", "list", "--runs").out.splitlines() == [
        "1. arena of abalone: 0 of 20 matches, finished 2026-01-31 12:00:00 UTC",
        "   seed 7, openings random:4, limit nodes=100",
        "   alphabeta:depth=4 (9a129038d9a0), 100 nodes 8 matches +41 [-21, 100]",
        "   greedy                                      8 matches > +12",
        "   random                                      0 matches ?",
    ]


def test_ratings_are_rounded_to_hundredths(home: Path, bg: Run) -> None:
    begin_run(SETTINGS, [Rating(DEEP, 8, 41.4567, 11.7777, None)])
    (run,) = json.loads(bg("matches", "list", "--runs", "--json").out)["runs"]
    (rating,) = run["ratings"]
    assert (rating["elo"], rating["elo_low"], rating["elo_high"]) == (41.46, 11.78, None)
    assert (rating["agent"], rating["limits"]) == (DEEP.agent, "100 nodes")
    assert run["settings"] == SETTINGS


def test_shortened_names_in_a_run_stay_distinct(home: Path, bg_on_terminal: Run) -> None:
    agents = [f'engine:command="python bot.py {number} {"very " * 20} long"' for number in range(3)]
    begin_run({"agents": agents})
    lines = bg_on_terminal("matches", "list", "--runs").out.splitlines()[2:]
    assert len(set(lines)) == len(agents)
    assert all(len(line) <= 80 for line in lines)


def test_control_characters_in_settings_are_not_printed(home: Path, bg: Run) -> None:
    begin_run({"agents": ["a\x1b[2J"], "openings": "b\x1b[2J", "planned": "\x1b", "limit": {"x": "\x1b"}})
    assert "\x1b" not in bg("matches", "list", "--runs").out


def test_importing_a_file_without_matches_is_an_error(bg: Run, home: Path) -> None:
    Path("empty.txt").touch()
    ran = bg("matches", "import", "empty.txt", "--game", "connect4")
    assert (ran.code, ran.out) == (2, "added 0 matches\n")
    assert ran.err == "error: empty.txt: there are no matches in it\n"


# --- unknown dates -------------------------------------------------------------


@pytest.mark.parametrize("tags", [{}, {"Date": "????.??.??"}], ids=["none", "unknown"])
def test_the_date_of_an_imported_match_without_one_is_unknown(tags: dict[str, str], bg: Run) -> None:
    Path("a.record").write_text(str(replace(OPEN, tags=tags)))
    bg("matches", "import", "a.record")
    assert bg("matches", "list").out.splitlines()[1].split()[1] == "unknown"
    assert "\ndate: unknown, added 20" in bg("matches", "show", "1").out
    assert json.loads(bg("matches", "show", "1", "--json").out)["date"] is None


def test_a_copy_that_only_lacks_the_date_is_not_added_and_the_stored_match_is_kept(bg: Run) -> None:
    undated = replace(OPEN, tags={"Event": "x"})
    dated = replace(OPEN, tags={"Event": "x", "Date": "2001.01.01"})
    Path("undated").write_text(f"{undated}\n\n")
    Path("dated").write_text(f"{dated}\n\n")
    assert bg("matches", "import", "dated").out == "added 1 match\n"
    again = "added 0 matches, 1 match already stored\n"
    assert (
        bg("matches", "import", "undated").out
        == again + "kept 1 stored match with a date that the file lacks\n"
    )
    assert stored_records() == [str(dated)]
    bg("matches", "delete", "1", "--yes")
    assert bg("matches", "import", "undated", "undated").out == "added 1 match, 1 match already stored\n"
    assert (
        bg("matches", "import", "dated").out == again + "kept 1 stored match without the date in the file\n"
    )
    assert stored_records() == [str(undated)]


# --- unknown times -------------------------------------------------------------


def test_export_says_if_no_match_has_times(bg: Run) -> None:
    Path("a.record").write_text(f"{OPEN}\n\n{WON}")
    bg("matches", "import", "a.record")
    said = "these matches have no times, so none were written\n"
    assert bg("matches", "export", "-", "1", "--times").err == said
    assert bg("matches", "export", "-", "1").err == ""
    assert bg("matches", "export", "-", "1", "2", "--times").err == ""
