// The evaluation bar: what an agent thinks of the position that is shown, and its best lines of play.

import { sideColour } from "./colours.js";
import { button, h, keepPreference, preferences, setText, tick, whilePointed } from "./dom.js";
import { reasonOf } from "./net.js";
import { T } from "./texts.js";

const SECONDS = 1;
const LINES = 3;
const LONGEST_MS = 90000;

/** @import { AnalysisReply, GameReply, PositionRequest } from "../messages.js" */
/** @import { Net } from "./net.js" */

export class Evaluation {
  /** @type {string | null} */
  key = null;
  seconds = SECONDS;
  timer = 0;
  /** @type {PositionRequest | null} */
  request = null;
  sides = ["", ""];

  /**
   * @param {Net} net
   * @param {(move: string | null, moves?: string[]) => void} onLine  called with the first move of a line that is pointed
   *   at and all its moves, or null
   * @param {object} analysis  mostly for the analysis page
   * @param {boolean} [analysis.values]  whether to ask for the values of all moves
   * @param {(found: AnalysisReply | null) => void} [analysis.onFound]
   * @param {(moves: string[]) => void} [analysis.onPlay]  called with a line that is chosen
   * @param {() => void} [analysis.onSwitch]  called when the evaluation has been switched on or off
   */
  constructor(net, onLine, { values = false, onFound, onPlay, onSwitch } = {}) {
    this.net = net;
    this.onLine = onLine;
    this.values = values;
    this.onFound = onFound;
    this.onPlay = onPlay;
    this.onSwitch = onSwitch;
    this.purpose = /** @type {"analysis" | "bar"} */ (values ? "analysis" : "bar");
    const { evaluation, evaluator } = preferences();
    this.isOn = values || Boolean(evaluation);
    this.part = h("span", { class: "meter-part" });
    this.meter = h("div", { class: "meter", role: "img", hidden: !this.isOn }, this.part, h("span", { class: "meter-middle" }));
    const names = (this.names = h("datalist", { id: "evaluators" }));
    this.agent = h("input", { id: "evaluator", autocomplete: "off", spellcheck: false, maxLength: 200, value: evaluator ?? "",
      placeholder: T.standard, onchange: () => this.#choose() });
    this.agent.setAttribute("list", names.id);
    this.value = h("p", { class: "value" });
    this.lines = h("ol", { class: "lines", "aria-label": T.bestLines });
    this.box = h("section", { class: "evaluation", "aria-label": T.evaluation, hidden: !this.isOn }, this.value, this.lines,
      h("p", { class: "field inline" }, h("label", { for: "evaluator" }, T.agent), this.agent, names));
    this.toggle = tick(T.evaluation, this.isOn, (isOn) => this.#switch(isOn));
  }

  /** @param {GameReply} game */
  offer(game) {
    this.names.replaceChildren(...game.agents.map((agent) => h("option", { value: agent.name }, agent.summary)));
  }

  /**
   * Show the evaluation of a position.
   * @param {string} key  identifies the position
   * @param {PositionRequest} request  names it
   * @param {{sides: [string, string], colours: [string, string]}} picture
   */
  update(key, request, { sides, colours }) {
    if (key === this.key) return;
    this.key = key;
    this.request = request;
    this.sides = sides;
    this.onFound?.(null);
    this.meter.style.background = sideColour(colours, 1);
    this.part.style.background = sideColour(colours, 0);
    if (this.isOn) this.ask();
  }

  close() {
    clearTimeout(this.timer);
    if (this.isOn && this.net.isOpen) this.net.send({ type: "stop-analysis", purpose: this.purpose });
  }

  /** @param {boolean} isOn */
  #switch(isOn) {
    if (!this.values) keepPreference("evaluation", isOn);
    this.meter.hidden = this.box.hidden = !isOn;
    if (!isOn) {
      this.close();
      this.onFound?.(null);
    }
    this.isOn = isOn;
    this.onSwitch?.();
    this.refresh();
  }

  #choose() {
    keepPreference("evaluator", this.agent.value.trim());
    this.refresh();
  }

  // Ask again, for example after reconnecting.
  refresh() {
    if (this.isOn && this.request) this.ask();
  }

  ask() {
    clearTimeout(this.timer);
    const { key } = this;
    this.box.setAttribute("aria-busy", "true");
    // delayed, so that stepping quickly through a match asks only once
    this.timer = setTimeout(async () => {
      const agent = this.agent.value.trim() || null;
      const isWanted = () => key === this.key && this.isOn && agent === (this.agent.value.trim() || null);
      try {
        const found = await this.net.request({ type: "analyse", ...this.request, agent, seconds: this.seconds, lines: LINES,
          values: this.values, purpose: this.purpose }, { patience: LONGEST_MS });
        if (isWanted()) this.#show(found);
      } catch (error) {
        if (!isWanted()) return;
        setText(this.value, reasonOf(error));
        this.lines.replaceChildren();
      }
    }, 150);
  }

  /** @param {AnalysisReply} found */
  #show(found) {
    const { to_move: side, score, value, agent, depth, lines, best, network_value: networkValue } = found;
    const text = best === null ? T.matchOver : T.valueFor(this.sides[side], value, agent, depth, networkValue);
    this.part.style.width = `${50 + 50 * score}%`;
    this.meter.setAttribute("aria-label", `${T.evaluation}: ${text}`);
    this.box.removeAttribute("aria-busy");
    this.onFound?.(found);
    setText(this.value, text);
    this.lines.replaceChildren(...lines.map((line) => {
      const point = () => this.onLine(line.moves[0], line.moves);
      return h("li", {}, button([h("strong", {}, line.value.replace(/ \(.*/, "")), h("span", {}, line.moves.join(" "))],
        () => (this.onPlay ? this.onPlay(line.moves) : point()),
        { class: "best-line", ...whilePointed(point, () => this.onLine(null)) }));
    }));
  }
}
