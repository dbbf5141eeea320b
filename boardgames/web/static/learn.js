// How to play a game: its rules, lessons that are tried on the board, and puzzles.

import { Board } from "./board.js";
import { announce, button, field, h, keepPreference, loadStyles, preferences, setText } from "./dom.js";
import { Exercise } from "./exercise.js";
import { explain, LONG_PATIENCE_MS, reasonOf } from "./net.js";
import { Overlays } from "./overlays.js";
import { T } from "./texts.js";
import { themeField } from "./theme.js";
import { thumbnail } from "./thumbnail.js";

await loadStyles("learn.css");

const STEP_MS = 700;
const PREVIEW_MS = 120;
const RULES = "rules";
const PUZZLES = "puzzles";

/** @import { BoardReply, ExerciseEntry, LessonsReply, Picture, PuzzleKind, PuzzleReply } from "../messages.js" */
/** @import { Child } from "./dom.js" */
/** @import { Net } from "./net.js" */
/** @typedef {() => boolean} IsShown  returns whether what was begun is still shown */

/** @type {(ms: number) => Promise<void>} */
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Return the names of the exercises of a game that have been solved in this browser.
 * @type {(game: string) => Set<string>}
 */
const solvedOf = (game) => new Set(preferences().solved?.[game] ?? []);

/**
 * @param {string} game
 * @param {string} name
 */
function keepSolved(game, name) {
  keepPreference("solved", { ...preferences().solved, [game]: [...solvedOf(game).add(name)] });
}

/**
 * Open a dialog that explains a game.
 * @param {Net} net
 * @param {string} game
 */
export function openLearn(net, game) {
  const learn = new Learn(net, game);
  const dialog = h("dialog", { class: "learn-dialog", "aria-label": T.howToPlay },
    h("form", { method: "dialog" }, h("button", {}, T.close)), learn.element);
  const leave = () => dialog.close();
  dialog.addEventListener("close", () => {
    removeEventListener("hashchange", leave);
    learn.close();
    dialog.remove();
  });
  addEventListener("hashchange", leave);
  document.body.append(dialog);
  dialog.showModal();
}

export class Learn {
  /** @type {LessonsReply | null} */
  reply = null;
  /** @type {Map<string, Promise<PuzzleReply>>} by kind and number */
  puzzles = new Map();
  visit = 0; // changes with what is shown, so that late answers for something else are dropped
  timer = 0;
  /** @type {() => void} repeats what a lost connection has interrupted */
  retry = () => {};
  /** @type {PuzzleKind | null} */
  kind = null;
  number = 1; // of the puzzle that is shown
  /** @type {ExerciseEntry | null} */
  entry = null;
  name = ""; // under which the exercise is remembered as solved
  run = new Exercise([]);
  /** @type {BoardReply | null} */
  state = null;
  /** @type {number | null} the side that a person plays */
  person = null;
  status = h("p", { class: "status", role: "status" });
  again = button(T.startAgain, () => this.#restart());
  solved = h("p", { class: "muted solved-count" });
  solution = button(T.showSolution, () => this.#solve());
  next = button(T.nextExercise, () => this.#next());
  analyse = h("a", { class: "button" }, T.analyse);

  /**
   * @param {Net} net
   * @param {string} game
   * @param {{part?: string, onPart?: (part: string) => void}} options  `part` is "rules", the number of a lesson, or
   *   "puzzles"; `onPart` is called with it when another one is chosen
   */
  constructor(net, game, { part = RULES, onPart = () => {} } = {}) {
    this.net = net;
    this.game = game;
    this.part = part;
    this.onPart = onPart;
    this.title = h("h1", {}, T.howToPlay);
    this.nav = h("nav", { class: "learn-parts", "aria-label": T.howToPlay });
    this.content = h("section", { class: "learn-content" }, h("p", { class: "loading" }, T.loading));
    this.element = h("div", { class: "learn" }, this.title, this.nav, this.content, h("div", { class: "settings" }, themeField()));
    this.board = new Board({
      onMove: (move) => this.#play(move), onPreview: (move, isSpoken) => this.#preview(move, isSpoken), onRefuse: (ids) => this.#refuse(ids),
    });
    this.board.animation = preferences().animation;
    this.board.setCoordinates(preferences().coordinates);
    this.table = h("div", { class: "table" }, this.board.element);
    this.overlays = new Overlays(this.board);
    this.abort = new AbortController();
    net.on("status", ({ detail }) => detail.open && this.#connected(), { signal: this.abort.signal });
    if (net.isOpen) this.#load();
  }

  close() {
    this.visit++;
    this.abort.abort();
    this.board.close();
  }

  #connected() {
    if (this.reply) this.retry();
    else this.#load();
  }

  async #load() {
    if (this.reply) return;
    try {
      this.reply = await this.net.request({ type: "lessons", game: this.game }, { patience: LONG_PATIENCE_MS });
    } catch (error) {
      this.content.replaceChildren(h("p", { class: "problem", role: "alert" }, reasonOf(error)), h("p", {}, h("a", { href: "#/" }, T.toLobby)));
      return;
    }
    if (this.abort.signal.aborted) return;
    const wanted = this.part;
    const isKnown = this.#parts(this.reply).includes(wanted);
    this.#open(isKnown ? wanted : RULES);
    if (!isKnown) this.content.prepend(h("p", { class: "problem", role: "alert" }, wanted === PUZZLES ? T.noPuzzles : T.noLesson(wanted)));
  }

  /** @param {LessonsReply} reply */
  #parts({ lessons, puzzles }) {
    return [RULES, ...lessons.map((_, i) => `${i + 1}`), ...(puzzles.length ? [PUZZLES] : [])];
  }

  /** @param {string} part */
  #open(part) {
    const { reply } = this;
    if (!reply) return;
    this.part = part;
    this.visit++;
    const title = (part === PUZZLES ? T.puzzlesOf : T.howToPlayGame)(reply.title);
    setText(this.title, title);
    document.title = T.pageTitle(title);
    this.#drawNav();
    if (part === RULES) this.#drawRules(reply);
    else if (part === PUZZLES) this.#openPuzzles(reply);
    else this.#begin(reply.lessons[Number(part) - 1], `lesson ${part}`);
    this.onPart(part);
  }

  #drawNav() {
    const { reply } = this;
    const parts = reply ? this.#parts(reply) : [];
    if (!reply || parts.length < 2) {
      this.nav.replaceChildren();
      return;
    }
    const solved = solvedOf(this.game);
    /** @type {(part: string) => string} */
    const name = (part) => (part === RULES ? T.rules : part === PUZZLES ? T.puzzles : `${part} ${reply.lessons[Number(part) - 1].title}`);
    this.nav.replaceChildren(...parts.map((part) => button(
      [name(part), solved.has(`lesson ${part}`) && h("span", { class: "solved", role: "img", "aria-label": T.solved }, "✓")],
      () => this.#open(part), { "aria-current": part === this.part ? "step" : null })));
    const { nav } = this;
    const chosen = /** @type {HTMLElement | null} */ (nav.querySelector("[aria-current]"));
    // on a phone the parts are in one row that is wider than the page
    if (chosen) nav.scrollLeft = chosen.offsetLeft - nav.offsetLeft - (nav.clientWidth - chosen.offsetWidth) / 2;
  }

  // --- the rules ---

  /** @param {LessonsReply} reply */
  #drawRules({ rules, lessons, title }) {
    const figures = lessons.map((lesson, i) => {
      const pictures = h("span", { class: "before-after" });
      this.#drawPictures(lesson, pictures);
      return h("li", { class: "lesson" }, h("h2", {}, lesson.title), pictures, h("p", {}, lesson.text || lesson.task),
        button(T.tryIt, () => this.#open(`${i + 1}`), { "aria-label": T.tryLesson(lesson.title) }));
    });
    this.content.replaceChildren(h("p", { class: "rules" }, rules || T.noRules(title)), h("ul", { class: "lesson-list" }, figures),
      h("p", { class: "end" }, h("a", { class: "button primary", href: `#/new/${encodeURIComponent(this.game)}` }, T.playGame(title))));
  }

  /**
   * Draw the position of a lesson, and the one after its first line.
   * @param {ExerciseEntry} lesson
   * @param {HTMLElement} place
   */
  async #drawPictures(lesson, place) {
    const { visit } = this;
    try {
      const [before, after] = await Promise.all([[], lesson.lines[0]].map((moves) => this.#ask(lesson, moves)));
      if (this.visit === visit) place.replaceChildren(thumbnail(before.picture), h("span", { "aria-hidden": "true" }, "→"), thumbnail(after.picture));
    } catch {
      // show the lesson without a picture
    }
  }

  /**
   * @param {ExerciseEntry} entry
   * @param {string[]} moves
   * @param {string[]} [overlays]
   */
  #ask({ layout, options, position }, moves, overlays = []) {
    return this.net.request({ type: "board", game: this.game, layout, options, position, moves, overlays }, { patience: LONG_PATIENCE_MS });
  }

  // --- exercises ---

  /**
   * Show an exercise.
   * @param {ExerciseEntry} entry
   * @param {string} name  under which it is remembered as solved
   * @param {string} [heading]
   * @param {Child} [extra]  what is shown below the heading
   */
  #begin(entry, name, heading = entry.title, extra = null) {
    this.entry = entry;
    this.name = name;
    this.run = new Exercise(entry.lines);
    if (this.state) this.board.show(this.state.picture, { interactive: false }); // until the new position arrives
    this.state = null;
    this.person = null;
    this.overlays.show([]);
    this.content.replaceChildren(h("div", { class: "exercise" },
      h("div", { class: "exercise-text" }, h("h2", {}, heading), extra, entry.text && h("p", {}, entry.text), h("p", { class: "task" }, entry.task)),
      this.table,
      h("div", { class: "exercise-end" }, this.status,
        h("div", { class: "actions" }, this.next, this.again, this.solution, this.analyse)), this.overlays.legend));
    this.analyse.href = this.#analysis(entry);
    this.#restart().then(() => this.entry === entry && this.table.scrollIntoView({ block: "nearest" }));
  }

  /** @param {ExerciseEntry} entry */
  #analysis({ layout, options, position }) {
    const query = new URLSearchParams({ ...(layout ? { layout } : {}), position });
    for (const [name, value] of Object.entries(options)) query.set(`option.${name}`, value);
    if (this.person) query.set("side", String(this.person));
    return `#/analysis/${encodeURIComponent(this.game)}?${query}`;
  }

  #restart() {
    this.run.restart();
    this.#say("");
    return this.#go();
  }

  /**
   * Show the position, then call `then`; anything still in progress is cancelled.
   * @param {(isShown: IsShown) => Promise<void>} [then]
   */
  async #go(then) {
    const visit = ++this.visit;
    const isShown = () => this.visit === visit;
    try {
      await this.#draw(isShown);
      await then?.(isShown);
    } catch (error) {
      if (!isShown()) return;
      this.#say(reasonOf(error), "wrong");
      this.#onConnection(isShown, () => {
        this.#say("");
        this.#go(then);
      });
    }
  }

  /**
   * If the connection is lost, call `again` as soon as it is back.
   * @param {IsShown} isShown
   * @param {() => void} again
   */
  #onConnection(isShown, again) {
    if (this.net.isOpen) return;
    this.retry = () => {
      this.retry = () => {};
      if (isShown()) again();
    };
  }

  /**
   * Ask for a position of the exercise.
   * @param {string[]} moves
   */
  #after(moves) {
    return this.entry ? this.#ask(this.entry, moves) : Promise.reject(new Error("there is no exercise yet"));
  }

  /**
   * Show the position after the moves so far.
   * @param {IsShown} isShown
   * @param {boolean} isOpen  whether a person may move
   */
  async #draw(isShown, isOpen = true) {
    const { moves, isSolved } = this.run;
    const state = await this.#after(moves);
    if (!isShown()) return;
    this.state = state;
    if (this.person === null && this.entry) {
      this.person = state.to_move;
      this.analyse.href = this.#analysis(this.entry); // seen from their side
    }
    this.#show(state.picture, isOpen && !isSolved && state.to_move === this.person);
    this.again.disabled = !moves.length;
    this.solution.disabled = isSolved;
    this.next.classList.toggle("primary", isSolved);
    this.next.hidden = !this.#following();
    this.#drawOverlay(isShown);
  }

  /**
   * Draw the overlay of the exercise, which takes a while if its code has to be compiled first.
   * @param {IsShown} isShown
   */
  async #drawOverlay(isShown) {
    const { entry, run } = this;
    if (!entry?.overlay) return;
    try {
      const { picture } = await this.#ask(entry, run.moves, [entry.overlay]);
      if (isShown()) this.overlays.show(picture.overlays);
    } catch (error) {
      if (isShown()) setText(this.overlays.legend, reasonOf(error));
    }
  }

  /**
   * @param {Picture} picture
   * @param {boolean} isOpen
   */
  #show(picture, isOpen) {
    this.board.setFlipped(this.person === 1 && picture.flip === "turn");
    this.board.show(picture, { interactive: isOpen });
    this.table.style.setProperty("--ratio", String(this.board.ratio));
  }

  /**
   * @param {string} text
   * @param {"right" | "wrong" | ""} kind
   */
  #say(text, kind = "") {
    setText(this.status, text);
    this.status.className = `status ${kind}`;
  }

  /** @param {string} move */
  #play(move) {
    if (!this.run.play(move)) return this.#go((isShown) => this.#showMistake(move, isShown));
    this.#say(this.run.isSolved ? "" : T.right);
    return this.#go(async (isShown) => {
      await this.#replies(isShown);
      if (isShown() && this.run.isSolved) this.#solved();
    });
  }

  /**
   * Make the moves of the other side.
   * @param {IsShown} isShown
   */
  async #replies(isShown) {
    while (isShown() && this.run.next !== undefined && this.state?.to_move !== this.person) {
      await wait(STEP_MS);
      if (!isShown()) return;
      this.run.play(this.run.next);
      await this.#draw(isShown);
    }
  }

  /**
   * Show a wrong move for a moment, and go back.
   * @param {string} move
   * @param {IsShown} isShown
   */
  async #showMistake(move, isShown) {
    const { picture } = await this.#after([...this.run.moves, move]);
    if (!isShown()) return;
    this.#show(picture, false);
    this.#say(T.wrong, "wrong");
    await wait(STEP_MS);
    if (isShown()) await this.#draw(isShown);
  }

  // Show how many puzzles of this kind are solved.
  #count() {
    const kind = `${this.kind?.name} `;
    setText(this.solved, T.solvedCount([...solvedOf(this.game)].filter((one) => one.startsWith(kind)).length));
  }

  #solved() {
    keepSolved(this.game, this.name);
    this.#drawNav();
    this.#count();
    this.#say(`✓ ${this.entry?.praise || T.solvedIt}`, "right");
    this.next.focus({ preventScroll: true });
  }

  // Show the rest of the first line that is still possible.
  #solve() {
    this.#go(async (isShown) => {
      if (this.state) this.board.show(this.state.picture, { interactive: false });
      while (isShown() && this.run.next !== undefined) {
        this.run.play(this.run.next);
        await this.#draw(isShown, false);
        await wait(STEP_MS);
      }
      if (isShown()) this.#say([T.solutionIs(this.run.moves.join(" ")), this.entry?.praise].filter(Boolean).join(" "));
    });
  }

  // Return the part after this one, or null.
  #following() {
    const parts = this.reply ? this.#parts(this.reply) : [];
    return this.part === PUZZLES ? PUZZLES : parts[parts.indexOf(this.part) + 1] ?? null;
  }

  #next() {
    const part = this.#following();
    if (this.part === PUZZLES && this.kind) this.#openPuzzle(this.kind, unsolvedAfter(this.game, this.kind, this.number));
    else if (part !== null) this.#open(part);
  }

  /** @param {string[]} ids */
  async #refuse(ids) {
    const { state, entry } = this;
    if (!entry) return;
    const { layout, options, position } = entry;
    const asked = { game: this.game, layout, options, position, moves: this.run.moves, ids };
    const reason = await explain(this.net, asked) || this.board.reason(ids);
    if (this.state === state) this.board.tell(reason, ids.at(-1));
  }

  /**
   * @param {string | null} move
   * @param {boolean} isSpoken
   */
  #preview(move, isSpoken) {
    clearTimeout(this.timer);
    if (move === null) return;
    const { state } = this;
    this.timer = setTimeout(() => this.#after([...this.run.moves, move]).then(({ picture }) => {
      if (this.board.previewed === move && this.state === state) this.board.showResult(picture, isSpoken);
    }, () => {}), PREVIEW_MS);
  }

  // --- puzzles ---

  /** @param {LessonsReply} reply */
  #openPuzzles({ puzzles }) {
    const kind = puzzles.find(({ name }) => name === preferences().puzzles?.[this.game]?.kind) ?? puzzles[0];
    this.#openPuzzle(kind, this.#latest(kind));
  }

  /**
   * Return the number of the puzzle of this kind that was opened last.
   * @param {PuzzleKind} kind
   * @returns {number}
   */
  #latest({ name }) {
    return preferences().puzzles?.[this.game]?.numbers?.[name] ?? 1;
  }

  /**
   * @param {PuzzleKind} kind
   * @param {number} number
   */
  #puzzle({ name }, number) {
    const key = `${name} ${number}`;
    const known = this.puzzles.get(key);
    if (known) return known;
    const asked = this.net.request({ type: "puzzle", game: this.game, kind: name, number }, { patience: LONG_PATIENCE_MS });
    this.puzzles.set(key, asked);
    asked.catch(() => this.puzzles.delete(key));
    return asked;
  }

  /**
   * @param {PuzzleKind} kind
   * @param {number} number
   */
  async #openPuzzle(kind, number) {
    const visit = ++this.visit;
    this.kind = kind;
    this.number = number;
    const kept = preferences().puzzles ?? {};
    const numbers = { ...kept[this.game]?.numbers, [kind.name]: number };
    keepPreference("puzzles", { ...kept, [this.game]: { kind: kind.name, numbers } });
    this.content.replaceChildren(h("p", { class: "loading" }, T.lookingForPuzzle));
    announce(T.lookingForPuzzle);
    try {
      const { exercise } = await this.#puzzle(kind, number);
      if (this.visit !== visit) return;
      const name = `${kind.name} ${number}`;
      const solved = solvedOf(this.game);
      const heading = T.puzzleNumber(number, kind.count) + (solved.has(name) ? " ✓" : "");
      this.#begin(exercise, name, heading, h("div", { class: "puzzle-kind" }, this.#kinds(kind), this.solved));
      this.#count();
      this.#puzzle(kind, unsolvedAfter(this.game, kind, number)).catch(() => {});
    } catch (error) {
      if (this.visit !== visit) return;
      this.content.replaceChildren(h("p", { class: "problem", role: "alert" }, reasonOf(error)),
        h("div", { class: "actions" }, button(T.tryAgain, () => this.#openPuzzle(kind, number)), this.#kinds(kind)));
      this.#onConnection(() => this.visit === visit, () => this.#openPuzzle(kind, number));
    }
  }

  /**
   * Return the control that chooses the kind of puzzle, if there are several kinds.
   * @param {PuzzleKind} chosen
   */
  #kinds(chosen) {
    const puzzles = this.reply?.puzzles ?? [];
    if (puzzles.length < 2) return null;
    return field(T.puzzleKind, h("select", { title: chosen.summary, onchange: ({ currentTarget }) => {
      const kind = puzzles[currentTarget.selectedIndex];
      this.#openPuzzle(kind, this.#latest(kind));
    } }, puzzles.map(({ name }) => h("option", { value: name, selected: name === chosen.name }, T.puzzleKindName(name)))));
  }
}

/**
 * Return the number of the next puzzle that is not solved, or of the next one if all are.
 * @param {string} game
 * @param {PuzzleKind} kind
 * @param {number} number
 */
function unsolvedAfter(game, { name, count }, number) {
  const solved = solvedOf(game);
  /** @type {(n: number) => number} */
  const following = (n) => (count !== null && n >= count ? 1 : n + 1);
  let wanted = following(number);
  for (let tries = 0; solved.has(`${name} ${wanted}`) && tries < (count ?? Infinity); tries++) wanted = following(wanted);
  return wanted;
}
