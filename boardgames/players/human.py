"""The agent `human`: a person who types moves. The caller provides the input and output streams."""

from typing import ClassVar, TextIO

from boardgames.errors import MatchError, MoveError
from boardgames.game import Game, Position
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player


class Human(Player):
    """Prompts on `output`, reads moves from `input`, and asks again if a move is not legal.

    Parameters
    ----------
    input, output : text streams
        Streams for moves and prompts. Without `input`, moves can only be made
        from outside (`Manager.make_move`).
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
        """Return the first legal move that is entered, or a resignation for `resign`.

        Raises
        ------
        MatchError
            If there is no input, or it ends.
        """
        self._check_position(position)
        if self.input is None:
            raise MatchError("the human player has no input to read moves from")
        side = position.game.facts.sides[position.side_to_move]
        while True:
            self._write(f"{side} to move: ")
            line = self.input.readline()
            if not line:
                raise MatchError("the input ended before a move was entered")
            if line.strip() == "resign":
                return Choice(None)
            if line.strip():
                try:
                    return Choice(position.game.parse_move(position, line))
                except MoveError as error:
                    self._write(f"{error}\n")

    def _write(self, text: str) -> None:
        if self.output is not None:
            self.output.write(text)
            self.output.flush()
