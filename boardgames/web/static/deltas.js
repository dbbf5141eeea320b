// @ts-nocheck
// States of a match from deltas: the counterpart of boardgames/web/deltas.py, which describes them.

const REMEMBERED = 8;

export class StateReader {
  #state = null;
  #remembered = []; // the clicks of the last pictures, the latest at the end

  // Return the state after a message, or null if it changes a state that has not come.
  // What has not changed is shared with the state before.
  read(message) {
    if (message.type === "match") {
      this.#state = message;
      this.#remembered = [];
    } else {
      if (!this.#state) return null;
      this.#state = after(this.#state, message.change, this.#remembered);
    }
    const { clicks } = this.#state.picture;
    if (this.#remembered.at(-1) !== clicks) this.#remembered = [...this.#remembered, clicks].slice(-REMEMBERED);
    return { ...this.#state };
  }
}

function after(old, change, remembered) {
  if ("value" in change) return change.value;
  if ("clicks" in change) {
    const known = Object.assign({}, ...remembered, change.clicks.added);
    return Object.fromEntries(change.clicks.legal.map((move) => [move, known[move]]));
  }
  if ("splices" in change) {
    const items = [...old];
    for (const [start, removed, added] of [...change.splices].reverse()) items.splice(start, removed, ...added);
    return items;
  }
  const members = { ...old };
  for (const [key, one] of Object.entries(change.members)) {
    if (one === null) delete members[key];
    else members[key] = after(old[key], one, remembered);
  }
  return members;
}
