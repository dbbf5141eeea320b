// @ts-nocheck
// How to play a game: its rules, lessons that are tried on the board, and puzzles.

import { Board } from "./board.js";
import { announce, button, h, keepPreference, preferences, setText } from "./dom.js";
import { Exercise } from "./exercise.js";
import { explain, LONG_PATIENCE_MS } from "./net.js";
import { T } from "./texts.js";
import { thumbnail } from "./thumbnail.js";

const STEP_MS = 700;
const RULES = "rules";
const PUZZLES = "puzzles";

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

// Return the names of what has been solved of a game in this browser.
const solvedOf = (game) => new Set(preferences().solved?.[game] ?? []);

function keepSolved(game, name) {
  keepPreference("solved", { ...preferences().solved, [game]: [...solvedOf(game).add(name)] });
}

// Open a dialog that explains a game.
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
  /**
   * @param {import("./net.js").Net} net
   * @param {string} game
   * @param {{part?: string, onPart?: (part: string) => void}} options  `part` is "rules", the number of a lesson, or
   *   "puzzles"; `onPart` is called with it when another one is chosen
   */
  constructor(net, game, { part = RULES, onPart = () => {} } = {}) {
    Object.assign(this, { net, game, part, onPart, reply: null });
    this.puzzles = new Map(); // promises, by kind and number
    this.visit = 0; // counts what is shown, so that late answers to something else are dropped
    this.title = h("h1", {}, T.howToPlay);
    this.nav = h("nav", { class: "learn-parts", "aria-label": T.howToPlay });
    this.content = h("section", { class: "learn-content" }, h("p", { class: "loading" }, T.loading));
    this.element = h("div", { class: "learn" }, this.title, this.nav, this.content);
    this.board = new Board({
      onMove: (move) => this.#play(move), onSelect: () => {}, onPreview: (move, isSpoken) => this.#preview(move, isSpoken),
      onRefuse: (ids) => this.#refuse(ids),
    });
    this.board.animation = preferences().animation;
    this.board.setCoordinates(preferences().coordinates);
    this.table = h("div", { class: "table" }, this.board.element);
    this.abort = new AbortController();
    net.on("status", ({ detail }) => detail.open && this.#load(), { signal: this.abort.signal });
    if (net.isOpen) this.#load();
  }

  close() {
    this.visit++;
    this.abort.abort();
    this.board.close();
  }

  async #load() {
    if (this.reply) return;
    try {
      this.reply = await this.net.request({ type: "lessons", game: this.game }, { patience: LONG_PATIENCE_MS });
    } catch (error) {
      this.content.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message));
      return;
    }
    if (this.abort.signal.aborted) return;
    setText(this.title, T.howToPlayGame(this.reply.title));
    this.#open(this.#parts().includes(this.part) ? this.part : RULES);
  }

  #parts() {
    const { lessons, puzzles } = this.reply;
    return [RULES, ...lessons.map((_, i) => `${i + 1}`), ...(puzzles.length ? [PUZZLES] : [])];
  }

  #open(part) {
    this.part = part;
    this.visit++;
    const { title } = this.reply;
    document.title = T.pageTitle(part === PUZZLES ? T.puzzlesOf(title) : T.howToPlayGame(title));
    this.#drawNav();
    if (part === RULES) this.#drawRules();
    else if (part === PUZZLES) this.#openPuzzles();
    else this.#begin(this.reply.lessons[part - 1], `lesson ${part}`);
    this.onPart(part);
  }

  #drawNav() {
    const { lessons } = this.reply;
    const solved = solvedOf(this.game);
    const parts = this.#parts();
    if (parts.length < 2) return this.nav.replaceChildren();
    const name = (part) => (part === RULES ? T.rules : part === PUZZLES ? T.puzzles : `${part} ${lessons[part - 1].title}`);
    this.nav.replaceChildren(...parts.map((part) => button(
      [name(part), solved.has(`lesson ${part}`) && h("span", { class: "solved", role: "img", "aria-label": T.solved }, "✓")],
      () => this.#open(part), { "aria-current": part === this.part ? "step" : null })));
  }

  // --- the rules ---

  #drawRules() {
    const { rules, lessons, title } = this.reply;
    const figures = lessons.map((lesson, i) => {
      const pictures = h("span", { class: "before-after" });
      this.#drawPictures(lesson, pictures);
      return h("li", { class: "lesson" }, h("h2", {}, lesson.title), pictures, h("p", {}, lesson.text || lesson.task),
        button(T.tryIt, () => this.#open(`${i + 1}`), { "aria-label": T.tryLesson(lesson.title) }));
    });
    this.content.replaceChildren(h("p", { class: "rules" }, rules || T.noRules(title)), h("ul", { class: "lesson-list" }, figures),
      h("p", { class: "end" }, h("a", { class: "button primary", href: `#/new/${encodeURIComponent(this.game)}` }, T.playGame(title))));
  }

  // Draw the position of a lesson, and the one after its first line.
  async #drawPictures(lesson, place) {
    const { visit } = this;
    try {
      const [before, after] = await Promise.all([[], lesson.lines[0]].map((moves) => this.#ask(lesson, moves)));
      if (this.visit === visit) place.replaceChildren(thumbnail(before.picture), h("span", { "aria-hidden": "true" }, "→"), thumbnail(after.picture));
    } catch {
      // the words remain
    }
  }

  #ask({ layout, options, position }, moves) {
    return this.net.request({ type: "board", game: this.game, layout, options, position, moves }, { patience: LONG_PATIENCE_MS });
  }

  // --- exercises ---

  // Show an exercise; `name` is that under which it is remembered as solved.
  #begin(entry, name, heading = entry.title, extra = null) {
    Object.assign(this, { entry, name, run: new Exercise(entry.lines), state: null, person: null });
    this.status = h("p", { class: "status", role: "status" });
    this.again = button(T.startAgain, () => this.#restart());
    this.solution = button(T.showSolution, () => this.#solve());
    this.next = button(T.nextExercise, () => this.#next());
    this.content.replaceChildren(h("div", { class: "exercise" },
      h("div", { class: "exercise-text" }, h("h2", {}, heading), extra ?? "", entry.text && h("p", {}, entry.text), h("p", { class: "task" }, entry.task)),
      this.table,
      h("div", { class: "exercise-end" }, this.status,
        h("div", { class: "actions" }, this.next, this.again, this.solution, h("a", { class: "button", href: this.#analysis() }, T.analyse)))));
    this.#restart();
  }

  #analysis() {
    const { layout, options, position } = this.entry;
    const query = new URLSearchParams({ ...(layout ? { layout } : {}), position });
    for (const [name, value] of Object.entries(options)) query.set(`option.${name}`, value);
    return `#/analysis/${encodeURIComponent(this.game)}?${query}`;
  }

  #restart() {
    this.run.restart();
    this.#say("");
    this.#go(async () => {});
  }

  // Show the position, then do something; whatever was going on ends.
  async #go(then) {
    const visit = ++this.visit;
    const isShown = () => this.visit === visit;
    try {
      await this.#draw(isShown);
      await then(isShown);
    } catch (error) {
      if (isShown()) this.#say(error.message, "wrong");
    }
  }

  // Show the position after the moves so far.
  async #draw(isShown, isOpen = true) {
    const { moves, isSolved } = this.run;
    const state = await this.#ask(this.entry, moves);
    if (!isShown()) return;
    this.state = state;
    this.person ??= state.to_move;
    this.#show(state.picture, isOpen && !isSolved && state.to_move === this.person);
    this.again.disabled = !moves.length;
    this.solution.disabled = isSolved;
    this.next.classList.toggle("primary", isSolved);
    this.next.hidden = !this.#following();
  }

  #show(picture, isOpen) {
    this.board.setFlipped(this.person === 1 && picture.flip === "turn");
    this.board.show(picture, { interactive: isOpen });
    this.table.style.setProperty("--ratio", this.board.ratio);
  }

  #say(text, kind = "") {
    setText(this.status, text);
    this.status.className = `status ${kind}`;
  }

  #play(move) {
    if (!this.run.play(move)) return this.#go((isShown) => this.#showMistake(move, isShown));
    this.#say(this.run.isSolved ? "" : T.right);
    return this.#go(async (isShown) => {
      await this.#replies(isShown);
      if (isShown() && this.run.isSolved) this.#solved();
    });
  }

  // Make the moves of the other side.
  async #replies(isShown) {
    while (isShown() && !this.run.isSolved && this.state.to_move !== this.person) {
      await wait(STEP_MS);
      if (!isShown()) return;
      this.run.play(this.run.next);
      await this.#draw(isShown);
    }
  }

  // Show a wrong move for a moment, and go back.
  async #showMistake(move, isShown) {
    const { picture } = await this.#ask(this.entry, [...this.run.moves, move]);
    if (!isShown()) return;
    this.#show(picture, false);
    this.#say(T.wrong, "wrong");
    await wait(STEP_MS);
    if (isShown()) await this.#draw(isShown);
  }

  #solved() {
    keepSolved(this.game, this.name);
    this.#drawNav();
    this.#say(`✓ ${this.entry.praise || T.solvedIt}`, "right");
    this.next.focus({ preventScroll: true });
  }

  // Show the rest of the first line that is left.
  #solve() {
    this.#go(async (isShown) => {
      this.board.show(this.state.picture, { interactive: false });
      while (isShown() && !this.run.isSolved) {
        this.run.play(this.run.next);
        await this.#draw(isShown, false);
        await wait(STEP_MS);
      }
      if (isShown()) this.#say([T.solutionIs(this.run.moves.join(" ")), this.entry.praise].filter(Boolean).join(" "));
    });
  }

  // Return the part after this one, or null.
  #following() {
    const parts = this.#parts();
    return this.part === PUZZLES ? PUZZLES : parts[parts.indexOf(this.part) + 1] ?? null;
  }

  #next() {
    if (this.part === PUZZLES) this.#openPuzzle(this.#unsolvedAfter(this.number));
    else this.#open(this.#following());
  }

  async #refuse(ids) {
    const { state } = this;
    const { layout, options, position } = this.entry;
    const asked = { game: this.game, layout, options, position, moves: this.run.moves, ids };
    const reason = await explain(this.net, asked) || this.board.reason(ids);
    if (this.state === state) this.board.tell(reason, ids.at(-1));
  }

  #preview(move, isSpoken) {
    clearTimeout(this.timer);
    if (move === null) return;
    const { state } = this;
    this.timer = setTimeout(() => this.#ask(this.entry, [...this.run.moves, move]).then(({ picture }) => {
      if (this.board.previewed === move && this.state === state) this.board.showResult(picture, isSpoken);
    }, () => {}), 120);
  }

  // --- puzzles ---

  #openPuzzles() {
    const { puzzles } = this.reply;
    const kept = preferences().puzzles?.[this.game] ?? {};
    this.kind = puzzles.find(({ name }) => name === kept.kind) ?? puzzles[0];
    this.#openPuzzle(kept.numbers?.[this.kind.name] ?? 1);
  }

  #unsolvedAfter(number) {
    const solved = solvedOf(this.game);
    const { name, count } = this.kind;
    const following = (n) => (count !== null && n >= count ? 1 : n + 1);
    let wanted = following(number);
    for (let tries = 0; solved.has(`${name} ${wanted}`) && tries < (count ?? Infinity); tries++) wanted = following(wanted);
    return wanted;
  }

  #puzzle(number) {
    const key = `${this.kind.name} ${number}`;
    if (!this.puzzles.has(key)) {
      const asked = this.net.request({ type: "puzzle", game: this.game, kind: this.kind.name, number }, { patience: LONG_PATIENCE_MS });
      this.puzzles.set(key, asked);
      asked.catch(() => this.puzzles.delete(key));
    }
    return this.puzzles.get(key);
  }

  async #openPuzzle(number) {
    const visit = ++this.visit;
    const { kind } = this;
    this.number = number;
    const kept = preferences().puzzles ?? {};
    const numbers = { ...kept[this.game]?.numbers, [kind.name]: number };
    keepPreference("puzzles", { ...kept, [this.game]: { kind: kind.name, numbers } });
    this.content.replaceChildren(h("p", { class: "loading" }, T.lookingForPuzzle));
    announce(T.lookingForPuzzle);
    try {
      const { exercise } = await this.#puzzle(number);
      if (this.visit !== visit) return;
      const name = `${kind.name} ${number}`;
      const solved = solvedOf(this.game);
      const heading = T.puzzleNumber(number, kind.count) + (solved.has(name) ? " ✓" : "");
      const count = [...solved].filter((one) => one.startsWith(`${kind.name} `)).length;
      this.#begin(exercise, name, heading, h("div", { class: "spread" }, this.#kinds(), h("p", { class: "muted" }, T.solvedCount(count))));
      this.#puzzle(this.#unsolvedAfter(number)).catch(() => {});
    } catch (error) {
      if (this.visit !== visit) return;
      this.content.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message),
        h("div", { class: "actions" }, button(T.tryAgain, () => this.#openPuzzle(number)), this.#kinds()));
    }
  }

  // Return the choice of a kind of puzzles.
  #kinds() {
    const { puzzles } = this.reply;
    if (puzzles.length < 2) return "";
    const select = h("select", { "aria-label": T.puzzleKind, onchange: () => {
      this.kind = puzzles[select.selectedIndex];
      this.#openPuzzle(preferences().puzzles?.[this.game]?.numbers?.[this.kind.name] ?? 1);
    } }, puzzles.map(({ name }) => h("option", { selected: name === this.kind.name }, name)));
    return select;
  }
}
