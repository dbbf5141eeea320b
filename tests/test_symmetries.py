"""Symmetries of games as permutations of places and actions."""

import numpy as np
from nim import Nim

import boardgames
from boardgames.declarations import Symmetry
from boardgames.kernels import Words
from boardgames.symmetries import images_of


def test_a_game_without_symmetries_has_one_that_changes_nothing() -> None:
    images = images_of(Nim())
    assert images.count == 1
    for permutation in (images.places[0], images.actions[0]):
        assert permutation.tolist() == list(range(len(permutation)))


def test_generators_are_composed_into_a_group() -> None:
    class Generated(type(boardgames.load("tictactoe"))):  # type: ignore[misc]  # a class that is found when it runs
        def symmetries(self) -> tuple[Symmetry, ...]:
            every: tuple[Symmetry, ...] = super().symmetries()
            return every[0], every[1]

    assert images_of(Generated()).count == 8


def test_actions_that_depend_on_the_position_exclude_a_symmetry() -> None:
    class Turned(type(boardgames.load("connect4"))):  # type: ignore[misc]  # a class that is only known here
        def symmetries(self) -> tuple[Symmetry, ...]:
            (reflection,) = super().symmetries()
            return (Symmetry("turn", reflection.words, _even_or_odd),)

    assert images_of(Turned()).count == 1


def _even_or_odd(words: Words, action: int) -> int:
    return action if words[0] % np.uint64(2) else 6 - action
