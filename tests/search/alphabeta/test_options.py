"""Search options: how they apply to a game."""

from dataclasses import fields, replace

import pytest

import boardgames
from boardgames.search.alphabeta.options import SEARCH_OPTIONS, SearchOptions
from boardgames.search.alphabeta.workspace import OPTIONS_DTYPE

pytestmark = pytest.mark.plain

ABALONE, CONNECT4 = boardgames.load("abalone"), boardgames.load("connect4")


def test_the_agent_has_every_option_with_the_same_default() -> None:
    defaults = {option.name: option.default for option in SEARCH_OPTIONS}
    assert defaults == {field.name: field.default for field in fields(SearchOptions)}


def test_selective_techniques_need_a_game_that_allows_them() -> None:
    options = SearchOptions().record(CONNECT4, CONNECT4.evaluation)[0]
    assert not CONNECT4.facts.allows_reductions
    assert (options.selective, options.lmr, options.null_move, options.futility_margin) == (0, 0, 0, 0.0)


def test_a_game_without_tactical_moves_has_no_futility_margin() -> None:
    evaluation = replace(CONNECT4.evaluation, margin=1.0)
    assert SearchOptions().record(CONNECT4, evaluation)[0].futility_margin == 0.0


@pytest.mark.parametrize("technique", ["lmr", "futility", "null_move"])
def test_a_search_is_selective_as_long_as_one_technique_is_on(technique: str) -> None:
    off = SearchOptions(lmr=False, futility=False, null_move=False)
    assert off.record(ABALONE, ABALONE.evaluation)[0].selective == 0
    assert replace(off, **{technique: True}).record(ABALONE, ABALONE.evaluation)[0].selective == 1


def test_plain_alpha_beta_uses_no_technique() -> None:
    options = SearchOptions.plain().record(ABALONE, ABALONE.evaluation)[0]
    used = {name for name in OPTIONS_DTYPE.names or () if getattr(options, name)}
    assert used == {"order_quiet_moves", "plies_left"}  # the game orders quiet moves, and there is no limit


def test_repetitions_are_detected_only_where_the_rules_set_no_end() -> None:
    assert SearchOptions().detects_repetition(ABALONE.facts)
    assert not SearchOptions().detects_repetition(CONNECT4.facts)
