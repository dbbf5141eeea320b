"""A match of `boardgames play` with at least one person: reads moves and commands, shows the board."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import click

from boardgames.cli.interrupts import end_if_stuck, without_interrupts
from boardgames.cli.loading import STDIN, load_player
from boardgames.cli.options import output_path, user_path
from boardgames.cli.output import (
    BOOK,
    console,
    count_text,
    outcome_text,
    played_text,
    print_picture,
    print_table,
    print_traceback,
    rules_text,
    say,
    wrap,
    wrapped_moves,
)
from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.cli.progress import spinner_on
from boardgames.cli.prompt import Prompt, TerminalPrompt, open_prompt, typed_move
from boardgames.cli.saving import (
    MatchFile,
    UnfinishedMatch,
    close_players,
    print_learned,
    read_unfinished,
    today,
)
from boardgames.compiling import rules_compiled, rules_interpreted
from boardgames.draw.text import printable
from boardgames.errors import (
    BoardgamesError,
    FileError,
    IllegalMoveError,
    MalformedMoveError,
    MatchError,
    PluginError,
    describe_error,
    quote,
    suggest,
)
from boardgames.faults import must_propagate
from boardgames.options import agent_title
from boardgames.picture import Caption
from boardgames.plugins import close_player
from boardgames.record import append_record

if TYPE_CHECKING:
    from boardgames.game import Move, Position
    from boardgames.manager import Manager, MatchEvent
    from boardgames.match_setup import MatchSetup

TENTHS_BELOW_S = 10
COMMANDS = {
    "moves [CELL]": "list the legal moves, or those with one cell",
    "history": "list the moves made, with times and the agents' values",
    "hint": "ask the game's default agent for a move",
    "undo": "take back a move, a resignation or a draw",
    "flip": "turn the board around",
    "pause": "stop the clock until you press Enter",
    "draw": "offer a draw to the other player",
    "resign": "resign the match",
    "save FILE": "append the match to a file",
    "load FILE": "resume the last match of a file",
    "new": "start a new match",
    "quit": "leave; the match is saved",
    "help": "show the rules and this list; ? is the same",
}


class Session:
    """Plays one match after another with people at the keyboard.

    Parameters
    ----------
    setup : MatchSetup
        Starts each match.
    notation : str or None
        Notation for the moves; the game's own by default.
    confirm : bool
        Ask for confirmation after each move of a person.
    """

    manager: "Manager"
    _file: MatchFile

    def __init__(self, setup: "MatchSetup", *, notation: str | None, confirm: bool) -> None:
        self.setup = setup
        self.notation, self.confirm = notation, confirm
        self.flipped = False
        self.is_over = self._is_board_shown = False
        self._error: BoardgamesError | None = None
        self.commands: dict[str, Callable[[str], None]] = {
            name.partition(" ")[0]: getattr(self, f"_{name.partition(' ')[0]}") for name in COMMANDS
        }
        self.commands |= {"q": self._quit, "exit": self._quit, "?": self._help}

    @cached_property
    def prompt(self) -> Prompt:
        """Return the prompt, opened at first use, so that the board is shown before its library is loaded."""
        return open_prompt(words=self._words, toolbar=self._toolbar, is_time_up=self._is_time_up)

    def on_event(self, manager: "Manager", event: "MatchEvent") -> None:
        """Show the board when the first match starts, because its agents may then have to compile code."""
        if event.kind == "started" and has_person(manager):
            self.manager, self._is_board_shown = manager, True
            try:
                self._begin()
            except BoardgamesError as error:  # an exception that a listener raises does not end the match
                self._error = error

    @rules_interpreted()  # the agent's kernels may still be compiling
    def run(self, manager: "Manager", resumed: UnfinishedMatch | None = None) -> int:
        """Play until the user quits, save the match in any case, and return the exit code.

        Parameters
        ----------
        manager : Manager
            The first match.
        resumed : UnfinishedMatch, optional
            The same match as it was saved before; it is saved again only if it has changed.
        """
        code, self.manager = 0, manager
        self._file = MatchFile(manager, resumed)
        try:
            if self._error is not None:
                raise self._error
            with end_if_stuck(self._save_record):
                if self._is_board_shown:
                    self._show_outcome()
                else:
                    self._begin()
                while not self.is_over:
                    self._turn()
        except EOFError:
            say()
        except (KeyboardInterrupt, click.Abort):
            say()
            code = EXIT_INTERRUPTED
        finally:
            try:
                self._save_match()
            finally:
                close_players(self.manager)
        return code

    def _turn(self) -> None:
        manager = self.manager
        if manager.outcome is None and not self._is_person(manager.side_to_move):
            self._agent_moves()
            return
        was_over = manager.outcome is not None
        prompt = self.prompt
        manager.start_clock()  # the board has been printed and the prompt is ready
        line = prompt.command(self._prompt_text()).strip()
        if self._is_time_up() or (manager.outcome is not None and not was_over):  # time ran out at the prompt
            self._show()
            return
        if not line and not (line := self._forced_button()):
            return
        word, _, argument = line.partition(" ")
        try:
            if word.lower() in self.commands:
                self.commands[word.lower()](argument.strip())
            else:
                self._person_moves(line)
        except BoardgamesError as error:
            say(wrap(printable(str(error)), 2))
            if isinstance(error, PluginError):
                print_traceback(error)
        except (EOFError, OSError, click.Abort):
            raise
        except BaseException as error:
            if must_propagate(error):
                raise
            say(wrap(printable(f"unexpected error: {describe_error(error)}"), 2))
            print_traceback(error)

    def _prompt_text(self) -> str:
        if self.manager.outcome is not None:
            return "match over (new, undo, save FILE, quit): "
        side = self.manager.side_to_move
        name, colour = self._name(side), self.manager.game.facts.sides[side]
        who = colour if name == "human" else f"{colour} ({name})"
        button = self._forced_button()
        return f"{who} to move, {button} (Enter): " if button else f"{who} to move: "

    def _forced_button(self) -> str:
        """Return the only legal move if it is a button such as a pass, which Enter then makes; else ''."""
        position = self.manager.position
        moves = () if self.manager.outcome is not None else self.manager.legal_moves
        if len(moves) != 1:
            return ""
        picture = self.manager.picture()
        buttons = {(button.id,) for button in picture.buttons}
        clicks = picture.clicks.get(moves[0].text, ())
        return self._move_text(position, moves[0]) if buttons.intersection(clicks) else ""

    def _name(self, side: int) -> str:
        return printable(agent_title(self.manager.names[side]))

    def _is_person(self, side: int) -> bool:
        player = self.manager.players[side]
        return player is None or player.is_human

    def _words(self) -> Iterator[str]:
        """Yield the possible completions of a line: the legal moves and the commands."""
        position = self.manager.position
        if self.manager.outcome is None:
            yield from (self._move_text(position, move) for move in self.manager.legal_moves)
        for name in COMMANDS:
            command, space, argument = name.partition(" ")
            yield command if argument.startswith("[") else command + space

    def _toolbar(self) -> str:
        """Return the text of both clocks, with brackets for the side to move, and the move number."""
        manager = self.manager
        if manager.outcome is not None:
            return ""
        sides, mover = manager.game.facts.sides, manager.side_to_move
        parts = []
        for side, seconds in enumerate(manager.clocks or ()):
            text = f"{sides[side]} {clock_text(seconds)}"
            parts.append(f"[{text}]" if side == mover else f" {text} ")
        if manager.move_clock is not None:
            parts.append(f"{clock_text(manager.move_clock)} for this move")
        return "  ".join([*parts, self._move_number()])

    def _move_number(self) -> str:
        """Return `move 6`, counted as in records, or with a limit `move 12 of 80`."""
        if self.manager.move_limit is None:
            return f"move {self.manager.ply // 2 + 1}"
        return "move {} of {}".format(*self.manager.move_limit)

    def _is_time_up(self) -> bool:
        """End the match if the side to move has run out of time; return True if it has."""
        return self.manager.outcome is None and self.manager.tick() is not None

    def _ask(self, question: str) -> bool:
        """Ask a yes-or-no question; Enter means no."""
        while True:
            answer = self.prompt.question(f"{question} [y/N] ").strip().lower()
            if answer in ("y", "yes"):
                return True
            if answer in ("", "n", "no"):
                return False
            say("please answer y or n")

    # --- moves -----------------------------------------------------------

    def _agent_moves(self) -> None:
        manager = self.manager
        side, before = manager.side_to_move, manager.position
        if not manager.is_ready(side):
            with self._status(f"{manager.game.facts.sides[side]} is getting ready"):
                manager.wait_until_ready(side)
        if manager.outcome is None:
            with self._status(f"{manager.game.facts.sides[side]} is thinking"), rules_compiled():
                manager.step()
        if manager.position != before:
            played = manager.moves[-1]
            say(played_text(played, manager.game.facts, self._move_text(before, played.move)))
        if manager.outcome is not None or self._is_person(manager.side_to_move):
            self._show()

    @contextmanager
    def _status(self, text: str) -> Iterator[None]:
        """Show a spinner on a terminal while an agent thinks."""
        out = console()
        if not out.is_terminal or not sys.stdin.isatty():
            yield
            return
        with spinner_on(out, text, spinner="line"):
            yield

    def _person_moves(self, line: str) -> None:
        manager = self.manager
        if manager.outcome is not None:
            raise MatchError("the match is over; type new, undo, save FILE or quit")
        if manager.tick() is None:
            move = self._parse(line)
            if move is None:
                self._describe_cell(line.lower())
                return
            if self.confirm and not self._confirm_move(move):
                say("move taken back")
            elif manager.outcome is None:  # time may run out before the answer
                manager.make_move(manager.side_to_move, move)
        if manager.outcome is not None or self._is_person(manager.side_to_move):
            self._show()

    def _parse(self, line: str) -> "Move | None":
        """Return the move, given in notation or by the cells to click (`a1 b2`); None for a single cell."""
        try:
            move = typed_move(self.manager.position, line, self.notation)
            self.manager.check_allowed(move)
            return move
        except MalformedMoveError as error:
            if line.lower() in self._cells():
                return None
            meant = suggest(line, self.commands)
            raise MalformedMoveError(
                f"{error}{meant if 'did you mean' in meant else '; type help for a list of commands'}"
            ) from None
        except IllegalMoveError as error:
            raise IllegalMoveError(f"{error}; type moves for a list") from None

    def _cells(self) -> set[str]:
        """Return the ids of everything that can be clicked."""
        return set(self.manager.position.picture().ids)

    def _moves_at(self, cell: str, *, ends: bool) -> list[str]:
        """Return the legal moves that click a cell last (`ends`) or before that (not `ends`)."""
        position = self.manager.position
        texts = [
            text
            for text, sequences in self.manager.picture().clicks.items()
            if any(cell in (clicks[-1:] if ends else clicks[:-1] or clicks) for clicks in sequences)
            and not (ends and any(len(clicks) == 1 for clicks in sequences))
        ]
        return [self._move_text(position, position.game.parse_move(position, text)) for text in texts]

    def _describe_cell(self, cell: str) -> None:
        """Print what can be done with a cell."""
        moves = {"with": self._moves_at(cell, ends=False), "to": self._moves_at(cell, ends=True)}
        if not any(moves.values()):
            say(f"no legal move with {cell}")
        for meaning, texts in moves.items():
            if texts:
                say(wrapped_moves(texts, f"moves {meaning} {cell}: "))

    def _confirm_move(self, move: "Move") -> bool:
        """Show the position after a move, and return True if the person keeps the move."""
        position = self.manager.position
        print_picture(position.apply(move).picture().since(position.picture()), flipped=self.flipped)
        question = f"keep {self._move_text(position, move)}? [Enter: keep, u: undo] "
        while True:
            answer = self.prompt.question(question).strip().lower()
            if answer in ("", "y", "yes", "k", "keep"):
                return True
            if answer in ("u", "undo", "n", "no"):
                return False
            say("press Enter to keep the move, or type u to take it back")

    def _move_text(self, position: "Position", move: "Move") -> str:
        return position.game.format_move(position, move, notation=self.notation)

    # --- commands --------------------------------------------------------

    def _moves(self, argument: str) -> None:
        position, cell = self._current_position(), argument.lower()
        if not cell:
            texts = [self._move_text(position, move) for move in self.manager.legal_moves]
            say(f"{count_text(len(texts), 'legal move')}:\n{wrapped_moves(texts)}")
            return
        if cell not in self._cells():
            raise MalformedMoveError(f"there is no cell {quote(argument)} on this board")
        texts = self._moves_at(cell, ends=False)
        count = count_text(len(texts), "legal move")
        say(f"{count} with {cell}:\n{wrapped_moves(texts)}" if texts else f"no legal move with {cell}")

    def _history(self, argument: str) -> None:
        manager, facts = self.manager, self.manager.game.facts
        if not manager.moves:
            say("no moves have been made")
            return
        rows = [("ply", "side", "move", "time", "value")]
        for played, before in zip(manager.moves, manager.positions, strict=False):
            move = self._move_text(before, played.move) + BOOK * played.from_book
            value = "" if played.score is None else facts.score_text(played.score)
            rows.append((str(played.ply), facts.sides[played.side], move, f"{played.seconds:.1f} s", value))
        print_table(rows, right=(0, 3, 4), cut=())
        units = {played.score.unit for played in manager.moves if played.score is not None}
        counted = " or ".join(sorted(printable(unit.in_words) for unit in units if unit is not None))
        if units:
            how = f", {counted}" if counted else ""
            say(wrap(f"a value is what the agent expected for itself{how}", 2))

    def _hint(self, argument: str) -> None:
        position = self._current_position()
        agent = load_player(position.game.facts.default_agent, position.game)
        try:
            with self._status("searching for a hint"), rules_compiled():
                context = self.manager.context.for_advice()
                choice = agent.choose(position, self.setup.limits[position.side_to_move], context)
        finally:
            close_player(agent)
        if choice.move is not None:
            say(f"hint: {self._move_text(position, choice.move)}{BOOK * choice.from_book}")

    def _current_position(self) -> "Position":
        if self.manager.outcome is not None:
            raise MatchError(f"the match is over ({outcome_text(self.manager.outcome, self.manager.game)})")
        return self.manager.position

    def _undo(self, argument: str) -> None:
        outcome, ply = self.manager.outcome, self.manager.ply
        self.manager.undo()
        if outcome is not None and self.manager.ply == ply:
            say(f"the {'draw' if outcome.winner is None else 'resignation'} is taken back")
        self._show()

    def _flip(self, argument: str) -> None:
        self.flipped = not self.flipped
        self._show()

    def _draw(self, argument: str) -> None:
        from boardgames.manager import MIN_DRAW_PLIES

        manager = self.manager
        side = manager.side_to_move
        other, why = self._player_name(1 - side), ""
        if manager.draw_offer is None:  # otherwise an earlier offer is still open
            manager.offer_draw(side)
        if manager.draw_offer is not None:  # the other player is a person
            accepts = self._ask(f"{other}, do you accept the draw?")
            if manager.outcome is None:  # time may run out before the answer
                (manager.accept if accepts else manager.decline)(1 - side)
        elif manager.ply < MIN_DRAW_PLIES:
            why = f"; agents accept none in the first {MIN_DRAW_PLIES // 2} moves"
        if manager.outcome is None:
            say(f"{other} declines the draw{why}")
            return
        if manager.outcome.termination == "agreement":
            say(f"{other} accepts the draw")
        self._show_outcome()

    def _player_name(self, side: int) -> str:
        name = self._name(side)
        return self.manager.game.facts.sides[side] if name == "human" else name

    def _pause(self, argument: str) -> None:
        self.manager.pause()
        try:
            self.prompt.question("paused; press Enter to continue: ")
        finally:
            self.manager.resume()

    def _resign(self, argument: str) -> None:
        self.manager.resign(self.manager.side_to_move)
        self._show_outcome()

    def _save(self, argument: str) -> None:
        if not argument:
            raise FileError("save needs the name of a file: save FILE")
        path = output_path(argument)
        append_record(path, self.manager.record())
        say(f"saved to {argument}")

    def _load(self, argument: str) -> None:
        if not argument:
            raise FileError("load needs the name of a file: load FILE")
        if argument == STDIN:
            raise FileError("a match cannot be loaded from standard input; name a file: load FILE")
        resumed = read_unfinished(user_path(argument), self.manager.game.facts.name)
        manager = self.setup.start_match(resumed.record, starts_clocks=False, background=True)
        self._end_match()
        self.manager = manager
        self._file = MatchFile(manager, resumed)
        self._begin()

    def _new(self, argument: str) -> None:
        self._end_match()
        self.manager = self.setup.start_match(today=today(), starts_clocks=False, background=True)
        self._file = MatchFile(self.manager)
        self._begin()

    def _end_match(self) -> None:
        """Save the match if a move was made, and close the players, before another match starts."""
        if self.manager.ply:
            try:
                self._save_match()
            except FileError as error:
                say(printable(str(error)))
        close_players(self.manager)

    def _save_match(self) -> None:
        """Save the match if it has changed since it was last saved; nothing can interrupt this."""
        with without_interrupts():
            if self._is_time_up():  # the input ended after the time ran out
                self._show_outcome()
            if self._save_record() and self.manager.moves and self.manager.outcome is None:
                print_learned(self.manager)

    def _save_record(self) -> bool:
        """Save the current match, which `new` and `load` replace; return True if it had changed."""
        return self._file.save()

    def _quit(self, argument: str) -> None:
        self.is_over = True

    def _help(self, argument: str) -> None:
        say(wrap(rules_text(self.manager.game.facts), 0))
        cells = ", the cells of a move separated by spaces," if self._has_moves_of_several_cells() else ""
        say(f"\ntype a move{self._example()}{cells} or a command:")
        for name, meaning in self._useful_commands().items():
            say(f"  {name:<12} {meaning}")
        if isinstance(self.prompt, TerminalPrompt):
            say("Tab completes moves, commands and file names; the arrow keys recall lines")

    def _useful_commands(self) -> dict[str, str]:
        """Return the commands that are useful in this match, with their meanings; the others work, too."""
        commands = dict(COMMANDS)
        if not self._has_moves_of_several_cells():  # a single cell is already a move
            commands = {"moves": "list the legal moves"} | commands
            del commands["moves [CELL]"]
        if self.manager.clocks is None and self.manager.move_clock is None:
            del commands["pause"]
        return commands

    def _has_moves_of_several_cells(self) -> bool:
        """Return True if some moves need clicks on several cells."""
        clicks = self.manager.start.picture().clicks
        return any(len(sequence) > 1 for sequences in clicks.values() for sequence in sequences)

    # --- showing ---------------------------------------------------------

    def _begin(self) -> None:
        """Print the players of both sides, and the board."""
        sides = self.manager.game.facts.sides
        players = ", ".join(f"{sides[side]} is {self._name(side)}" for side in (0, 1))
        say(f"{players}; type a move{self._example()}, or help")
        for player in self.manager.players:
            if player is not None and player.is_learning:
                say(wrap(printable(f"{player.label()} learns from this match and may try random moves"), 2))
        self._show()

    def _example(self) -> str:
        """Return a legal move as an example, or an empty string if there is none."""
        position = self.manager.position
        return f" such as {self._move_text(position, position.legal_moves[0])}" if position.actions else ""

    def _show(self) -> None:
        manager = self.manager
        picture = manager.picture().since(self._position_before_turn().picture())
        say()
        print_picture(picture.with_captions(*self._captions()), flipped=self.flipped)
        self._show_outcome()

    def _show_outcome(self) -> None:
        manager = self.manager
        if manager.outcome is not None:
            say(outcome_text(manager.outcome, manager.game))
            print_learned(manager)
        if manager.fault:
            say(printable(manager.fault))

    def _position_before_turn(self) -> "Position":
        """Return the position before the last turn, in which a side may have made several moves."""
        moves = self.manager.moves
        ply = len(moves)
        while ply and moves[ply - 1].side == moves[-1].side:
            ply -= 1
        return self.manager.positions[ply]

    def _captions(self) -> list[Caption]:
        captions = [Caption("top-right", self._move_number())]
        captions += [Caption("top-right", text) for text in self._times_of(1)]
        captions += [Caption("bottom-right", text) for text in self._times_of(0)]
        return captions

    def _times_of(self, side: int) -> list[str]:
        """Return a side's clock and its time per move as one text, or an empty list if it has neither."""
        clocks, limit = self.manager.clocks, self.manager.rules.times[side].move
        times = [] if clocks is None else [clock_text(clocks[side])]
        if limit is not None:
            times.append(f"{limit:g} s a move")
        return [f"{self.manager.game.facts.sides[side]} {', '.join(times)}"] if times else []


def has_person(manager: "Manager") -> bool:
    """Return True if a person plays in the match."""
    return any(player is not None and player.is_human for player in manager.players)


def clock_text(seconds: float) -> str:
    """Return the remaining time as a clock shows it, with tenths of a second at the end.

    Examples
    --------
    >>> clock_text(3725.9), clock_text(59.97), clock_text(9.99)
    ('1:02:05', '0:59', '0:09.9')
    """
    whole = int(seconds)
    minutes, rest = divmod(whole, 60)
    hours, left = divmod(minutes, 60)
    text = f"{hours}:{left:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"{text}.{int((seconds - whole) * 10)}" if seconds < TENTHS_BELOW_S else text
