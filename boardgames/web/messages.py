"""The messages between the page and the server: JSON objects with a `type`, checked by msgspec.

The page sends the classes of `Request`, and the server answers with the classes that follow. A direct
answer repeats the number `re` of its request.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, NewType

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from boardgames.learning.status import RunFacts
from boardgames.options import OptionDescription, OptionValue
from boardgames.picture import Picture

if TYPE_CHECKING:
    from boardgames.game import Outcome
    from boardgames.hookspecs import Entry

MAX_BYTES = 64 * 1024
"""Size of the largest message that a page may send."""

MAX_MOVES = 2000
"""Maximum number of moves in a request about a position."""

Side = Annotated[int, Meta(ge=0, le=1)]
Ply = Annotated[int, Meta(ge=0, le=100_000)]
ShortText = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=10_000)]
Key = Annotated[str, Meta(max_length=64)]
Seconds = Annotated[float, Meta(gt=0, le=604_800)]
Increment = Annotated[float, Meta(ge=0, le=3600)]
Delay = Annotated[float, Meta(ge=0, le=60)]
Count = Annotated[int, Meta(ge=1, le=100_000)]


class _Request(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", kw_only=True):
    re: int | None = None


class Catalogue(_Request, frozen=True, tag="catalogue"):
    """Asks for the games that are installed."""


class DescribeGame(_Request, frozen=True, tag="game"):
    """Asks for the options, layouts and agents of a game."""

    name: ShortText


class ListMatches(_Request, frozen=True, tag="matches"):
    """Asks for the matches now and whenever they change; `matches` and `stored` are the answers."""


class SeatRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Who plays a side: the person who asks, a person who joins later, or an agent."""

    kind: Literal["here", "open", "agent"]
    agent: Annotated[str, Meta(max_length=2000)] = ""
    name: Annotated[str, Meta(max_length=40)] = ""


GameOptions = dict[ShortText, bool | int | float | ShortText | None]


class CreateMatch(_Request, frozen=True, tag="create"):
    """Requests a new match, as `MatchSetup` describes one.

    An empty `agent` stands for the default agent of the game. `clock` is the time of each side in seconds,
    and `increment` what each side gets for a move. With `paused`, nothing happens until somebody resumes
    the match. Moves of agents that play each other are at least `delay` seconds apart.
    """

    game: ShortText
    seats: tuple[SeatRequest, SeatRequest]
    layout: ShortText | None = None
    options: GameOptions = {}
    position: Text | None = None
    clock: tuple[Seconds | None, Seconds | None] = (None, None)
    increment: tuple[Increment, Increment] = (0.0, 0.0)
    move_time: tuple[Seconds | None, Seconds | None] = (None, None)
    ply_limit: Count | None = None
    move_limits: tuple[Count, Count] | None = None
    no_progress_limit: Count | None = None
    repetition: bool | None = None
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None
    paused: bool = False
    delay: Delay = 0.0


Tokens = Annotated[list[Key], Meta(max_length=4)]
"""A browser's tokens for a match: those of seats and of the owner."""


class ListedMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A match to delete, with the tokens that prove the right to do so."""

    match: Key
    tokens: Tokens = []


class DeleteMatches(_Request, frozen=True, kw_only=True, tag="delete"):
    """Deletes matches: all of them, or none if one of them cannot be deleted."""

    matches: Annotated[list[ListedMatch], Meta(min_length=1, max_length=500)]


class _MatchRequest(_Request, frozen=True):
    match: Key


class JoinMatch(_MatchRequest, frozen=True, tag="join"):
    """Asks for the state of a match now and whenever it changes.

    The token is that of a seat or of the owner. A page with several tokens joins once for each.
    """

    token: Key | None = None


class RenameMatch(_MatchRequest, frozen=True, tag="rename"):
    """Gives a match a name for the list; without one it is listed by its game."""

    name: Annotated[str, Meta(max_length=60)]
    tokens: Tokens = []


class LeaveMatch(_MatchRequest, frozen=True, tag="leave"):
    """Ends the updates of a match."""


class ClaimSeat(_MatchRequest, frozen=True, tag="claim"):
    """Takes the free seat of a side."""

    side: Side
    name: Annotated[str, Meta(max_length=40)] = ""


class MakeMove(_MatchRequest, frozen=True, tag="move"):
    """Makes a move after `ply` moves; refused if the match has moved on."""

    ply: Ply
    move: ShortText


class BoardShown(_MatchRequest, frozen=True, tag="shown"):
    """Says that the page shows the board after `ply` moves.

    A person's clock does not start before that; afterwards it runs at every turn of that side.
    """

    ply: Ply


class TakeBack(_MatchRequest, frozen=True, tag="undo"):
    """Takes back the player's last move against an agent, or asks the other person to agree."""


class Resign(_MatchRequest, frozen=True, tag="resign"):
    """Resigns."""


class OfferDraw(_MatchRequest, frozen=True, tag="offer-draw"):
    """Offers a draw."""


class Answer(_MatchRequest, frozen=True, tag="answer"):
    """Answers an offer or request of the other side."""

    accept: bool


class AskHint(_MatchRequest, frozen=True, tag="hint"):
    """Asks which move the agent to move would play; for a person, the game's default agent is asked."""


class Pause(_MatchRequest, frozen=True, tag="pause"):
    """Pauses a match. Against another person this asks for their consent first."""


class Resume(_MatchRequest, frozen=True, tag="resume"):
    """Resumes a paused match, or asks the other person to agree."""


class Rematch(_MatchRequest, frozen=True, tag="rematch"):
    """Starts a match with the same players and settings, or asks the other person to agree.

    With `swap` the players change sides. The players have the same tokens in the new match. A match
    that is not over is paused.
    """

    swap: bool = False


class Step(_MatchRequest, frozen=True, tag="step"):
    """Lets the agents of a paused match make one move."""


class SetDelay(_MatchRequest, frozen=True, tag="delay"):
    """Sets the minimum time between two moves of agents."""

    seconds: Delay


class ViewPly(_MatchRequest, frozen=True, tag="view"):
    """Asks for the board after `ply` moves, with overlays; `move` previews another move without making it."""

    ply: Ply
    move: ShortText | None = None
    overlays: Annotated[list[ShortText], Meta(max_length=20)] = []


class ViewPremoves(_MatchRequest, frozen=True, tag="premoves"):
    """Asks for the board after `ply` moves, when the other side is to move, to choose a move in advance.

    The answer is a `view` whose picture has the moves that can be chosen.
    """

    ply: Ply


class PositionRequest(_Request, frozen=True):
    """Names the position after `ply` moves, of a match on the server or of `moves` in a game.

    Without `ply`, this is the position after all moves. Without `position`, `moves` begin at the layout.
    """

    match: Key | None = None
    ply: Ply | None = None
    game: ShortText | None = None
    layout: ShortText | None = None
    options: GameOptions = {}
    position: Text | None = None
    moves: Annotated[list[ShortText], Meta(max_length=MAX_MOVES)] = []


class Analyse(PositionRequest, frozen=True, tag="analyse"):
    """Asks an agent for the values of a position's moves, and for the best lines of play.

    `agent` is by default the game's default agent. With `values`, every legal move has a value; without,
    only the first moves of the `lines` have one, which is faster. A new analysis for the same purpose ends
    the previous one.
    """

    agent: ShortText | None = None
    seconds: Annotated[float, Meta(ge=0.05, le=30)] = 1.0
    lines: Annotated[int, Meta(ge=0, le=5)] = 1
    values: bool = True
    purpose: Literal["analysis", "bar"] = "analysis"


class StopAnalysis(_Request, frozen=True, tag="stop-analysis"):
    """Ends an analysis."""

    purpose: Literal["analysis", "bar", "annotation"] = "analysis"


class Annotate(PositionRequest, frozen=True, kw_only=True, tag="annotate"):
    """Asks an agent for the value of every position and the loss of every move.

    Before the answer, an `annotated` message is sent for each position, with the `key` of the request. A
    finished review of a match is kept with the match; `kept` asks only for this review.
    """

    key: Key
    kept: bool = False
    agent: ShortText | None = None
    seconds: Annotated[float, Meta(ge=0.05, le=5)] = 0.2


Overlays = Annotated[list[ShortText], Meta(max_length=10)]


class ShowBoard(PositionRequest, frozen=True, tag="board"):
    """Asks for the board of a position, with overlays drawn on it."""

    overlays: Overlays = []


class ExplainClicks(PositionRequest, frozen=True, kw_only=True, tag="explain"):
    """Asks why clicks on the elements with these ids make no move."""

    ids: Annotated[list[ShortText], Meta(min_length=1, max_length=200)]


class EditPosition(PositionRequest, frozen=True, tag="edit"):
    """Clears the board, places or removes a piece, or sets the side to move."""

    target: ShortText | None = None
    piece: ShortText | None = None
    side: Side | None = None
    clear: bool = False
    overlays: Overlays = []


class ImportText(PositionRequest, frozen=True, kw_only=True, tag="import"):
    """Asks what a text contains: the record with this number, or moves or a position of the named game.

    Moves are read from the start of the named line or, if they are not legal there, from the named position.
    """

    text: str
    number: Count = 1


class ExportRecord(PositionRequest, frozen=True, tag="export"):
    """Requests the record of a match, or of moves from a position with the given names and times."""

    names: tuple[ShortText, ShortText] | None = None
    seconds: Annotated[list[float | None], Meta(max_length=MAX_MOVES)] = []
    tree: Annotated[str, Meta(max_length=1_000_000)] = ""
    """The moves with comments, marks and variations, as `pgn.parse_line` reads them."""


class AskLessons(_Request, frozen=True, tag="lessons"):
    """Asks for the rules and the lessons of a game, and which puzzles it has."""

    game: ShortText


class AskPuzzle(_Request, frozen=True, tag="puzzle"):
    """Asks for a puzzle of a kind; numbers begin at 1."""

    game: ShortText
    kind: ShortText
    number: Count = 1


class ListRuns(_Request, frozen=True, tag="runs"):
    """Asks for the training runs now and whenever one changes."""


class WatchRun(_Request, frozen=True, tag="run"):
    """Asks for a training run now and whenever it changes."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]


class StopWatching(_Request, frozen=True, tag="unwatch"):
    """Ends the updates of the training runs."""


MatchRequest = (
    JoinMatch
    | RenameMatch
    | LeaveMatch
    | ClaimSeat
    | MakeMove
    | BoardShown
    | TakeBack
    | Resign
    | OfferDraw
    | Answer
    | AskHint
    | Pause
    | Resume
    | Rematch
    | Step
    | SetDelay
    | ViewPly
    | ViewPremoves
)
AnalysisRequest = (
    Analyse | StopAnalysis | Annotate | ShowBoard | ExplainClicks | EditPosition | ImportText | ExportRecord
)
LessonRequest = AskLessons | AskPuzzle
TrainingRequest = ListRuns | WatchRun | StopWatching
Request = (
    Catalogue
    | DescribeGame
    | ListMatches
    | CreateMatch
    | DeleteMatches
    | MatchRequest
    | AnalysisRequest
    | LessonRequest
    | TrainingRequest
)


# --- what the server sends -------------------------------------------------------


class Reply(Struct, frozen=True, tag_field="type", kw_only=True):
    """A message to the page; `re` is the number of the request that it answers."""

    re: int | UnsetType = UNSET


class Refused(Reply, frozen=True, tag="refused"):
    """Gives the reason, in one sentence, why a request was refused."""

    reason: str


class GameEntry(Struct, frozen=True):
    """A game in the lobby."""

    name: str
    title: str
    summary: str

    @classmethod
    def of(cls, entry: "Entry") -> "GameEntry":
        """Return what a plug-in says about a game before the game is loaded."""
        return cls(entry.name, entry.shown_title, entry.summary)


class CatalogueReply(Reply, frozen=True, tag="catalogue"):
    """The games that are installed."""

    games: list[GameEntry]


PictureChanges = NewType("PictureChanges", msgspec.Raw)
"""The fields in which a picture differs from another one."""


class AgentEntry(Struct, frozen=True):
    """An agent that can play a game."""

    name: str
    summary: str
    options: list[OptionDescription]


class OverlayEntry(Struct, frozen=True):
    """An overlay that can be drawn over the pictures of a game."""

    name: str
    summary: str


class GameReply(Reply, frozen=True, tag="game"):
    """What can be chosen for a match of a game; `levels` is 0 if there are none.

    `move_help` says how a move is typed. `picture` shows the start of the default layout and, if there are
    several layouts, `pictures` has the differences from it for each of them. `premoves` says whether moves
    can be chosen while the other side is to move, and `puzzles` whether there are puzzles. `trained` maps
    the names of the user's training runs to agents that play with what the runs have learned.
    """

    name: str
    title: str
    move_help: str
    sides: tuple[str, str]
    colours: tuple[str, str]
    layouts: tuple[str, ...]
    default_layout: str
    picture: msgspec.Raw
    pictures: Mapping[str, PictureChanges]
    options: list[OptionDescription]
    agents: list[AgentEntry]
    default_agent: str
    levels: int
    premoves: bool
    trained: Mapping[str, str]
    overlays: list[OverlayEntry]
    puzzles: bool


class MatchEntry(Struct, frozen=True):
    """A match in the lobby; `free` has the sides whose seats can be taken.

    `name` is a name that somebody gave it, or empty. `owned` says that only those with a token may rename or
    delete it. `time` is when it was started or, for a stored match, when it was stored; in seconds since
    1970, 0 if unknown. `stored` is the ID in `boardgames matches` of a match that was not played on this
    server; it is unfinished if it has no result, and cannot be renamed.
    """

    id: str
    game: str
    title: str
    names: tuple[str, str]
    ply: int
    result: str
    free: list[int]
    live: bool
    name: str = ""
    owned: bool = True
    spectators: int = 0
    time: float = 0.0
    stored: int | None = None


class MatchesReply(Reply, frozen=True, tag="matches"):
    """The matches on the server, newest first."""

    matches: list[MatchEntry]


class StoredReply(Reply, frozen=True, tag="stored"):
    """The other matches that `boardgames matches` lists, newest first.

    They follow the answer to `matches`, and are sent again when they have changed. `left_out` is the number
    of older matches, which are not listed.
    """

    matches: list[MatchEntry]
    left_out: int


class Compiling(Reply, frozen=True, tag="compiling"):
    """The server has compiled `count` kernels for a game, whose title is empty if unknown.

    Until compilation has ended, answers may take a minute.
    """

    title: str
    count: int
    ended: bool


class Created(Reply, frozen=True, tag="created"):
    """A new match, and the token with which its creator owns it and takes the creator's seats."""

    match: str
    token: str


class Claimed(Reply, frozen=True, tag="claimed"):
    """The token of a seat that was taken."""

    match: str
    side: int
    token: str


class MatchGone(Reply, frozen=True, tag="match-gone"):
    """Says that a match that the page shows has been deleted."""

    match: str


class SeatState(Struct, frozen=True):
    """Who plays a side, and whether a page with the token of this seat is connected."""

    kind: str
    taken: bool
    connected: bool


class MoveState(Struct, frozen=True):
    """A move that was made, the seconds it took, and what the player expects for its own side."""

    text: str
    side: int
    seconds: float
    value: str | None


class OutcomeState(Struct, frozen=True):
    """How a match ended.

    `reason` explains a draw without progress in the game's words, or an end by repetition.
    """

    winner: int | None
    text: str
    termination: str
    reason: str = ""

    @classmethod
    def of(cls, outcome: "Outcome", sides: tuple[str, str], reason: str = "") -> "OutcomeState":
        """Return how a match between sides with these names ended."""
        return cls(outcome.winner, outcome.describe(sides), outcome.termination.value, reason)


OfferKind = Literal["draw", "undo", "pause", "resume", "rematch", "swap"]
"""What needs the consent of both sides; `rematch` and `swap` are the two forms of `Rematch`."""


class OfferState(Struct, frozen=True):
    """An offer or request of a side; `reason` says why an agent has declined it."""

    kind: OfferKind
    side: int
    reason: str = ""


class MatchState(Struct, frozen=True, tag_field="type", tag="match", kw_only=True):
    """A match. All pages get the same state, apart from `yours` and `owner`.

    `yours` are the sides that the page may play; `owner` says that it has the token of the match's creator.

    `clocks` are the seconds left to each side, `increments` the seconds that each gets for a move,
    `move_times` the seconds that each has for a move, and `move_left` the seconds left for the current
    move. `used` are the seconds that each side has spent, and `moves_left` the number of moves that it may
    still make. `running` is the side whose clock is running.

    `offer` waits for an answer, and `declined` has just been declined. `next` is the rematch. `preparing`
    is true while the agent to move is being compiled and cannot think yet. `spectators` is the number of
    pages that neither play nor own the match.
    """

    id: str
    version: int
    game: str
    title: str
    layout: str
    options: Mapping[str, OptionValue]
    sides: tuple[str, str]
    names: tuple[str, str]
    seats: tuple[SeatState, ...] = ()
    yours: list[int] = []
    owner: bool = False
    ply: int
    to_move: int
    moves: list[MoveState]
    picture: msgspec.Raw
    clocks: tuple[float, float] | None
    increments: tuple[float, float]
    move_times: tuple[float | None, float | None]
    move_left: float | None
    used: tuple[float, float]
    moves_left: tuple[int, int] | None
    running: int | None = None
    limit: str
    score: tuple[int, int]
    outcome: OutcomeState | None
    fault: str | None
    offer: OfferState | None = None
    declined: OfferState | None = None
    next: str | None = None
    thinking: bool = False
    preparing: bool = False
    paused: bool = False
    delay: float = 0.0
    spectators: int = 0
    announcement: str


class MatchChange(Struct, frozen=True, tag_field="type", tag="match-change"):
    """What has changed in a match since the last state sent to the page; see `boardgames.web.deltas`.

    A page that lacks this state joins the match again, and is then sent a whole state.
    """

    id: str
    change: Mapping[str, object]


class ViewReply(Reply, frozen=True, tag="view"):
    """The board after `ply` moves and, unless it is None, after `move`."""

    match: str
    ply: int
    move: str | None
    picture: msgspec.Raw


class Explanation(Reply, frozen=True, tag="explanation"):
    """The reason why clicks make no move; empty if the game does not say."""

    reason: str


class Hint(Reply, frozen=True, tag="hint"):
    """A move that an agent would play, and the value that it expects."""

    match: str
    ply: int
    move: str
    value: str | None


class MoveValueState(Struct, frozen=True):
    """A legal move and its value: as text for the side to move, and from -1 to 1 for side 0.

    `short` is a text for the board: `W5` for a win in 5 plies, `L5` for a loss, `=` for a draw, an amount,
    or a chance of winning. `policy` is the probability that a network gives the move, and `share` the share
    of the simulations that played it; each is None if the agent has no such number.
    """

    move: str
    value: str
    short: str
    score: float
    proven: bool
    policy: float | None = None
    share: float | None = None


class LineState(Struct, frozen=True):
    """A line of play and the value of its first move."""

    value: str
    score: float
    proven: bool
    moves: list[str]


class AnalysisReply(Reply, frozen=True, tag="analysis"):
    """The value of a position and of its moves, best first; `best` is None if the match is over.

    Texts of values are for the side to move. Scores are expected returns of side 0, from -1 to 1.
    `network_value` is a network's value of the position without a search, empty if the agent has no network.
    """

    match: str | None
    ply: int
    to_move: int
    agent: str
    unit: str
    best: str | None
    value: str
    score: float
    proven: bool
    values: list[MoveValueState]
    lines: list[LineState]
    depth: int
    nodes: int
    seconds: float
    network_value: str = ""


class AnnotatedMove(Struct, frozen=True):
    """A move and its loss; texts are for the side that made it, and `better` is the best line."""

    side: int
    move: str
    mark: str
    loss: str
    value: str
    best_value: str
    better: list[str]


class AnnotatedPly(Reply, frozen=True, tag="annotated"):
    """The value of a position of a record, as text and from -1 to 1 for side 0, and the move before it."""

    key: str
    ply: int
    count: int
    value: str
    score: float
    proven: bool
    move: AnnotatedMove | None


class AnnotationReply(Reply, frozen=True, tag="annotation"):
    """The end of an annotation: the agent, and the mistakes and the accuracy of each side.

    `losses` are the minimum losses, in `unit`, for each of the three marks. A move that delays a win or
    hastens a loss by `delay` plies gets the first mark, too.
    """

    key: str
    agent: str
    unit: str
    legend: str
    summaries: tuple[str, str]
    accuracies: tuple[float | None, float | None]
    complete: bool
    losses: tuple[str, str, str] | None = None
    delay: int | None = None


class KeptReview(Struct, frozen=True):
    """A finished review that is kept with a match; it is only valid while the match has these moves."""

    moves: tuple[str, ...]
    notes: tuple[AnnotatedPly, ...]
    reply: AnnotationReply


class BoardReply(Reply, frozen=True, tag="board"):
    """A position in a line of moves, all in canonical notation.

    `start` is None if the line begins with the layout; `movers` has the side that made each move,
    `notations` the position in every notation of the game, and `pieces` what `edit` can place.
    """

    game: str
    title: str
    layout: str
    options: dict[str, str]
    sides: tuple[str, str]
    names: tuple[str, str]
    start: str | None
    ply: int
    moves: tuple[str, ...]
    movers: list[int]
    seconds: tuple[float | None, ...]
    position: str
    notations: dict[str, str]
    to_move: int
    score: tuple[int, int]
    outcome: OutcomeState | None
    picture: msgspec.Raw
    pieces: tuple[str, ...]
    overlays: list[OverlayEntry]


class Imported(Reply, frozen=True, tag="imported"):
    """What a text contains: match `number` of `count` matches, or only moves or a position.

    `notation` is the notation of the moves or position; it is empty if the game has only one notation.
    """

    kind: Literal["record", "moves", "position"]
    notation: str
    number: int
    count: int
    game: str
    layout: str
    options: dict[str, str]
    start: str
    names: tuple[str, str]
    moves: tuple[str, ...]
    seconds: tuple[float | None, ...]
    result: str
    outcome: str
    tree: str
    """The moves with comments, marks and variations, as `pgn.format_line` writes them; empty without any."""


class Exported(Reply, frozen=True, tag="exported"):
    """A record."""

    text: str


class Done(Reply, frozen=True, tag="done"):
    """Says that a request without another answer was carried out."""


class ExerciseEntry(Struct, frozen=True):
    """A position with a task, and the lines of play that solve it, with the replies of the other side."""

    title: str
    text: str
    task: str
    praise: str
    layout: str | None
    options: dict[str, str]
    position: str
    lines: list[list[str]]
    overlay: str


class PuzzleKind(Struct, frozen=True):
    """A kind of puzzle; `count` is None if there is a puzzle for every number."""

    name: str
    summary: str
    count: int | None


class LessonsReply(Reply, frozen=True, tag="lessons"):
    """How a game is played: its rules, its lessons, and its kinds of puzzles."""

    game: str
    title: str
    rules: str
    lessons: list[ExerciseEntry]
    puzzles: list[PuzzleKind]


class PuzzleReply(Reply, frozen=True, tag="puzzle"):
    """A puzzle."""

    kind: str
    number: int
    exercise: ExerciseEntry


class RunEntry(Struct, frozen=True):
    """A training run with the facts of `boardgames runs list`; times are in seconds since 1970."""

    name: str
    facts: RunFacts
    created: float
    changed: float


class RunsReply(Reply, frozen=True, tag="runs"):
    """The training runs, newest first."""

    runs: list[RunEntry]


class RunGone(Reply, frozen=True, tag="run-gone"):
    """Says that a training run that the page watches has been deleted."""

    name: str


class SettingEntry(Struct, frozen=True):
    """A setting of a learner."""

    name: str
    value: OptionValue
    summary: str


class WeightsEntry(Struct, frozen=True):
    """Weights after some steps; `total` is the number of all weights, or 0 if they are summarised."""

    steps: list[int]
    names: list[str]
    values: list[list[float | None]]
    total: int


class StandingsEntry(Struct, frozen=True):
    """Names and points of the competitors after a step, best first."""

    step: int
    rows: list[tuple[str, float | None]]


class RunReply(Reply, frozen=True, tag="run"):
    """A training run: settings, metrics after some of its steps, weights, standings.

    `agent` plays with the best weights so far; if it cannot, `agent` is None and `obstacle` says why.
    `strength` has a line for each opponent that the result was measured against. While that measurement
    runs, `measuring` says how many of its matches have been played.
    """

    run: RunEntry
    layout: str | None = None
    options: Mapping[str, OptionValue] = {}
    settings: list[SettingEntry] = []
    curve: str = ""
    follows_curve: bool = True
    steps: list[int] = []
    seconds: list[float | None] = []
    metrics: Mapping[str, list[float | None]] = {}
    weights: WeightsEntry | None = None
    standings: list[StandingsEntry] = []
    agent: str | None = None
    obstacle: str = ""
    strength: list[str] = []
    measuring: tuple[int, int] | None = None


def _encodable(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be sent")


_encoder = msgspec.json.Encoder(enc_hook=_encodable)
_decoder = msgspec.json.Decoder(Request)


def encode(message: Struct) -> bytes:
    """Return a message as JSON."""
    return _encoder.encode(message)


def decode(text: str) -> Request:
    """Return the request that a page has sent.

    Raises
    ------
    msgspec.DecodeError
        If it is not JSON, or not one of the requests.
    """
    request: Request = _decoder.decode(text)
    return request


def picture_changes(base: msgspec.Raw, picture: Picture) -> PictureChanges:
    """Return the fields of a picture that differ from another one, given as `picture_json` returns it."""
    was, fields = (msgspec.json.decode(one) for one in (base, picture_json(picture)))
    changed = {name: value for name, value in fields.items() if value != was[name]}
    return PictureChanges(msgspec.Raw(_encoder.encode(changed)))


def picture_json(picture: Picture) -> msgspec.Raw:
    """Return a picture as JSON, with its `bounds` and a `description` in words."""
    fields: dict[str, Any] = {name: getattr(picture, name) for name in Picture.__dataclass_fields__}
    fields["bounds"], fields["description"] = picture.bounds(), picture.describe()
    return msgspec.Raw(_encoder.encode(fields))
