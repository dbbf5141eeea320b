"""Scores of positions and moves, and the units in which evaluations count.

A score is either an amount (a lead of 0.42 marbles, an expected return of -0.1)
or decisive: a win or loss in a number of plies. An expected return is shown to
people as a chance of winning, in which a draw counts half. The classes are modelled
on `Cp`, `Mate` and `PovScore` of python-chess, with one difference: in chess every
engine counts centipawns, but here each evaluation declares its own `Unit`.
"""

import math
from dataclasses import dataclass, field
from functools import total_ordering

from boardgames.errors import ScoreError, quote

MAX_DIGITS = 6
DEFAULTS = {"inaccuracy": 0.125, "mistake": 0.25, "blunder": 0.75, "bound": 5.0, "book_margin": 0.15}
"""Defaults of amounts in a unit, as multiples of its `half_return`."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit in which an evaluation counts, and the meaning of its amounts.

    Attributes
    ----------
    name : str
        Identifies the unit in JSON and in files: `marble`.
    label : str
        Name for people, in the plural: `marbles`.
    digits : int
        Decimals to print.
    half_return : float
        The advantage with which a side scores three out of four points, so that its
        expected return is one half. It relates the unit to chances of winning: Monte
        Carlo tree search uses it to convert evaluations into returns.
    inaccuracy, mistake, blunder : float
        The smallest losses for which a review marks a move `?!`, `?` and `??`. By default
        an eighth, a quarter and three quarters of `half_return`.
    bound : float
        The amount that stands for a win in losses and charts, which need numbers;
        larger amounts are clipped to it. By default five times `half_return`.
    book_margin : float
        Moves that lose more than this are not added to opening books. By default
        0.15 times `half_return`.
    is_return : bool
        True if amounts already are expected returns, from -1 to 1; see `RETURN`.
    delay : int or None
        A move that delays a win or hastens a loss by this many plies is an inaccuracy in a
        review. None if such moves are never marked, because scores are not exact.

    Raises
    ------
    ScoreError
        If a text is empty, a number is not positive and finite, or the thresholds of
        a review do not increase.

    Examples
    --------
    >>> pawns = Unit("pawn", "pawns", half_return=2.0)
    >>> pawns.mistake, pawns.to_return(2.0), pawns.format(0.5, sign=True)
    (0.5, 0.5, '+0.50')
    """

    name: str
    label: str
    digits: int = 2
    half_return: float = 1.0
    inaccuracy: float = field(default=None, kw_only=True)  # type: ignore[assignment]  # filled in below
    mistake: float = field(default=None, kw_only=True)  # type: ignore[assignment]  # filled in below
    blunder: float = field(default=None, kw_only=True)  # type: ignore[assignment]  # filled in below
    bound: float = field(default=None, kw_only=True)  # type: ignore[assignment]  # filled in below
    book_margin: float = field(default=None, kw_only=True)  # type: ignore[assignment]  # filled in below
    is_return: bool = field(default=False, kw_only=True)
    delay: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for text in (self.name, self.label):
            if not (isinstance(text, str) and text.strip()):
                raise ScoreError(f"a unit needs a name and a label, not {quote(text)}")
        if not (type(self.digits) is int and 0 <= self.digits <= MAX_DIGITS):
            raise ScoreError(f"digits of {self} must be 0 to {MAX_DIGITS}, not {quote(self.digits)}")
        self._check_positive("half_return")
        for name, share in DEFAULTS.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, share * self.half_return)
            self._check_positive(name)
        if not self.inaccuracy <= self.mistake <= self.blunder:
            levels = ", ".join(f"{loss:g}" for loss in self._thresholds)
            raise ScoreError(
                f"the thresholds inaccuracy, mistake and blunder of {self} must not decrease: {levels}"
            )

    def _check_positive(self, name: str) -> None:
        value = getattr(self, name)
        if not (type(value) in (int, float) and math.isfinite(value) and value > 0):
            raise ScoreError(f"{name} of {self} must be positive and finite, not {quote(value)}")

    def __str__(self) -> str:
        return f"unit {self.name!r}"

    def format(self, amount: float, *, sign: bool = False) -> str:
        """Format an amount with the unit's number of digits, optionally with a plus sign."""
        rounded = round(amount, self.digits) + 0.0  # no negative zero
        return f"{rounded:+.{self.digits}f}" if sign and rounded else f"{rounded:.{self.digits}f}"

    def text(self, amount: float) -> str:
        """Return an amount as text for people: with its sign or, if it is a return, as a chance of winning.

        Examples
        --------
        >>> Unit("pawn", "pawns").text(0.5), RETURN.text(0.5), RETURN.text(-0.124)
        ('+0.50', '75.0%', '43.8%')
        """
        if not self.is_return:
            return self.format(amount, sign=True)
        return f"{100 * chance_of_winning(self.to_return(amount)):.{self._percent_digits}f}%"

    def loss_text(self, loss: float) -> str:
        """Return a move's loss, compared with the best move, as text for people.

        Examples
        --------
        >>> Unit("pawn", "pawns").loss_text(0.5), RETURN.loss_text(0.5)
        ('0.50', '25.0%')
        """
        return f"{50 * loss:.{self._percent_digits}f}%" if self.is_return else self.format(loss)

    @property
    def _percent_digits(self) -> int:
        return max(self.digits - 2, 0)

    @property
    def in_words(self) -> str:
        """Return what amounts are measured in, as the end of a sentence.

        Examples
        --------
        >>> f"values {Unit('pawn', 'pawns').in_words}", f"values {RETURN.in_words}"
        ('values in pawns', 'values as chances of winning')
        """
        return "as chances of winning" if self.is_return else f"in {self.label}"

    @property
    def legend(self) -> str:
        """Return the line that explains the marks of a review."""
        losses = (self.loss_text(loss).replace(".0%", "%") for loss in self._thresholds)
        legend = "?! loses {} or more, ? {}, ?? {}".format(*losses)
        if self.delay is None:
            return legend
        return f"{legend}; ?! also {self.delay} {'ply' if self.delay == 1 else 'plies'} to the end"

    @property
    def _thresholds(self) -> tuple[float, float, float]:
        return self.inaccuracy, self.mistake, self.blunder

    def to_return(self, amount: float) -> float:
        """Return the expected return, -1 to 1, of the side that is ahead by `amount`."""
        if self.is_return:
            return min(max(amount, -1.0), 1.0)
        return amount / (self.half_return + abs(amount))

    def mark(self, loss: float) -> str:
        """Return the mark of a move with this loss: `?!`, `?`, `??` or an empty string.

        Examples
        --------
        >>> [RETURN.mark(loss) for loss in (0.05, 0.1, 0.3, 0.8)]
        ['', '?!', '?', '??']
        """
        if loss >= self.blunder:
            return "??"
        if loss >= self.mistake:
            return "?"
        return "?!" if loss >= self.inaccuracy else ""


RETURN = Unit(
    "return",
    "returns from -1 to 1",
    digits=3,
    half_return=0.5,
    inaccuracy=0.1,
    mistake=0.2,
    blunder=0.5,
    bound=1.0,
    book_margin=0.05,
    is_return=True,
)
"""Expected returns: 1 is a win, 0 a draw, -1 a loss."""


@total_ordering
@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """The score of a position or move for one side; created by `of`, `win` and `loss`.

    Scores are ordered: a sooner win is better than a later one, any win is better than any
    amount, any amount is better than a loss, and a later loss is better than a sooner one. `-score` is
    the score for the other side.

    Attributes
    ----------
    amount : float or None
        The amount; None for a win or loss.
    unit : Unit or None
        The unit of `amount`; None for a win or loss.

    Examples
    --------
    >>> marbles = Unit("marble", "marbles", half_return=2.0)
    >>> lead = Score.of(0.42, marbles)
    >>> str(lead), str(-lead), str(Score.win(5)), str(Score.loss(4))
    ('+0.42', '-0.42', 'win in 3 moves (5 plies)', 'loss in 2 moves (4 plies)')
    >>> Score.win(3) > Score.win(5) > lead > -lead > Score.loss(6) > Score.loss(4)
    True
    """

    amount: float | None
    unit: Unit | None
    _winner: int
    _plies: int

    @classmethod
    def of(cls, amount: float, unit: Unit) -> "Score":
        """Return an amount as a score; raise ScoreError if it is not finite."""
        if not math.isfinite(amount):
            raise ScoreError(f"a score must be finite, not {amount}")
        return cls(float(amount) + 0.0, unit, 0, 0)  # no negative zero

    @classmethod
    def win(cls, plies: int) -> "Score":
        """Return the score of a match that is won after `plies` more plies."""
        return cls._decisive(1, plies)

    @classmethod
    def loss(cls, plies: int) -> "Score":
        """Return the score of a match that is lost after `plies` more plies."""
        return cls._decisive(-1, plies)

    @classmethod
    def _decisive(cls, winner: int, plies: int) -> "Score":
        if plies < 0:
            raise ScoreError(f"a match cannot end in {plies} plies")
        return cls(None, None, winner, int(plies))

    @property
    def is_decisive(self) -> bool:
        """Return True for a win or a loss."""
        return self._winner != 0

    @property
    def win_in(self) -> int | None:
        """Return the number of plies to the end of the match, negative for a loss, or None for an amount.

        It is 0 if the match is over; `sign` then tells a win from a loss.
        """
        return self._winner * self._plies if self._winner else None

    @property
    def sign(self) -> int:
        """Return 1 if the side is ahead or wins, or -1 if it is behind or loses, otherwise 0."""
        if self.amount is None:
            return self._winner
        return (self.amount > 0) - (self.amount < 0)

    def to_return(self) -> float:
        """Return the expected return, -1 to 1."""
        if self.amount is None or self.unit is None:
            return float(self._winner)
        return self.unit.to_return(self.amount)

    def clipped(self, bound: float) -> float:
        """Return the amount as a number from -`bound` to `bound`; a win counts as `bound`."""
        amount = self._winner * bound if self.amount is None else self.amount
        return min(max(amount, -bound), bound)

    def delayed(self, plies: int = 1) -> "Score":
        """Return the score as seen `plies` earlier: a win in 4 plies becomes a win in 5.

        Examples
        --------
        >>> (-Score.loss(4)).delayed()
        Score.win(5)
        """
        return self._decisive(self._winner, self._plies + plies) if self.is_decisive else self

    def text(self, *, proven: bool = False, alternates: bool = True) -> str:
        """Return the score as text for people; `str` does the same.

        Wins and losses are given in moves of the winner and in plies, expected returns as chances of winning.

        Parameters
        ----------
        proven : bool
            Whether the score is exact. A return of 0 is then a draw, and 1 a win.
        alternates : bool
            `Facts.alternates` of the game; if False, plies do not determine the number of the winner's moves.

        Examples
        --------
        >>> [Score.of(0.0, RETURN).text(proven=proven) for proven in (True, False)]
        ['draw', '50.0%']
        >>> [Score.win(5).text(alternates=alternates) for alternates in (True, False)]
        ['win in 3 moves (5 plies)', 'win in 5 plies']
        """
        if self.amount is not None and self.unit is not None:
            is_result = proven and self.unit.is_return and abs(self.amount) in (0.0, 1.0)
            return ("draw", "win", "loss")[self.sign] if is_result else self.unit.text(self.amount)
        if self._plies == 0:
            return "won" if self._winner > 0 else "lost"
        plies = "1 ply" if self._plies == 1 else f"{self._plies} plies"
        moves = (self._plies + 1) // 2
        when = f"{moves} move{'s' * (moves > 1)} ({plies})" if alternates else plies
        return f"{'win' if self._winner > 0 else 'loss'} in {when}"

    def __neg__(self) -> "Score":
        if self.amount is None or self.unit is None:
            return self._decisive(-self._winner, self._plies)
        return Score.of(-self.amount, self.unit)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        if self.unit is not None and other.unit is not None and self.unit != other.unit:
            raise ScoreError(f"cannot compare scores in {self.unit.label} and in {other.unit.label}")
        return self._key() < other._key()

    def _key(self) -> tuple[int, int, float]:
        return self._winner, -self._winner * self._plies, self.amount or 0.0

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        if self.amount is not None and self.unit is not None:
            return f"Score.of({self.amount!r}, <{self.unit}>)"
        return f"Score.{'win' if self._winner > 0 else 'loss'}({self._plies})"


def chance_of_winning(expected_return: float) -> float:
    """Convert an expected return, -1 to 1, into a chance of winning, 0 to 1; a draw counts half.

    Examples
    --------
    >>> [chance_of_winning(expected) for expected in (-1.0, 0.0, 0.5)]
    [0.0, 0.5, 0.75]
    """
    return (1 + expected_return) / 2
