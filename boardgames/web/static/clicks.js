// Builds moves from clicks: it knows the sequences of ids of the legal moves, and no rules.
//
// A sequence begins with a group: the ids before its target with the same content as the first one, such as marbles that
// move together. They can be selected in any order; what follows, such as the jumps of a capture, only in the order of the
// sequence. A click that would complete several moves offers a choice.

/** @import { Picture } from "../messages.js" */
/** @typedef {{move: string, ids: string[], rank: number, size: number}} Entry  a sequence of a move; `size` is that of its group */
/**
 * @typedef {object} Step  a way to continue
 * @property {string} id  what is clicked
 * @property {Entry} entry
 * @property {boolean} isExact
 * @property {string | null} move  the move that it completes
 * @property {string[]} choices  the moves that it may complete, if there are several
 * @property {string[]} path
 * @property {number} cost
 */
/** @typedef {(from: string, to: string) => number | null} Angle  the direction from one id to another */

export class Clicks {
  /** @type {Map<string, Entry>} */
  suggested = new Map();
  /** @type {Entry[]} */
  entries = [];
  /** @type {string[]} */
  path = [];

  /**
   * `picture.clicks` maps each legal move to its sequences, of which none is a prefix of another one.
   * @param {Picture | null} picture
   */
  constructor(picture = null) {
    const content = contents(picture);
    for (const [move, sequences] of Object.entries(picture?.clicks ?? {})) {
      const entries = sequences.map((ids, rank) => ({ move, ids, rank, size: groupSize(ids, content) }));
      if (entries.length) this.suggested.set(move, entries[0]);
      this.entries.push(...entries);
    }
  }

  /**
   * Return what can be clicked after `path`: for each id the move that it completes, or null, and the path after it,
   * or several moves to choose from.
   * @param {string[]} path
   */
  next(path = this.path) {
    /** @type {Map<string, Step>} */
    const options = new Map();
    const steps = this.#steps(path).sort((a, b) => a.cost - b.cost);
    for (const step of steps) {
      if (options.has(step.id)) continue;
      const moves = step.move === null ? [] : [...new Set(steps.flatMap(({ id, move }) => (id === step.id && move !== null ? [move] : [])))];
      options.set(step.id, moves.length > 1 ? { ...step, move: null, choices: moves } : step);
    }
    return options;
  }

  // Return what is selected: the path, and what moves with it although it was not clicked.
  get selected() {
    return this.path.concat(this.#implied(this.path));
  }

  /**
   * Return the id to click next in order to make a move, or undefined.
   * @param {string} move
   */
  step(move) {
    const steps = [...this.next().values()].filter((step) => step.entry.move === move);
    return (steps.find((step) => step.move) ?? steps[0])?.id;
  }

  /**
   * Click on an id. Return the completed move, or null, and what has happened; `refused` and `ambiguous` change nothing.
   * @param {string} id
   * @returns {{move: string | null, event: "moved" | "selected" | "deselected" | "refused" | "ambiguous", choices?: string[]}}
   */
  click(id) {
    const { path } = this;
    const option = this.next().get(id) ?? (path.includes(id) ? null : this.next([]).get(id));
    if (option?.choices.length) return { move: null, event: "ambiguous", choices: option.choices };
    if (option) {
      this.path = option.move === null ? option.path : [];
      return { move: option.move, event: option.move === null ? "selected" : "moved" };
    }
    if (!path.includes(id)) return { move: null, event: "refused" };
    const rest = path.filter((other) => other !== id);
    this.path = this.#steps(rest).length ? rest : path.slice(0, path.indexOf(id));
    return { move: null, event: "deselected" };
  }

  /**
   * Return the move that continues straight from the selection at an angle, or null.
   * @param {number | null} wanted
   * @param {Angle} angle
   */
  towards(wanted, angle) {
    const steps = this.#steps(this.path);
    const completed = steps.filter(({ move, entry }) => move !== null && angle(...lastTwo(entry)) === wanted);
    if (completed.length) return single(completed.map((step) => step.move));
    const from = this.path.at(-1);
    if (from === undefined) return null;
    const straight = steps.filter(({ isExact, entry }) => isExact
      && entry.ids.slice(this.path.length).every((id) => angle(from, id) === wanted));
    return single(straight.map((step) => step.entry.move));
  }

  /**
   * Return the move that a drag completes, or null; the path after it; and whether such a drag is impossible.
   * @param {string} from
   * @param {string} to
   * @param {Angle} angle
   */
  dragged(from, to, angle) {
    const isSelected = this.selected.includes(from);
    const options = this.next();
    if (isSelected) {
      const own = this.#steps(this.path).filter(({ id, move, entry }) => move !== null && id === to && entry.ids.at(-2) === from);
      const move = single(own.map((step) => step.move)) ?? this.towards(angle(from, to), angle) ?? options.get(to)?.move ?? null;
      if (move !== null) return { move, path: [], isRefused: false };
    }
    const added = options.get(from);
    const begin = isSelected ? this.path : added && added.move === null ? added.path : [from];
    const option = this.next(begin).get(to);
    const ending = this.entries.filter(({ ids }) => ids.at(-1) === to);
    const own = this.#steps(begin).filter(({ id, move, entry }) => move !== null && id === to && entry.ids.at(-2) === from);
    const move = option?.move ?? single(own.map((step) => step.move))
      ?? single(ending.filter(({ ids }) => begin.every((id, i) => ids[i] === id)).map((entry) => entry.move))
      ?? single(ending.filter((entry) => begin.every((id) => groupOf(entry).includes(id))).map((entry) => entry.move));
    if (move !== null) return { move, path: [], isRefused: false };
    if (option && !option.choices.length) return { move, path: option.path, isRefused: false };
    const path = this.path.length || !this.#steps(begin).length ? this.path : begin;
    return { move, path, isRefused: true };
  }

  /**
   * Return every way to continue a path, with a cost that is lowest for the most likely one.
   * @param {string[]} path
   */
  #steps(path) {
    const implied = this.#implied(path);
    /** @type {Step[]} */
    const steps = [];
    for (const entry of this.entries) {
      const { ids, size, rank } = entry;
      const isPrefix = path.every((id, i) => ids[i] === id);
      for (const at of reached(entry, path, implied)) {
        const id = ids[at];
        const isExact = isPrefix && at === path.length;
        const isLast = at === ids.length - 1;
        const goesOn = path.at(-1) === ids[at - 1];
        steps.push({
          id, entry, isExact, move: isLast ? entry.move : null, choices: [],
          path: at < size || at === path.length ? [...path, id] : ids.slice(0, at + 1),
          cost: (isExact ? 0 : 4e6) + (isLast ? 2e6 : 0) + (goesOn ? 0 : 1e6) + rank,
        });
      }
    }
    return steps;
  }

  /**
   * Return the rest of a group that moves although a path, such as its ends, leaves it out.
   * @param {string[]} path
   */
  #implied(path) {
    const whole = this.entries.filter((entry) => entry.size === path.length && path.every((id) => groupOf(entry).includes(id)));
    const rests = path.length ? whole.map((entry) => groupOf(this.suggested.get(entry.move) ?? entry).filter((id) => !path.includes(id))) : [];
    return rests.length ? rests.reduce((common, ids) => common.filter((id) => ids.includes(id))) : [];
  }
}

/** @param {Entry} entry */
const groupOf = ({ ids, size }) => ids.slice(0, size);

/**
 * Return the last two ids of a sequence: where its last step begins and ends.
 * @param {Entry} entry
 * @returns {[string, string]}
 */
const lastTwo = ({ ids }) => [ids[ids.length - 2], ids[ids.length - 1]];

/**
 * Return the places in a sequence whose ids can be clicked after a path; those of a group may come in any order.
 * @param {Entry} entry
 * @param {string[]} path
 * @param {string[]} implied
 */
function reached({ ids, size }, path, implied) {
  const group = ids.slice(0, size);
  if (path.length > size) {
    const isSame = group.every((id) => path.indexOf(id) < size && path.includes(id));
    return isSame && path.slice(size).every((id, i) => ids[size + i] === id) && path.length < ids.length ? [path.length] : [];
  }
  if (!path.every((id) => group.includes(id))) return [];
  const places = [...group.keys()].filter((at) => !path.includes(group[at]));
  if (places.every((at) => implied.includes(group[at]))) places.push(size);
  return places;
}

/**
 * Return the only move in a list, or null if there is none or more than one.
 * @param {(string | null)[]} moves
 */
function single(moves) {
  return new Set(moves).size === 1 ? moves[0] : null;
}

/**
 * Return how many ids at the beginning of a sequence have the same content.
 * @param {string[]} ids
 * @param {(id: string) => string} content
 */
function groupSize(ids, content) {
  let size = 0;
  while (size < ids.length - 1 && content(ids[size]) === content(ids[0]) && ids.indexOf(ids[size]) === size) size++;
  return size;
}

/**
 * Return a function that gives the content of an id in a picture: the side of its piece, line or cell.
 * @param {Picture | null} picture
 * @returns {(id: string) => string}
 */
export function contents(picture) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const { id, owner } of picture?.cells ?? []) found.set(id, `cell ${owner}`);
  for (const { id, side } of picture?.lines ?? []) found.set(id, `line ${side}`);
  for (const { cell, side } of picture?.pieces ?? []) found.set(cell, `piece ${side}`);
  return (id) => found.get(id) ?? `button ${id}`;
}
