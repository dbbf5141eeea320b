// Analysis of any position: a tree of variations, set-up, values of all moves, reviews and play.
// The address names the position and the tree.

import { Aids } from "./aids.js";
import { Board } from "./board.js";
import { announce, button, details, field, h, loadStyles, number as numberInput, preferences, s, setText } from "./dom.js";
import { Editor } from "./editor.js";
import { Evaluation } from "./evaluation.js";
import { placed } from "./labels.js";
import { MoveTree } from "./movetree.js";
import { explain, reasonOf } from "./net.js";
import { Notes } from "./notes.js";
import { Overlays } from "./overlays.js";
import { Review } from "./review.js";
import { Tabs } from "./tabs.js";
import { T } from "./texts.js";
import { themeField } from "./theme.js";
import { Tree } from "./tree.js";

/** @import { BoardReply, EditPosition, AnalysisReply, GameReply, Imported, MoveValueState, Picture, PositionRequest } from "../messages.js" */
/** @import { Label } from "./labels.js" */
/** @import { MistakeTrainer } from "./mistakes.js" */
/** @import { Net } from "./net.js" */
/** @import { Practice } from "./practice.js" */
/** @import { Mistake } from "./review.js" */
/** @import { Arrow, Shape } from "./shapes.js" */
/** @typedef {Pick<EditPosition, "target" | "piece" | "side" | "clear">} Edit  a change to a position that is being set up */
/**
 * Names and times of a record.
 * @typedef {{names?: [string, string] | undefined, seconds?: (number | null)[] | undefined}} Given
 */
/**
 * The line that is analysed, from a match or a position; the board shows it after `ply` moves.
 * @typedef {Given & {match?: string, game: string, layout: string | null, options: Record<string, string>,
 *   position: string | null, moves: string[], ply: number}} Line
 */
/** @typedef {Partial<Omit<Line, "ply">> & {ply: number | null, isNew?: boolean}} Wanted  `isNew` begins a new tree */
/** @typedef {Partial<Wanted>} Changes */

await loadStyles("analysis.css");

const UNIT = 100;
const LEGIBLE = 0.49; // the smallest board unit, in pixels, at which values are legible
const OPTION = "option.";
const WAIT = 250;
const [SET_UP, RECORDS] = [1, 2];
const ARROWS = 4;
const TREE = "boardgames.tree.";

/**
 * Return the fields of a request that name the wanted position.
 * @param {Wanted} wanted
 * @returns {PositionRequest}
 */
const place = ({ match, game, layout, options, position, moves, ply }) => (match ? { match, ply } : { game, layout, options, position, moves, ply });

/**
 * Return the saved tree of a match, or undefined.
 * @param {string} match
 */
function keptTree(match) {
  try {
    return localStorage.getItem(TREE + match) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Return what an address names: what to show, the match that the analysis began with, its tree, whether to review the match
 * at once, and the side from which it is seen.
 * @param {string} address
 * @returns {{wanted: Wanted, home: string | undefined, kept: string | undefined, reviews: boolean, seenBy: number}}
 */
function placeOf(address) {
  const [path, query] = address.split("?");
  const [game, match, ply] = path.split("/").map(decodeURIComponent);
  const given = new URLSearchParams(query);
  const number = ply ?? given.get("ply");
  const options = [...given].filter(([name]) => name.startsWith(OPTION)).map(([name, value]) => [name.slice(OPTION.length), value]);
  const line = match ? { match } : { game, layout: given.get("layout"), options: Object.fromEntries(options),
    position: given.get("position"), moves: (given.get("moves") ?? "").split(" ").filter(Boolean) };
  const home = match ?? given.get("match") ?? undefined;
  const kept = given.get("tree") ?? (home ? keptTree(home) : undefined);
  return { wanted: { ...line, ply: number ? Number(number) : null }, home, kept, reviews: given.has("review"), seenBy: given.get("side") === "1" ? 1 : 0 };
}

/** @type {(name: string, side: string) => string} */
const shownName = (name, side) => (["human", "?"].includes(name) ? side : T.player(name)); // what records call anonymous people

export class Analysis {
  /** @type {BoardReply | null} */
  state = null;
  /** @type {Line} what is shown */
  line = { game: "", layout: null, options: {}, position: null, moves: [], ply: 0 };
  /** @type {Wanted | null} what is asked for next */
  wanted;
  /** @type {Edit[]} edits that have not been sent to the server yet */
  edits = [];
  /** @type {string | undefined} the match that the page began with, for as long as its tree is shown */
  home;
  isAsking = false;
  /** @type {{key: string, start: string | null} | null} the start of the tree */
  base = null;
  homeMoves = ""; // the moves of the match that the page began with
  /** @type {Given} */
  given = {};
  /** @type {Given | null} from a record that is about to be shown */
  read = null;
  /** @type {AnalysisReply | null} */
  found = null;
  /** @type {string[] | undefined} the line under the pointer */
  pointed = undefined;
  isSetUp = false;
  isPointing = false; // whether the board was last used by mouse or touch
  seenBy = 0; // the side from which a match is seen
  /** @type {MistakeTrainer | null} loaded when it is needed */
  trainer = null;
  /** @type {Promise<MistakeTrainer> | null} */
  loaded = null;
  /** @type {{move: string, ids: string[], kind: string, picture: Picture | null} | null} a move tried instead of a mistake */
  tried = null;
  /** @type {string | null} the solution that is shown */
  solution = null;
  arrowKey = ""; // the arrows that are drawn
  timer = 0;
  tree = new Tree();
  imported = "";
  said = ""; // the result of an import, until another position is shown
  values = s("g", { class: "values", "aria-hidden": "true" });
  title = h("h1", {});
  names = h("p", { class: "limit" });
  status = h("p", { class: "status", role: "status" });
  actions = h("div", { class: "actions" });
  practiceBox = h("div");
  /** @type {Practice | null} loaded once the game is known */
  practice = null;
  records = h("div");
  table = h("ol", { class: "lines all", "aria-label": T.allMoves });
  quantity = h("select", { onchange: () => this.#drawValues() }, T.quantities.map((name) => h("option", {}, name)));
  quantities = field(T.onBoard, this.quantity, { class: "field inline", hidden: true });
  loading = h("p", { class: "loading" }, T.loading);
  abort = new AbortController();

  /**
   * @param {Net} net
   * @param {string} address  GAME?layout=…&option.NAME=…&position=…&moves=…&ply=…&tree=…&match=… or match/ID/PLY?tree=…&side=1&review
   */
  constructor(net, address) {
    this.net = net;
    const { wanted, home, kept, reviews, seenBy } = placeOf(address);
    this.reviews = reviews;
    this.seenBy = seenBy;
    this.wanted = wanted;
    this.home = home;
    this.kept = kept;
    this.board = new Board({
      onMove: (move) => this.#chosen(move),
      onSelect: () => {
        this.#drawArrows(); // a selection hides them
        this.#drawValues();
      },
      onPreview: (move, isSpoken) => this.#preview(move, isSpoken),
      onShapes: (shapes) => this.#change(() => (this.node.shapes = shapes)),
      onRefuse: async (ids) => {
        const { state } = this;
        if (this.tried) return;
        const reason = await explain(this.net, { ...place(this.line), ids }) || this.board.reason(ids);
        if (this.state === state) this.board.tell(reason, ids.at(-1));
      },
    });
    this.board.animation = preferences().animation;
    this.board.setCoordinates(preferences().coordinates);
    this.board.layers.targets.before(this.values);
    this.evaluation = new Evaluation(this.net, (_, moves) => this.#drawLine(moves), {
      values: true, onFound: (found) => this.#found(found), onPlay: (moves) => this.#play(moves),
    });
    this.overlays = new Overlays(this.board);
    this.moves = new MoveTree((path, ply) => (path ? this.#follow(path) : this.#go({ ply })));
    this.notes = new Notes({
      change: (change) => this.#change(() => Object.assign(this.node, change)),
      promote: () => this.#change(() => this.tree.promote(this.path)),
      remove: () => {
        const left = this.tree.remove(this.path);
        this.#keep();
        this.#follow(left);
      },
    });
    this.review = new Review(this.net, { onChange: () => this.state && this.#drawMoves(), go: (ply) => this.#go({ ply }),
      look: (ply) => {
        this.#go({ ply });
        this.board.element.scrollIntoView({ block: "nearest" });
      },
      onTry: (mistakes) => this.#tryMistakes(mistakes) });
    this.editor = new Editor({ edit: (edit) => this.#edit(edit), go: (where) => this.#go(where), copy: (text) => this.#copy(text) });
    this.aids = new Aids(this.net, this.evaluation, this.overlays, (description) => {
      this.editor.offerLayouts(description.layouts, this.line.layout ?? description.default_layout);
      return this.#offerPractice(description);
    });
    const seconds = numberInput({ min: 0.05, max: 30, value: "1", onchange: () => {
      this.evaluation.seconds = seconds.checkValidity() ? Number(seconds.value) : 1;
      this.evaluation.ask();
    } });
    this.evaluation.box.append(field(T.secondsEach, seconds, { class: "field inline" }), this.quantities, details(T.allMoves, this.table));
    this.back = button(T.mainLine, () => this.#toMain());
    const analyse = h("div", {}, this.evaluation.box, this.moves.element, h("div", { class: "settings" }, this.back), this.notes.element, this.practiceBox);
    this.tabs = new Tabs(T.tools, [[T.analyse, analyse], [T.setUp, this.editor.element], [T.records, this.records]], (shown) => {
      if (shown === RECORDS) this.#loadRecords();
      if (this.state) this.#draw();
    });
    this.side = h("section", { class: "table", "aria-label": T.board }, this.board.element, this.moves.navigation, this.evaluation.meter);
    this.heading = h("div", { class: "heading" }, this.title, this.names);
    this.body = h("div", { class: "match analysis", hidden: true }, this.heading, this.side,
      h("div", { class: "side" },
        h("section", { class: "status-box" }, this.status, this.actions), this.review.element, this.tabs.element,
        h("div", { class: "settings" }, button(T.share, () => this.#copy(location.href)), button(T.flip, () => this.#flip()), this.evaluation.toggle, themeField()),
        this.overlays.element, h("p", { class: "keys" }, T.treeKeys)));
    this.element = h("div", {}, this.loading, this.body);
    const { signal } = this.abort;
    net.on("status", ({ detail }) => detail.open && this.#connected(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    // after a click the arrow keys step through the moves; after Tab they move within the board
    this.board.element.addEventListener("pointerdown", () => (this.isPointing = true), { signal });
    document.addEventListener("keydown", (event) => event.key === "Tab" && (this.isPointing = false), { signal, capture: true });
    this.board.element.addEventListener("keydown", (event) => {
      if (this.isPointing) this.#key(event);
      if (event.defaultPrevented) event.stopPropagation();
    }, { signal, capture: true });
    if (net.isOpen) this.#show();
  }

  close() {
    this.abort.abort();
    this.board.close();
    this.evaluation.close();
    this.review.close();
  }

  // --- the position ---

  get #isTrying() {
    return Boolean(this.trainer?.isOpen);
  }

  // The moves that lead to what is shown.
  get path() {
    return this.line.moves.slice(0, this.line.ply);
  }

  // The node of the tree that is shown.
  get node() {
    return this.tree.at(this.path) ?? this.tree.root;
  }

  /**
   * Go to another place in the line or, with `moves`, to another line.
   * @param {Changes} changes
   */
  #go(changes) {
    /** @type {Wanted} */
    const wanted = { ...(this.wanted ?? this.line), ...changes };
    if (changes.moves) wanted.match = this.home && this.base && wanted.position === this.line?.position && changes.moves.join(" ") === this.homeMoves ? this.home : undefined;
    if (wanted.ply !== null) wanted.ply = Math.min(wanted.ply, wanted.moves?.length ?? Infinity);
    this.wanted = wanted;
    this.edits = [];
    this.said = "";
    this.#show();
  }

  /**
   * Go to a path of the tree, and continue its line with the main moves after it.
   * @param {string[]} path
   */
  #follow(path) {
    this.#go({ moves: this.tree.line(path), ply: path.length });
  }

  #toMain() {
    const { path } = this;
    while (!this.tree.isMain(path)) path.pop();
    this.#follow(path);
  }

  /**
   * Play a move, or a line of moves, and show the first.
   * @param {string[]} moves
   */
  #play(moves) {
    const { path } = this;
    this.tree.add([...path, ...moves]);
    this.#follow([...path, moves[0]]);
  }

  /** @param {string} move */
  #chosen(move) {
    if (this.isSetUp) this.#edit({ target: move, piece: this.editor.chosen });
    else if (this.#isTrying) this.trainer?.judge(move);
    else this.#play([move]);
  }

  /** @param {Edit} edit */
  #edit(edit) {
    this.edits.push(edit);
    this.#draw(); // the next edit need not wait for the answer
    this.#show();
  }

  /**
   * Change the tree, then show and save the change.
   * @param {() => void} change
   */
  #change(change) {
    change();
    this.#keep();
    this.#draw();
  }

  /**
   * Return a promise of the board after further moves.
   * @param {string[]} moves
   */
  #try(...moves) {
    return this.#after([...this.path, ...moves]);
  }

  /** @param {string[]} moves  from the start */
  #after(moves) {
    return this.net.request({ type: "board", ...place({ ...this.line, match: undefined }), moves, ply: null });
  }

  /**
   * Show what was found in an imported text.
   * @param {Imported} said
   */
  #read({ kind, game, layout, options, start, moves, names, seconds, tree }) {
    this.read = kind === "record" ? { names, seconds } : null;
    this.imported = tree;
    const isSame = kind === "moves" && start === this.base?.start && game === this.line.game;
    const added = isSame ? this.tree.line(moves) : moves;
    if (isSame) this.tree.add(moves);
    this.#go({ game, layout, options, position: start, moves: added, ply: kind === "record" ? 0 : moves.length, isNew: !isSame });
  }

  async #loadRecords() {
    const { ImportExport } = await import("./records.js");
    if (this.records.firstChild) return;
    this.records.append(new ImportExport({
      ask: (text, number) => this.net.request({ type: "import", ...place(this.line), text, number }),
      read: (said, found) => {
        this.tabs.show(0); // to the moves
        this.#read(said);
        this.said = found;
        this.board.element.scrollIntoView({ block: "nearest" });
      },
      write: () => this.#write(),
      copy: (text) => this.#copy(text),
      nameOf: () => this.line.game,
    }).element);
  }

  async #write() {
    const { match, names = null, seconds = [], ...line } = this.line;
    const moves = this.tree.line();
    const asked = match && moves.join(" ") === this.homeMoves ? { match } : { ...place(line), moves, ply: null, names, seconds,
      tree: this.tree.isPlain ? "" : this.tree.format() };
    return (await this.net.request({ type: "export", ...asked })).text;
  }

  // Repeat the requests that a lost connection has left unanswered.
  #connected() {
    this.#show();
    if (this.state) this.aids.reconnected();
  }

  // Request what is to be shown, and show it; only the latest wish is requested, but edits are sent one by one.
  async #show() {
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.wanted || this.edits.length) {
      const edit = this.wanted ? null : this.edits.shift();
      /** @type {Wanted} */
      const { isNew = false, ...wanted } = this.wanted ?? { ...this.line, match: undefined };
      this.wanted = null;
      try {
        const state = await (edit ? this.net.request({ type: "edit", ...place(wanted), ...edit }) : this.net.request({ type: "board", ...place(wanted) }));
        if (this.abort.signal.aborted) return;
        this.#receive(state, wanted, isNew);
      } catch (error) {
        if (!this.state) this.loading.replaceChildren(`${reasonOf(error)} `, h("a", { href: "#/" }, T.toLobby));
        else {
          this.#draw();
          this.board.tell(reasonOf(error));
        }
        if (!this.net.isOpen) {
          if (edit) this.edits.unshift(edit);
          else this.wanted ??= { ...wanted, isNew };
          break;
        }
      }
    }
    this.isAsking = false;
  }

  /**
   * @param {BoardReply} state
   * @param {Wanted} wanted
   * @param {boolean} isNew
   */
  #receive(state, wanted, isNew) {
    const { game, layout, options, start: position, moves, ply } = state;
    const key = JSON.stringify([game, layout, options, position]);
    const isFirst = !this.state;
    const isOther = this.state?.game !== game;
    if (isNew || key !== this.base?.key) {
      // the previous address still leads to the tree that was replaced
      if (!isFirst && this.tree.root.children.length) history.pushState(null, "", location.href);
      this.tree = Tree.parse((isFirst && this.kept) || this.imported);
      this.imported = "";
      this.base = { key, start: position };
      this.review.clear();
      if (!isFirst) [this.home, this.seenBy] = [undefined, 0];
      this.given = { names: undefined, seconds: undefined };
      if (wanted.match) this.given = { names: state.names, seconds: state.seconds };
      if (this.read) this.given = this.read;
    }
    this.read = null;
    if (!isFirst) announce(`${this.said} ${ply ? T.moveLabel(ply, state.sides[state.movers[ply - 1]], moves[ply - 1], "", "") : T.start}. ${T.stateOf(state)}`);
    if (wanted.match) this.homeMoves = moves.join(" ");
    this.line = { ...wanted, ...this.given, game, layout, options, position, moves, ply };
    this.tree.add(moves, state.movers);
    if (!wanted.match) this.line.moves = this.tree.line(moves);
    this.state = state;
    this.pointed = undefined;
    this.review.side = this.seenBy;
    if (isFirst) {
      this.board.setFlipped(this.seenBy === 1 && state.picture.flip === "turn");
      this.loading.remove();
      this.body.hidden = false;
      if (wanted.match) this.review.load({ match: wanted.match }, moves, this.reviews);
      this.#learnSides();
    }
    if (isOther) this.aids.describe(game);
    this.#keep();
    this.#draw();
  }

  // Ask which side made each move of the main line, if that is not known.
  async #learnSides() {
    const moves = this.tree.line();
    if (!moves.length || this.tree.at(moves)?.side !== undefined) return;
    const { movers } = await this.#after(moves).catch(() => ({ movers: [] }));
    this.tree.add(moves, movers);
    this.#drawMoves();
  }

  // Save the place and the tree in the address and, for a match, in the browser.
  #keep() {
    history.replaceState(null, "", this.#address());
    if (!this.home) return;
    try {
      if (this.tree.isPlain) localStorage.removeItem(TREE + this.home);
      else localStorage.setItem(TREE + this.home, this.tree.format());
    } catch {
      // it is still in the address
    }
  }

  #address() {
    const { match, game, layout, options, position, moves, ply } = this.line;
    const query = new URLSearchParams(match || layout === null ? {} : { layout });
    if (!match) {
      for (const [name, value] of Object.entries(options)) query.set(OPTION + name, value);
      if (position !== null) query.set("position", position);
      if (moves.length) query.set("moves", moves.join(" "));
      if (ply < moves.length) query.set("ply", String(ply));
      if (this.home) query.set("match", this.home);
    }
    if (this.seenBy) query.set("side", String(this.seenBy));
    if (!this.tree.isPlain) query.set("tree", this.tree.format());
    const path = match ? `match/${encodeURIComponent(match)}/${ply}` : encodeURIComponent(game);
    return `#/analysis/${path}${query.size ? `?${query}` : ""}`;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !this.state) return;
    if (!(event.target instanceof Element) || event.target.closest("input, select, textarea, summary")) return;
    if (this.#isTrying) return;
    const ply = this.wanted?.ply ?? this.state.ply;
    /** @type {Record<string, number | undefined>} */
    const targets = { ArrowLeft: Math.max(0, ply - 1), ArrowRight: ply + 1, Home: 0, End: Infinity };
    const to = targets[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.#go({ ply: to });
      return;
    }
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (!step) return;
    const beside = this.tree.beside(this.path, step);
    if (beside === this.path || beside.join(" ") === this.path.join(" ")) return;
    event.preventDefault();
    this.#follow(beside);
  }

  /** @param {string} text */
  async #copy(text) {
    setText(this.status, await navigator.clipboard.writeText(text).then(() => T.copiedText, () => text));
  }

  #flip() {
    this.board.setFlipped(!this.board.flipped);
    this.#drawValues();
  }

  /**
   * @param {string | null} move
   * @param {boolean} isSpoken
   */
  #preview(move, isSpoken) {
    clearTimeout(this.timer);
    const { state } = this;
    if (move === null || this.isSetUp) return;
    this.timer = setTimeout(() => this.#try(move).then(({ picture }) => {
      if (this.board.previewed === move && this.state === state) this.board.showResult(picture, isSpoken);
    }, () => {}), WAIT);
  }

  /**
   * Make a move on the board instead of a mistake, say whether it is right, or take it back.
   * @param {string | null} move
   * @param {"right" | "wrong" | ""} kind
   */
  async #tryOut(move, kind) {
    const { tried, board, state } = this;
    if (move === null || tried?.move !== move) {
      this.tried = move === null ? null : { move, ids: state?.picture.clicks[move]?.[0] ?? [], kind, picture: null };
    } else tried.kind = kind;
    const now = this.tried;
    if (!now || now.picture) return this.#draw();
    if (state) board.show(state.picture, { interactive: false });
    const reply = await this.#try(now.move).catch(() => null);
    if (this.tried !== now || !reply) return;
    now.picture = reply.picture;
    this.#draw();
  }

  async #newTrainer() {
    const { MistakeTrainer } = await import("./mistakes.js");
    const trainer = new MistakeTrainer(this.net, {
      show: ({ ply, line }) => this.#go({ moves: line, ply: ply - 1 }),
      tryOut: (move, kind) => this.#tryOut(move, kind),
      showMove: (move) => {
        this.solution = move;
        this.#drawArrows();
      },
      end: () => {
        this.body.classList.remove("exercising");
        this.#draw();
      },
    });
    this.heading.after(trainer.element);
    return trainer;
  }

  /** @param {Mistake[]} mistakes */
  async #tryMistakes(mistakes) {
    this.loaded ??= this.#newTrainer();
    const trainer = (this.trainer = await this.loaded);
    const { state } = this;
    if (!state || this.abort.signal.aborted) return;
    this.tabs.show(0);
    this.body.classList.add("exercising");
    this.#drawValues();
    const line = { ...this.line, match: undefined };
    trainer.start(mistakes, state.sides, ({ ply, line: moves }) => place({ ...line, moves, ply: ply - 1 }));
    trainer.element.scrollIntoView({ block: "start" });
  }

  // --- drawing ---

  #draw() {
    const { state, board, line } = this;
    if (!state) return;
    this.isSetUp = this.tabs.shown === SET_UP && state.pieces.length > 0;
    if (this.isSetUp) this.trainer?.close();
    /** @type {Picture["clicks"]} */
    const everywhere = Object.fromEntries([...state.picture.cells, ...state.picture.lines].map(({ id }) => [id, [[id]]]));
    board.show(this.isSetUp ? { ...state.picture, clicks: everywhere } : this.tried?.picture ?? state.picture, { interactive: !this.tried });
    this.side.style.setProperty("--ratio", String(board.ratio));
    setText(this.title, T.analysisOf(state.title));
    setText(this.names, line.names ? T.versus(shownName(line.names[0], state.sides[0]), shownName(line.names[1], state.sides[1])) : "");
    document.title = T.pageTitle(T.analysisOf(state.title));
    setText(this.status, this.isSetUp ? T.settingUp : [...(this.said ? [this.said] : []), T.stateOf(state), ...state.picture.captions.map(({ text }) => text),
      ...state.picture.trays.map(({ side, label, count, pieces, places }) => `${state.sides[side]} ${T.inTray(label, places || pieces.length ? pieces.length : count, places)}`)].join(" · "));
    this.actions.replaceChildren(...state.picture.buttons.map((one) =>
      button(one.label || one.id, () => board.click(one.id), { disabled: this.isSetUp, "data-keeps-selection": true })));
    this.editor.draw(state);
    this.practice?.draw(state);
    this.#drawMoves();
    this.#drawArrows();
    board.setShapes(this.node.shapes);
    const key = JSON.stringify([this.base?.key, state.position, this.path]);
    this.evaluation.update(key, place(line), state.picture);
    this.overlays.update(key, async (overlays) => (await this.net.request({ type: "board", ...place(line), overlays })).picture);
  }

  #drawMoves() {
    const { state, line, path, tree } = this;
    if (!state) return;
    this.moves.draw(tree, path, state.ply, line.moves.length, this.review.noteOf, state.sides);
    this.back.hidden = tree.isMain(path);
    this.notes.draw(this.node, tree.isMain(path));
    this.review.draw(state, line.moves, place(line), () => ({ agent: this.evaluation.agent.value.trim() || null, seconds: this.evaluation.seconds }));
  }

  /** @param {GameReply} description */
  async #offerPractice(description) {
    const { Practice } = await import("./practice.js");
    if (this.abort.signal.aborted) return;
    this.practice ??= new Practice(this.net, () => {
      const { game, layout, options } = this.line;
      return { game, layout, options, position: this.state?.position };
    });
    this.practiceBox.replaceChildren(this.practice.element);
    this.practice.offer(description);
    if (this.state) this.practice.draw(this.state);
  }

  /** @param {AnalysisReply | null} found */
  #found(found) {
    this.found = found;
    this.table.replaceChildren(...(found?.values ?? []).map(({ move, value, policy, share }) =>
      h("li", {}, button([h("strong", {}, value), value === found?.value ? `${move} ★` : move, h("span", {}, T.shares(policy, share))], () => this.#play([move]), { class: "best-line" }))));
    if (found) {
      this.quantities.hidden = !found.network_value;
      const last = /** @type {HTMLOptionElement} */ (this.quantity.lastElementChild);
      last.hidden = found.values.every(({ share }) => share === null);
      if (last.hidden && last.selected) this.quantity.selectedIndex = 0;
    }
    if (!this.state) return;
    this.#drawValues();
    this.#drawArrows();
  }

  /**
   * Return the arrows for the best moves, or for the move tried instead of a mistake.
   * @returns {Arrow[]}
   */
  get #arrows() {
    const { tried, solution, board } = this;
    if (this.#isTrying) return tried?.kind ? [{ ids: tried.ids, kind: tried.kind === "right" ? "best" : "bad" }] : solution ? [{ move: solution }] : [];
    const lines = this.isSetUp || board.clicks.path.length ? [] : (this.found?.lines ?? []);
    return lines.map(({ moves }, i) => ({ move: moves[0], kind: i ? "other" : "best", width: 1 - i / ARROWS }));
  }

  #drawArrows() {
    const arrows = this.#arrows;
    const key = this.pointed ? "" : JSON.stringify(arrows);
    if (key && key !== this.arrowKey) this.board.setArrows(arrows);
    this.arrowKey = key;
  }

  /**
   * Draw arrows for the moves of a line, or those for the best moves again.
   * @param {string[]} [moves]
   */
  async #drawLine(moves) {
    const { state } = this;
    this.pointed = moves;
    if (!moves) {
      this.#drawArrows();
      return;
    }
    /** @type {Arrow[]} */
    const arrows = [{ move: moves[0], kind: "best" }];
    this.board.setArrows(arrows);
    for (const [i, move] of moves.entries()) {
      if (!i) continue;
      if (i === ARROWS) break;
      const reply = await this.#try(...moves.slice(0, i)).catch(() => null);
      if (this.pointed !== moves || this.state !== state) return;
      const ids = reply?.picture.clicks[move]?.[0];
      if (!ids) return;
      arrows.push({ ids, kind: "line", width: 1 - i / ARROWS });
      this.board.setArrows([...arrows]);
    }
  }

  /**
   * Return the text shown on the board for a move, in the chosen quantity.
   * @param {MoveValueState} found
   */
  #shown({ short, policy, share }) {
    const number = this.quantities.hidden ? undefined : [undefined, policy, share][this.quantity.selectedIndex];
    return number === undefined ? short : number === null ? "" : T.percent(number);
  }

  // Draw the value of every move at its last click or, once something is selected, at its next click.
  #drawValues() {
    const { board, found } = this;
    /** @type {Map<string, Label & {value: string}>} */
    const labels = new Map();
    const leads = board.clicks.path.length ? [] : this.#arrows.flatMap(({ move = "", kind = "best" }) => [{ move, kind, points: board.leadOf(move) }]);
    const { clicks } = board;
    const isHidden = this.isSetUp || this.#isTrying;
    const larger = Math.max(1, LEGIBLE / (board.svg.getScreenCTM()?.a || 1)); // on small boards
    for (const one of isHidden ? [] : (found?.values ?? [])) {
      const id = clicks.path.length ? clicks.step(one.move) : clicks.suggested.get(one.move)?.ids.at(-1);
      const item = board.items.get(id ?? "");
      const key = leads.some(({ move, points }) => move === one.move && points.length > 1) ? `arrow ${one.move}` : item?.id ?? "";
      const short = this.#shown(one);
      if (item && short && !labels.has(key)) labels.set(key, { ...one, short, x: UNIT * item.x, y: UNIT * item.y, height: larger * (item.kind === "line" ? 16 : 27) });
    }
    const best = new Set([...labels.values()].filter(({ value }) => value === found?.value).map(({ move }) => move));
    this.values.replaceChildren(...placed([...labels.values()], leads).map(({ move, short, x, y, height, size, width, kind }) =>
      s("g", { class: `${best.has(move) ? "top-value" : ""}${kind && ` own kind-${kind}`}` },
        s("rect", { x: x - width / 2, y: y - 0.62 * height, width, height: 1.24 * height, rx: height / 3 }),
        s("text", { x, y: y + size * 0.36, "font-size": size, "text-anchor": "middle" }, short))));
  }
}
