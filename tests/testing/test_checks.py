"""The checks of a game's facts."""

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from installed import add_plugin
from nim import Nim

from boardgames.declarations import Symmetry
from boardgames.hookspecs import Entry, hookimpl
from boardgames.kernels import Bytes, Observe, Words, kernel
from boardgames.observation import Observation
from boardgames.plain_game import PlainGame
from boardgames.testing import check_game


@pytest.mark.parametrize(("title", "faults"), [("", 0), ("Nim", 0), ("The Game of Nim", 1)])
def test_a_title_must_be_that_of_the_entry(monkeypatch: pytest.MonkeyPatch, title: str, faults: int) -> None:
    module = ModuleType("nim_under_test")

    def bg_games() -> list[Entry]:
        return [Entry("nim", "take stones", "nim:Nim", title=title)]

    module.bg_games = hookimpl(bg_games)  # type: ignore[attr-defined]  # a module made here
    add_plugin(monkeypatch, module)
    report = check_game(Nim(), only=("facts",))
    assert [finding.message for finding in report.findings] == faults * [
        "facts.title is 'Nim', but the entry of the plug-in says 'The Game of Nim'"
    ]


def test_a_title_that_is_made_of_the_name_is_that_of_a_plain_game(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("plain_under_test")

    def bg_games() -> list[Entry]:
        return [Entry("nim-in_python", "take stones", "nim:Nim")]

    class Plain(PlainGame[int, int]):
        name = "nim-in_python"

        def initial_state(self) -> int:
            return 5

        def side_to_move(self, state: int) -> int:
            return state % 2

        def legal_moves(self, state: int) -> list[int]:
            return [1]

        def apply(self, state: int, move: int) -> int:
            return state - move

        def outcome(self, state: int) -> int | None:
            return 0 if state == 0 else None

    module.bg_games = hookimpl(bg_games)  # type: ignore[attr-defined]  # a module made here
    add_plugin(monkeypatch, module)
    assert check_game(Plain(), only=("facts",)).ok


@kernel(Observe)
def observe_off_the_board(position: Words, side: int, out: Bytes) -> None:
    """Write the number of the place everywhere."""
    for place in range(out.shape[0]):
        out[place] = place


def test_planes_must_be_0_off_the_board() -> None:
    class Seen(Nim):
        def observation(self) -> Observation:
            return Observation(observe_off_the_board, ("heap",), 2, 2, ((0, 0), (0, 1), (1, 1)))

    finding = check_game(Seen(), matches=1, positions=3, only=("observation",)).findings[0]
    assert finding.message == (
        "the plane 'heap' is 2 in row 1, column 0, which is not on the board, in '7:0:0:0'"
    )


@kernel(Observe)
def observe_too_many(position: Words, side: int, out: Bytes) -> None:
    """Write a number that does not fit, and one that just fits."""
    count = 300
    out[0] = count
    out[1] = count - 428


def test_numbers_of_planes_must_be_from_minus_128_to_127() -> None:
    class Wrapped(Nim):
        def observation(self) -> Observation:
            return Observation(observe_too_many, ("heap",), 1, 2)

    report = check_game(Wrapped(), matches=1, positions=3, only=("observation",))
    assert [finding.message for finding in report.findings][:1] == [
        "the plane 'heap' is 300 in row 0, column 0, but numbers must be -128 to 127, in '7:0:0:0'"
    ]
    assert "column 1" not in str(report.findings)


def test_positions_that_look_the_same_but_have_other_moves_are_a_remark() -> None:
    class Blind(Nim):
        def observation(self) -> Observation:
            return Observation(observe_off_the_board, ("heap",), 2, 2)

    report = check_game(Blind(), matches=2, positions=10, only=("observation",))
    assert report.ok
    assert report.remarks
    for remark in report.remarks:
        assert remark.message.startswith(
            "the observation is the same as in a position with other legal moves in"
        )
    assert not check_game(Nim(), matches=2, positions=10, only=("observation",)).remarks


@kernel(Observe)
def observe_stones(position: Words, side: int, out: Bytes) -> None:
    """Write the number of stones."""
    out[0] = np.int64(position[0])


@pytest.mark.parametrize(
    ("image", "remarks"),
    [
        (lambda words: words.copy(), []),
        (
            lambda words: words + np.uint64(1),
            ["more stones does not permute the places of the observation, so networks cannot use it"],
        ),
    ],
    ids=["identity", "other"],
)
def test_symmetries_that_do_not_permute_places_are_a_remark(
    image: Callable[[Words], Words], remarks: list[str]
) -> None:
    class Turned(Nim):
        def observation(self) -> Observation:
            return Observation(observe_stones, ("stones",), 1, 1)

        def symmetries(self) -> tuple[Symmetry, ...]:
            return (Symmetry("more stones", image, lambda words, action: action),)

    report = check_game(Turned(), matches=1, positions=3, only=("observation",))
    assert [remark.message for remark in report.remarks] == remarks
