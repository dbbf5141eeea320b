"""Abalone as a `Game`: facts, options, checks of packed positions, symmetries."""

import numpy as np
import pytest
from reference.abalone import Abalone as Reference

import boardgames
from boardgames.errors import OptionError, PositionError, UnknownNameError
from boardgames.experiments import load_experiment
from boardgames.game import Outcome, Termination
from boardgames.plugins import load_learner
from boardgames.testing import check_game
from boardgames_abalone.board import CELL_OF_BIT, LAYOUTS

GAME = boardgames.load("abalone")
START = GAME.start()
EMPTY = "...../....../......./......../........./......../......./....../....."


def test_facts_describe_the_rules() -> None:
    facts = GAME.facts
    assert (facts.actions, facts.words, facts.longest_match) == (1098, 5, None)
    assert (facts.ply_limit, facts.no_progress_limit) == (400, 100)
    assert (facts.alternates, facts.no_moves_draws) == (True, False)
    assert facts.sides == ("black", "white")
    assert facts.default_agent == "alphabeta"


def test_the_default_layout_is_belgian_daisy() -> None:
    assert (GAME.layout, tuple(GAME.facts.layouts)) == ("belgian-daisy", tuple(LAYOUTS))
    assert boardgames.load("abalone", layout="belgian-daisy").start() == START


@pytest.mark.parametrize("value", ["false", "no", False])
def test_broadside_moves_can_be_disabled(value: object) -> None:
    game = boardgames.load("abalone", layout="standard", broadside=value)
    texts = [str(move) for move in game.start().legal_moves]
    assert len(texts) == 34
    assert all(len(text) == 4 for text in texts)


def test_declared_perft_counts_depend_on_the_option() -> None:
    standard = GAME.facts.layouts["standard"]
    in_line_only = boardgames.load("abalone", broadside=False)
    assert GAME.facts.perft[standard] == (44, 1936, 98_912, 5_045_110)
    assert in_line_only.facts.perft[standard] == (34, 1156, 45_356, 1_778_714)


def test_an_unknown_layout_is_rejected_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="'standart'; did you mean 'standard'"):
        boardgames.load("abalone", layout="standart")


def test_a_layout_can_be_loaded_by_its_name_on_another_site() -> None:
    game = boardgames.load("abalone", layout="german_daisy", broadside=False)
    assert (game.layout, game.describe()) == ("german-daisy", "abalone german-daisy broadside=false")
    assert game.start() == boardgames.load("abalone", layout="german-daisy", broadside=False).start()


def test_an_invalid_option_value_is_rejected() -> None:
    with pytest.raises(OptionError, match="broadside must be true or false, not 'sideways'"):
        boardgames.load("abalone", broadside="sideways")


def test_pushing_off_six_marbles_wins() -> None:
    white_lost_six = GAME.parse(f"{EMPTY[:-1]}b:w:0:6")
    assert white_lost_six.outcome == Outcome(0, Termination.RULES)
    assert white_lost_six.score == (6, 0)


def test_a_side_without_marbles_cannot_move_and_loses() -> None:
    assert GAME.parse(f"{EMPTY[:-1]}b:w:0:0").outcome == Outcome(0, Termination.NO_MOVES)


GUARD = next(bit for bit in range(128) if CELL_OF_BIT[bit] < 0 and bit > 10)


def start_with(**words: int) -> list[int]:
    """Return the packed start with some words replaced: `w2=0` replaces word 2."""
    replaced: list[int] = START.words.tolist()
    for name, word in words.items():
        replaced[int(name[1:])] = word
    return replaced


BAD_WORDS = {
    "a marble on a guard bit": start_with(w0=1 << GUARD),
    "a marble beyond the board": start_with(w1=1 << 63),
    "two marbles on a cell": start_with(w2=int(START.words[0])),
    "seven marbles lost by black": start_with(w4=7 << 8),
    "seven marbles lost by white": start_with(w4=7 << 16),
    "six marbles lost by both": start_with(w4=6 << 8 | 6 << 16),
    "an unused low status bit": start_with(w4=1 << 1),
    "an unused high status bit": start_with(w4=1 << 63),
}


@pytest.mark.parametrize("words", BAD_WORDS.values(), ids=BAD_WORDS)
def test_invalid_packed_positions_are_rejected(words: list[int]) -> None:
    with pytest.raises(PositionError, match="marbles"):
        GAME.unpack(words)


def test_the_packed_start_is_accepted() -> None:
    assert GAME.unpack(start_with()) == START


def test_there_are_eleven_rotations_and_reflections_and_the_swap_of_sides() -> None:
    symmetries = GAME.symmetries()
    assert len(symmetries) == len({symmetry.name for symmetry in symmetries}) == 12
    assert [symmetry.name for symmetry in symmetries if symmetry.swaps_sides] == ["swap of sides"]
    images = {symmetry.words(GAME.parse("b" + EMPTY[1:-2] + "w.").words).tobytes() for symmetry in symmetries}
    assert len(images) == 12


@pytest.mark.parametrize("symmetry", GAME.symmetries(), ids=lambda symmetry: symmetry.name)
def test_the_image_of_a_move_leads_to_the_image_of_its_successor(
    symmetry: boardgames.declarations.Symmetry,
) -> None:
    mapped = GAME.unpack(symmetry.words(START.words))
    for move in START.legal_moves:
        image = GAME.decode(mapped, symmetry.action(START.words, move.action))
        expected = symmetry.words(START.apply(move).words)
        assert np.array_equal(mapped.apply(image).words, expected)


@pytest.mark.slow
def test_the_game_passes_every_check() -> None:
    report = check_game(GAME, matches=2, positions=10, reference=Reference(broadside=True))
    assert report.findings == ()


@pytest.mark.parametrize(
    ("preset", "learner"),
    [(preset, learner) for preset, learners in GAME.facts.presets.items() for learner in learners],
)
def test_presets_are_settings_of_learners_and_experiments(preset: str, learner: str) -> None:
    settings = dict(GAME.facts.presets[preset][learner])
    if learner in {offer.entry.name for offer in boardgames.registry().offers("experiments", "abalone")}:
        assert settings.pop("layout") in GAME.layout_names
        options = load_experiment(learner, GAME, **settings).options
    else:
        options = load_learner(learner, GAME, **settings).options
    assert {name: options[name] for name in settings} == settings


def test_openings_of_fortress_are_different_positions_without_a_push_off() -> None:
    openings = GAME.facts.openings["fortress"]
    assert len({GAME.parse(opening).words.tobytes() for opening in openings}) == len(openings) == 34
    assert {GAME.parse(opening).score for opening in openings} == {(0, 0)}
