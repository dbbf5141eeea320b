"""A person who types moves on streams that whoever makes the player hands over."""

from typing import ClassVar, TextIO

from boardgames.errors import MatchError, MoveError
from boardgames.game import Game, Position
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player


class Human(Player):
    """Asks on `output`, reads moves from `input`, and asks again when a move cannot be made.

    Parameters
    ----------
    input, output : text streams
        Where moves come from and questions go; without them the player can
        only be moved from outside (`Manager.make_move`).
    """

    name: ClassVar[str] = "human"
    is_human: ClassVar[bool] = True

    def __init__(
        self,
        game: Game,
        *,
        seed: int | None = None,
        input: TextIO | None = None,
        output: TextIO | None = None,
        **options: object,
    ) -> None:
        super().__init__(game, seed=seed, **options)
        self.input, self.output = input, output

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the first line that is a legal move, or a resignation at `resign`.

        Raises
        ------
        MatchError
            If there is no stream to read, or it ends.
        """
        self._check_open(position)
        if self.input is None:
            raise MatchError("expected a stream of moves for the human player: none was given")
        side = position.game.facts.sides[position.side_to_move]
        while True:
            self._say(f"{side} to move: ")
            line = self.input.readline()
            if not line:
                raise MatchError("expected a move: the input has ended")
            if line.strip() == "resign":
                return Choice(None)
            if line.strip():
                try:
                    return Choice(position.game.parse_move(position, line))
                except MoveError as error:
                    self._say(f"{error}\n")

    def _say(self, text: str) -> None:
        if self.output is not None:
            self.output.write(text)
            self.output.flush()
