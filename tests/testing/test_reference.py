"""References: they are loaded by name, and count leaves."""

import pytest
from faulty import Noughts, SlowRules

from boardgames.errors import PluginError
from boardgames.testing import count_reference_leaves, load_reference


def test_a_reference_is_made_with_the_options_of_the_game() -> None:
    assert isinstance(load_reference("faulty:SlowRules", Noughts()), SlowRules)


@pytest.mark.parametrize("text", ["faulty", "faulty:", ":SlowRules", "no_such_module:Slow", "faulty:Nobody"])
def test_a_reference_that_cannot_be_loaded_is_quoted(text: str) -> None:
    with pytest.raises(PluginError, match=repr(text)):
        load_reference(text, Noughts())


def test_a_reference_without_its_methods_is_rejected() -> None:
    with pytest.raises(PluginError, match="'builtins:dict' has no method start, legal, play, outcome, text"):
        load_reference("builtins:dict", Noughts())


def test_leaves_of_the_empty_board() -> None:
    leaves = [count_reference_leaves(SlowRules(), ".../.../...:x", depth) for depth in range(5)]
    assert leaves == [1, 9, 72, 504, 3024]
