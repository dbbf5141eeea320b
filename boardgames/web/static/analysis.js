// @ts-nocheck
// Analysis of any position: free moves, set-up, values of all moves, and reviews of records. The address names the position.

import { Aids } from "./aids.js";
import { Board } from "./board.js";
import { Chart } from "./chart.js";
import { announce, button, details, field, h, number as numberInput, preferences, s, setText } from "./dom.js";
import { Evaluation } from "./evaluation.js";
import { MoveList } from "./moves.js";
import { explain } from "./net.js";
import { Overlays } from "./overlays.js";
import { T } from "./texts.js";

const UNIT = 100;
const OPTION = "option.";
const WAIT = 250;
const LONGEST_MS = 3600000;

const area = (label) => h("textarea", { "aria-label": label, spellcheck: false });
const entry = (name, text, onclick) => h("li", {}, button([h("strong", {}, name), text], onclick, { class: "best-line" }));
const choices = (select, names, chosen) => {
  select.replaceChildren(...names.map((name) => h("option", { selected: name === chosen }, name)));
  select.hidden = names.length < 2;
};
// Return the fields of a request that name a position.
const place = ({ match, game, layout, options, position, moves, ply }) => (moves ? { game, layout, options, position, moves, ply } : { match, ply });

export class Analysis {
  // `address` is GAME?layout=…&option.NAME=…&position=…&moves=…&ply=… or match/ID/PLY.
  constructor(net, address) {
    this.net = net;
    const [path, query] = address.split("?");
    const [game, match, ply] = path.split("/").map(decodeURIComponent);
    const given = new URLSearchParams(query);
    const number = ply ?? given.get("ply");
    const options = [...given].filter(([name]) => name.startsWith(OPTION)).map(([name, value]) => [name.slice(OPTION.length), value]);
    this.wanted = match ? { match } : { game, layout: given.get("layout"), options: Object.fromEntries(options),
      position: given.get("position"), moves: (given.get("moves") ?? "").split(" ").filter(Boolean) };
    this.wanted.ply = number ? Number(number) : null;
    this.notes = new Map();
    this.#build();
    this.abort = new AbortController();
    const { signal } = this.abort;
    net.on("status", ({ detail }) => detail.open && this.#connected(), { signal });
    net.on("annotated", ({ detail }) => detail.key === this.review && this.#note(detail), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    if (net.isOpen) this.#show();
  }

  close() {
    this.abort.abort();
    this.board.close();
    this.evaluation.close();
    if (this.review) this.#review();
  }

  #build() {
    this.board = new Board({
      onMove: (move) => (this.isSetUp ? this.#edit({ target: move, piece: this.state.pieces[this.piece.selectedIndex] ?? null }) : this.#play([move])),
      onSelect: () => this.#drawValues(),
      onPreview: (move, isSpoken) => this.#preview(move, isSpoken),
      onRefuse: async (ids) => {
        const { state } = this;
        const reason = await explain(this.net, { ...place(this.line), ids }) || this.board.reason(ids);
        if (this.state === state) this.board.tell(reason, ids.at(-1));
      },
    });
    this.board.animation = preferences().animation;
    this.board.setCoordinates(preferences().coordinates);
    this.values = s("g", { class: "values", "aria-hidden": "true" });
    this.board.layers.targets.before(this.values);
    this.evaluation = new Evaluation(this.net, (move) => this.board.showMove(move), {
      values: true, onFound: (found) => this.#found(found), onPlay: (moves) => this.#play(moves),
    });
    this.overlays = new Overlays(this.board);
    this.aids = new Aids(this.net, this.evaluation, this.overlays, ({ layouts }) => choices(this.layout, layouts, this.state.layout));
    this.moves = new MoveList((ply) => this.#go({ ply }));
    this.chart = new Chart(T.chart, (ply, isChosen) => (isChosen ? this.#go({ ply: ply ?? Infinity }) : this.chart.mark(ply ?? this.state.ply)));
    this.title = h("h1", {});
    this.names = h("p", { class: "limit" });
    this.status = h("p", { class: "status", role: "status" });
    this.actions = h("div", { class: "actions" });
    const seconds = numberInput({ min: 0.05, max: 30, value: "1", onchange: () => {
      this.evaluation.seconds = seconds.checkValidity() ? Number(seconds.value) : 1;
      this.evaluation.ask();
    } });
    this.table = h("ol", { class: "lines all", "aria-label": T.allMoves });
    this.evaluation.box.append(field(T.secondsEach, seconds, { class: "field inline" }), details(T.allMoves, this.table));
    this.reviewButton = button(T.review, () => this.#review());
    this.progress = h("p", { class: "muted", role: "status" });
    this.mistakes = h("ul", { class: "lines all" });
    this.#buildSetUp();
    this.#buildRecords();
    this.back = button(T.mainLine, () => this.#go(this.trunk));
    this.body = h("div", { class: "match", hidden: true },
      (this.side = h("section", { class: "table", "aria-label": T.board }, this.board.element, this.evaluation.meter,
        h("section", { class: "review" }, this.chart.element, h("div", { class: "actions" }, this.reviewButton, this.progress), this.mistakes))),
      h("div", { class: "side" }, h("div", { class: "heading" }, this.title, this.names),
        h("section", { class: "status-box" }, this.status, this.actions), this.evaluation.box, this.moves.element,
        h("div", { class: "settings" }, this.back, button(T.share, () => this.#copy(location.href)), button(T.flip, () => this.#flip()), this.evaluation.toggle),
        this.setUp, this.records, this.overlays.element, h("p", { class: "keys" }, T.keys)));
    this.loading = h("p", { class: "loading" }, T.loading);
    this.element = h("div", {}, this.loading, this.body);
  }

  #buildSetUp() {
    this.piece = h("select", { "aria-label": T.piecePut });
    this.turns = [0, 1].map((side) => button("", () => this.#edit({ side })));
    this.layout = h("select", { "aria-label": T.layout, onchange: () => this.#go({ layout: this.layout.value, options: {}, position: null, moves: [], ply: null }) });
    this.notation = h("select", { "aria-label": T.notation, onchange: () => this.#draw() });
    this.text = area(T.positionText);
    this.pieces = h("div", { class: "controls" }, this.piece, ...this.turns, button(T.clear, () => this.#edit({ clear: true })));
    this.setUp = details(T.setUp, this.pieces, this.layout, this.notation, this.text,
      h("div", { class: "controls" }, button(T.copy, () => this.#copy(this.text.value)),
        button(T.usePosition, () => this.#go({ position: this.text.value.trim(), moves: [], ply: null }))));
    this.setUp.addEventListener("toggle", () => this.#draw());
  }

  #buildRecords() {
    const text = area(T.recordText);
    const number = numberInput({ min: 1, step: 1, value: "1", "aria-label": T.recordNumber });
    const found = h("p", { class: "muted", role: "status" });
    const file = h("input", { type: "file", accept: ".pgn,.txt,.record,text/plain", "aria-label": T.recordFile, onchange: async () => {
      text.value = (await file.files[0]?.text()) ?? "";
      read();
    } });
    const run = (action) => action().catch((error) => error.message).then((said) => setText(found, said ?? ""));
    const read = () => run(async () => {
      const record = await this.net.request({ type: "import", text: text.value, number: Number(number.value) || 1 });
      const { game, layout, options, start, moves, names, seconds } = record;
      this.trunk = { game, layout, options, position: start, moves, names, seconds, ply: 0 };
      this.#go(this.trunk);
      const known = names.map((name) => (name === "?" ? T.anonymous : name));
      const result = record.result === "*" ? T.unfinished : record.outcome || record.result;
      return T.imported(record.number, record.count, known, result);
    });
    const write = async () => {
      const { names = null, seconds = [], match, ply } = this.line;
      const asked = match ? { match, ply } : { ...place(this.line), ply: null, names, seconds };
      return (text.value = (await this.net.request({ type: "export", ...asked })).text);
    };
    const save = () => run(async () => {
      const url = URL.createObjectURL(new Blob([await write()], { type: "text/plain" }));
      h("a", { href: url, download: `${this.state.game}.record` }).click();
      URL.revokeObjectURL(url);
    });
    this.records = details(T.records, file, text, h("div", { class: "controls" }, number, button(T.read, read),
      button(T.write, () => run(async () => this.#copy(await write()))), button(T.download, save)), found);
  }

  // --- the position ---

  // Go to another place in the line or, with `moves`, to another line.
  #go(changes) {
    const wanted = { ...(this.wanted ?? this.line), ...changes };
    if (changes.moves && changes !== this.trunk) wanted.match = wanted.names = wanted.seconds = undefined;
    if (changes.moves?.length === 0) this.trunk = null;
    if (wanted.ply !== null) wanted.ply = Math.min(wanted.ply, wanted.moves.length);
    this.wanted = wanted;
    this.#show();
  }

  #play(moves) {
    const { line } = this;
    if (moves.length === 1 && line.moves[line.ply] === moves[0]) return this.#go({ ply: line.ply + 1 });
    if (line.ply < line.moves.length) this.trunk ??= line;
    this.#go({ moves: [...line.moves.slice(0, line.ply), ...moves], ply: line.ply + 1 });
  }

  #edit(edit) {
    this.#go({ moves: this.line.moves, edit });
    this.trunk = null;
  }

  // Return a promise of the board after a further move.
  #try(move) {
    const { line } = this;
    return this.net.request({ type: "board", ...place(line), moves: [...line.moves.slice(0, line.ply), move], ply: null });
  }

  // Repeat the requests that a lost connection has left unanswered.
  #connected() {
    this.#show();
    if (this.state) this.aids.reconnected();
  }

  // Show what is wanted; if that changes meanwhile, only the latest is asked for.
  async #show() {
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.wanted) {
      const { edit, ...wanted } = this.wanted;
      this.wanted = null;
      try {
        const state = await this.net.request({ type: edit ? "edit" : "board", ...place(wanted), ...edit });
        if (this.abort.signal.aborted) return;
        this.#receive(state, wanted);
      } catch (error) {
        if (!this.state) this.loading.replaceChildren(`${error.message} `, h("a", { href: "#/" }, T.toLobby));
        else {
          this.#draw();
          this.board.tell(error.message);
        }
        if (!this.state && !this.net.isOpen) {
          this.wanted = wanted;
          break;
        }
      }
    }
    this.isAsking = false;
  }

  #receive(state, wanted) {
    const { game, layout, options, start: position, moves, ply } = state;
    const base = JSON.stringify([game, layout, options, position]);
    if (base !== this.base) this.notes.clear();
    const isOther = this.state?.game !== game;
    if (this.state) announce(`${ply ? T.moveLabel(ply, state.sides[state.movers[ply - 1]], moves[ply - 1]) : T.start}. ${T.stateOf(state)}`);
    this.line = { ...wanted, game, layout, options, position, moves, ply };
    if (!this.state) {
      this.loading.remove();
      this.body.hidden = false;
      if (wanted.match) Object.assign(this.line, { names: state.names, seconds: state.seconds });
      if (moves.length) this.trunk = this.line;
    }
    Object.assign(this, { base, state });
    if (isOther) {
      choices(this.piece, [...state.pieces, T.noPiece]);
      this.aids.describe(game);
    }
    history.replaceState(null, "", this.#address());
    this.#draw();
  }

  #address() {
    const { match, game, layout, options, position, moves, ply } = this.line;
    if (match) return `#/analysis/match/${encodeURIComponent(match)}/${ply}`;
    const query = new URLSearchParams({ layout });
    for (const [name, value] of Object.entries(options)) query.set(OPTION + name, value);
    if (position !== null) query.set("position", position);
    if (moves.length) query.set("moves", moves.join(" "));
    if (ply < moves.length) query.set("ply", ply);
    return `#/analysis/${encodeURIComponent(game)}?${query}`;
  }

  #key(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !this.state) return;
    const to = this.moves.target(event.key, this.wanted?.ply ?? this.state.ply);
    if (to === undefined || event.target.closest("input, select, textarea, summary")) return;
    event.preventDefault();
    this.#go({ ply: to });
  }

  async #copy(text) {
    setText(this.status, await navigator.clipboard.writeText(text).then(() => T.copiedText, () => text));
  }

  #flip() {
    this.board.setFlipped(!this.board.flipped);
    this.#drawValues();
  }

  #preview(move, isSpoken) {
    clearTimeout(this.timer);
    const { state } = this;
    if (move === null || this.isSetUp) return;
    this.timer = setTimeout(() => this.#try(move).then(({ picture }) => {
      if (this.board.previewed === move && this.state === state) this.board.showResult(picture, isSpoken);
    }, () => {}), WAIT);
  }

  // --- drawing ---

  #draw() {
    const { state, board, line } = this;
    this.isSetUp = this.setUp.open && state.pieces.length > 0;
    const ids = [...state.picture.cells, ...state.picture.lines].map(({ id }) => [id, [[id]]]);
    board.show(this.isSetUp ? { ...state.picture, clicks: Object.fromEntries(ids) } : state.picture, { interactive: true });
    this.side.style.setProperty("--ratio", board.ratio);
    setText(this.title, T.analysisOf(state.title));
    setText(this.names, line.names ? T.versus(...line.names.map(T.player)) : "");
    document.title = T.pageTitle(T.analysisOf(state.title));
    setText(this.status, this.isSetUp ? T.settingUp : [T.stateOf(state), ...state.picture.captions.map(({ text }) => text)].join(" · "));
    this.actions.replaceChildren(...state.picture.buttons.map((one) =>
      button(one.label || one.id, () => board.click(one.id), { disabled: this.isSetUp, "data-keeps-selection": true })));
    this.back.hidden = !this.trunk || this.trunk.moves.join(" ") === line.moves.join(" ");
    this.pieces.hidden = !state.pieces.length;
    for (const [side, one] of this.turns.entries()) {
      setText(one, T.move(state.sides[side]));
      one.setAttribute("aria-pressed", String(side === state.to_move));
    }
    choices(this.notation, Object.keys(state.notations), this.notation.value);
    this.text.value = state.notations[this.notation.value] ?? state.position;
    this.#drawReview();
    const key = JSON.stringify([this.base, state.position, line.moves.slice(0, line.ply)]);
    this.evaluation.update(key, place(line), state.picture);
    this.overlays.update(key, async (overlays) => (await this.net.request({ type: "board", ...place(line), overlays })).picture);
  }

  #found(found) {
    this.found = found;
    this.table.replaceChildren(...(found?.values ?? []).map(({ move, value }) =>
      entry(value, value === found.value ? `${move} ★` : move, () => this.#play([move]))));
    if (this.state) this.#drawValues();
  }

  // Draw the value of every move where its last click is or, once something is selected, where the next one is.
  #drawValues() {
    const { board, found } = this;
    const labels = new Map();
    const { clicks } = board;
    for (const one of this.isSetUp ? [] : (found?.values ?? [])) {
      const id = clicks.path.length ? clicks.step(one.move) : clicks.suggested.get(one.move)?.ids.at(-1);
      if (board.items.has(id) && !labels.has(id)) labels.set(id, one);
    }
    this.values.replaceChildren(...[...labels].map(([id, { short, value }]) => {
      const item = board.items.get(id);
      const [x, y] = [UNIT * item.x, UNIT * item.y];
      const most = item.kind === "line" ? 16 : 27;
      const size = Math.min(most, (3.4 * most) / short.length);
      const width = short.length * size * 0.72 + size * 0.5;
      return s("g", { class: value === found.value ? "top-value" : "" },
        s("rect", { x: x - width / 2, y: y - 0.62 * most, width, height: 1.24 * most, rx: most / 3 }),
        s("text", { x, y: y + size * 0.36, "font-size": size, "text-anchor": "middle" }, short));
    }));
  }

  // --- reviews ---

  async #review() {
    if (this.review) return this.net.send({ type: "stop-analysis", purpose: "annotation" });
    this.review = String(Math.random());
    this.reviewed = this.line.moves;
    this.#drawReview();
    try {
      const asked = { type: "annotate", key: this.review, ...place(this.line), ply: null, agent: this.evaluation.agent.value.trim() || null,
        seconds: Math.min(5, Math.max(0.05, this.evaluation.seconds / 4)) };
      const { summaries, legend } = await this.net.request(asked, { patience: LONGEST_MS });
      setText(this.progress, [...summaries, legend].join(" · "));
    } catch (error) {
      setText(this.progress, error.message);
    }
    this.review = null;
    this.#drawReview();
  }

  #note(note) {
    this.notes.set(this.reviewed.slice(0, note.ply).join(" "), note);
    setText(this.progress, T.reviewing(note.ply, note.count));
    this.#drawReview();
  }

  #drawReview() {
    const { state, line } = this;
    const notes = [...line.moves, ""].map((_, ply) => this.notes.get(line.moves.slice(0, ply).join(" ")));
    const label = (number, { text, side, value }) => T.moveLabel(number, state.sides[side], text, "", value);
    this.moves.draw(line.moves.map((text, i) => {
      const { move, value } = notes[i + 1] ?? {};
      return { text: text + (move?.mark ?? ""), side: state.movers[i], value, seconds: line.seconds?.[i] };
    }), state.ply, label);
    this.reviewButton.disabled = !line.moves.length;
    setText(this.reviewButton, this.review ? T.stop : T.review);
    this.chart.element.hidden = !notes.some(Boolean);
    this.chart.show([{ points: notes.map((note, ply) => [ply, note?.score]).filter(([, score]) => Number.isFinite(score)), style: 0 }], { bounds: [-1, 1] });
    this.chart.mark(state.ply);
    this.mistakes.replaceChildren(...notes.filter((note) => note?.move?.mark).map(({ ply, move }) => entry(`${ply}. ${move.move}${move.mark}`,
      T.better(state.sides[move.side], move.loss, move.better.join(" "), move.best_value, move.value), () => this.#go({ ply: ply - 1 }))));
  }
}
