"""Pattern sets: what they declare, what they look up, and what they reject."""

from typing import Any

import pytest

import boardgames
from boardgames.errors import KernelError, PluginError
from boardgames.patterns import PatternModel, PatternSet, single_phase

CELLS = boardgames.load_patterns("cells", boardgames.load("connect4", columns=4, rows=4))


def test_images_of_a_group_are_looked_up_in_its_table() -> None:
    lookups = CELLS.grouped([(0, 1), (2, 14, 7)]).lookups
    assert lookups == (((0, 1), 0), ((12, 13), 0), ((2, 14, 7), 16), ((14, 2, 11), 16))


def test_size_counts_the_weights_of_all_groups_and_phases() -> None:
    assert CELLS.grouped([(0, 1), (2, 14, 7)]).size == 2 * (4**2 + 4**3)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"values": 1}, "two values"),
        ({"groups": ((0, 0),)}, "different cells, 0 to 8, not"),
        ({"groups": ((0, 9),)}, "different cells, 0 to 8, not"),
        ({"groups": ((),)}, "different cells"),
        ({"symmetries": ((0, 1, 2),)}, "permutation of all 9 cells"),
        ({"neighbours": ((1,),) * 8}, "neighbours, 0 to 8, for each"),
        ({"neighbours": ((9,),) * 9}, "neighbours, 0 to 8, for each"),
        ({"values": 100, "groups": (tuple(range(5)),)}, "would have 10,000,000,000 weights"),
        ({"bitboards": ((0, 1),), "bits": tuple(range(9))}, "bitboard for each value from 1 to 2"),
        ({"bitboards": ((0, 1), (1, 0)), "bits": tuple(range(8))}, "each of the 9 cells"),
        ({"bitboards": ((0, 1), (1, 0)), "bits": (0,) * 9}, "different bit for each"),
    ],
)
def test_impossible_declaration_raises(declared: dict[str, Any], message: str) -> None:
    with pytest.raises(PluginError, match=message):
        PatternSet("mine", CELLS.kernel, **({"cells": 9, "values": 3} | declared))


@pytest.mark.parametrize(
    "declared",
    [
        {"scale": 0.0},
        {"bound": 1e300},
        {"slope": float("inf")},
        {"limit": -1.0},
        {"margin": float("nan")},
        {"unit": "marbles"},
        {"material": 3},
        {"terms": single_phase},
        {"start": 0},
    ],
    ids=lambda declared: next(iter(declared)),
)
def test_impossible_model_raises(declared: dict[str, Any]) -> None:
    (name,) = declared
    with pytest.raises(PluginError, match=f"{name} of a pattern model must be"):
        PatternModel(**declared)


def test_kernel_with_another_signature_raises() -> None:
    with pytest.raises(KernelError, match="cells of patterns 'mine'"):
        PatternSet("mine", single_phase, 9, 3)  # type: ignore[arg-type]  # wrong on purpose
