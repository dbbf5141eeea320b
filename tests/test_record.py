"""Records: writing, reading, replaying, and the errors of malformed files."""

import re
import string
import tracemalloc
import xml.etree.ElementTree as ET
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from itertools import pairwise
from pathlib import Path
from typing import Any

import nim
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardgames
from boardgames import plugins
from boardgames.errors import FileError, RecordError, UnknownNameError
from boardgames.game import Outcome, Termination
from boardgames.match_setup import MatchSetup
from boardgames.pgn import Line, Note, without_values
from boardgames.plugins import Registry, load_game_of
from boardgames.record import (
    OWN_TAGS,
    ParsedRecords,
    Record,
    append_record,
    format_annotated,
    format_record,
    parse_records,
    read_records,
    write_records,
)

WON = Record(
    "nim",
    "seven",
    start="7:0:0:0",
    names=("Ann", "Bob"),
    moves=("take3", "take3", "take1"),
    seconds=(0.52, None, 1.0),
    outcome=Outcome(0, Termination.RULES),
    options={"passing": "false"},
    tags={"Date": "2026.01.31", "Event": "Tea"},
)
WON_TEXT = """\
[Game "nim"]
[Layout "seven"]
[Option "passing=false"]
[Start "7:0:0:0"]
[First "Ann"]
[Second "Bob"]
[Result "1-0"]
[Termination "rules"]
[Date "2026.01.31"]
[Event "Tea"]

1. take3 {0.52} take3 2. take1 {1.0} 1-0"""
UNFINISHED = Record("nim", start="7:0:0:0", moves=("take3",))


@pytest.fixture(autouse=True, scope="module")
def _nim_is_installed() -> object:
    nim.as_plugin()
    own = EntryPoint("nim", "nim_plugin", "boardgames")
    known = plugins.registry
    installed = Registry(points=[own, *entry_points(group="boardgames")])
    plugins.registry = lambda: installed
    yield
    plugins.registry = known


# --- values ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "invalid",
    [
        {"moves": ("a b",)},
        {"moves": ("",)},
        {"moves": ("1.",)},
        {"moves": ("1.e4",)},
        {"moves": ("1-0",)},
        {"moves": ("*",)},
        {"moves": ("a{b}",)},
        {"moves": ("a;b",)},
        {"moves": ("[a]",)},
        {"moves": ("$1",)},
        {"moves": ("a\nb",)},
        {"moves": ("a\u00a0b",)},
        {"moves": ("a",), "seconds": (1.0, 2.0)},
        {"moves": ("a",), "seconds": (-1.0,)},
        {"moves": ("a",), "seconds": (float("nan"),)},
        {"moves": ("a",), "seconds": (float("inf"),)},
        {"names": ("Ann",)},
        {"tags": {"Result": "1-0"}},
        {"tags": {"two words": "x"}},
        {"tags": {"": "x"}},
        {"options": {"a=b": "x"}},
        {"options": {"": "x"}},
        {"options": {"layout": "x"}},
        {"options": {"self": "x"}},
    ],
    ids=str,
)
def test_record_that_cannot_be_read_back_raises(invalid: dict[str, Any]) -> None:
    with pytest.raises(RecordError):
        Record("nim", start="7:0:0:0", **invalid)


@pytest.mark.parametrize("space", ["\x1c", "\x1d", "\x1e", "\x1f", "\x0b", "\x85", "\u2028"])
def test_unusual_space_around_seconds_is_ignored(space: str) -> None:
    text = f'[Game "connect4"]\n[Start "-"]\n\n1. 4 {{1.5{space}}} 4 {{{space}2}} *'
    assert parse_records(text, None).records[0].seconds == (1.5, 2.0)


def test_seconds_are_normalised() -> None:
    record = Record("nim", start="7:0:0:0", moves=("take1", "take1"), seconds=(-0.0, 2))
    assert str(parse_records(str(record), load_game_of).records[0]) == str(record)
    assert str(record).endswith("1. take1 {0.0} take1 {2.0} *")


def test_equal_records_have_equal_hashes() -> None:
    assert {WON, parse_records(str(WON), load_game_of).records[0]} == {WON}


# --- writing -----------------------------------------------------------------------


def test_record_is_written_as_tags_and_numbered_moves() -> None:
    assert str(WON) == format_record(WON) == WON_TEXT


def test_move_numbers_count_plies_in_pairs() -> None:
    record = Record("nim", start="7:1:0:0", options={"again": "true"}, moves=("take1",) * 3)
    assert str(record).splitlines()[-1] == "1. take1 take1 2. take1 *"
    assert [position.side_to_move for position in record.positions(load_game_of(record))] == [1, 1, 1, 1]


def test_moves_are_wrapped_at_80_columns() -> None:
    record = Record("nim", start="100:0:0:0", moves=("take1",) * 99, seconds=(0.125,) * 99)
    lines = str(record).partition("\n\n")[2].split("\n")
    assert max(map(len, lines)) <= 80
    assert min(map(len, lines[:-1])) > 80 - len("take1 ") - len("{0.125}")


def test_line_of_80_columns_is_not_wrapped() -> None:
    line = str(Record("nim", start="7:0:0:0", moves=("x" * 75,))).partition("\n\n")[2]
    assert (len(line), line.count("\n")) == (80, 0)


# --- round trip ----------------------------------------------------------------------

TEXTS = st.text(max_size=20) | st.text(alphabet='"\\[]{};()$%\n\r\t \x00\x85\u2028\ud800au{}', max_size=20)
SIGNS = st.characters(exclude_categories=["C", "Z"], exclude_characters='{}[]();"$')
WORDS = st.text(SIGNS, min_size=1, max_size=8).filter(
    lambda text: (
        text not in ("1-0", "0-1", "1/2-1/2", "*")
        and not re.match("[0-9]*[.]", text)
        and not re.search("[!?]$|^%", text)
    )
)
COMMENTS = st.lists(st.text(SIGNS, min_size=1, max_size=9), min_size=1).map(" ".join)
LINES = st.recursive(
    st.builds(Line, st.lists(WORDS, min_size=1, max_size=3).map(tuple)),
    lambda lines: st.builds(
        lambda moves, note: Line(moves, {len(moves): note}),
        st.lists(WORDS, min_size=1, max_size=3).map(tuple),
        st.builds(
            Note,
            st.lists(st.integers(0, 255), max_size=2).map(tuple),
            st.lists(COMMENTS, max_size=2).map(tuple),
            st.lists(lines, min_size=1, max_size=2).map(tuple),
        ),
    ),
    max_leaves=4,
)
NOTES = st.builds(
    Note,
    st.lists(st.integers(0, 255), min_size=1, max_size=2).map(tuple),
    st.lists(COMMENTS.filter(lambda text: not re.fullmatch("[0-9.]+(e[+-]?[0-9]+)?", text)), max_size=2).map(
        tuple
    ),
    st.lists(LINES, max_size=2).map(tuple),
)
OUTCOMES = st.none() | st.builds(Outcome, st.sampled_from([0, 1, None]), st.sampled_from(list(Termination)))
SECONDS = st.none() | st.floats(min_value=0, allow_nan=False, allow_infinity=False)
TAG_NAMES = st.text(alphabet=string.ascii_letters, min_size=1).filter(lambda name: name not in OWN_TAGS)
OPTION_NAMES = st.text(min_size=1, max_size=9).filter(
    lambda name: "=" not in name and name not in ("name", "layout", "self")
)


@st.composite
def records(draw: st.DrawFn) -> Record:
    moves = draw(st.lists(st.tuples(WORDS, SECONDS), max_size=40))
    return Record(
        draw(TEXTS),
        draw(TEXTS),
        start=draw(TEXTS),
        names=(draw(TEXTS), draw(TEXTS)),
        moves=tuple(move for move, _ in moves),
        seconds=tuple(seconds for _, seconds in moves),
        outcome=draw(OUTCOMES),
        options=draw(st.dictionaries(OPTION_NAMES, TEXTS, max_size=3)),
        tags=draw(st.dictionaries(TAG_NAMES, TEXTS, max_size=3)),
        notes=draw(st.dictionaries(st.integers(1, len(moves)), NOTES, max_size=3)) if moves else {},
    )


@given(st.lists(records(), max_size=3))
def test_records_round_trip(written: list[Record]) -> None:
    text = "\n\n".join(str(record) for record in written)
    assert text.encode().decode() == text  # no lone surrogates
    read = parse_records(text, None)
    assert read == ParsedRecords(tuple(written), ())
    assert [list(record.tags) for record in read.records] == [list(record.tags) for record in written]


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"], ids=repr)
def test_line_ends_of_all_systems_are_read(ends: str) -> None:
    assert parse_records(WON_TEXT.replace("\n", ends), load_game_of).records == (WON,)


# --- other notations ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "moves",
    [
        "take3 take3 take1 1-0",
        "1.take3 take3 2.take1 1-0",
        "1. take3 1... take3 2. take1 1-0",
        "1. take3 {a comment\nof two lines} take3 ; to the end { of the line\n2. take1 $1 $23 1-0 {done}",
        "; first\n1. TAKE3 take3\n\n2. take1\n1-0\n",
    ],
    ids=["bare", "tight", "dots", "comments", "spread"],
)
def test_other_ways_of_writing_moves_are_accepted(moves: str) -> None:
    text = WON_TEXT.partition("\n\n")[0] + "\n\n" + moves
    (record,) = parse_records(text, load_game_of).records
    assert record.moves == WON.moves


def test_number_in_braces_is_the_time_of_the_move_before_it() -> None:
    text = '[Game "nim"]\n[Start "7:0:0:0"]\n\n{9} take1 {clear} { 1.5 } {2} take1 {1e999} take1 {3e-2} *'
    assert parse_records(text, load_game_of).records[0].seconds == (1.5, None, 0.03)


@given(st.lists(st.none() | st.floats(0, 1e300), min_size=2, max_size=2))
def test_times_that_are_written_for_other_programs_are_read_unchanged(seconds: list[float | None]) -> None:
    record = replace(UNFINISHED, moves=("take3", "take1"), seconds=tuple(seconds))
    assert parse_records(format_annotated(record, writes_elapsed=True), None).records == (record,)


@given(st.integers(0, 10**9).map(lambda milliseconds: milliseconds / 1000))
def test_the_time_of_a_move_is_written_in_hours_minutes_and_seconds(seconds: float) -> None:
    record = replace(UNFINISHED, seconds=(seconds,))
    moves = format_annotated(record, writes_elapsed=True).splitlines()[-1]
    found = re.fullmatch(r"1\. take3 \{\[%emt ([0-9]+):([0-5][0-9]):([0-5][0-9](?:\.[0-9]+)?)\]\} \*", moves)
    assert found is not None, moves
    hours, minutes, rest = map(float, found.groups())
    assert hours * 3600 + minutes * 60 + rest == pytest.approx(seconds)


def test_lines_never_break_inside_a_command_for_other_programs() -> None:
    record = replace(UNFINISHED, moves=("take1",) * 40, seconds=(1.0,) * 40)
    text = format_annotated(record, values=["+0.35"] * 40, writes_elapsed=True)
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"\[%[^\]]*\n", text)


def test_a_value_is_written_before_the_comments_of_its_move() -> None:
    record = replace(UNFINISHED, notes={1: Note(glyphs=(1,), comments=("so",))})
    text = format_annotated(record, values=("+0.35",))
    assert text.splitlines()[-1] == "1. take3 $1 {[%eval +0.35]} {so} *"
    assert without_values(text) == str(record)


def test_game_need_not_be_installed_without_replay() -> None:
    text = '[Game "chess"]\n[Start "x"]\n\n1. e4 e5 *'
    assert parse_records(text, None).records[0].moves == ("e4", "e5")


def test_replay_rewrites_start_and_moves_in_canonical_notation() -> None:
    text = '[Game "nim"]\n[Start "07:0:0:0"]\n\n1. TAKE3 *'
    assert parse_records(text, load_game_of).records == (UNFINISHED,)


@pytest.mark.parametrize("text", ["", "\n\n", "; nothing\n", "\ufeff"])
def test_empty_text_has_no_match(text: str) -> None:
    assert parse_records(text.lstrip("\ufeff"), load_game_of) == ParsedRecords((), ())


# --- errors ----------------------------------------------------------------------------------

HEAD = '[Game "nim"]\n[Start "7:0:0:0"]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "\n1. take3 take9 *", "match 1: .*'take9'.*\\(ply 2, token 'take9'\\)"),
        (HEAD + "\n1. take3 {open *", "match 1: unclosed comment \\(ply 2, token '\\{open'\\)"),
        (HEAD + "\n1. take3 } *", "match 1: .*\\(ply 2, token '\\}'\\)"),
        (HEAD + "\n1. take3", "match 1: no result after the moves, which end at ply 1; write 1-0"),
        (HEAD + "\n1. take3 * take3", "match 1: text after the result \\* \\(ply 2, token 'take3'\\)"),
        (HEAD + "\n1. take3 1-0", "match 1: the tag Termination is missing \\(ply 2, token '1-0'\\)"),
        (
            HEAD + '[Termination "tme"]\n\n1-0',
            "match 1: no such termination 'tme'; did you mean 'time'.*\\(ply 1, token '1-0'\\)",
        ),
        (
            HEAD + '[Termination "time"]\n\n*',
            "match 1: an unfinished match cannot have the termination 'time' \\(ply 1, token '\\*'\\)",
        ),
        (
            HEAD + '[Result "0-1"]\n\n*',
            "match 1: the result differs from the tag Result, '0-1' \\(ply 1, token '\\*'\\)",
        ),
        (
            HEAD + '[Termination "rules"]\n\n1. take3 1-0',
            "match 1: according to the rules, the match is not over \\(ply 2, token '1-0'\\)",
        ),
        (
            HEAD + "\ntake3 take3 take1 *",
            "match 1: .*the rules, the result is 'first wins' \\(ply 4, token '\\*'\\)",
        ),
        ('[Start "7:0:0:0"]\n\n*', "match 1: the tag Game is missing; name the game with --game NAME"),
        ("1. take3 *", "match 1: the tag Game is missing"),
        (
            HEAD + '[Layout "x"]\n[Layout "nim"]\n\n*',
            "match 1: 'Layout' is given twice \\(before ply 1, token 'nim'\\)",
        ),
        (
            HEAD + "[First Ann]\n\n*",
            "match 1: a tag must be \\[Name \"value\"\\] \\(before ply 1, token '\\[First'\\)",
        ),
        (HEAD + '[First "\\n"]\n\n*', "match 1: .*\\(before ply 1, token "),
        (HEAD + '[First "\\u{110000}"]\n\n*', "match 1: .*\\(before ply 1, token "),
        (
            HEAD + '[Option "passing"]\n\n*',
            "match 1: an option must be name=value \\(before ply 1, token 'passing'\\)",
        ),
        (HEAD + '[Option "pass=1"]\n\n*', "match 1: game 'nim' has no option 'pass'"),
        (HEAD + '[Option "name=1"]\n\n*', "match 1: invalid option name: 'name'"),
        (HEAD + '[Layout "eight"]\n\n*', "match 1: nim has no layout 'eight'"),
        ('[Game "nimm"]\n[Start "x"]\n\n*', "match 1: .*'nimm'; did you mean 'nim'"),
        ('[Game "nim"]\n[Start "x"]\n\n*', "match 1: .*'x'"),
    ],
)
def test_error_has_match_ply_and_token(text: str, message: str) -> None:
    parsed = parse_records(text, load_game_of)
    assert parsed.records == ()
    (error,) = parsed.errors
    assert isinstance(error, RecordError)
    with pytest.raises(RecordError, match=message):
        raise error


def test_reading_continues_with_the_next_match() -> None:
    text = "\n\n".join([WON_TEXT, HEAD + "\n1. take3 {never closed", "[Game nim]\n\n*", str(UNFINISHED)])
    parsed = parse_records(text, load_game_of)
    assert parsed.records == (WON, UNFINISHED)
    assert [str(error)[:8] for error in parsed.errors] == ["match 2:", "match 3:"]


def test_tags_without_moves_do_not_hide_the_next_match() -> None:
    parsed = parse_records(f"{HEAD}{WON_TEXT}", load_game_of)
    assert parsed.records == (WON,)
    assert [str(error).partition(",")[0] for error in parsed.errors] == ["match 1: no result after the moves"]


def test_rules_that_raise_become_an_error_of_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse_words(self: object, text: str, notation: str | None = None) -> None:
        raise ZeroDivisionError("no stones")

    monkeypatch.setattr(nim.Nim, "parse_words", parse_words)
    (error,) = parse_records(str(UNFINISHED), load_game_of).errors
    assert "ZeroDivisionError: no stones" in str(error)


@given(st.text())
def test_any_text_gives_records_or_errors(text: str) -> None:
    parsed = parse_records(text, load_game_of)
    assert all(isinstance(error, RecordError) for error in parsed.errors)


PIECES = st.sampled_from(
    [*WON_TEXT, *WON_TEXT.split(), "{", "}", "[", "]", '"', "\\", ";", "$1", "\n", "\n[Game ", "1-0", "1."]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_mixture_of_parts_gives_records_or_errors(text: str) -> None:
    parsed = parse_records(text, load_game_of)
    assert all(isinstance(error, RecordError) for error in parsed.errors)


@given(st.integers(0, len(WON_TEXT)), st.integers(0, 12), st.text(max_size=4) | PIECES)
def test_damaged_match_does_not_hide_the_next_one(at: int, cut: int, put: str) -> None:
    damaged = WON_TEXT[:at] + put + WON_TEXT[at + cut :]
    parsed = parse_records(f"{damaged}\n\n{UNFINISHED}", load_game_of)
    assert parsed.records[-1] == UNFINISHED
    assert len(parsed.records) + len(parsed.errors) >= 2


@pytest.mark.parametrize(
    "text",
    [
        "{" * 300_000,
        "[" * 300_000,
        '[A "' + "\\\\" * 300_000,
        "1." * 300_000,
        "(" * 300_000,
        HEAD * 10_000,
        HEAD + "{a} " * 90_000,
    ],
    ids=["braces", "brackets", "backslashes", "numbers", "parentheses", "tags", "comments"],
)
def test_long_malformed_texts_are_read_in_linear_time(text: str) -> None:
    assert parse_records(text, load_game_of).errors


# --- files --------------------------------------------------------------------------------------


def test_file_of_several_records_round_trips(tmp_path: Path) -> None:
    path = tmp_path / "matches.pgn"
    write_records(path, [WON, UNFINISHED, WON])
    assert read_records(path, load_game_of) == ParsedRecords((WON, UNFINISHED, WON), ())


@pytest.mark.parametrize("before", ["", "\n", "; mine", WON_TEXT, WON_TEXT + "\n", WON_TEXT + "\n\n"])
def test_append_keeps_the_content_of_the_file(tmp_path: Path, before: str) -> None:
    path = tmp_path / "matches.pgn"
    path.write_text(before, encoding="utf-8")
    append_record(path, UNFINISHED)
    assert path.read_text(encoding="utf-8").startswith(before)
    assert read_records(path, load_game_of).records == ((WON,) if "nim" in before else ()) + (UNFINISHED,)


def test_append_creates_the_file(tmp_path: Path) -> None:
    append_record(tmp_path / "new" / "matches.pgn", WON)
    assert read_records(tmp_path / "new" / "matches.pgn", load_game_of).records == (WON,)


def test_missing_file_raises(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot read "):
        read_records(tmp_path / "none.pgn", load_game_of)


def test_append_to_a_folder_raises(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        append_record(tmp_path, WON)


# --- replaying and drawing -------------------------------------------------------------------------


def test_positions_are_the_start_and_one_after_each_move() -> None:
    assert [str(position) for position in WON.positions(load_game_of(WON))] == [
        "7:0:0:0",
        "4:1:3:0",
        "1:0:3:3",
        "0:1:4:3",
    ]


def test_illegal_move_raises_when_it_is_reached() -> None:
    record = Record("nim", start="7:0:0:0", moves=("take3", "take9"))
    positions = record.positions(load_game_of(record))
    assert len([next(positions), next(positions)]) == 2
    with pytest.raises(RecordError, match="ply 2, token 'take9'"):
        next(positions)


def test_game_of_a_record_has_its_layout_and_options() -> None:
    game = load_game_of(Record("nim", "hundred", start="100:0:0:0", options={"again": "true"}))
    assert (game.layout, game.options["again"]) == ("hundred", True)


@pytest.mark.parametrize("layout", ["8x8", "standard"], ids=["size", "name of earlier versions"])
def test_records_with_a_layout_that_sets_options_round_trip(layout: str) -> None:
    record = Record(
        "connect4",
        layout,
        start="/".join(["........"] * 8),
        moves=("8", "8", "1"),
        options={"columns": "8", "rows": "8"},
    )
    parsed = parse_records(str(record), load_game_of)
    assert parsed == ParsedRecords((record,), ())
    assert load_game_of(parsed.records[0]).layout == "8x8"


def test_game_that_is_not_installed_raises() -> None:
    with pytest.raises(UnknownNameError):
        load_game_of(Record("chess", start="x"))


@pytest.mark.parametrize(
    ("game", "options"),
    [("abalone", {}), ("abalone", {"broadside": "false"}), ("connect4", {}), ("hexifence", {})],
)
def test_matches_of_every_game_round_trip(game: str, options: dict[str, str]) -> None:
    position = boardgames.load(game, **options).start()
    start = position
    moves: list[str] = []
    while position.outcome is None and len(moves) < 60:
        move = position.legal_moves[(7 * len(moves)) % len(position.legal_moves)]
        moves.append(move.text)
        position = position.apply(move)
    record = Record(game, start=str(start), moves=tuple(moves), outcome=position.outcome, options=options)
    assert parse_records(str(record), load_game_of) == ParsedRecords((record,), ())


@pytest.mark.parametrize(
    ("record", "captions"),
    [
        (WON, ["start", "ply 1, first: take3", "ply 2, second: take3", "ply 3, first: take1"]),
        (
            Record("nim", start="7:0:0:0", moves=("take1", "take3", "take2"), options={"again": "true"}),
            ["start", "ply 1, first: take1", "ply 2, first: take3", "ply 3, second: take2"],
        ),
    ],
    ids=["in turns", "the same side moves again"],
)
def test_drawings_name_the_moves_and_who_made_them(record: Record, captions: list[str]) -> None:
    drawings = list(record.svgs(load_game_of(record)))
    words = [" ".join(ET.fromstring(drawing).itertext()) for drawing in drawings]
    assert all(caption in text for caption, text in zip(captions, words, strict=True))


def test_drawings_mark_what_a_move_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    from boardgames import record

    monkeypatch.setattr(record, "svg", lambda picture: " ".join(sorted(picture.changed)))
    marked = ["", "stone4 stone5 stone6", "stone1 stone2 stone3", "stone0"]
    assert list(WON.svgs(load_game_of(WON))) == marked


def test_notebook_shows_the_last_position() -> None:
    (record,) = parse_records(WON_TEXT, load_game_of).records
    assert record._repr_svg_() == list(WON.positions(load_game_of(WON)))[-1].svg()


def test_notebook_shows_only_text_without_the_game() -> None:
    assert WON._repr_svg_() is None
    assert "<p>1. take3 take3 2. take1 1-0</p>" in WON._repr_html_()


def test_notebook_escapes_tags_and_moves() -> None:
    record = Record("chess", start="<b>", names=("<i>&", '"'), moves=("<script>",))
    assert record._repr_svg_() is None
    html = record._repr_html_()
    assert "&lt;i&gt;&amp;" in html
    assert "1. &lt;script&gt; *" in html
    assert "<script>" not in html
    assert "<b>" not in html


@pytest.mark.parametrize(
    "seconds", [10**400, "1", True, 1j, []], ids=["huge", "text", "bool", "complex", "list"]
)
def test_seconds_must_be_numbers(seconds: Any) -> None:
    with pytest.raises(RecordError, match="seconds must be at least 0"):
        Record("connect4", start="-", moves=("4",), seconds=(seconds,))


def test_append_keeps_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    path, held = tmp_path / "file", b'\xef\xbb\xbf[Game "connect4"]\r\n[Start "-"]\r\n*\r\n\r\n'
    path.write_bytes(held)
    append_record(path, Record("connect4", start="-"))
    assert path.read_bytes().startswith(held + b"[Game")
    assert len(read_records(path, load_game_of).records) == 2


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "\ud800"], ids=["too long", "nul", "surrogate"])
def test_invalid_file_name_raises(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError):
        append_record(tmp_path / name, Record("connect4", start="-"))
    with pytest.raises(FileError):
        read_records(tmp_path / name, load_game_of)


def test_html_can_be_encoded_whatever_the_names() -> None:
    page = Record("connect4", start="-", names=("\ud800", "b"))._repr_html_()
    assert '<th scope="row">First</th><td>?</td>' in page.encode().decode()


def test_a_match_of_endless_moves_is_rejected() -> None:
    text = '[Game "connect4"]\n[Start "-"]\n\n' + "4 " * 200_000 + "*"
    parsed = parse_records(text, None)
    assert [str(error) for error in parsed.errors] == [
        "match 1: more than 100,000 moves (ply 100,001, token '4')"
    ]


def test_records_take_little_more_memory_than_their_file() -> None:
    text = '[Game "connect4"]\n[Start "-"]\n\n1. 4 {0.5} 5 {0.25} 2. 6 {1.5} 4 {0.75} 3. 1 1 *\n\n' * 2000
    tracemalloc.start()
    try:
        parsed = parse_records(text, None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(parsed.records) == 2000
    assert peak < 10 * len(text)


def test_a_record_of_a_side_that_moves_again_says_who_moved_and_is_read_back() -> None:
    game = boardgames.load("hexifence", dimension=2)
    match = MatchSetup(game, ("random", "random"), seed=3).start_match()
    record = match.play()
    sides = [played.side for played in match.moves]
    assert any(before == after for before, after in pairwise(sides))
    text = format_record(replace(record, seconds=(None,) * len(record.moves)))
    told, side = [], 0
    for word in text.split("\n\n")[1].split()[:-1]:
        if word.endswith("."):
            side = int(word.endswith("..."))
        else:
            told.append(side)
    assert told == sides
    parsed = parse_records(text, load_game_of)
    assert parsed.records[0].moves == record.moves
    assert str(parsed.records[0]) == text
    assert "1... " in record._repr_html_()
