// Building moves from clicks: knows the sequences of ids of the legal moves, and no rules.

export class Clicks {
  // `clicks` maps each legal move to its sequences; no sequence is a prefix of another one.
  constructor(clicks = {}) {
    this.suggested = new Map();
    this.entries = [];
    for (const [move, sequences] of Object.entries(clicks)) {
      this.suggested.set(move, sequences[0]);
      for (const ids of sequences) this.entries.push({ move, ids });
    }
    this.path = [];
  }

  get hasSelections() {
    return this.entries.some((entry) => entry.ids.length > 1);
  }

  // Return what can be clicked after `path`: the entries that go on with each id.
  // Ids that were clicked in another order than a sequence has them also lead to its move,
  // unless that move can be made in the order clicked.
  next(path = this.path) {
    const options = new Map();
    const count = path.length;
    const exact = this.entries.filter((entry) => path.every((id, i) => entry.ids[i] === id));
    for (const entry of exact) add(options, entry, count);
    if (count > 1) {
      const moves = new Set(exact.map((entry) => entry.move));
      const ids = new Set(options.keys());
      const chosen = [...path].sort().join(" ");
      for (const entry of this.entries) {
        const isReordered = entry.ids.length > count && entry.ids.slice(0, count).sort().join(" ") === chosen;
        if (isReordered && !moves.has(entry.move) && !ids.has(entry.ids[count])) add(options, entry, count);
      }
    }
    return options;
  }

  // Return what is selected: the path, and what it skips of the suggested sequences of all moves that it can lead to.
  get selected() {
    const skipped = [...this.next().values()].flat().map(({ move, ids }) =>
      this.suggested.get(move).filter((id) => !ids.includes(id)));
    return this.path.concat(skipped.length && this.path.length
      ? skipped.reduce((common, ids) => common.filter((id) => ids.includes(id))) : []);
  }

  // Return the move that an id completes after the path, or null.
  completes(id, options = this.next()) {
    const entry = options.get(id)?.find((one) => one.ids.length === this.path.length + 1);
    return entry ? entry.move : null;
  }

  // Click on an id: return the completed move, or null after changing the path.
  click(id) {
    const options = this.next();
    const move = this.completes(id, options);
    if (move !== null) {
      this.path = [];
      return move;
    }
    if (options.has(id)) {
      this.path = options.get(id)[0].ids.slice(0, this.path.length + 1);
      return null;
    }
    const again = this.path.includes(id);
    this.path = [];
    return !again && this.next().has(id) ? this.click(id) : null;
  }

  // Return the move that goes straight on from the selection at an angle, or null; `angle` gives that between ids.
  towards(wanted, angle) {
    const from = this.path.at(-1);
    const isStraight = ({ ids }) => ids.slice(this.path.length).every((id) => angle(from, id) === wanted);
    const moves = new Set([...this.next().values()].flat().filter(isStraight).map((entry) => entry.move));
    return moves.size === 1 ? [...moves][0] : null;
  }

  // Return the move that a drag completes, or null, and the path after it.
  dragged(from, to, angle) {
    if (this.selected.includes(from)) {
      const move = this.towards(angle(from, to), angle);
      if (move !== null) return { move, path: [] };
    }
    const options = this.next();
    const goesOn = this.path.length > 0 && options.has(from);
    const begin = this.path.at(-1) === from ? this.path : [...(goesOn ? this.path : []), from];
    const matching = this.entries.filter(
      (entry) => entry.ids.at(-1) === to && begin.every((id, i) => entry.ids[i] === id),
    );
    const moves = new Set(matching.map((entry) => entry.move));
    if (moves.size === 1) return { move: matching[0].move, path: [] };
    const starts = (ids) => this.entries.some((entry) => ids.every((id, i) => entry.ids[i] === id));
    return { move: null, path: starts([...begin, to]) ? [...begin, to] : starts(begin) ? begin : [] };
  }
}

function add(options, entry, count) {
  const id = entry.ids[count];
  if (!options.has(id)) options.set(id, []);
  options.get(id).push(entry);
}
