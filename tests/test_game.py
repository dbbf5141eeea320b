"""Games, positions, moves and outcomes, and the checks of their arguments."""

import copy
import pickle
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pytest
from nim import Nim
from waiting import TIMEOUT_S

import boardgames
from boardgames.compiling import compilation_deferred
from boardgames.declarations import NO_EVALUATION, Evaluation
from boardgames.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    OptionError,
    PositionError,
    UnknownNameError,
)
from boardgames.game import Move, Outcome, Position, Termination
from boardgames.kernels import Words
from boardgames.options import OptionValue

GAME = Nim()
START = GAME.start()


# --- moves -------------------------------------------------------------------

BAD_MOVES = [
    pytest.param("tke2!", MalformedMoveError, "'tke2!' is not a move of Nim", id="malformed"),
    pytest.param("", MalformedMoveError, "'' is not a move of Nim", id="empty"),
    pytest.param("take7", IllegalMoveError, "illegal move 'take7'; did you mean 'take", id="illegal"),
    pytest.param("pass", IllegalMoveError, "illegal move 'pass'", id="legal in other positions"),
]


@pytest.mark.parametrize(("text", "error", "message"), BAD_MOVES)
def test_invalid_move_raises_and_is_quoted(text: str, error: type[Exception], message: str) -> None:
    for make in (START.apply, lambda text: GAME.parse_move(START, text)):
        with pytest.raises(error) as raised:
            make(text)
        assert str(raised.value).startswith(message)


def test_an_illegal_move_is_rejected_with_the_reason_of_the_game() -> None:
    class Explaining(Nim):
        def explain_illegal_move(self, position: Position, text: str, notation: str | None = None) -> str:
            return f"there are {position.words[0]} counters"

    game = Explaining()
    with pytest.raises(IllegalMoveError) as raised:
        game.parse_move(game.parse("2:0:0:0"), " take3 ")
    assert str(raised.value) == "illegal move 'take3': there are 2 counters"
    with pytest.raises(IllegalMoveError, match=r"^illegal move 'take3': the match is over$"):
        game.parse_move(game.parse("0:0:0:0"), "take3")


def test_clicks_are_explained_like_the_move_that_their_ids_spell() -> None:
    class Explaining(Nim):
        def explain_illegal_move(self, position: Position, text: str, notation: str | None = None) -> str:
            return f"{text} is too many"

    game = Explaining()
    position = game.parse("2:0:0:0")
    assert game.explain_clicks(position, ["take", "3"]) == "take3 is too many"
    assert game.explain_clicks(position, ["take", "2"]) == ""  # it is legal
    assert game.explain_clicks(position, ["stone-1"]) == ""  # no move is written like that
    assert game.explain_clicks(game.parse("0:0:0:0"), ["take3"]) == "the match is over"


def test_ambiguous_move_raises_and_names_the_candidates() -> None:
    class Vague(Nim):
        def format_action(self, words: object, action: int, notation: str | None = None) -> str:
            return f"take{action}" if notation is None else "take"

        def prepare(self) -> None:
            super().prepare()
            self.facts = replace(self.facts, move_notations=("canonical", "vague"))

    position = Vague().parse("2:0:0:0")
    with pytest.raises(AmbiguousMoveError, match="ambiguous move 'take': take1 or take2"):
        position.game.parse_move(position, "take", notation="vague")


def test_move_errors_have_a_common_base_class() -> None:
    for error in (MalformedMoveError, IllegalMoveError, AmbiguousMoveError):
        assert issubclass(error, boardgames.errors.MoveError)


@pytest.mark.parametrize("text", ["take2", " take2\n", "TAKE2"])
def test_move_text_is_stripped_and_case_insensitive(text: str) -> None:
    assert START.apply(text) == GAME.parse("5:1:2:0")


def test_move_and_its_text_are_applied_alike() -> None:
    for move in START.legal_moves:
        assert START.apply(move) == START.apply(str(move))


def test_several_moves_are_applied_in_order_and_their_numbers_skipped() -> None:
    assert START.apply_moves("1. take1 take3 2. take2") == START.apply("take1").apply("take3").apply("take2")


def test_a_wrong_move_of_several_is_named_with_its_number() -> None:
    with pytest.raises(IllegalMoveError, match=r"^move 3: illegal move 'take7'"):
        START.apply_moves("1. take1 take1 2. take7 take1")


def test_apply_of_an_illegal_move_raises() -> None:
    move = START.legal_moves[2]
    with pytest.raises(IllegalMoveError, match="illegal move 'take3' in 2:0:0:0"):
        GAME.parse("2:0:0:0").apply(move)


@pytest.mark.parametrize("name", ["abalone", "connect4", "hexifence"])
def test_an_action_gives_the_same_position_as_its_move(name: str) -> None:
    position = boardgames.load(name).start()
    for ply in range(12):
        move = position.legal_moves[ply % len(position.legal_moves)]
        after = position.apply_action(move.action)
        assert after == position.apply(move) == position.apply_action(np.int64(move.action))  # type: ignore[arg-type]  # NumPy's is no int
        position = after


@pytest.mark.parametrize("action", [-1, 3, 1000, "1", 1.0, None])
def test_an_action_that_is_not_legal_raises(action: object) -> None:
    with pytest.raises(IllegalMoveError) as raised:
        GAME.parse("2:0:0:0").apply_action(action)  # type: ignore[arg-type]  # wrong on purpose
    assert str(raised.value) == f"illegal action {action!r} in 2:0:0:0"


@pytest.mark.parametrize("move", [None, 2, 2.0, b"take2", ["take2"]])
def test_apply_of_anything_but_a_move_raises(move: object) -> None:
    for make in (START.apply, lambda move: GAME.parse_move(START, move)):
        with pytest.raises(MalformedMoveError) as raised:
            make(move)  # type: ignore[arg-type]  # wrong on purpose
        assert repr(move) in str(raised.value)


@pytest.mark.parametrize(
    ("move", "is_legal"),
    [
        ("take3", True),
        ("take9", False),
        ("?", False),
        (Move(2, "take2"), True),
        (Move(0, "pass"), False),
        (3, False),
    ],
)
def test_is_legal_never_raises(move: Move | str, is_legal: bool) -> None:
    assert START.is_legal(move) is is_legal


def test_decode_is_the_inverse_of_encode() -> None:
    for move in START.legal_moves:
        assert GAME.decode(START, GAME.encode(move)) == move


@pytest.mark.parametrize("action", [-1, 0, 4, 2**70, "take1", None, 1.5])
def test_decode_of_an_illegal_action_raises(action: object) -> None:
    with pytest.raises(IllegalMoveError, match=r"illegal action .* in 7:0:0:0"):
        GAME.decode(START, action)  # type: ignore[arg-type]  # wrong on purpose


def test_format_move_of_an_illegal_move_raises() -> None:
    with pytest.raises(IllegalMoveError):
        GAME.format_move(START, Move(0, "pass"))


def test_legal_moves_are_ordered_by_action() -> None:
    position = boardgames.load("abalone").start()
    actions = [move.action for move in position.legal_moves]
    assert actions == sorted(set(actions)) == list(position.actions)


def test_finished_match_has_no_legal_moves() -> None:
    end = GAME.parse("0:1:4:3")
    assert (end.legal_moves, end.is_legal("take1")) == ((), False)
    with pytest.raises(IllegalMoveError):
        end.apply("take1")


# --- positions ---------------------------------------------------------------


def test_positions_with_equal_game_and_words_are_equal() -> None:
    again = Nim().parse("7:0:0:0")
    assert again == START
    assert hash(again) == hash(START)
    assert len({START, again, START.apply("take1")}) == 2


@pytest.mark.parametrize("other", [START.apply("take1"), Nim(passing=True).start(), "7:0:0:0", None])
def test_position_is_not_equal_to_objects_of_other_types(other: object) -> None:
    assert other != START


def test_positions_do_not_depend_on_the_layout() -> None:
    assert Nim(layout="hundred").parse("7:0:0:0") == START


def test_transposed_positions_are_equal() -> None:
    start = boardgames.load("connect4").start()
    one, other = (start.apply(a).apply(b).apply(c) for a, b, c in ("142", "241"))
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize("name", ["game", "_words", "words", "side_to_move", "anything"])
def test_position_is_immutable(name: str) -> None:
    with pytest.raises(AttributeError, match="immutable"):
        setattr(START, name, None)


def test_words_of_a_position_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        START.words[0] = 3


def test_apply_does_not_change_the_position() -> None:
    before = START.words.copy()
    START.apply("take3")
    assert np.array_equal(START.words, before)


def test_pack_returns_a_copy() -> None:
    words = GAME.pack(START)
    words[0] = 3
    back = GAME.unpack(words)
    words[0] = 1
    assert (str(START), str(back)) == ("7:0:0:0", "3:0:0:0")


@pytest.mark.parametrize("use", ["format", "pack", "parse_move", "format_move", "decode"])
@pytest.mark.parametrize("other", [Nim(again=True), boardgames.load("tictactoe")], ids=["options", "game"])
def test_position_of_another_game_raises(use: str, other: boardgames.Game) -> None:
    more = {"parse_move": ("take1",), "format_move": (START.legal_moves[0],), "decode": (1,)}
    with pytest.raises(PositionError, match="not a position of <game nim seven>: <"):
        getattr(GAME, use)(other.start(), *more.get(use, ()))


@pytest.mark.parametrize("use", ["format", "pack", "parse_move", "format_move", "decode"])
def test_text_instead_of_a_position_raises(use: str) -> None:
    more = {"parse_move": ("take1",), "format_move": (START.legal_moves[0],), "decode": (1,)}
    with pytest.raises(PositionError, match=r"a position must be a Position, not '7'; use Game\.parse"):
        getattr(GAME, use)("7", *more.get(use, ()))


BAD_WORDS = {
    "too few": [7, 0, 0, 0],
    "too many": [7, 0, 0, 0, 0, 0],
    "none": [],
    "two dimensions": np.zeros((1, 5), dtype=np.uint64),
    "no dimension": np.uint64(7),
    "fractions": [7.5, 0, 0, 0, 0],
    "whole floats": np.array([7.0, 0, 0, 0, 0]),
    "not a number": [float("nan"), 0, 0, 0, 0],
    "complex": np.zeros(5, dtype=np.complex128),
    "negative": [-1, 0, 0, 0, 0],
    "a negative array": np.array([-1, 0, 0, 0, 0]),
    "65 bits": [2**64, 0, 0, 0, 0],
    "huge": [10**5000, 0, 0, 0, 0],
    "texts": ["7", "0", "0", "0", "0"],
    "a text": "70000",
    "nothing": None,
    "a hole": [7, None, 0, 0, 0],
}


@pytest.mark.parametrize("words", BAD_WORDS.values(), ids=BAD_WORDS)
def test_unpack_of_invalid_words_raises_a_short_message(words: object) -> None:
    with pytest.raises(PositionError, match=r"^packed nim positions |^word 0 of ") as raised:
        GAME.unpack(words)  # type: ignore[arg-type]  # wrong on purpose
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.uint64, list, tuple])
def test_unpack_accepts_integers_of_any_type(kind: type) -> None:
    numbers = [7, 0, 0, 0, 0]
    words: Any = kind(numbers) if kind in (list, tuple) else np.array(numbers, dtype=kind)
    assert GAME.unpack(words) == START


def test_unpack_accepts_the_largest_word() -> None:
    assert int(GAME.unpack([0, 2**64 - 1, 0, 0, 0]).words[1]) == 2**64 - 1


@pytest.mark.parametrize("text", [None, 7, b"7:0:0:0", START])
def test_parse_of_anything_but_a_string_raises(text: object) -> None:
    with pytest.raises(PositionError, match="a position to parse must be a string, not "):
        GAME.parse(text)  # type: ignore[arg-type]  # wrong on purpose


def test_board_is_what_the_terminal_shows() -> None:
    position = boardgames.load("connect4", columns=5, rows=4).parse("3325")
    lines = [" . . . . .", " . . . . .", " . . b . .", " . r r . b", " 1 2 3 4 5"]
    assert position.board().splitlines() == lines
    assert position.board(flipped=True).splitlines()[3] == " b . r r ."


def test_notebook_shows_the_svg() -> None:
    position = boardgames.load("abalone").start()
    assert position.svg().startswith("<svg")
    assert position._repr_svg_() == position._repr_html_() == position.svg()


def test_repr_has_game_and_text() -> None:
    assert (str(START), repr(START)) == ("7:0:0:0", "<nim 7:0:0:0>")


def test_position_texts_round_trip() -> None:
    choose, position = random.Random(2), boardgames.load("hexifence").start()
    while position.outcome is None:
        assert position.game.parse(str(position)) == position
        position = position.apply(choose.choice(position.legal_moves))


# --- outcomes ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "outcome"),
    [
        (START, None),
        (GAME.parse("0:1:4:3"), Outcome(0, Termination.RULES)),
        (Nim(stuck=True).parse("0:1:4:3"), Outcome(0, Termination.NO_MOVES)),
        (boardgames.load("tictactoe").parse("xox/xxo/oxo"), Outcome(None, Termination.RULES)),
        (boardgames.load("tictactoe").parse("xxx/oo./..."), Outcome(0, Termination.RULES)),
    ],
    ids=["going on", "won", "no moves", "drawn", "three in a line"],
)
def test_outcome_has_winner_and_termination(position: Position, outcome: Outcome | None) -> None:
    assert position.outcome == outcome


def test_having_no_moves_is_a_draw_if_the_facts_say_so() -> None:
    game = Nim(stuck=True)
    game.facts = replace(game.facts, no_moves_draws=True)
    assert game.parse("0:1:4:3").outcome == Outcome(None, Termination.NO_MOVES)


@pytest.mark.parametrize(("winner", "returns"), [(0, (1.0, -1.0)), (1, (-1.0, 1.0)), (None, (0.0, 0.0))])
def test_returns_of_an_outcome(winner: int | None, returns: tuple[float, float]) -> None:
    assert Outcome(winner, Termination.RULES).returns == returns


def test_names_of_terminations() -> None:
    assert issubclass(Termination, Enum)
    assert [str(termination) for termination in Termination] == [
        "rules", "no-moves", "time", "ply-limit", "no-progress", "repetition", "resignation",
        "agreement", "adjudication", "illegal-move", "crash", "unknown",
    ]  # fmt: skip


def test_score_of_a_position() -> None:
    assert (GAME.parse("2:1:3:2").score, boardgames.load("tictactoe").start().score) == ((3, 2), (0, 0))


# --- games -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["move", "position"])
def test_unknown_notation_raises_with_suggestions(kind: str) -> None:
    game = boardgames.load("abalone")
    start = game.start()
    uses: dict[str, list[Callable[[], object]]] = {
        "move": [
            lambda: game.parse_move(start, "a1b2", notation="nacer"),
            lambda: game.format_move(start, start.legal_moves[0], notation="nacer"),
        ],
        "position": [
            lambda: game.parse(str(start), notation="fne"),
            lambda: game.format(start, notation="fne"),
        ],
    }
    near = {"move": "'nacer'; did you mean 'nacre'?", "position": "'fne'; did you mean 'fen'?"}
    for use in uses[kind]:
        with pytest.raises(UnknownNameError) as raised:
            use()
        assert str(raised.value) == f"abalone has no notation {near[kind]}"


@pytest.mark.parametrize(
    ("game", "line"),
    [
        (GAME, "nim seven"),
        (Nim(layout="hundred", again=True), "nim hundred again=true"),
        (boardgames.load("hexifence", dimension=4), "hexifence empty dimension=4"),
        (boardgames.load("abalone", broadside=False), "abalone belgian-daisy broadside=false"),
    ],
)
def test_description_of_a_game(game: boardgames.Game, line: str) -> None:
    assert (game.describe(), repr(game), str(game)) == (line, f"<game {line}>", game.facts.name)


def test_games_with_equal_class_and_options_are_equal() -> None:
    assert Nim() == Nim(layout="hundred") != Nim(again=True)
    assert hash(Nim()) == hash(Nim(layout="hundred"))
    assert len({Nim(), Nim(passing=False), Nim(passing=True), boardgames.load("tictactoe")}) == 3
    assert Nim() != "nim"


def test_options_of_a_game_are_read_only() -> None:
    with pytest.raises(TypeError):
        GAME.options["again"] = True  # type: ignore[index]  # wrong on purpose


def test_options_are_declared_once() -> None:
    assert Nim.declared_options
    assert GAME.facts.options == Nim.declared_options


class SizedNim(Nim):
    layout_options: ClassVar[Mapping[str, Mapping[str, OptionValue]]] = {
        "hundred": {"again": True},
        "other": {"passing": True},
    }

    def prepare(self) -> None:
        super().prepare()
        if self.options["passing"]:
            self.facts = replace(self.facts, layouts={"other": "9:0:0:0"})


def test_a_layout_can_set_options_and_exist_only_with_them() -> None:
    assert SizedNim(layout="hundred").options["again"] is True
    assert SizedNim(layout="other").start().words[0] == 9
    assert SizedNim(passing=True).layout == "other"
    assert SizedNim().layout_names == ("seven", "hundred", "other")
    assert pickle.loads(pickle.dumps(SizedNim(layout="other"))).layout == "other"


def test_an_option_that_contradicts_the_layout_raises() -> None:
    assert SizedNim(layout="hundred", again="true").options["again"] is True
    with pytest.raises(OptionError, match="layout 'hundred' sets again to True, so again cannot be False"):
        SizedNim(layout="hundred", again="false")


def test_options_set_by_the_layout_are_left_out_of_the_description() -> None:
    assert SizedNim(layout="hundred", forced=True).describe() == "nim hundred forced=true"


def test_unknown_option_raises_with_suggestions() -> None:
    with pytest.raises(OptionError, match=r"game 'nim' has no option 'agian'; did you mean 'again'\?"):
        Nim(agian=True)


@pytest.mark.parametrize("layout", ["sevn", "", "HUNDRED"])
def test_unknown_layout_raises(layout: str) -> None:
    with pytest.raises(UnknownNameError, match=f"nim has no layout {layout!r}; "):
        Nim(layout=layout)


def test_words_of_a_position_cannot_be_made_writable() -> None:
    position = boardgames.load("connect4").start()
    with pytest.raises(ValueError, match="WRITEABLE"):
        position.words.flags.writeable = True


@pytest.mark.parametrize(
    "words", [[10**5000, "a"], [object()] * 10**5, np.array([object()] * 3)], ids=["huge", "long", "array"]
)
def test_unpack_of_anything_but_integers_raises_a_short_message(words: Any) -> None:
    with pytest.raises(PositionError, match="positions are 3 integers, not ") as caught:
        boardgames.load("connect4").unpack(words)
    assert len(str(caught.value)) < 150
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [5, ["standard"], "x" * 10**6], ids=["number", "list", "long text"])
def test_layout_that_is_not_text_raises(name: Any) -> None:
    with pytest.raises(UnknownNameError, match="has no layout") as caught:
        boardgames.load("connect4", layout=name)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "action",
    [10**5000, np.array([1, 2]), 1.0, "1", None],
    ids=["huge", "array", "float", "text", "none"],
)
def test_decode_of_anything_but_an_action_raises(action: Any) -> None:
    game = boardgames.load("connect4")
    with pytest.raises(IllegalMoveError):
        game.decode(game.start(), action)


@pytest.mark.parametrize(
    ("name", "options"),
    [("abalone", {"broadside": False}), ("connect4", {"columns": 5}), ("hexifence", {"dimension": 2})],
)
def test_games_and_positions_are_pickled_without_kernels(name: str, options: dict[str, Any]) -> None:
    game = boardgames.load(name, **options)
    position = game.start().apply(game.start().legal_moves[0])
    sent = pickle.dumps(position)
    received = pickle.loads(sent)
    assert received == position
    assert received.legal_moves == position.legal_moves
    assert copy.deepcopy(game) == game
    assert copy.copy(position) is copy.deepcopy(position) is position
    assert b"Dispatcher" not in sent


def test_an_evaluation_may_be_made_when_it_is_needed() -> None:
    class Lazy(Nim):
        @cached_property
        def evaluation(self) -> Evaluation:  # type: ignore[override]  # it can be set, too
            return NO_EVALUATION

    assert "evaluation" in vars(Lazy()), "its kernels are compiled when the game is loaded"
    with compilation_deferred():
        game = Lazy()
    assert "evaluation" not in vars(game)
    assert game.evaluation is NO_EVALUATION


def test_a_game_that_hangs_holds_up_no_other_game() -> None:
    begun, released = threading.Event(), threading.Event()

    class Hanging(Nim):
        def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
            begun.set()
            released.wait()
            return super().format_action(words, action, notation)

    hanging = threading.Thread(target=lambda: Hanging().start().legal_moves, daemon=True)
    other = threading.Thread(target=lambda: Nim().start().legal_moves, daemon=True)
    hanging.start()
    begun.wait()
    other.start()
    other.join(TIMEOUT_S)
    is_held_up = other.is_alive()
    released.set()
    assert not is_held_up
