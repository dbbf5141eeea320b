"""A maze: a small game, as kernels and in plain Python, in which repetition decides most matches.

Both sides move the same token, in turn, through the doors of up to eight rooms. Two exits end the match:
one is won by side 0, the other by side 1. With the option `again`, the side that takes the third door of
a room moves again. A room without doors is a dead end, in which the side to move is stuck.

A position is `uint64[5]`: the room, the side to move, the options, and three doors of 4 bits for each of
eight rooms in two words. Its text is `room:side:doors,doors,...` with three letters for each room: `a` to
`h` for a room, `X` and `Y` for the exits that side 0 and side 1 win, and `.` for a wall. Moves are the
letters of the rooms; if two doors lead to the same room, the later door is left out.
"""

import random
import sys
from types import ModuleType

import numpy as np

from boardgames.declarations import Facts, Kernels, Repetition
from boardgames.errors import PositionError
from boardgames.game import Game, Position
from boardgames.hookspecs import Entry, hookimpl
from boardgames.kernels import Actions, Apply, LegalMoves, OutcomeOf, SideToMove, Words, kernel
from boardgames.options import Option
from boardgames.picture import Button, Caption, Picture
from boardgames.plain_game import PlainGame

ROOMS, DOORS, BITS = 8, 3, 4
PLACES = "abcdefghXY"
AGAIN = np.uint64(1)
MASK = np.uint64(15)
FOUR_ROOMS = 4
LAYOUT = "a:0:bc.,aXd,abd,bYc"


@kernel(LegalMoves)
def legal_moves(position: Words, moves: Actions) -> int:
    """Write the places behind the doors of the room, each once."""
    room, count = np.int64(position[0]), 0
    if room >= ROOMS:
        return 0
    for place in range(ROOMS + 2):
        for door in range(DOORS):
            shift = np.uint64(BITS * (DOORS * (room % FOUR_ROOMS) + door))
            if np.int64((position[3 + room // FOUR_ROOMS] >> shift) & MASK) == place + 1:
                moves[count] = place
                count += 1
                break
    return count


@kernel(Apply)
def apply(position: Words, action: int, successor: Words) -> None:
    """Move the token. With the option `again`, the third door gives another move."""
    for index in range(5):
        successor[index] = position[index]
    room, first = np.int64(position[0]), DOORS
    for door in range(DOORS - 1, -1, -1):
        shift = np.uint64(BITS * (DOORS * (room % FOUR_ROOMS) + door))
        if np.int64((position[3 + room // FOUR_ROOMS] >> shift) & MASK) == action + 1:
            first = door
    successor[0] = np.uint64(action)
    if not (first == DOORS - 1 and position[2] & AGAIN != np.uint64(0)):
        successor[1] = np.uint64(1) - position[1]


@kernel(SideToMove)
def side_to_move(position: Words) -> int:
    """Return the side to move."""
    return int(np.int64(position[1]))


@kernel(OutcomeOf)
def outcome(position: Words) -> int:
    """Return the side that wins at the exit, or -1 in a room."""
    return int(np.int64(position[0])) - ROOMS if position[0] >= np.uint64(ROOMS) else -1


OPTIONS = (
    Option("repetition", str, "", "what a repeated position means"),
    Option("again", bool, False, "the third door of a room gives another move"),
    Option("draws", bool, False, "a side that is stuck draws"),
    Option("rooms", str, LAYOUT, "the start"),
)


def facts_of(game: Game) -> dict[str, object]:
    """Return the facts that follow from the options."""
    text = str(game.options["repetition"])
    return {
        "repetition": Repetition.parse(text) if text else None,
        "alternates": not game.options["again"],
        "no_moves_draws": game.options["draws"],
        "no_moves_loses": not game.options["draws"],
        "ply_limit": 60,
    }


class Maze(Game):
    """The maze as kernels."""

    declared_options = OPTIONS

    def prepare(self) -> None:
        """Set the facts and kernels."""
        self.kernels = Kernels(legal_moves, apply, side_to_move, outcome)
        self.facts = Facts(
            name="maze",
            title="Maze",
            sides=("ann", "bob"),
            words=5,
            actions=ROOMS + 2,
            layouts={"standard": str(self.options["rooms"])},
            **facts_of(self),  # type: ignore[arg-type]  # values of several types
        )

    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Return the words that a text describes."""
        parts = text.split(":")
        if len(parts) != 3 or parts[0] not in PLACES or parts[1] not in "01":
            raise PositionError(f"a position is written room:side:doors, not {text!r}")
        words = [PLACES.index(parts[0]), int(parts[1]), int(bool(self.options["again"])), 0, 0]
        for room, doors in enumerate(parts[2].split(",")):
            for door, letter in enumerate(doors):
                shift = BITS * (DOORS * (room % FOUR_ROOMS) + door)
                words[3 + room // FOUR_ROOMS] |= (PLACES.find(letter) + 1) << shift
        return np.array(words, dtype=np.uint64)

    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return the text of a position."""
        doors = [
            ("." + PLACES)[
                int(words[3 + room // FOUR_ROOMS]) >> BITS * (DOORS * (room % FOUR_ROOMS) + door) & 15
            ]
            for room in range(ROOMS)
            for door in range(DOORS)
        ]
        rooms = ["".join(doors[DOORS * room : DOORS * (room + 1)]) for room in range(ROOMS)]
        while len(rooms) > 1 and rooms[-1] == "...":
            rooms.pop()
        return f"{PLACES[int(words[0])]}:{words[1]}:{','.join(rooms)}"

    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return the letter of a place."""
        return PLACES[action]

    def draw(self, position: Position) -> Picture:
        """Return buttons for the doors."""
        texts = [PLACES[action] for action in position.actions]
        return Picture(
            buttons=tuple(Button(text) for text in texts),
            captions=(Caption("top-left", self.format_words(position.words)),),
            clicks={text: ((text,),) for text in texts},
        )


class PlainMaze(PlainGame[tuple[str, int, str], str]):
    """The maze in plain Python."""

    name, title, sides = "plain-maze", "Plain maze", ("ann", "bob")
    declared_options = OPTIONS
    longest_text = 80

    @property
    def other_facts(self) -> dict[str, object]:  # type: ignore[override]  # it depends on the options
        """Return the facts that follow from the options."""
        return facts_of(self)

    def initial_state(self) -> tuple[str, int, str]:
        """Return the room, the side to move and the doors."""
        room, side, doors = str(self.options["rooms"]).split(":")
        return room, int(side), doors

    def side_to_move(self, state: tuple[str, int, str]) -> int:
        """Return the side to move."""
        return state[1]

    def legal_moves(self, state: tuple[str, int, str]) -> list[str]:
        """Return the places behind the doors."""
        return sorted(set(doors_of(state)) - {"."}, key=PLACES.index)

    def apply(self, state: tuple[str, int, str], move: str) -> tuple[str, int, str]:
        """Return the state with the token in another place."""
        is_again = self.options["again"] and doors_of(state).index(move) == DOORS - 1
        return move, state[1] if is_again else 1 - state[1], state[2]

    def outcome(self, state: tuple[str, int, str]) -> int | None:
        """Return the side that wins at the exit, or None in a room."""
        return "XY".index(state[0]) if state[0] in "XY" else None


def doors_of(state: tuple[str, int, str]) -> str:
    """Return the three doors of the room that the token is in."""
    return state[2].split(",")[PLACES.index(state[0])]


def random_maze(seed: int, rooms: int = 5) -> str:
    """Return the start of a random maze, in which exits are rare."""
    generator = random.Random(seed)
    places = PLACES[:rooms]
    doors = ["".join(generator.choice(places + places + "XY.") for _ in range(DOORS)) for _ in range(rooms)]
    return f"a:{generator.randrange(2)}:{','.join(doors)}"


def as_plugin() -> ModuleType:
    """Return a plug-in module, imported as `maze_plugin`, that registers both games."""

    @hookimpl
    def bg_games() -> list[Entry]:
        return [
            Entry("maze", "a maze", f"{__name__}:Maze"),
            Entry("plain-maze", "a maze in plain Python", f"{__name__}:PlainMaze"),
        ]

    module = ModuleType("maze_plugin", "Mazes for the tests.")
    module.bg_games = bg_games  # type: ignore[attr-defined]  # a module made by hand
    sys.modules["maze_plugin"] = module
    return module
