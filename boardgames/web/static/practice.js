// @ts-nocheck
// Play on from a position of an analysis, against any agent.

import { button, field, h, preferences, setText } from "./dom.js";
import { T } from "./texts.js";

const LEVEL = "level:level=";

export class Practice {
  // `placeOf` returns the game, layout, options and position to play from.
  constructor(net, placeOf) {
    Object.assign(this, { net, placeOf });
    this.side = h("select", {});
    this.agent = h("select", {});
    this.play = button(T.playOn, () => this.#create(), { class: "primary" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.element = h("section", { class: "practice", "aria-label": T.playOn, hidden: true }, field(T.playAs, this.side, { class: "field inline" }),
      field(T.against, this.agent, { class: "field inline" }), this.play, this.problem);
  }

  // Offer the sides and opponents of a game.
  offer({ sides, levels, agents, default_agent: best }) {
    this.element.hidden = false;
    this.side.replaceChildren(...sides.map((side, i) => h("option", { value: i }, side)));
    const option = (value, text) => h("option", { value }, text);
    const wanted = this.agent.value;
    this.agent.replaceChildren(option("", T.bestPlayer(best)), ...Array.from({ length: levels }, (_, i) => option(`${LEVEL}${i + 1}`, T.player(`${LEVEL}${i + 1}`))),
      ...agents.filter(({ name }) => name !== "level").map(({ name }) => option(name, name)));
    if (wanted) this.agent.value = wanted;
  }

  draw({ to_move: side, outcome, position }) {
    if (position !== this.position) this.side.value = String(side);
    this.position = position;
    this.play.disabled = Boolean(outcome);
    setText(this.problem, "");
  }

  async #create() {
    const me = Number(this.side.value);
    const seats = [0, 1].map((side) => (side === me ? { kind: "here", name: preferences().name ?? "" } : { kind: "agent", agent: this.agent.value }));
    this.play.disabled = true;
    try {
      await this.net.create({ ...this.placeOf(), seats });
    } catch (error) {
      setText(this.problem, error.message);
    }
    this.play.disabled = false;
  }
}
