"""A match in a terminal with at least one person: reads moves and commands, shows the board."""

import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.common import outcome_text, print_picture
from boardgames.errors import BoardgamesError, MalformedMoveError, MatchError, near
from boardgames.paths import data_folder
from boardgames.picture import Caption
from boardgames.plugins import player
from boardgames.record import append_record, write_records

if TYPE_CHECKING:
    from boardgames.cli.play import Setup
    from boardgames.game import Move, Position
    from boardgames.manager import Manager

HELP = {
    "moves": "list the legal moves",
    "hint": "let the game's default agent suggest a move",
    "undo": "take a move back",
    "flip": "look from the other side",
    "draw": "offer a draw, or accept one",
    "resign": "give the match up",
    "save FILE": "add the match to a file",
    "load FILE": "go on with the last match of a file",
    "new": "begin another match",
    "quit": "leave; the match is saved",
    "help": "show this list",
}


class Session:
    """The conversation about one match after another.

    Parameters
    ----------
    setup : Setup
        Makes the next match.
    manager : Manager
        Of the first match.
    notation : str or None
        In which moves are read and written.
    confirm : bool
        A person's move is shown and asked about before the turn passes.
    """

    def __init__(
        self, setup: "Setup", manager: "Manager", *, notation: str | None, confirm: bool
    ) -> None:
        self.setup, self.manager = setup, manager
        self.notation, self.confirm = notation, confirm
        self.flipped = False
        self.is_over = False
        self.commands: dict[str, Callable[[str], None]] = {
            name.partition(" ")[0]: getattr(self, f"_{name.partition(' ')[0]}") for name in HELP
        }

    def run(self) -> int:
        """Play until the person leaves; return the exit code."""
        code = 0
        try:
            self._show()
            while not self.is_over:
                self._turn()
        except EOFError:
            click.echo()
        except (KeyboardInterrupt, click.Abort):
            click.echo()
            code = 130
        self._save_away()
        return code

    def _turn(self) -> None:
        manager = self.manager
        if manager.outcome is None and not manager.players[manager.side_to_move].is_human:
            self._agent_moves()
            return
        line = self._read(self._prompt()).strip()
        if not line:
            return
        word, _, rest = line.partition(" ")
        try:
            if word.lower() in self.commands:
                self.commands[word.lower()](rest.strip())
            else:
                self._person_moves(line)
        except BoardgamesError as error:
            click.echo(f"{error}")

    def _prompt(self) -> str:
        if self.manager.outcome is not None:
            return "the match is over (new, undo, save FILE, quit): "
        side = self.manager.side_to_move
        name, colour = self.manager.names[side], self.manager.game.facts.sides[side]
        return f"{colour} ({name}) to move: " if name != colour else f"{name} to move: "

    def _read(self, prompt: str) -> str:
        """Return the next line; line editing where both ends are a terminal."""
        if sys.stdin.isatty() and sys.stdout.isatty():
            return input(prompt)
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        if not sys.stdin.isatty():
            sys.stdout.write("\n")
        return line

    # --- moves -----------------------------------------------------------

    def _agent_moves(self) -> None:
        manager = self.manager
        side, before = manager.side_to_move, manager.position
        manager.step()
        if manager.position != before:
            text = self._written(before, manager.moves[-1].move)
            click.echo(f"{manager.game.facts.sides[side]} plays {text}")
        self._show()

    def _person_moves(self, line: str) -> None:
        manager = self.manager
        if manager.outcome is not None:
            raise MatchError(f"expected new, undo, save FILE or quit: {line!r}")
        manager.tick()
        if manager.outcome is None:
            move = self._parse(line)
            if self.confirm and not self._is_confirmed(move):
                click.echo("taken back")
            else:
                manager.make_move(manager.side_to_move, move)
        self._show()

    def _parse(self, line: str) -> "Move":
        """Return the move of a notation, or of the clicks that make it: `a1 b2`."""
        position = self.manager.position
        clicks = tuple(line.lower().split())
        if len(clicks) > 1:
            for text, sequences in position.picture().clicks.items():
                if clicks in sequences:
                    return position.game.parse_move(position, text)
        try:
            return position.game.parse_move(position, "".join(clicks), notation=self.notation)
        except MalformedMoveError as error:
            hint = near(line, self.commands) if " " not in line else ""
            raise MalformedMoveError(f"{error}" + (hint if "mean" in hint else "")) from None

    def _is_confirmed(self, move: "Move") -> bool:
        position = self.manager.position
        print_picture(position.apply(move).picture().since(position.picture()), flipped=self.flipped)
        answer = self._read(f"keep {self._written(position, move)}? [Enter keeps, u takes it back] ")
        return answer.strip().lower() in ("", "y", "yes", "k", "keep")

    def _written(self, position: "Position", move: "Move") -> str:
        return position.game.format_move(position, move, notation=self.notation)

    # --- commands --------------------------------------------------------

    def _moves(self, rest: str) -> None:
        position = self.manager.position
        texts = [self._written(position, move) for move in position.legal_moves]
        click.echo(f"{len(texts)} legal moves: {' '.join(texts)}")

    def _hint(self, rest: str) -> None:
        manager = self.manager
        agent = player(manager.game.facts.default_agent, manager.game)
        choice = agent.choose(manager.position, self.setup.limit)
        if choice.move is not None:
            click.echo(f"hint: {self._written(manager.position, choice.move)}")

    def _undo(self, rest: str) -> None:
        self.manager.undo()
        self._show()

    def _flip(self, rest: str) -> None:
        self.flipped = not self.flipped
        self._show()

    def _draw(self, rest: str) -> None:
        manager = self.manager
        side = manager.side_to_move
        if manager.draw_offer == 1 - side:
            manager.accept(side)
            self._show()
            return
        manager.offer_draw(side)
        opponent = manager.players[1 - side]
        name = manager.names[1 - side]
        if opponent.is_human:
            answer = self._read(f"{name}, do you accept the draw? [y/N] ").strip().lower()
            accepts = answer in ("y", "yes")
        else:
            accepts = opponent.accepts_draw(manager.position, 1 - side)
        if accepts:
            manager.accept(1 - side)
            self._show()
        else:
            manager.decline(1 - side)
            click.echo(f"{name} declines the draw")

    def _resign(self, rest: str) -> None:
        self.manager.resign(self.manager.side_to_move)
        self._show()

    def _save(self, rest: str) -> None:
        if not rest:
            raise MatchError("expected a file name after save")
        append_record(Path(rest).expanduser(), self.manager.record())
        click.echo(f"saved to {rest}")

    def _load(self, rest: str) -> None:
        from boardgames.cli.play import last_record

        if not rest:
            raise MatchError("expected a file name after load")
        self.manager = self.setup.manager(last_record(Path(rest).expanduser()))
        self._show()

    def _new(self, rest: str) -> None:
        self._save_away()
        self.manager = self.setup.manager()
        self._show()

    def _quit(self, rest: str) -> None:
        self.is_over = True

    def _help(self, rest: str) -> None:
        click.echo("type a move, or the cells to click with spaces between, or:")
        for name, meaning in HELP.items():
            click.echo(f"  {name:<10} {meaning}")

    # --- showing and saving ----------------------------------------------

    def _show(self) -> None:
        manager = self.manager
        picture = manager.position.picture()
        if len(manager.positions) > 1:
            picture = picture.since(manager.positions[-2].picture())
        click.echo()
        print_picture(picture.with_captions(*self._captions()), flipped=self.flipped)
        if manager.outcome is not None:
            click.echo(outcome_text(manager.outcome, manager.game))
            if manager.fault:
                click.echo(manager.fault)

    def _captions(self) -> list[Caption]:
        captions = [Caption("top-right", f"move {self.manager.ply // 2 + 1}")]
        if self.manager.clocks is not None:
            for side, corner in ((1, "top-right"), (0, "bottom-right")):
                seconds = max(self.manager.clocks[side], 0.0)
                text = f"{self.manager.game.facts.sides[side]} {int(seconds // 60)}:{seconds % 60:04.1f}"
                captions.append(Caption(corner, text))  # type: ignore[arg-type]  # corners by name
        return captions

    def _save_away(self) -> None:
        """Save the match in the user's data folder; show it instead if that fails."""
        record = self.manager.record()
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
        path = data_folder() / "records" / f"{self.manager.game.facts.name}-{stamp}.record"
        try:
            write_records(path, [record])
        except BoardgamesError:
            click.echo(str(record))
            raise
        click.echo(f"the match is saved in {path}")
