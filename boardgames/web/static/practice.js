// Play on from a position of an analysis, against any agent.

import { button, field, h, preferences, setText } from "./dom.js";
import { reasonOf } from "./net.js";
import { T } from "./texts.js";

/** @import { BoardReply, CreateMatch, GameReply, SeatRequest } from "../messages.js" */
/** @import { Net } from "./net.js" */

const LEVEL = "level:level=";

export class Practice {
  position = "";

  /**
   * @param {Net} net
   * @param {() => Omit<CreateMatch, "type" | "seats">} placeOf  returns the game, layout, options and position to play from
   */
  constructor(net, placeOf) {
    this.net = net;
    this.placeOf = placeOf;
    this.side = h("select", {});
    this.agent = h("select", {});
    this.play = button(T.playOn, () => this.#create(), { class: "primary" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.element = h("section", { class: "practice", "aria-label": T.playOn, hidden: true }, field(T.playAs, this.side, { class: "field inline" }),
      field(T.against, this.agent, { class: "field inline" }), this.play, this.problem);
  }

  /**
   * Offer the sides and opponents of a game.
   * @param {GameReply} game
   */
  offer({ sides, levels, agents, default_agent: best }) {
    this.element.hidden = false;
    this.side.replaceChildren(...sides.map((side, i) => h("option", { value: i }, side)));
    const option = (/** @type {string} */ value, /** @type {string} */ text) => h("option", { value }, text);
    const wanted = this.agent.value;
    this.agent.replaceChildren(option("", T.bestPlayer(best)), ...Array.from({ length: levels }, (_, i) => option(`${LEVEL}${i + 1}`, T.player(`${LEVEL}${i + 1}`))),
      ...agents.filter(({ name }) => name !== "level").map(({ name }) => option(name, name)));
    if (wanted) this.agent.value = wanted;
  }

  /** @param {BoardReply} state */
  draw({ to_move: side, outcome, position }) {
    if (position !== this.position) this.side.value = String(side);
    this.position = position;
    this.play.disabled = Boolean(outcome);
    setText(this.problem, "");
  }

  async #create() {
    const me = Number(this.side.value);
    /** @type {(side: number) => SeatRequest} */
    const seat = (side) => (side === me ? { kind: "here", name: preferences().name ?? "" } : { kind: "agent", agent: this.agent.value });
    this.play.disabled = true;
    try {
      await this.net.create({ ...this.placeOf(), seats: [seat(0), seat(1)] });
    } catch (error) {
      setText(this.problem, reasonOf(error));
    }
    this.play.disabled = false;
  }
}
