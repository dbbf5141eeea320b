// @ts-nocheck
// The connection to the server: requests with answers, state that is sent again after a reconnection.

import { T } from "./texts.js";

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8000;
const PATIENCE_MS = 30000;
export const LONG_PATIENCE_MS = 600000; // the server may have to compile a game first
const MAX_BYTES = 64 * 1024;
const KEY = "boardgames.tokens.";

export function tokensOf(match) {
  try {
    const tokens = JSON.parse(localStorage.getItem(KEY + match));
    return Array.isArray(tokens) ? tokens : [];
  } catch {
    return [];
  }
}

export function keepToken(match, token) {
  if (!token) return;
  const tokens = tokensOf(match).filter((other) => other !== token);
  try {
    localStorage.setItem(KEY + match, JSON.stringify([...tokens, token]));
  } catch {
    // the seat is then lost when the page is closed
  }
}

// Return a promise of the reason why clicks on ids make no move in a position; empty if the game does not say.
export const explain = (net, asked) => net.request({ type: "explain", ...asked }).then(({ reason }) => reason, () => "");

export class Net extends EventTarget {
  #socket = null;
  #number = 0;
  #pending = new Map();
  #wait = FIRST_WAIT_MS;
  #timer = 0;
  #joined = new Set();
  #listsMatches = false;
  #games = new Map();

  constructor(url) {
    super();
    this.url = url;
    this.#connect();
    addEventListener("online", () => this.#retryNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.#retryNow());
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  // Return a promise of the answer; it is rejected with the reason if the server refuses.
  // A message that expects no reply has succeeded if it is not refused in time.
  request(message, { expectsReply = true, patience = PATIENCE_MS } = {}) {
    if (!this.isOpen) return Promise.reject(new Error(T.lost));
    const re = ++this.#number;
    const text = JSON.stringify({ ...message, re });
    if (new Blob([text]).size > MAX_BYTES) return Promise.reject(new Error(T.tooLong));
    return new Promise((resolve, reject) => {
      const wait = () => setTimeout(() => this.#settle(re, null, expectsReply ? new Error(T.noAnswer) : null), patience);
      this.#pending.set(re, { resolve, reject, wait, timer: wait() });
      this.#socket.send(text);
    });
  }

  // Return a promise of the description of a game, which is asked for once.
  async game(name) {
    if (!this.#games.has(name)) this.#games.set(name, await this.request({ type: "game", name }, { patience: LONG_PATIENCE_MS }));
    return this.#games.get(name);
  }

  // Make a match and open its page. `opening` is called with its id before.
  async create(message, opening) {
    const { match, token } = await this.request({ type: "create", ...message }, { patience: LONG_PATIENCE_MS });
    keepToken(match, token);
    opening?.(match);
    location.hash = `#/match/${encodeURIComponent(match)}`;
  }

  // Send a message whose effect shows in the state of the match; `refused` is called with a reason.
  send(message, refused) {
    this.request(message, { expectsReply: false }).catch((error) => refused?.(error.message));
  }

  listMatches(wanted) {
    this.#listsMatches = wanted;
    if (wanted && this.isOpen) this.#post({ type: "matches" });
  }

  join(match) {
    this.#joined.add(match);
    if (this.isOpen) this.#postJoin(match);
  }

  leave(match) {
    this.#joined.delete(match);
    if (this.isOpen) this.#post({ type: "leave", match });
  }

  #post(message) {
    this.#socket.send(JSON.stringify(message));
  }

  #postJoin(match) {
    const tokens = tokensOf(match);
    for (const token of tokens.length ? tokens : [null]) {
      this.send({ type: "join", match, token }, (reason) => {
        if (reason !== T.lost) this.#tell("join-refused", { match, reason }); // otherwise it is sent again
      });
    }
  }

  #connect() {
    clearTimeout(this.#timer);
    const socket = (this.#socket = new WebSocket(this.url));
    socket.onopen = () => {
      this.#wait = FIRST_WAIT_MS;
      if (this.#listsMatches) this.#post({ type: "matches" });
      for (const match of this.#joined) this.#postJoin(match);
      this.#tell("status", { open: true });
    };
    socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    socket.onclose = () => {
      for (const re of [...this.#pending.keys()]) this.#settle(re, null, new Error(T.lost));
      this.#tell("status", { open: false });
      this.#timer = setTimeout(() => this.#connect(), this.#wait);
      this.#wait = Math.min(MAX_WAIT_MS, 2 * this.#wait);
    };
  }

  #retryNow() {
    if (this.#socket.readyState === WebSocket.CLOSED) this.#connect();
  }

  #receive(message) {
    const { type, re } = message;
    if (re !== undefined) {
      if (type === "refused") this.#settle(re, null, new Error(message.reason));
      else this.#settle(re, message);
    }
    if (type === "compiling") this.#waitLonger();
    this.#tell(type, message);
  }

  // The server is alive, but too busy to answer.
  #waitLonger() {
    for (const pending of this.#pending.values()) {
      clearTimeout(pending.timer);
      pending.timer = pending.wait();
    }
  }

  #settle(re, message, error) {
    const pending = this.#pending.get(re);
    if (!pending) return;
    this.#pending.delete(re);
    clearTimeout(pending.timer);
    if (error) pending.reject(error);
    else pending.resolve(message);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
