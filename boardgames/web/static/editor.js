// Setting up positions, and importing and exporting moves, positions and records.

import { button, field, h, number as numberInput, setText } from "./dom.js";
import { reasonOf } from "./net.js";
import { T } from "./texts.js";

/** @import { BoardReply, Imported } from "../messages.js" */
/** @import { Changes, Edit } from "./analysis.js" */

/** @type {(select: HTMLSelectElement, names: string[], chosen: string) => void} */
const choices = (select, names, chosen) => {
  select.replaceChildren(...names.map((name) => h("option", { selected: name === chosen }, name)));
  select.disabled = names.length < 2;
};

// The panel in which a position is set up.
export class Editor {
  /** @type {BoardReply | null} */
  state = null;

  /**
   * @param {object} actions
   * @param {(edit: Edit) => void} actions.edit  changes the position
   * @param {(changes: Changes) => void} actions.go  goes to another position
   * @param {(text: string) => void} actions.copy
   */
  constructor({ edit, go, copy }) {
    this.piece = h("select", {});
    this.turns = [0, 1].map((side) => button("", () => edit({ side })));
    this.layout = h("select", { onchange: () => go({ layout: this.layout.value, options: {}, position: null, moves: [], ply: null }) });
    this.notation = h("select", { onchange: () => this.#write() });
    this.text = h("textarea", { spellcheck: false, readOnly: true });
    this.pieces = h("div", { class: "field" }, field(T.piecePut, this.piece), h("div", { class: "controls" }, ...this.turns, button(T.clear, () => edit({ clear: true }))));
    this.cannot = h("p", { class: "muted" }, T.cannotSetUp);
    this.element = h("div", {}, this.pieces, this.cannot, field(T.startLayout, this.layout), field(T.notation, this.notation), field(T.positionText, this.text),
      h("div", { class: "controls" }, button(T.copyPosition, () => copy(this.text.value))));
  }

  // Return the piece that a click places, or null to remove one.
  get chosen() {
    return this.state?.pieces[this.piece.selectedIndex] ?? null;
  }

  /**
   * @param {string[]} layouts
   * @param {string} chosen
   */
  offerLayouts(layouts, chosen) {
    choices(this.layout, layouts, chosen);
  }

  /** @param {BoardReply} state */
  draw(state) {
    if (this.state?.game !== state.game) choices(this.piece, [...state.pieces, T.noPiece], state.pieces[0]);
    this.state = state;
    this.pieces.hidden = !state.pieces.length;
    this.cannot.hidden = state.pieces.length > 0;
    for (const [side, one] of this.turns.entries()) {
      setText(one, T.move(state.sides[side]));
      one.setAttribute("aria-pressed", String(side === state.to_move));
    }
    choices(this.notation, Object.keys(state.notations), this.notation.value);
    if (this.layout.options.length) this.layout.value = state.layout;
    this.#write();
  }

  #write() {
    this.text.value = this.state?.notations[this.notation.value] ?? this.state?.position ?? "";
  }
}

// The panel for import and export.
export class ImportExport {
  /**
   * @param {object} actions
   * @param {(text: string, number: number) => Promise<Imported>} actions.ask  gives what a text says; `number` is that of the
   *   match in a file of records
   * @param {(said: Imported) => void} actions.read  shows what a text has said
   * @param {() => Promise<string>} actions.write  gives the record of the line
   * @param {(text: string) => Promise<void>} actions.copy
   * @param {() => string} actions.nameOf  returns the name of a file for the record, without its suffix
   */
  constructor({ ask, read, write, copy, nameOf }) {
    this.text = h("textarea", { spellcheck: false, placeholder: T.pasteExample });
    this.number = numberInput({ min: 1, step: 1, value: "1" });
    this.found = h("p", { role: "status", class: "read-result" });
    const file = h("input", { type: "file", accept: ".pgn,.txt,.record,text/plain", onchange: async () => {
      this.text.value = (await file.files?.[0]?.text()) ?? "";
      load();
    } });
    const run = async (/** @type {() => Promise<string | void>} */ action) => {
      this.found.classList.remove("problem");
      try {
        setText(this.found, (await action()) ?? "");
      } catch (error) {
        this.found.classList.add("problem");
        setText(this.found, reasonOf(error));
      }
    };
    const load = () => run(async () => {
      const said = await ask(this.text.value, Number(this.number.value) || 1);
      read(said);
      if (said.kind !== "record") return said.kind === "moves" ? T.readMoves(said.moves.length) : T.readPosition;
      const names = said.names.map((name) => (name === "?" ? T.anonymous : name));
      return T.imported(said.number, said.count, names, said.result === "*" ? T.unfinished : said.outcome || said.result);
    });
    const save = () => run(async () => {
      const url = URL.createObjectURL(new Blob([(this.text.value = await write())], { type: "text/plain" }));
      h("a", { href: url, download: `${nameOf()}.record` }).click();
      URL.revokeObjectURL(url);
    });
    this.element = h("div", {}, field(T.pasteText, this.text), h("div", { class: "controls" }, button(T.read, load, { class: "primary" })),
      field(T.recordFile, file), field(T.recordNumber, this.number, { class: "field tick" }), this.found,
      h("div", { class: "controls" }, button(T.write, () => run(async () => copy((this.text.value = await write())))), button(T.download, save)));
  }
}
