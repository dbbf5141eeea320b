// Types of the page's texts that are functions, for the checks: a translation must provide all of them.

type Made<K extends string, P extends unknown[]> = Partial<Record<K, (...parameters: P) => string>>;

/** Texts of one word or sentence: the name of a side, player, game or agent, a move, an id, a time or a reason. */
type OfOne = Made<
  | "analysisOf" | "bestPlayer" | "cannotGo" | "chart" | "cannotMove" | "cannotPlay" | "changed" | "clockLabel" | "compiling"
  | "deleteFinishedQuestion" | "deleteLabel" | "deleteQuestion" | "drawnBy" | "fault" | "gettingReady" | "howToPlayGame" | "incrementFor" | "judging" | "lineName" | "minutesFor" | "move" | "moveClockLabel" | "moveLimitOf"
  | "adjudicated" | "atMoveLimit" | "layoutName" | "noGame" | "noLesson" | "noPage" | "noLegalMove" | "noMatch" | "noProgress" | "noRules" | "nowState" | "onTime" | "opponentsMove" | "otherSide" | "ownPiece" | "ownedBy"
  | "pageTitle" | "renameLabel" | "playGame" | "player" | "plays" | "premoveDropped" | "preparing" | "puzzleKindName" | "puzzlesOf" | "reviewedBy" | "seatOf" | "sentence"
  | "solutionIs" | "takeSeat" | "thinking" | "toConfirm" | "trained" | "tryLesson" | "turnTitle" | "used"
  | "waitingFor" | "won" | "youPlay" | "yourMove",
  [text: string]
>;
type OfNumber = Made<
  | "addedPerMove" | "afterStep" | "clockLow" | "day" | "hiddenByFilter" | "leftOut" | "minutes" | "movesLeft" | "pairNumber" | "percent" | "plies" | "rank" | "more" | "seconds"
  | "seed" | "solvedCount" | "spectators" | "stepName" | "stepsDone" | "storedAs" | "viewing",
  [n: number]
>;
type OfNumbers = Made<"clearQuestion" | "mistakeOf" | "levelMeaning" | "measuring" | "reviewing" | "weightsHelp", [n: number, all: number]>;
type OfTwo = Made<
  | "becomes" | "byRepetition" | "crash" | "illegalMove" | "learnerOn" | "optionLabel" | "resigned" | "rightMove" | "samePlayed" | "solution" | "versus",
  [text: string, other: string]
>;
type OfTwoOrOne = Made<"direction" | "hintText" | "padButton" | "piece", [text: string, other: string | null]>;

/** Every text is a string, a list or a record of strings, or one of these. */
export type Texts = OfOne & OfNumber & OfNumbers & OfTwo & OfTwoOrOne
  & Made<"accuracyOf", [percent: number | null]>
  & Made<"atStep", [name: string, value: string]>
  & Made<"best", [value: string, step: number]>
  & Made<"better", [side: string, better: string, best: string, value: string]>
  & Made<"mistakeTask", [turn: string, side: string, move: string]>
  & Made<"turn", [ply: number, side: number]>
  & Made<"asksFor", [moves: string[]]>
  & Made<"imported", [n: number, all: number, names: string[], result: string]>
  & Made<"inTray", [label: string, n: number, places: number | null]>
  & Made<"joinLabel", [verb: string, title: string, names: string]>
  & Made<"lastMatch", [title: string, who: string[], sides: string[]]>
  & Made<"loses" | "nowSelected", [name: string, n: number]>
  & Made<"marked", [from: string, to: string | null, isRemoved: boolean]>
  & Made<"moveLabel", [n: number, side: string, move: string, seconds: string, value: string | null | undefined]>
  & Made<"readText", [n: number, notation: string]>
  & Made<"playNote", [agent: string, step: number]>
  & Made<"puzzleNumber" | "steps", [n: number, all: number | null]>
  & Made<"stateOf", [position: { outcome: { text: string } | null; sides: [string, string]; to_move: number }]>
  & Made<"valueFor", [side: string, value: string, agent: string, depth: number, networkValue: string]>
  & Made<"shares", [policy: number | null, share: number | null]>
  & Made<"withPoints", [won: string, own: number, other: number]>
  & Made<"premove", [move: string, hasKeys: boolean]>
  & Made<"wrongMove", [move: string, value: string, best: string]>
  & { marksMeaning?: (losses: [string, string, string], plies: number | null, unit: string) => string[] }
  & { offered?: Record<string, (name: string) => string>; declined?: Record<string, (name: string, reason: string) => string> }
  & Record<string, unknown>;
