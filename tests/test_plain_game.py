"""Games in plain Python: everything that works on a game with kernels works on them, too."""

import inspect
import pickle
import random
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from boardgames import (
    DRAW,
    Limit,
    MatchSetup,
    Outcome,
    PlainGame,
    Termination,
    load_player,
    perft,
    plain_game,
    playouts,
)
from boardgames.adjudication import Adjudication
from boardgames.arena.plan import Plan
from boardgames.errors import IllegalMoveError, OptionError, PluginError, PositionError, RulesError
from boardgames.kernels import (
    Actions,
    Apply,
    LegalMoves,
    OutcomeOf,
    SideToMove,
    Words,
    bit,
    has_bit,
    kernel,
    popcount,
)
from boardgames.picture import Button
from boardgames.testing import check_game

pytestmark = pytest.mark.plain

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
LINE_BITS = tuple(np.uint64(sum(1 << place for place in line)) for line in LINES)
CELLS = ("a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1")


class Noughts(PlainGame[str, str]):
    """Three in a line on nine cells; a state is the text of the cells."""

    name, sides = "plain-noughts", ("X", "O")
    other_facts = {"longest_match": 9}  # noqa: RUF012 - as authors write it

    def initial_state(self) -> str:
        return "........."

    def side_to_move(self, state: str) -> int:
        return (9 - state.count(".")) % 2

    def legal_moves(self, state: str) -> list[str]:
        return [cell for cell, symbol in zip(CELLS, state, strict=True) if symbol == "."]

    def apply(self, state: str, move: str) -> str:
        place = CELLS.index(move)
        return state[:place] + "xo"[self.side_to_move(state)] + state[place + 1 :]

    def outcome(self, state: str) -> int | str | None:
        for line in LINES:
            found = {state[place] for place in line}
            if len(found) == 1 and found != {"."}:
                return "xo".index(found.pop())
        return None if "." in state else DRAW

    def board(self, state: str) -> list[str]:
        return [state[:3], state[3:6], state[6:]]


class Heap(PlainGame[Any, Any]):
    """Take one or two counters of a heap; whoever takes the last one wins."""

    name = "heap"
    other_facts = {"longest_match": 20}  # noqa: RUF012 - as authors write it

    def initial_state(self) -> Any:
        return 5, 0

    def side_to_move(self, state: Any) -> int:
        return int(state[1])

    def legal_moves(self, state: Any) -> Any:
        return [take for take in (1, 2) if take <= state[0]]

    def apply(self, state: Any, move: Any) -> Any:
        return state[0] - move, 1 - state[1]

    def outcome(self, state: Any) -> int | str | None:
        return 1 - self.side_to_move(state) if state[0] == 0 else None


@dataclass(frozen=True)
class Counters:
    left: int
    side: int


class RecordHeap(Heap):
    """The same game with a dataclass as its state."""

    name = "record-heap"

    def initial_state(self) -> Counters:
        return Counters(5, 0)

    def side_to_move(self, state: Counters) -> int:
        return state.side

    def legal_moves(self, state: Counters) -> list[int]:
        return [take for take in (1, 2) if take <= state.left]

    def apply(self, state: Counters, move: int) -> Counters:
        return Counters(state.left - move, 1 - state.side)

    def outcome(self, state: Counters) -> int | None:
        return None if state.left else 1 - state.side


class DictHeap(Heap):
    """The same game with a dictionary, whose items come in different orders."""

    name = "dict-heap"

    def initial_state(self) -> dict[str, Any]:
        return {"left": [1] * 5, "side": 0, "taken by": {0: 0, 1: 0}}

    def side_to_move(self, state: dict[str, Any]) -> int:
        return int(state["side"])

    def legal_moves(self, state: dict[str, Any]) -> list[int]:
        return [take for take in (1, 2) if take <= len(state["left"])]

    def apply(self, state: dict[str, Any], move: int) -> dict[str, Any]:
        side = state["side"]
        taken = {1 - side: state["taken by"][1 - side], side: state["taken by"][side] + move}
        return {"taken by": taken, "side": 1 - side, "left": state["left"][move:]}

    def outcome(self, state: dict[str, Any]) -> int | None:
        return None if state["left"] else 1 - state["side"]


def test_leaf_counts_are_those_of_the_rules() -> None:
    assert [perft(Noughts().start(), depth) for depth in (1, 2, 3)] == [9, 72, 504]


@pytest.mark.parametrize("agent", ["alphabeta:depth=9", "minimax:depth=9", "mcts:simulations=400"])
def test_agents_find_a_win_and_prevent_one_of_the_opponent(agent: str) -> None:
    game = Noughts()
    player = load_player(agent, game, seed=1)
    assert str(player.choose(game.parse("'xx.oo....'")).move) == "c3"
    assert str(player.choose(game.parse("'oo.x.x...'")).move) in {"c3", "b2"}
    assert str(player.choose(game.parse("'x...x.o..'")).move) == "c1"


@pytest.mark.parametrize("game", [Heap, RecordHeap, DictHeap])
def test_states_of_any_kind_are_searched(game: type[Heap]) -> None:
    choice = load_player("alphabeta:depth=6", game()).choose(game().start())
    assert choice.move is not None
    assert (str(choice.move), str(choice.score)) == ("2", "win in 2 moves (3 plies)")


@pytest.mark.parametrize("game", [Noughts, Heap, RecordHeap, DictHeap])
def test_positions_survive_text_and_pickling(game: type[PlainGame[Any, Any]]) -> None:
    position = game().start()
    while position.outcome is None:
        position = position.apply(position.legal_moves[-1])
        plain_game._nodes.clear()
        again = game().parse(str(position))
        assert again == position == pickle.loads(pickle.dumps(position))
        assert again.legal_moves == position.legal_moves
        assert hash(again) == hash(position)


def test_equal_dictionaries_are_one_position() -> None:
    start = DictHeap().start()
    assert start.apply_moves("1 2 1") != start.apply_moves("1 1 2")
    assert start.apply_moves("1 1 1") == DictHeap().parse("{'side':1,'left':[1,1],'taken\\x20by':{1:1,0:2}}")


def test_states_that_are_not_kept_are_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_game, "MAX_KEPT", 2)
    assert perft(Noughts().start(), 3) == 504
    assert len(plain_game._nodes) == 2


def test_playouts_end_and_are_repeatable() -> None:
    first, second = (playouts(Noughts().start(), 20, seed=3) for _ in range(2))
    assert first == second
    assert sum(first.wins) + first.draws == 20


def test_perfect_players_draw() -> None:
    players = ("alphabeta:depth=9", "mcts:simulations=2000")
    setup = MatchSetup(Noughts(), players, limit=Limit(), seed=1)  # by default, a move takes at most a second
    match = setup.start_match().play()
    assert match.outcome == Outcome(None, Termination.RULES)


def test_the_board_is_drawn_and_clicked_by_the_names_of_its_cells() -> None:
    picture = Noughts().start().apply("b2").picture()
    assert [(piece.cell, piece.side) for piece in picture.pieces] == [("b2", 0)]
    assert picture.clicks["c1"] == (("c1",),)
    assert "b2" not in picture.clicks


def test_a_move_that_names_no_cells_is_a_button() -> None:
    picture = Heap().start().picture()
    assert "(5,0)" in Heap().start().board()
    assert picture.buttons == (Button("1"), Button("2"))
    assert picture.clicks == {"1": (("1",),), "2": (("2",),)}


@pytest.mark.parametrize("text", ["", "x", "'xx'", "7", "'xx.oo...'", "[" * 300, "__import__('os')"])
def test_a_text_that_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(PositionError):
        Noughts().parse(text)


def test_a_move_that_is_not_legal_is_refused() -> None:
    with pytest.raises(IllegalMoveError, match="illegal move 'b2'"):
        Noughts().start().apply("b2").apply("b2")


def test_a_class_that_is_defined_again_takes_over() -> None:
    def heap_of(counters: int) -> Heap:
        class Again(Heap):
            name = "again"

            def legal_moves(self, state: Any) -> Any:
                return [take for take in range(1, counters) if take <= state[0]]

        return Again()

    assert len(heap_of(3).start().legal_moves) == 2
    assert len(heap_of(4).start().legal_moves) == 3


# --- kernels instead of methods ---------------------------------------------------------


class Packed(Noughts):
    """The same game on two words, the cells of each side."""

    name = "packed-noughts"
    word_count = 2

    def all_moves(self) -> tuple[str, ...]:
        return CELLS

    def pack_state(self, state: str) -> list[int]:
        return [sum(1 << place for place in range(9) if state[place] == symbol) for symbol in "xo"]

    def unpack_state(self, words: Words) -> str:
        first, second = (int(word) for word in words)
        if first & second or (first | second) >> 9:
            raise ValueError("a cell has one symbol")
        return "".join("x" if first >> n & 1 else "o" if second >> n & 1 else "." for n in range(9))


@kernel(SideToMove)
def packed_side(position: Words) -> int:
    return 1 if popcount(position[0]) > popcount(position[1]) else 0


@kernel(OutcomeOf)
def packed_outcome(position: Words) -> int:
    for side in range(2):
        for line in LINE_BITS:
            if position[side] & line == line:
                return side
    return 2 if popcount(position[0] | position[1]) == 9 else -1


@kernel(LegalMoves)
def moves_after_the_end(position: Words, moves: Actions) -> int:
    """Write all empty cells, also if the match is over."""
    count = 0
    for cell in range(9):
        if not has_bit(position[0] | position[1], cell):
            moves[count] = cell
            count += 1
    return count


@kernel(LegalMoves)
def packed_moves(position: Words, moves: Actions) -> int:
    return 0 if packed_outcome(position) >= 0 else moves_after_the_end(position, moves)


@kernel(Apply)
def packed_apply(position: Words, action: int, successor: Words) -> None:
    successor[0], successor[1] = position[0], position[1]
    successor[packed_side(position)] |= bit(action)


@kernel(OutcomeOf)
def swapped_outcome(position: Words) -> int:
    outcome = packed_outcome(position)
    return 1 - outcome if outcome in (0, 1) else outcome


@kernel(SideToMove)
def first_side(position: Words) -> int:
    return 0


@kernel(LegalMoves)
def too_few_moves(position: Words, moves: Actions) -> int:
    return max(packed_moves(position, moves) - 1, 0)


@kernel(Apply)
def idle_apply(position: Words, action: int, successor: Words) -> None:
    successor[0], successor[1] = position[0] | bit(action), position[1]


PACKED = {
    "side_to_move": packed_side,
    "legal_moves": packed_moves,
    "apply": packed_apply,
    "outcome": packed_outcome,
}


def packed_with(**kernels: Any) -> Packed:
    class Partly(Packed):
        def compiled(self) -> dict[str, Any]:
            return kernels

    return Partly()


@pytest.mark.parametrize("names", [(), *[(name,) for name in PACKED], tuple(PACKED)])
def test_kernels_replace_the_methods_one_after_the_other(names: tuple[str, ...]) -> None:
    game = packed_with(**{name: PACKED[name] for name in names})
    assert [perft(game.start(), depth) for depth in (1, 2, 3)] == [9, 72, 504]
    assert game.parse("'xx.oo....'") == game.unpack([3, 24])
    assert str(load_player("alphabeta:depth=9", game).choose(game.unpack([3, 24])).move) == "c3"
    report = check_game(game, matches=4, positions=10)
    assert report.ok, str(report)
    assert ("reference" in {check.name for check in report.checks}) == bool(names)


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("outcome", swapped_outcome, "in the reference"),
        ("side_to_move", first_side, "the side to move is 0, but 1 in the reference"),
        ("legal_moves", too_few_moves, "is legal only in the reference"),
        ("apply", idle_apply, "in the reference"),
    ],
)
def test_a_kernel_that_differs_from_the_method_is_found(name: str, wrong: Any, words: str) -> None:
    report = check_game(packed_with(**{name: wrong}), matches=4, positions=20, only=["reference"])
    assert not report.ok
    assert words in str(report)


@kernel(LegalMoves)
def moves_to_occupied_cells(position: Words, moves: Actions) -> int:
    if packed_outcome(position) >= 0:
        return 0
    for cell in range(9):
        moves[cell] = cell
    return 9


@pytest.mark.parametrize(
    ("wrong", "text", "action", "reason"),
    [
        (moves_to_occupied_cells, "'x........'", 0, "'a3', which the method does not return"),
        (moves_after_the_end, "'xxxoo....'", 5, "'c2', which is not legal because the match is over"),
    ],
)
def test_an_illegal_move_of_a_kernel_is_named(wrong: Any, text: str, action: int, reason: str) -> None:
    game = packed_with(legal_moves=wrong)
    position = game.parse(text)
    message = f"Partly.compiled returned a kernel `legal_moves` that writes {reason}"
    with pytest.raises(RulesError, match=re.escape(message)):
        position.apply(position.legal_moves[[move.action for move in position.legal_moves].index(action)])


def test_illegal_moves_of_a_kernel_are_compared_with_the_method() -> None:
    game = packed_with(legal_moves=moves_to_occupied_cells)
    report = check_game(game, matches=4, positions=20)
    found = [finding.message for finding in report.findings if finding.check == "reference"]
    assert len(found) == 3
    assert all("is legal only in the game" in message for message in found)
    exceptions = [
        finding for finding in report.findings if "which the method does not return" in finding.message
    ]
    assert len({finding.check for finding in exceptions}) == 2


@pytest.mark.parametrize("words", [[1, 1], [512, 0]])
def test_words_that_are_no_state_are_refused(words: list[int]) -> None:
    with pytest.raises(PositionError, match="these words are not a position of Packed noughts"):
        packed_with().unpack(words)


def test_kernels_need_a_packing_and_numbered_moves() -> None:
    class Unpacked(Noughts):
        def compiled(self) -> dict[str, Any]:
            return PACKED

    with pytest.raises(RulesError, match="need `word_count`, `pack_state`, `unpack_state` and `all_moves`"):
        Unpacked()


# --- faults of the author -------------------------------------------------------------


class BrokenApply(Heap):
    def apply(self, state: Any, move: Any) -> Any:
        raise KeyError("no such counter")


KEY_ERROR = f"test_plain_game.py:{inspect.unwrap(BrokenApply.apply).__code__.co_firstlineno + 1}"


class ChangingApply(DictHeap):
    def apply(self, state: Any, move: Any) -> Any:
        state["left"].pop()
        return state


class ThirdSide(Heap):
    def side_to_move(self, state: Any) -> int:
        return 2


class WrongWinner(Heap):
    def outcome(self, state: Any) -> Any:
        return "left"


class TrueOrFalse(Heap):
    def outcome(self, state: Any) -> Any:
        return state[0] == 0


class NumpyTrueOrFalse(Heap):
    def outcome(self, state: Any) -> Any:
        return np.int64(state[0]) == 0


class TwiceTheSameMove(Heap):
    def legal_moves(self, state: Any) -> Any:
        return [1, 1]


class ListsInMoves(Heap):
    def legal_moves(self, state: Any) -> Any:
        return [(1,), (2, [3])]


class NestedDataclass(Heap):
    def initial_state(self) -> Any:
        return Counters(5, 0), 0

    def side_to_move(self, state: Any) -> int:
        return 0


class WideBoard(Heap):
    def board(self, state: Any) -> list[str]:
        return ["." * 27]


class ForgottenState(Heap):
    def parse_state(self, text: str) -> Any:
        raise IndexError(text)


class NoMoves(Heap):
    def legal_moves(self, state: Any) -> Any:
        return None


class TooManyMoves(Heap):
    most_moves = 1


class GrowingText(Heap):
    def apply(self, state: Any, move: Any) -> Any:
        return (*state, "history" * 10)


class RoomToGrow(GrowingText):
    longest_text = 1000


class SpacesInText(Heap):
    def state_text(self, state: Any) -> str:
        return f"{state[0]} {state[1]}"


class WildValue(Heap):
    def evaluate(self, state: Any) -> float:
        return 7.0


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (BrokenApply, f"BrokenApply.apply raised KeyError: 'no such counter' ({KEY_ERROR}, for the move 1)"),
        (ChangingApply, "ChangingApply.apply changed the state that it was given"),
        (ThirdSide, "ThirdSide.side_to_move returned 2, not 0 or 1"),
        (WrongWinner, "WrongWinner.outcome returned 'left', not None, 0, 1 or 'draw'"),
        (TrueOrFalse, "TrueOrFalse.outcome returned False, not None, 0, 1 or 'draw'"),
        (NumpyTrueOrFalse, f"outcome returned {np.False_!r}, not None, 0, 1 or 'draw'"),
        (TwiceTheSameMove, "TwiceTheSameMove.legal_moves returned 1 twice"),
        (ListsInMoves, "ListsInMoves.legal_moves returned (2, [3]), which is not hashable"),
        (NestedDataclass, "NestedDataclass.state_text cannot write Counters(left=5, side=0); implement"),
        (NoMoves, "NoMoves.legal_moves returned None, not a Sequence"),
        (TooManyMoves, "TooManyMoves.legal_moves returned 2 moves, but `most_moves` is 1"),
        (
            GrowingText,
            "without `longest_text` the limit is 10; set it in the class to the largest",
        ),
        (SpacesInText, "SpacesInText.state_text returned '5 0', which is empty or has spaces"),
        (WildValue, "WildValue.evaluate returned 7.0, not a number from -1 to 1"),
    ],
)
def test_a_fault_in_the_rules_is_named_even_in_the_middle_of_a_search(game: type[Heap], words: str) -> None:
    with pytest.raises(RulesError, match=re.escape(words)):
        load_player("alphabeta:depth=4", game()).choose(game().start(), Limit(depth=4))


def test_a_text_may_grow_up_to_the_declared_length() -> None:
    position = RoomToGrow().start().apply_moves("1 1 1 1")
    assert len(str(position)) > 200
    assert RoomToGrow().parse(str(position)) == position


class ChancyApply(DictHeap):
    def apply(self, state: Any, move: Any) -> Any:
        following = super().apply(state, move)
        following["left"] = [random.randrange(100), *following["left"]][:-1]
        return following


def test_an_apply_that_depends_on_chance_is_shown_by_two_states() -> None:
    report = check_game(ChancyApply(), matches=4, positions=10, only=["apply", "purity"])
    assert report.failed() == {"purity"}
    first = report.findings[0].message
    assert re.match(
        r"apply gives two different results, \"{'left':.*}\" and \"{'left':.*}\": \d in \"{", first
    )


def test_a_board_that_is_too_wide_is_named() -> None:
    with pytest.raises(RulesError, match=r"WideBoard.board returned a row of more than 26 cells"):
        WideBoard().start().picture()


def test_a_state_that_cannot_be_parsed_again_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_game, "MAX_KEPT", 1)
    with pytest.raises(RulesError, match=r"ForgottenState\.parse_state raised IndexError"):
        perft(ForgottenState().start(), 3)


def test_numbers_of_numpy_are_numbers() -> None:
    class Numpy(Heap):
        name = "numpy-heap"

        def side_to_move(self, state: Any) -> Any:
            return np.int64(state[1])

        def evaluate(self, state: Any) -> Any:
            return np.float32(0.5)

    choice = load_player("alphabeta:depth=1", Numpy()).choose(Numpy().start())
    assert choice.score is not None
    assert abs(choice.score.to_return()) == 0.5


def test_a_text_of_another_type_is_no_position() -> None:
    with pytest.raises(PositionError, match=r"write it like \(5,0\)"):
        Heap().parse("[5,0]")


def test_a_game_without_a_name_is_refused() -> None:
    with pytest.raises(PluginError, match="has no name: set `name`"):
        type("Nameless", (Heap,), {"name": ""})()


def test_a_game_counts_points_only_if_it_has_a_method_for_them() -> None:
    class Counting(Noughts):
        name = "counting"

        def points(self, state: str) -> tuple[int, int]:
            return state.count("X"), state.count("O")

    assert (Noughts().counts_points, Counting().counts_points) == (False, True)
    with pytest.raises(OptionError, match="plain-noughts counts no points"):
        Plan(game=Noughts(), agents=("random", "random"), adjudication=Adjudication(points=True))
