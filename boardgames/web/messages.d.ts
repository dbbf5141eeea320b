// The messages between the page and the server, and the pictures in them, for the checks of the page.
// tests/message_types.py makes this file from messages.py and the dataclasses that it uses.

/** A cell of the board: its id, centre and shape. */
export interface Cell {
  id: string;
  x: number;
  y: number;
  shape: "circle" | "square" | "hexagon" | "point";
  owner: number | null;
}

/** A piece of one side on a cell; `symbol` is its letter in a terminal. */
export interface Piece {
  cell: string;
  side: number;
  symbol: string;
  shape: "disc" | "letter";
}

/** A straight line, such as an edge of a cell, that `side` has drawn; if None, nobody has drawn it yet. */
export interface Line {
  id: string;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  side: number | null;
  label: string;
}

/** A straight line printed on the board, such as a line between points of Nine Men's Morris. */
export interface GridLine {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/** Colours of a board as `#rrggbb`; an empty string stands for the colour of the theme. */
export interface Palette {
  board: string;
  cell: string;
  edge: string;
}

/** A button below the board, such as `Button("pass")`. */
export interface Button {
  id: string;
  label: string;
}

/** Text beside the board, such as the name of a row or column. */
export interface Label {
  x: number;
  y: number;
  text: string;
}

/** Text in a corner of the drawing; several captions in one corner are stacked. */
export interface Caption {
  corner: "top-left" | "top-right" | "bottom-left" | "bottom-right";
  text: string;
}

/** What one side has beside the board: pieces that lie there, or only a number. */
export interface Tray {
  side: number;
  label: string;
  count: number;
  pieces: Piece[];
  places: number;
}

/** A class of marked lines or cells in an overlay: its symbol, one character, its name and meaning. */
export interface MarkClass {
  symbol: string;
  name: string;
  summary: string;
}

/** A row of adjacent cells that belong together, drawn with an outline. */
export interface Group {
  label: string;
  text: string;
  cells: string[];
  is_closed: boolean;
}

/** Information that can be drawn over the picture of a position: marks, groups of cells, and remarks. */
export interface Overlay {
  name: string;
  summary: string;
  classes: MarkClass[];
  marks: Record<string, string>;
  groups: Group[];
  remarks: string[];
}

/** What a position looks like. */
export interface Picture {
  cells: Cell[];
  pieces: Piece[];
  lines: Line[];
  labels: Label[];
  captions: Caption[];
  sides: [string, string];
  colours: [string, string];
  clicks: Record<string, string[][]>;
  changed: string[];
  title: string;
  frame: "none" | "board" | "panel";
  gravity: "up" | "down" | "left" | "right" | null;
  flip: "turn" | "mirror";
  palette: Palette;
  grid: GridLine[];
  trays: Tray[];
  near: number;
  winning: string[];
  buttons: Button[];
  overlays: Overlay[];
  bounds: [number, number, number, number];
  description: string;
}

/** A run as the command line prints it in JSON and pages get it; see `RunSummary`. */
export interface RunFacts {
  game: string | null;
  learner: string | null;
  seed: number | null;
  step: number;
  length: number | null;
  best: number | null;
  best_step: number;
  state: "running" | "finished" | "stopped" | "broken";
  error: string | null;
}

/** An option of a game, agent or learner, as the command line prints it in JSON and pages get it. */
export interface OptionDescription {
  name: string;
  type: string;
  minimum: number | null;
  maximum: number | null;
  choices: string[] | number[];
  default: boolean | number | string | null;
  summary: string;
}

/** Asks for the games that are installed. */
export interface Catalogue {
  type: "catalogue";
  re?: number | null;
}

/** Asks for the options, layouts and agents of a game. */
export interface DescribeGame {
  type: "game";
  name: string;
  re?: number | null;
}

/** Asks for the matches now and whenever they change; `matches` and `stored` are the answers. */
export interface ListMatches {
  type: "matches";
  re?: number | null;
}

/** Who plays a side: the person who asks, a person who joins later, or an agent. */
export interface SeatRequest {
  kind: "here" | "open" | "agent";
  agent?: string;
  name?: string;
}

/** Requests a new match, as `MatchSetup` describes one. */
export interface CreateMatch {
  type: "create";
  game: string;
  seats: [SeatRequest, SeatRequest];
  layout?: string | null;
  options?: Record<string, boolean | number | string | null>;
  position?: string | null;
  clock?: [number | null, number | null];
  increment?: [number, number];
  move_time?: [number | null, number | null];
  ply_limit?: number | null;
  move_limits?: [number, number] | null;
  no_progress_limit?: number | null;
  repetition?: boolean | null;
  seed?: number | null;
  paused?: boolean;
  delay?: number;
  re?: number | null;
}

/** A match to delete, with the tokens that prove the right to do so. */
export interface ListedMatch {
  match: string;
  tokens: string[];
}

/** Deletes matches: all of them, or none if one of them cannot be deleted. */
export interface DeleteMatches {
  type: "delete";
  re?: number | null;
  matches: ListedMatch[];
}

/** Asks for the state of a match now and whenever it changes. */
export interface JoinMatch {
  type: "join";
  match: string;
  token?: string | null;
  re?: number | null;
}

/** Gives a match a name for the list; without one it is listed by its game. */
export interface RenameMatch {
  type: "rename";
  match: string;
  name: string;
  tokens?: string[];
  re?: number | null;
}

/** Ends the updates of a match. */
export interface LeaveMatch {
  type: "leave";
  match: string;
  re?: number | null;
}

/** Takes the free seat of a side. */
export interface ClaimSeat {
  type: "claim";
  match: string;
  side: number;
  name?: string;
  re?: number | null;
}

/** Makes a move after `ply` moves; refused if the match has moved on. */
export interface MakeMove {
  type: "move";
  match: string;
  ply: number;
  move: string;
  re?: number | null;
}

/** Says that the page shows the board after `ply` moves. */
export interface BoardShown {
  type: "shown";
  match: string;
  ply: number;
  re?: number | null;
}

/** Takes back the player's last move against an agent, or asks the other person to agree. */
export interface TakeBack {
  type: "undo";
  match: string;
  re?: number | null;
}

/** Resigns. */
export interface Resign {
  type: "resign";
  match: string;
  re?: number | null;
}

/** Offers a draw. */
export interface OfferDraw {
  type: "offer-draw";
  match: string;
  re?: number | null;
}

/** Answers an offer or request of the other side. */
export interface Answer {
  type: "answer";
  match: string;
  accept: boolean;
  re?: number | null;
}

/** Asks which move the agent to move would play; for a person, the game's default agent is asked. */
export interface AskHint {
  type: "hint";
  match: string;
  re?: number | null;
}

/** Pauses a match. Against another person this asks for their consent first. */
export interface Pause {
  type: "pause";
  match: string;
  re?: number | null;
}

/** Resumes a paused match, or asks the other person to agree. */
export interface Resume {
  type: "resume";
  match: string;
  re?: number | null;
}

/** Starts a match with the same players and settings, or asks the other person to agree. */
export interface Rematch {
  type: "rematch";
  match: string;
  swap?: boolean;
  re?: number | null;
}

/** Lets the agents of a paused match make one move. */
export interface Step {
  type: "step";
  match: string;
  re?: number | null;
}

/** Sets the minimum time between two moves of agents. */
export interface SetDelay {
  type: "delay";
  match: string;
  seconds: number;
  re?: number | null;
}

/** Asks for the board after `ply` moves, with overlays; `move` previews another move without making it. */
export interface ViewPly {
  type: "view";
  match: string;
  ply: number;
  move?: string | null;
  overlays?: string[];
  re?: number | null;
}

/** Asks for the board after `ply` moves, when the other side is to move, to choose a move in advance. */
export interface ViewPremoves {
  type: "premoves";
  match: string;
  ply: number;
  re?: number | null;
}

/** Names the position after `ply` moves, of a match on the server or of `moves` in a game. */
export interface PositionRequest {
  match?: string | null;
  ply?: number | null;
  game?: string | null;
  layout?: string | null;
  options?: Record<string, boolean | number | string | null>;
  position?: string | null;
  moves?: string[];
  re?: number | null;
}

/** Asks an agent for the values of a position's moves, and for the best lines of play. */
export interface Analyse {
  type: "analyse";
  match?: string | null;
  ply?: number | null;
  game?: string | null;
  layout?: string | null;
  options?: Record<string, boolean | number | string | null>;
  position?: string | null;
  moves?: string[];
  agent?: string | null;
  seconds?: number;
  lines?: number;
  values?: boolean;
  purpose?: "analysis" | "bar";
  re?: number | null;
}

/** Ends an analysis. */
export interface StopAnalysis {
  type: "stop-analysis";
  purpose?: "analysis" | "bar" | "annotation";
  re?: number | null;
}

/** Asks an agent for the value of every position and the loss of every move. */
export interface Annotate {
  type: "annotate";
  match?: string | null;
  ply?: number | null;
  game?: string | null;
  layout?: string | null;
  options?: Record<string, boolean | number | string | null>;
  position?: string | null;
  moves?: string[];
  re?: number | null;
  key: string;
  kept?: boolean;
  agent?: string | null;
  seconds?: number;
}

/** Asks for the board of a position, with overlays drawn on it. */
export interface ShowBoard {
  type: "board";
  match?: string | null;
  ply?: number | null;
  game?: string | null;
  layout?: string | null;
  options?: Record<string, boolean | number | string | null>;
  position?: string | null;
  moves?: string[];
  overlays?: string[];
  re?: number | null;
}

/** Asks why clicks on the elements with these ids make no move. */
export interface ExplainClicks {
  type: "explain";
  match?: string | null;
  ply?: number | null;
  game?: string | null;
  layout?: string | null;
  options?: Record<string, boolean | number | string | null>;
  position?: string | null;
  moves?: string[];
  re?: number | null;
  ids: string[];
}

/** Clears the board, places or removes a piece, or sets the side to move. */
export interface EditPosition {
  type: "edit";
  match?: string | null;
  ply?: number | null;
  game?: string | null;
  layout?: string | null;
  options?: Record<string, boolean | number | string | null>;
  position?: string | null;
  moves?: string[];
  target?: string | null;
  piece?: string | null;
  side?: number | null;
  clear?: boolean;
  overlays?: string[];
  re?: number | null;
}

/** Asks what a text contains: the record with this number, or moves or a position of the named game. */
export interface ImportText {
  type: "import";
  match?: string | null;
  ply?: number | null;
  game?: string | null;
  layout?: string | null;
  options?: Record<string, boolean | number | string | null>;
  position?: string | null;
  moves?: string[];
  re?: number | null;
  text: string;
  number?: number;
}

/** Requests the record of a match, or of moves from a position with the given names and times. */
export interface ExportRecord {
  type: "export";
  match?: string | null;
  ply?: number | null;
  game?: string | null;
  layout?: string | null;
  options?: Record<string, boolean | number | string | null>;
  position?: string | null;
  moves?: string[];
  names?: [string, string] | null;
  seconds?: (number | null)[];
  tree?: string;
  re?: number | null;
}

/** Asks for the rules and the lessons of a game, and which puzzles it has. */
export interface AskLessons {
  type: "lessons";
  game: string;
  re?: number | null;
}

/** Asks for a puzzle of a kind; numbers begin at 1. */
export interface AskPuzzle {
  type: "puzzle";
  game: string;
  kind: string;
  number?: number;
  re?: number | null;
}

/** Asks for the training runs now and whenever one changes. */
export interface ListRuns {
  type: "runs";
  re?: number | null;
}

/** Asks for a training run now and whenever it changes. */
export interface WatchRun {
  type: "run";
  name: string;
  re?: number | null;
}

/** Ends the updates of the training runs. */
export interface StopWatching {
  type: "unwatch";
  re?: number | null;
}

/** Gives the reason, in one sentence, why a request was refused. */
export interface Refused {
  type: "refused";
  reason: string;
  re?: number;
}

/** A game in the lobby. */
export interface GameEntry {
  name: string;
  title: string;
  summary: string;
}

/** The games that are installed. */
export interface CatalogueReply {
  type: "catalogue";
  games: GameEntry[];
  re?: number;
}

/** An agent that can play a game. */
export interface AgentEntry {
  name: string;
  summary: string;
  options: OptionDescription[];
}

/** An overlay that can be drawn over the pictures of a game. */
export interface OverlayEntry {
  name: string;
  summary: string;
}

/** What can be chosen for a match of a game; `levels` is 0 if there are none. */
export interface GameReply {
  type: "game";
  name: string;
  title: string;
  move_help: string;
  sides: [string, string];
  colours: [string, string];
  layouts: string[];
  default_layout: string;
  picture: Picture;
  pictures: Record<string, Partial<Picture>>;
  options: OptionDescription[];
  agents: AgentEntry[];
  default_agent: string;
  levels: number;
  premoves: boolean;
  trained: Record<string, string>;
  overlays: OverlayEntry[];
  puzzles: boolean;
  re?: number;
}

/** A match in the lobby; `free` has the sides whose seats can be taken. */
export interface MatchEntry {
  id: string;
  game: string;
  title: string;
  names: [string, string];
  ply: number;
  result: string;
  free: number[];
  live: boolean;
  name: string;
  owned: boolean;
  spectators: number;
  time: number;
  stored: number | null;
}

/** The matches on the server, newest first. */
export interface MatchesReply {
  type: "matches";
  matches: MatchEntry[];
  re?: number;
}

/** The other matches that `boardgames matches` lists, newest first. */
export interface StoredReply {
  type: "stored";
  matches: MatchEntry[];
  left_out: number;
  re?: number;
}

/** The server has compiled `count` kernels for a game, whose title is empty if unknown. */
export interface Compiling {
  type: "compiling";
  title: string;
  count: number;
  ended: boolean;
  re?: number;
}

/** A new match, and the token with which its creator owns it and takes the creator's seats. */
export interface Created {
  type: "created";
  match: string;
  token: string;
  re?: number;
}

/** The token of a seat that was taken. */
export interface Claimed {
  type: "claimed";
  match: string;
  side: number;
  token: string;
  re?: number;
}

/** Says that a match that the page shows has been deleted. */
export interface MatchGone {
  type: "match-gone";
  match: string;
  re?: number;
}

/** Who plays a side, and whether a page with the token of this seat is connected. */
export interface SeatState {
  kind: string;
  taken: boolean;
  connected: boolean;
}

/** A move that was made, the seconds it took, and what the player expects for its own side. */
export interface MoveState {
  text: string;
  side: number;
  seconds: number;
  value: string | null;
}

/** How a match ended. */
export interface OutcomeState {
  winner: number | null;
  text: string;
  termination: string;
  reason: string;
}

/** An offer or request of a side; `reason` says why an agent has declined it. */
export interface OfferState {
  kind: "draw" | "undo" | "pause" | "resume" | "rematch" | "swap";
  side: number;
  reason: string;
}

/** A match. All pages get the same state, apart from `yours` and `owner`. */
export interface MatchState {
  type: "match";
  id: string;
  version: number;
  game: string;
  title: string;
  layout: string;
  options: Record<string, boolean | number | string | null>;
  sides: [string, string];
  names: [string, string];
  seats: SeatState[];
  yours: number[];
  owner: boolean;
  ply: number;
  to_move: number;
  moves: MoveState[];
  picture: Picture;
  clocks: [number, number] | null;
  increments: [number, number];
  move_times: [number | null, number | null];
  move_left: number | null;
  used: [number, number];
  moves_left: [number, number] | null;
  running: number | null;
  limit: string;
  score: [number, number];
  outcome: OutcomeState | null;
  fault: string | null;
  offer: OfferState | null;
  declined: OfferState | null;
  next: string | null;
  thinking: boolean;
  preparing: boolean;
  paused: boolean;
  delay: number;
  spectators: number;
  announcement: string;
}

/** What has changed in a match since the last state sent to the page; see `boardgames.web.deltas`. */
export interface MatchChange {
  type: "match-change";
  id: string;
  change: Record<string, unknown>;
}

/** The board after `ply` moves and, unless it is None, after `move`. */
export interface ViewReply {
  type: "view";
  match: string;
  ply: number;
  move: string | null;
  picture: Picture;
  re?: number;
}

/** The reason why clicks make no move; empty if the game does not say. */
export interface Explanation {
  type: "explanation";
  reason: string;
  re?: number;
}

/** A move that an agent would play, and the value that it expects. */
export interface Hint {
  type: "hint";
  match: string;
  ply: number;
  move: string;
  value: string | null;
  re?: number;
}

/** A legal move and its value: as text for the side to move, and from -1 to 1 for side 0. */
export interface MoveValueState {
  move: string;
  value: string;
  short: string;
  score: number;
  proven: boolean;
  policy: number | null;
  share: number | null;
}

/** A line of play and the value of its first move. */
export interface LineState {
  value: string;
  score: number;
  proven: boolean;
  moves: string[];
}

/** The value of a position and of its moves, best first; `best` is None if the match is over. */
export interface AnalysisReply {
  type: "analysis";
  match: string | null;
  ply: number;
  to_move: number;
  agent: string;
  unit: string;
  best: string | null;
  value: string;
  score: number;
  proven: boolean;
  values: MoveValueState[];
  lines: LineState[];
  depth: number;
  nodes: number;
  seconds: number;
  network_value: string;
  re?: number;
}

/** A move and its loss; texts are for the side that made it, and `better` is the best line. */
export interface AnnotatedMove {
  side: number;
  move: string;
  mark: string;
  loss: string;
  value: string;
  best_value: string;
  better: string[];
}

/** The value of a position of a record, as text and from -1 to 1 for side 0, and the move before it. */
export interface AnnotatedPly {
  type: "annotated";
  key: string;
  ply: number;
  count: number;
  value: string;
  score: number;
  proven: boolean;
  move: AnnotatedMove | null;
  re?: number;
}

/** The end of an annotation: the agent, and the mistakes and the accuracy of each side. */
export interface AnnotationReply {
  type: "annotation";
  key: string;
  agent: string;
  unit: string;
  legend: string;
  summaries: [string, string];
  accuracies: [number | null, number | null];
  complete: boolean;
  losses: [string, string, string] | null;
  delay: number | null;
  re?: number;
}

/** A finished review that is kept with a match; it is only valid while the match has these moves. */
export interface KeptReview {
  moves: string[];
  notes: AnnotatedPly[];
  reply: AnnotationReply;
}

/** A position in a line of moves, all in canonical notation. */
export interface BoardReply {
  type: "board";
  game: string;
  title: string;
  layout: string;
  options: Record<string, string>;
  sides: [string, string];
  names: [string, string];
  start: string | null;
  ply: number;
  moves: string[];
  movers: number[];
  seconds: (number | null)[];
  position: string;
  notations: Record<string, string>;
  to_move: number;
  score: [number, number];
  outcome: OutcomeState | null;
  picture: Picture;
  pieces: string[];
  overlays: OverlayEntry[];
  re?: number;
}

/** What a text contains: match `number` of `count` matches, or only moves or a position. */
export interface Imported {
  type: "imported";
  kind: "record" | "moves" | "position";
  notation: string;
  number: number;
  count: number;
  game: string;
  layout: string;
  options: Record<string, string>;
  start: string;
  names: [string, string];
  moves: string[];
  seconds: (number | null)[];
  result: string;
  outcome: string;
  tree: string;
  re?: number;
}

/** A record. */
export interface Exported {
  type: "exported";
  text: string;
  re?: number;
}

/** Says that a request without another answer was carried out. */
export interface Done {
  type: "done";
  re?: number;
}

/** A position with a task, and the lines of play that solve it, with the replies of the other side. */
export interface ExerciseEntry {
  title: string;
  text: string;
  task: string;
  praise: string;
  layout: string | null;
  options: Record<string, string>;
  position: string;
  lines: string[][];
  overlay: string;
}

/** A kind of puzzle; `count` is None if there is a puzzle for every number. */
export interface PuzzleKind {
  name: string;
  summary: string;
  count: number | null;
}

/** How a game is played: its rules, its lessons, and its kinds of puzzles. */
export interface LessonsReply {
  type: "lessons";
  game: string;
  title: string;
  rules: string;
  lessons: ExerciseEntry[];
  puzzles: PuzzleKind[];
  re?: number;
}

/** A puzzle. */
export interface PuzzleReply {
  type: "puzzle";
  kind: string;
  number: number;
  exercise: ExerciseEntry;
  re?: number;
}

/** A training run with the facts of `boardgames runs list`; times are in seconds since 1970. */
export interface RunEntry {
  name: string;
  facts: RunFacts;
  created: number;
  changed: number;
}

/** The training runs, newest first. */
export interface RunsReply {
  type: "runs";
  runs: RunEntry[];
  re?: number;
}

/** Says that a training run that the page watches has been deleted. */
export interface RunGone {
  type: "run-gone";
  name: string;
  re?: number;
}

/** A setting of a learner. */
export interface SettingEntry {
  name: string;
  value: boolean | number | string | null;
  summary: string;
}

/** Weights after some steps; `total` is the number of all weights, or 0 if they are summarised. */
export interface WeightsEntry {
  steps: number[];
  names: string[];
  values: ((number | null)[])[];
  total: number;
}

/** Names and points of the competitors after a step, best first. */
export interface StandingsEntry {
  step: number;
  rows: ([string, number | null])[];
}

/** A training run: settings, metrics after some of its steps, weights, standings. */
export interface RunReply {
  type: "run";
  run: RunEntry;
  layout: string | null;
  options: Record<string, boolean | number | string | null>;
  settings: SettingEntry[];
  curve: string;
  follows_curve: boolean;
  steps: number[];
  seconds: (number | null)[];
  metrics: Record<string, (number | null)[]>;
  weights: WeightsEntry | null;
  standings: StandingsEntry[];
  agent: string | null;
  obstacle: string;
  strength: string[];
  measuring: [number, number] | null;
  re?: number;
}

export type Request =
  | Catalogue
  | DescribeGame
  | ListMatches
  | CreateMatch
  | DeleteMatches
  | JoinMatch
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
  | Analyse
  | StopAnalysis
  | Annotate
  | ShowBoard
  | ExplainClicks
  | EditPosition
  | ImportText
  | ExportRecord
  | AskLessons
  | AskPuzzle
  | ListRuns
  | WatchRun
  | StopWatching;

export type Message =
  | Refused
  | CatalogueReply
  | GameReply
  | MatchesReply
  | StoredReply
  | Compiling
  | Created
  | Claimed
  | MatchGone
  | MatchState
  | MatchChange
  | ViewReply
  | Explanation
  | Hint
  | AnalysisReply
  | AnnotatedPly
  | AnnotationReply
  | BoardReply
  | Imported
  | Exported
  | Done
  | LessonsReply
  | PuzzleReply
  | RunsReply
  | RunGone
  | RunReply;
