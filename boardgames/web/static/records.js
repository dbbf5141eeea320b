// The panel for import and export.

import { announce, button, field, h, number as numberInput, setText } from "./dom.js";
import { reasonOf } from "./net.js";
import { T } from "./texts.js";

/** @import { Imported } from "../messages.js" */

export class ImportExport {
  /**
   * @param {object} actions
   * @param {(text: string, number: number) => Promise<Imported>} actions.ask  returns what is in a text; `number` is that of the
   *   match in a file of records
   * @param {(said: Imported, found: string) => void} actions.read  shows what was in a text, and says what was found
   * @param {() => Promise<string>} actions.write  returns the record of the line
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
        announce(this.found.textContent ?? ""); // even if another panel is shown now
      } catch (error) {
        this.found.classList.add("problem");
        setText(this.found, reasonOf(error));
      }
    };
    const load = () => run(async () => {
      const said = await ask(this.text.value, Number(this.number.value) || 1);
      const names = said.names.map((name) => (["human", "?"].includes(name) ? T.anonymous : name));
      const found = said.kind === "record"
        ? T.imported(said.number, said.count, names, said.result === "*" ? T.unfinished : said.outcome || said.result)
        : T.readText(said.moves.length, said.notation);
      read(said, found);
      return found;
    });
    const save = () => run(async () => {
      const url = URL.createObjectURL(new Blob([(this.text.value = await write())], { type: "text/plain" }));
      h("a", { href: url, download: `${nameOf()}.record` }).click();
      URL.revokeObjectURL(url);
    });
    this.element = h("div", { class: "records" }, field(T.pasteText, this.text), h("div", { class: "controls" }, button(T.read, load, { class: "primary" })),
      field(T.recordFile, file), field(T.recordNumber, this.number, { class: "field tick" }), this.found,
      h("div", { class: "controls" }, button(T.write, () => run(async () => copy((this.text.value = await write())))), button(T.download, save)));
  }
}
