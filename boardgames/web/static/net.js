// The connection to the server: requests with answers, and states of matches.

import { StateReader } from "./deltas.js";
import { T } from "./texts.js";

/**
 * @import { AnalysisReply, AnnotationReply, BoardReply, CatalogueReply, Claimed, CreateMatch, Created, Done, Explanation,
 *   Exported, GameReply, Hint, Imported, LessonsReply, MatchChange, MatchState, MatchesReply, Message, PositionRequest, PuzzleReply, Request, RunGone, RunReply, RunsReply,
 *   ViewReply } from "../messages.js"
 */
/**
 * The answer to each request; those that are not listed are answered by Done.
 * @typedef {{
 *   catalogue: CatalogueReply, game: GameReply, matches: MatchesReply, create: Created, delete: Done, rename: Done, claim: Claimed, hint: Hint,
 *   view: ViewReply, premoves: ViewReply, analyse: AnalysisReply, annotate: AnnotationReply, board: BoardReply, edit: BoardReply,
 *   explain: Explanation, import: Imported, export: Exported, lessons: LessonsReply, puzzle: PuzzleReply, runs: RunsReply, run: RunReply | RunGone,
 * }} Replies
 */
/** @typedef {{[M in Message as M["type"]]: M}} Messages */
/** @typedef {Messages & {status: {open: boolean}, "join-refused": {match: string, reason: string}}} Events */
/**
 * @typedef {object} Pending  a request without an answer yet
 * @property {(answer: any) => void} resolve  `any`: the answer is JSON, and the request says of which type
 * @property {(error: Error) => void} reject
 * @property {() => number} wait
 * @property {number} timer
 */

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8000;
const PATIENCE_MS = 30000;
export const LONG_PATIENCE_MS = 600000; // the server may have to compile a game first
const MAX_BYTES = 64 * 1024;
const KEY = "boardgames.tokens.";

/**
 * Return the tokens that this browser has for a match: those of its seats, and that of the owner.
 * @param {string} match
 * @returns {string[]}
 */
export function tokensOf(match) {
  try {
    const tokens = JSON.parse(localStorage.getItem(KEY + match) ?? "[]");
    return Array.isArray(tokens) ? tokens : [];
  } catch {
    return [];
  }
}

/**
 * @param {string} match
 * @param {string | null} token
 */
export function keepToken(match, token) {
  if (!token) return;
  const tokens = tokensOf(match).filter((other) => other !== token);
  try {
    localStorage.setItem(KEY + match, JSON.stringify([...tokens, token]));
  } catch {
    // the seat is then lost when the page is closed
  }
}

/**
 * Return a promise of the reason why clicks on ids make no move; empty if the game does not say.
 * @param {Net} net
 * @param {PositionRequest & {ids: string[]}} asked
 */
export const explain = (net, asked) => net.request({ type: "explain", ...asked }).then(({ reason }) => reason, () => "");

/**
 * Return the message of an error.
 * @param {unknown} error
 */
export const reasonOf = (error) => T.sentence(error instanceof Error ? error.message : `${error}`);

export class Net extends EventTarget {
  /** @type {WebSocket} */
  #socket;
  #number = 0;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #wait = FIRST_WAIT_MS;
  #timer = 0;
  /** @type {Set<string>} */
  #joined = new Set();
  /**
   * Readers of the states of matches, which arrive as changes.
   * @type {Map<string, StateReader>}
   */
  #readers = new Map();
  /**
   * Matches for which a whole state was requested.
   * @type {Set<string>}
   */
  #awaited = new Set();
  #listsMatches = false;
  /** @type {Map<string, GameReply>} */
  #games = new Map();

  /** @param {string} url */
  constructor(url) {
    super();
    this.url = url;
    this.#socket = this.#connect();
    addEventListener("online", () => this.#retryNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.#retryNow());
  }

  get isOpen() {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /**
   * Call a function with each message of a type; `status` is about the connection.
   * @template {keyof Events} K
   * @param {K} type
   * @param {(event: CustomEvent<Events[K]>) => void} listener
   * @param {AddEventListenerOptions} [options]
   */
  on(type, listener, options) {
    this.addEventListener(type, /** @type {EventListener} */ (listener), options);
  }

  /**
   * Return a promise of the answer; it is rejected with the reason if the server refuses.
   * A message that expects no reply has succeeded if it is not refused in time.
   * @template {Request["type"]} K
   * @param {Request & {type: K}} message
   * @param {{expectsReply?: boolean, patience?: number}} options
   * @returns {Promise<K extends keyof Replies ? Replies[K] : Done | null>}
   */
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

  /**
   * Return a promise of the description of a game, which is asked for once.
   * @param {string} name
   */
  async game(name) {
    const known = this.#games.get(name);
    if (known) return known;
    const game = await this.request({ type: "game", name }, { patience: LONG_PATIENCE_MS });
    this.#games.set(name, game);
    return game;
  }

  /**
   * Create a match and open its page.
   * @param {Omit<CreateMatch, "type">} message
   */
  async create(message) {
    const { match, token } = await this.request({ type: "create", ...message }, { patience: LONG_PATIENCE_MS });
    keepToken(match, token);
    location.hash = `#/match/${encodeURIComponent(match)}`;
  }

  /**
   * Send a message whose effect shows in the state of the match; `refused` is called with a reason.
   * @param {Request} message
   * @param {(reason: string) => void} [refused]
   */
  send(message, refused) {
    this.request(message, { expectsReply: false }).catch((error) => refused?.(error.message));
  }

  /** @param {boolean} wanted */
  listMatches(wanted) {
    this.#listsMatches = wanted;
    if (wanted && this.isOpen) this.#post({ type: "matches" });
  }

  /** @param {string} match */
  join(match) {
    this.#joined.add(match);
    if (this.isOpen) this.#postJoin(match);
  }

  /** @param {string} match */
  leave(match) {
    this.#joined.delete(match);
    this.#readers.delete(match);
    if (this.isOpen) this.#post({ type: "leave", match });
  }

  /** @param {Request} message */
  #post(message) {
    this.#socket.send(JSON.stringify(message));
  }

  /** @param {string} match */
  #postJoin(match) {
    this.#awaited.add(match);
    const tokens = tokensOf(match);
    for (const token of tokens.length ? tokens : [null]) {
      this.send({ type: "join", match, token }, (reason) => {
        if (reason !== T.lost) this.#tell("join-refused", { match, reason }); // otherwise it is sent again
      });
    }
  }

  #connect() {
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.url);
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
      this.#timer = setTimeout(() => (this.#socket = this.#connect()), this.#wait);
      this.#wait = Math.min(MAX_WAIT_MS, 2 * this.#wait);
    };
    return socket;
  }

  #retryNow() {
    if (this.#socket.readyState === WebSocket.CLOSED) this.#socket = this.#connect();
  }

  /** @param {Message} message */
  #receive(message) {
    const { type } = message;
    const re = "re" in message ? message.re : undefined;
    if (re !== undefined) {
      if (message.type === "refused") this.#settle(re, null, new Error(message.reason));
      else this.#settle(re, message);
    }
    if (type === "compiling") this.#waitLonger();
    if (message.type === "match" || message.type === "match-change") this.#receiveState(message);
    else this.#tell(type, message);
  }

  /**
   * Pass on the whole state of a match; if a change is to a state that this page does not have, join the match again.
   * @param {MatchState | MatchChange} message
   */
  #receiveState(message) {
    const { id, type } = message;
    if (!this.#joined.has(id)) return;
    if (type === "match") {
      this.#awaited.delete(id);
      this.#readers.set(id, new StateReader());
    } else if (this.#awaited.has(id)) return;
    const state = this.#readers.get(id)?.read(message);
    if (state) this.#tell("match", state);
    else this.#postJoin(id);
  }

  // Give a busy server more time to answer.
  #waitLonger() {
    for (const pending of this.#pending.values()) {
      clearTimeout(pending.timer);
      pending.timer = pending.wait();
    }
  }

  /**
   * @param {number} re
   * @param {Message | null} message
   * @param {Error | null} [error]
   */
  #settle(re, message, error) {
    const pending = this.#pending.get(re);
    if (!pending) return;
    this.#pending.delete(re);
    clearTimeout(pending.timer);
    if (error) pending.reject(error);
    else pending.resolve(message);
  }

  /**
   * @template {keyof Events} K
   * @param {K} type
   * @param {Events[K]} detail
   */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
