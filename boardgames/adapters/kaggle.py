"""Our agents in Kaggle's competition ConnectX, which is Connect Four.

    from boardgames.adapters import kaggle

    agent = kaggle.agent("alphabeta")

`kaggle_environments.make("connectx").run([agent, "negamax"])` plays it. The function itself needs no package
of Kaggle; the extra `kaggle` installs their environments.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from boardgames.errors import MatchError, OptionError, PositionError, quote
from boardgames.game import Game
from boardgames.options import parse_agent
from boardgames.player import Limit, Player
from boardgames.plugins import load, load_player, registry

SHARE = 0.7
"""Share of the time for a move in which the agent thinks; the rest is for Kaggle and the machine."""
DEFAULT_SECONDS = 2.0
"""Time for a move if Kaggle's configuration has none."""
GAME = "connect4"
SYMBOLS = ".rb"
"""Empty cells and the pieces of the marks 1 and 2, as Connect Four writes them."""

Agent = Callable[[Any, Any], int]
"""Takes Kaggle's observation and configuration, and returns a column, counted from 0."""


def agent(text: str = "alphabeta", *, seed: int | None = None, limit: Limit | None = None) -> Agent:
    """Return an agent as a function for ConnectX.

    It thinks for at most 70% of the time that Kaggle's configuration allows for a move. Boards may have any
    size that our Connect Four supports, but a win always takes four in a row.

    Parameters
    ----------
    text : str
        An agent with its options, such as `alphabeta:depth=8`.
    seed : int, optional
        Seed of its random choices.
    limit : Limit, optional
        What it may spend on a move; by default a share of Kaggle's time.

    Raises
    ------
    UnknownNameError
        If Connect Four is not installed, or has no such agent.
    OptionError
        If the agent is a person.

    Examples
    --------
    >>> play = agent("greedy", seed=1)
    >>> board = [0] * 28 + [2, 0, 0, 0, 0, 0, 0] + [1, 1, 1, 0, 2, 2, 0]
    >>> play({"board": board, "mark": 1}, {"columns": 7, "rows": 6, "inarow": 4})
    3
    """
    name, _ = parse_agent(text)
    registry().check_name("games", GAME)
    registry().check_name("agents", name, GAME)
    if load_player(text, load(GAME), seed=seed).is_human:
        raise OptionError(f"the agent must be a program, not {quote(text)}")
    players: dict[tuple[int, int], Player] = {}

    def play(observation: Any, configuration: Any) -> int:  # dictionaries, or objects like them
        """Return the column in which the agent drops its piece."""
        columns, rows = int(_value(configuration, "columns", 7)), int(_value(configuration, "rows", 6))
        if _value(configuration, "inarow", 4) != 4:
            raise OptionError("`inarow` must be 4, because a win always takes four in a row here")
        if (columns, rows) not in players:
            players[columns, rows] = load_player(text, load(GAME, columns=columns, rows=rows), seed=seed)
        player = players[columns, rows]
        board, side = _value(observation, "board", ()), int(_value(observation, "mark", 1)) - 1
        position = player.game.parse(_text_of(board, player.game, columns, rows))
        if position.side_to_move != side:
            raise PositionError(f"it is not the turn of mark {side + 1} on the board {position}")
        if sum(map(bool, board)) <= 1:
            player.match_started(side)
        seconds = float(_value(configuration, "actTimeout", DEFAULT_SECONDS))
        choice = player.choose(position, limit or Limit(seconds=SHARE * seconds))
        if choice.move is None:
            raise MatchError(f"{player!r} resigns, which Kaggle's agents cannot do")
        return choice.move.action

    return play


def _value(values: Any, name: str, default: Any) -> Any:  # as Kaggle's own dictionaries allow
    """Return a value of a dictionary or an object."""
    if isinstance(values, Mapping):
        return values.get(name, default)
    return getattr(values, name, default)


def _text_of(board: Sequence[int], game: Game, columns: int, rows: int) -> str:
    """Return the text of a board, whose cells are listed row by row from the top."""
    if len(board) != columns * rows or not set(board) <= {0, 1, 2}:
        raise PositionError(
            f"a board of {game.layout} has {columns * rows} cells with 0, 1 or 2, not {board}"
        )
    symbols = "".join(SYMBOLS[cell] for cell in board)
    return "/".join(symbols[start : start + columns] for start in range(0, len(symbols), columns))
