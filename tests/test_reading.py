"""Reading what others write: PGN without our tags, moves alone, results, layouts, notations and notes."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import boardgames
from boardgames import reading, record
from boardgames.errors import PositionError, RecordError
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.pgn import Line, Note
from boardgames.plugins import load_game_of
from boardgames.reading import Defaults, ReadMatch, layout_name, read_match, read_position
from boardgames.record import ParsedRecords, Record, choose_record, format_record, parse_records, read_records

ABALONE, CONNECT4 = Defaults("abalone"), Defaults("connect4")
FOUR_IN_A_ROW = "1 2 1 2 1 2 1"


def parse(text: str, defaults: Defaults = CONNECT4) -> ParsedRecords:
    return parse_records(text, load_game_of, defaults)


def one(text: str, defaults: Defaults = CONNECT4) -> Record:
    parsed = parse(text, defaults)
    assert not parsed.errors, parsed.errors
    (record,) = parsed.records
    return record


def pgn(moves: str, **tags: str) -> str:
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    return "\n".join([*lines, "", moves, ""])


def first_moves(position: Position, count: int) -> list[str]:
    """Return some moves from a position, each the first legal one."""
    texts = []
    for _ in range(count):
        texts.append(position.legal_moves[0].text)
        position = position.apply(position.legal_moves[0])
    return texts


# --- moves alone ---------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "4 4 5 3",
        "4,4,5,3",
        "1. 4 4 2. 5 3",
        "1.4 4 2.5 3 *",
        "4\n4\n5\n3\n",
        "1. 4 4\n2. 5 3",
        "\ufeff4 4 5 3",
    ],
)
def test_moves_alone_are_a_match_if_the_game_is_known(tmp_path: Path, text: str) -> None:
    file = tmp_path / "moves.txt"
    file.write_text(text)
    (record,) = read_records(file, load_game_of, CONNECT4).records
    assert (record.game, record.moves, record.outcome) == ("connect4", ("4", "4", "5", "3"), None)


def test_endless_moves_alone_are_rejected_before_they_are_tried() -> None:
    parsed = parse_records("4" * 200_000, load_game_of, Defaults("connect4"))
    assert [str(error) for error in parsed.errors] == [
        "match 1: more than 100,000 moves (ply 100,001, token '4')"
    ]


def test_moves_alone_need_a_game() -> None:
    (error,) = parse("4 4 5 3", Defaults()).errors
    assert "the tag Game is missing" in str(error)


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("4 4\n3 3 3\n", ["4 4", "3 3 3"]),
        ("4 4\n\n3 3 3", ["4 4", "3 3 3"]),
        ("1. 4 4\n2. 3 3\n1. 1 1\n", ["4 4 3 3", "1 1"]),
        ("4\n4\n\n3\n3\n3\n", ["4 4", "3 3 3"]),
        (f"{FOUR_IN_A_ROW}\n4 4", [FOUR_IN_A_ROW, "4 4"]),
        ("4 4 4 4\n4 4 4 4\n", ["4 4 4 4", "4 4 4 4"]),
    ],
    ids=["lines", "paragraphs", "numbers", "columns", "ended", "equal"],
)
def test_a_text_may_hold_many_matches(text: str, matches: list[str]) -> None:
    assert [" ".join(record.moves) for record in parse(text).records] == matches


def test_a_match_that_continues_on_the_next_line_is_one_match() -> None:
    long = ["4 4 4 4 4 4", "3 3 3 3 3 3 2 1", "4 4"]
    assert [len(record.moves) for record in parse("\n".join(long[:2])).records] == [6, 8]
    game = boardgames.load("abalone")
    moves = first_moves(game.start(), 12)
    text = " ".join(moves[:6]) + "\n" + " ".join(moves[6:])
    assert one(text, ABALONE).moves == tuple(moves)


def test_a_broken_line_does_not_hide_the_others() -> None:
    parsed = parse("4 4\n3 9 3\n2 2\n")
    assert [record.moves for record in parsed.records] == [("4", "4"), ("2", "2")]
    (error,) = parsed.errors
    assert str(error).startswith("match 2: '9' is not a column")
    assert "(ply 2, token '9')" in str(error)


def board_texts(game: Game, moves: list[str], notation: str) -> list[str]:
    position = game.start()
    positions = [position, *(position := position.apply(move) for move in moves)]
    return [game.format(one, notation=notation) for one in positions]


@pytest.mark.parametrize(
    ("name", "moves", "notation", "separator"),
    [
        ("abalone", ["a1b2", "i5h5", "a2b3"], "board", "\n"),
        ("abalone", ["a1b2", "i5h5"], "course", "\n\n"),
        ("connect4", ["4", "4", "5"], "rows", "\n"),
        ("hexifence", ["3", "7"], "board-file", "\n\n"),
    ],
)
def test_all_positions_of_a_match_are_a_record_of_it(
    name: str, moves: list[str], notation: str, separator: str
) -> None:
    game = boardgames.load(name)
    record = one(separator.join(board_texts(game, moves, notation)), Defaults(name))
    assert (record.moves, record.start) == (tuple(moves), str(game.start()))


def test_a_position_that_does_not_follow_from_the_one_before_is_named() -> None:
    texts = board_texts(boardgames.load("connect4"), ["4", "4", "5", "3"], "rows")
    with pytest.raises(RecordError, match=r"^position 4 of the match cannot be reached by one move"):
        parse("\n".join([*texts[:3], texts[4]]))


def test_positions_that_are_also_moves_are_matches_of_their_own() -> None:
    assert [record.moves for record in parse("4\n44\n").records] == [("4",), ("4", "4")]


def test_a_line_with_the_name_of_a_layout_sets_it() -> None:
    standard = boardgames.load("abalone", layout="standard")
    first, second = standard.start().legal_moves[:2]
    text = f"Standard\n{first.text}\n\n{second.text}\nBelgian Daisy\na1b2\n"
    parsed = parse(text, ABALONE)
    assert not parsed.errors
    assert [record.layout for record in parsed.records] == ["standard", "standard", ""]
    assert parsed.records[0].start == str(standard.start())


def test_a_finished_match_has_its_outcome_from_the_rules() -> None:
    assert one(FOUR_IN_A_ROW).outcome == Outcome(0, Termination.RULES)
    assert one(f"{FOUR_IN_A_ROW} 1-0").outcome == Outcome(0, Termination.RULES)
    (error,) = parse(f"{FOUR_IN_A_ROW} 0-1").errors
    assert "according to the rules, the result is 'red wins'" in str(error)


@given(st.text(max_size=40) | st.text(alphabet="1234567 .,\n*-0{}()$;[]%", max_size=60))
@example("1 0 3 0\n1 0 3 0")
def test_any_text_gives_records_or_errors(text: str) -> None:
    for defaults in (CONNECT4, ABALONE, Defaults("hexifence")):
        parsed = parse(text, defaults)
        assert all(isinstance(error, RecordError) for error in parsed.errors)
        again = parse_records("\n\n".join(map(str, parsed.records)), load_game_of)
        assert (again.records, again.errors) == (parsed.records, ())


# --- PGN of other programs --------------------------------------------------------


def test_pgn_needs_neither_game_nor_start_nor_termination() -> None:
    record = one(pgn("1. 4 4 2. 5 3 1-0", Event="Tea", White="Ann", Black="Bob", Date="2016.09.19"))
    assert record.names == ("Ann", "Bob")
    assert record.outcome == Outcome(0, Termination.UNKNOWN)
    assert record.tags == {"Event": "Tea", "White": "Ann", "Black": "Bob", "Date": "2016.09.19"}
    assert record.seconds == (None,) * 4


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Au score", Termination.UNKNOWN),
        ("Normal", Termination.UNKNOWN),
        ("abandoned", Termination.UNKNOWN),
        ("Time forfeit", Termination.TIME),
        ("Ann resigned", Termination.RESIGNATION),
        ("Draw by agreement", Termination.AGREEMENT),
    ],
)
def test_a_foreign_termination_is_kept_as_it_is(text: str, reason: Termination) -> None:
    result = "1/2-1/2" if reason is Termination.AGREEMENT else "0-1"
    record = one(pgn(f"1. 4 4 {result}", Event="x", Termination=text))
    assert record.outcome is not None
    assert (record.outcome.termination, record.tags["Termination"]) == (reason, text)
    assert f'[Termination "{text}"]' in format_record(record)
    assert one(format_record(record)) == record


@pytest.mark.parametrize(
    ("termination", "result", "expected"),
    [
        ("rules", "1-0", "the match is not over"),
        ("no-moves", "1/2-1/2", "the match is not over"),
        ("ply-limit", "1-0", "the result is 'draw"),
    ],
)
def test_a_termination_that_contradicts_the_moves_is_an_error(
    termination: str, result: str, expected: str
) -> None:
    parsed = parse(pgn(f"1. 4 4 {result}", Event="x", Termination=termination))
    assert [expected in str(error) for error in parsed.errors] == [True]


def test_a_record_whose_moves_were_rewritten_no_longer_names_their_notation() -> None:
    record = one(pgn("1. 3 3 2. 4 *", Event="x", Notation="zero-based"))
    assert record.moves == ("4", "4", "5")
    assert one(format_record(record)) == record


def test_our_own_records_are_read_in_canonical_notation_whatever_their_tags_say() -> None:
    start = str(boardgames.load("connect4").start())
    record = Record("connect4", "7x6", start=start, moves=("4", "5"), tags={"Notation": "zero-based"})
    assert one(format_record(record)) == record


@pytest.mark.parametrize("result", ["1-0", "0-1"])  # by the colour, or by the side that moves first
def test_at_a_limit_of_plies_a_result_follows_the_convention_of_its_file(result: str) -> None:
    game = boardgames.load("abalone", limit="score")
    start = game.parse("ww.bb/wwwbbb/.ww.bb./......../........./......../.bb.ww./bb.www/bb.w.:b:2:1")
    tags = {"FEN": str(start), "White": "Ann", "Termination": "ply-limit"}
    defaults = Defaults("abalone", options={"limit": "score"})
    record = one(pgn(f"1. {start.legal_moves[0]} {result}", **tags), defaults)
    assert record.outcome == Outcome(1, Termination.PLY_LIMIT)  # white is ahead


def test_white_and_black_are_the_sides_of_these_names() -> None:
    record = one(pgn("1. a1b2 *", White="Ann", Black="Bob"), ABALONE)
    assert record.names == ("Bob", "Ann")  # black moves first in Abalone


def test_the_side_that_can_make_the_first_move_makes_it() -> None:
    start = boardgames.load("abalone").start()
    white = start.game.edit_turn(start, 1)
    moves = first_moves(white, 3)
    assert moves[0] not in [move.text for move in start.legal_moves]
    record = one(pgn(f"1. {' '.join(moves)} 1-0", White="Ann", Black="Bob"), ABALONE)
    assert record.start == str(white)
    assert record.outcome == Outcome(1, Termination.UNKNOWN)
    assert record.names == ("Bob", "Ann")
    assert record.result == "0-1"  # our own records state the result of side 0 first


@pytest.mark.parametrize(("result", "winner"), [("1-0", 0), ("0-1", 1)])
def test_a_result_1_0_is_a_win_of_the_side_that_moves_first(result: str, winner: int) -> None:
    record = one(pgn(f"1. a1b2 {result}", White="Ann", Black="Bob"), ABALONE)
    assert record.outcome == Outcome(winner, Termination.UNKNOWN)


@pytest.mark.parametrize(
    "moves",
    [
        "1.4 4 2.5 3 *",
        "1. 4 1... 4 2. 5 2... 3 *",
        "1. 4! 4?! 2. 5!! 3?? *",
        "1. 4 $1 4 $6 2. 5 $3 3 $4 *",
        "% escaped\n1. 4 4 {a (comment) with [brackets]} 2. 5 3 ; the rest\n*",
        "1. 4 (1. 3 3 (1... 2) 2. 1) 4 2. 5 3 (2... 6 {why not}) *",
        "1. 4 4 2. 5 3*",
        "{first} 1. 4\n4 2.\n5\n3 *",
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=repr)
def test_everything_that_pgn_allows_is_read(moves: str, ends: str) -> None:
    record = one(pgn(moves, Event="x").replace("\n", ends))
    assert record.moves == ("4", "4", "5", "3")
    assert one(format_record(record)) == record


def test_a_result_may_follow_the_last_move_without_a_space() -> None:
    assert one(pgn("1. 4 4 2. 51-0", Event="x")).result == "1-0"


def test_glyphs_comments_and_variations_are_kept() -> None:
    record = one(pgn("{why} 1. 4! {good\nmove} (1. 3 $2 3 {so}) 4 *", Event="x"))
    variation = Line(("3", "3"), {1: Note((2,)), 2: Note(comments=("so",))})
    assert record.notes == {0: Note(comments=("why",)), 1: Note((1,), ("good move",), (variation,))}
    assert "1. 4 $1 {good move} (1. 3 $2 3 {so}) 1... 4 *" in format_record(record)


def test_the_moves_of_a_variation_are_checked() -> None:
    (error,) = parse(pgn("1. 4 (1. 9) 4 *", Event="x")).errors
    assert "in a variation: '9' is not a column" in str(error)


@pytest.mark.parametrize(
    ("moves", "place"),
    [
        ("1. 4 4 2. 5 (2. 3 9) 3 *", "(ply 4, token '9')"),
        ("1. 4 4 (1... 3 2. 9) 2. 5 *", "(ply 3, token '9')"),
        ("1. 4 4 2. 5 (2. 3 3 (2... 2 3. 9) 3. 1) 3 *", "(ply 5, token '9')"),
        ("1. 4 4 2. 5 (2. 3 ] 4) 3 *", "(ply 4, token ']')"),
        ("1. 4 4 2. 5 (2. 3 3 (2... 2 ] ) 3. 1) 3 *", "(ply 5, token ']')"),
    ],
    ids=["third move", "second move", "nested", "malformed", "malformed and nested"],
)
def test_errors_in_variations_name_the_ply_of_the_match(moves: str, place: str) -> None:
    (error,) = parse(pgn(moves, Event="x")).errors
    assert place in str(error)


def test_notes_within_moves_of_several_words_are_refused_and_not_lost() -> None:
    assert one(pgn("1. a1 b2 i5 h5 *", Event="x"), ABALONE).moves == ("a1b2", "i5h5")
    (error,) = parse(pgn("1. a1 b2 {why} i5 h5 *", Event="x"), ABALONE).errors
    assert "within moves that consist of several words" in str(error)


def test_a_comment_is_the_same_when_its_export_is_read() -> None:
    record = one(pgn("1. 4 ; a } brace\n4 *", White="Ann"))
    assert one(format_record(record)).notes == record.notes == {1: Note(comments=("a ) brace",))}


@given(st.lists(st.sampled_from([*"4{}();!$1%", "\n", " ", "[%emt 0:00:05]", "a"]), max_size=30).map("".join))
@example("(4 ; a } brace\n)")
def test_what_is_read_from_pgn_is_the_same_when_its_export_is_read(moves: str) -> None:
    parsed = parse(pgn(f"1. 4 4 {moves} *", White="Ann"))
    again = parse_records("\n\n".join(map(str, parsed.records)), load_game_of)
    assert (again.records, again.errors) == (parsed.records, ())


def test_times_of_moves_are_read() -> None:
    record = one(pgn("1. 4 {[%emt 0:01:02.5]} 4 {3} {[%clk 0:00:09]} *", Event="x"))
    assert record.seconds == (62.5, 3.0)
    assert record.notes == {2: Note(comments=("[%clk 0:00:09]",))}


def test_a_variant_or_position_may_name_the_layout_or_the_start() -> None:
    standard = boardgames.load("abalone", layout="standard").start()
    move = standard.legal_moves[0].text
    for tags in ({"Variant": "Standard"}, {"Position": "standard"}, {"Position": str(standard)}):
        record = one(pgn(f"1. {move} *", Event="x", **tags), ABALONE)
        assert record.start == str(standard)
    assert one(pgn("1. a1b2 *", Event="x", Variant="Abalone"), ABALONE).layout == ""
    (error,) = parse(pgn("*", Event="x", Variant="Swiss Dasy"), ABALONE).errors
    assert "abalone has no layout 'Swiss Dasy'; did you mean 'swiss-daisy'" in str(error)


def test_a_file_that_is_not_utf_8_is_read_as_latin_1(tmp_path: Path) -> None:
    file = tmp_path / "old.pgn"
    file.write_bytes(pgn("1. 7 *", White="Zoé").encode("latin-1"))
    parsed = read_records(file, load_game_of, CONNECT4)
    assert parsed.records[0].names == ("Zoé", "?")
    assert parsed.warnings == ("not UTF-8, read as Latin-1",)


def test_a_match_is_chosen_from_foreign_matches() -> None:
    text = "\n".join(pgn(f"1. {column} *", Event="x") for column in (1, 2, 3))
    assert choose_record(text, load_game_of, number=2, defaults=CONNECT4)[2].moves == ("2",)
    with pytest.raises(RecordError, match="no match 4 in the text; the last one is 3"):
        choose_record(text, load_game_of, number=4, defaults=CONNECT4)


# --- notations -----------------------------------------------------------------------


def in_notation(position: Position, notation: str, count: int) -> tuple[list[str], list[str]]:
    """Return moves in a notation and in the canonical one; the first differs."""
    game, texts, canonical = position.game, [], []
    for _ in range(count):
        move = max(
            position.legal_moves,
            key=lambda one: game.format_move(position, one, notation=notation) != one.text,
        )
        texts.append(game.format_move(position, move, notation=notation))
        canonical.append(move.text)
        position = position.apply(move)
    assert texts[0] != canonical[0]
    return texts, canonical


def test_the_notation_follows_from_the_moves() -> None:
    texts, canonical = in_notation(boardgames.load("abalone").start(), "nacre", 6)
    assert one(" ".join(texts), ABALONE).moves == tuple(canonical)
    assert one(pgn(f"{' '.join(texts)} *", Notation="Nacre"), ABALONE).moves == tuple(canonical)


def test_matches_whose_tags_name_the_usual_notation_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counted(*arguments: Any, **more: Any) -> ReadMatch:
        read.append(arguments)
        return read_match(*arguments, **more)

    monkeypatch.setattr(record, "read_match", counted)
    text = pgn("1. 4 4 2. 5 3 *", White="Ann", Notation="Column") * 3
    assert len(parse(text).records) == len(read) == 3


def test_a_named_notation_is_the_only_one_that_is_tried() -> None:
    texts, _ = in_notation(boardgames.load("abalone").start(), "nacre", 6)
    (error,) = parse(" ".join(texts), Defaults("abalone", notation="aba-pro")).errors
    assert f"token '{texts[0]}'" in str(error)


def test_a_text_that_fits_no_notation_says_what_was_tried() -> None:
    (error,) = parse("a1a9", ABALONE).errors
    assert "tried the notations aba-pro 'c2c3d2', nacre 'c2d3', playstrategy " in str(error)


@pytest.mark.parametrize("text", ["Belgian Daisy", "belgian_daisy", "  BELGIAN-daisy "])
def test_names_of_layouts_are_written_in_many_ways(text: str) -> None:
    assert layout_name(text) == "belgian-daisy"


def test_moves_that_either_side_could_make_are_those_of_the_side_that_begins() -> None:
    parsed = parse("1 0 3 0\n1 0 5 0\n", Defaults("hexifence"))  # not edges, since 0 would be drawn twice
    start = boardgames.load("hexifence").start()
    assert [record.start for record in parsed.records] == [str(start)] * 2
    assert [len(record.moves) for record in parsed.records] == [2, 2]
    assert start.game.parse_move(start, "1,0").text == parsed.records[0].moves[0]


NACRE = Defaults("abalone", notation="nacre")


def nacre_texts(position: Position) -> set[str]:
    return {position.game.format_move(position, move, notation="nacre") for move in position.legal_moves}


@pytest.mark.parametrize("reading", ["c2d3", "c2c3d2"])
def test_later_moves_decide_between_two_readings_of_a_move(reading: str) -> None:
    other = {"c2d3": "c2c3d2", "c2c3d2": "c2d3"}[reading]
    reply = "b6c7"  # the same in both notations
    start = boardgames.load("abalone").start()
    meant, not_meant = (start.apply(move).apply(reply) for move in (reading, other))
    only = min(nacre_texts(meant) - nacre_texts(not_meant))
    assert one(f"c2d3 {reply} {only}", NACRE).moves[:2] == (reading, reply)
    both = min(nacre_texts(meant) & nacre_texts(not_meant) - {"c2d3"})
    (error,) = parse(f"c2d3 {reply} {both}", NACRE).errors
    assert "'c2d3' is ambiguous: 'c2d3' or 'c2c3d2' (ply 1, token 'c2d3')" in str(error)


def test_a_mistake_after_a_move_with_two_readings_is_named_where_it_is() -> None:
    (error,) = parse("c2d3 b6c7 a9a9", NACRE).errors
    assert "(ply 3, token 'a9a9')" in str(error)


def test_readings_are_not_followed_without_end() -> None:
    (error,) = parse(" ".join(["c2d3", "b6c7", "d3c2", "c7b6"] * 60), NACRE).errors
    assert "'c2d3' is ambiguous: 'c2d3' or 'c2c3d2' (ply 1, token 'c2d3')" in str(error)


def test_a_match_that_cannot_be_read_is_only_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(*arguments: Any, **more: Any) -> object:
        made.append(arguments)
        return make(*arguments, **more)

    make = reading._made
    monkeypatch.setattr(reading, "_made", counted)
    assert len(parse("b1b2\n\n" * 10, ABALONE).errors) == 10
    assert len(made) == 1


# --- positions --------------------------------------------------------------------------


def test_a_position_is_read_in_the_only_notation_that_it_fits_or_the_error_names_two() -> None:
    game = boardgames.load("abalone")
    alone = game.parse("....b/....../......./......../........./......../......./....../.....")
    text = str(alone).partition(":")[0].replace("/", "")
    with pytest.raises(PositionError, match=r"two ways, .* \(line\) or .* \(line-from-a\)"):
        read_position(game, text)
    start = game.start()
    assert read_position(game, game.format(start, notation="fen")) == start
    with pytest.raises(PositionError):
        read_position(game, "nonsense")


def test_matches_after_an_unknown_layout_are_not_read_in_another_one() -> None:
    text = "Strange Daisy\n1. a1b2 i5h5\n\nGerman Daisy\n1. b1b2\n"
    parsed = parse(text, ABALONE)
    assert [record.layout for record in parsed.records] == ["german-daisy"]
    (error,) = parsed.errors
    assert "abalone has no layout 'Strange Daisy'" in str(error)


@pytest.mark.parametrize(
    "text",
    [
        "a1,b2,c3->b2,c3,d4\ni5,h5,g5->h5,g5,f5\n",
        "1. a1,b2,c3->b2,c3,d4 i5,h5,g5->h5,g5,f5 *",
        "'I', ['C3', 'B2', 'A1'] => ['D4', 'C3', 'B2']\r\n'I', ['G5', 'H5', 'I5'] => ['F5', 'G5', 'H5']\r\n",
        "\ufeffBelgian Daisy\n(A1, C3) -> (B2, D4) INLINE BLACK\n(I5, G5) -> (H5, F5) INLINE WHITE\n",
        '[Variant "Belgian Daisy"]\n\n1. a1,b2,c3->b2,c3,d4 i5,h5,g5->h5,g5,f5 *',
    ],
)
def test_lists_of_marbles_before_and_after_are_moves(text: str) -> None:
    parsed = parse(text, ABALONE)
    assert [record.moves for record in parsed.records] == [("a1b2", "i5h5")]
    assert parsed.notations == ("before-after",)


def test_each_match_decides_for_itself_between_two_readings_of_a_move() -> None:
    start = boardgames.load("abalone").start()
    readings, texts = ("c2d3", "c2c3d2"), []
    after = [start.apply(move).apply("b6c7") for move in readings]
    for meant, not_meant in (after, after[::-1]):
        texts.append(f"c2d3 b6c7 {min(nacre_texts(meant) - nacre_texts(not_meant))}")
    parsed = parse("\n\n".join(texts), NACRE)
    assert tuple(record.moves[0] for record in parsed.records) == readings


@given(
    st.lists(st.text("1234", min_size=1, max_size=8), min_size=1, max_size=6),
    st.sampled_from(["", "1", "44", "1212"]),
)
def test_matches_mean_the_same_together_and_alone(lines: list[str], opening: str) -> None:
    texts = [f"1. {' '.join(opening + line)} *" for line in lines]
    together = parse("\n\n".join(texts))
    alone = [parse(text) for text in texts]
    assert together.records == tuple(one for parsed in alone for one in parsed.records)
    assert len(together.errors) == sum(len(parsed.errors) for parsed in alone)
    assert [str(one).partition(": ")[2] for one in together.errors] == [
        str(one).partition(": ")[2] for parsed in alone for one in parsed.errors
    ]


def test_words_that_are_repeated_are_split_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game = boardgames.load("connect4")
    texts, split = list[str](), type(game).split_moves

    def counted(one: Game, text: str, notation: str | None = None) -> list[str]:
        texts.append(text)
        return split(one, text, notation)

    monkeypatch.setattr(type(game), "split_moves", counted)
    assert parse(pgn("x " * 500 + "*", Event="x")).errors
    assert 0 < texts.count("x") < 50
