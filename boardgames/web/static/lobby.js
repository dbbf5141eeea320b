// The start page: set up a new match, and find matches to join or watch.

import { h, replaceItems } from "./dom.js";
import { tokensOf } from "./net.js";
import { Setup } from "./setup.js";
import { T } from "./texts.js";

/** @import { MatchEntry } from "../messages.js" */
/** @import { Net } from "./net.js" */

export class Lobby {
  /**
   * @param {Net} net
   * @param {string | undefined} wanted  the name of a game
   */
  constructor(net, wanted) {
    this.net = net;
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.setup = new Setup(net, wanted);
    this.list = h("ul", { class: "matches" });
    this.element = h("div", { class: "lobby" },
      h("section", { "aria-labelledby": "new-title" }, h("h1", { id: "new-title" }, T.newMatch), this.setup.element),
      h("section", { "aria-labelledby": "matches-title" }, h("h2", { id: "matches-title" }, T.matches), this.list));
    net.on("status", ({ detail }) => detail.open && this.setup.load(), { signal });
    net.on("matches", ({ detail }) => this.#drawMatches(detail.matches), { signal });
    net.listMatches(true);
    if (net.isOpen) this.setup.load();
  }

  close() {
    this.abort.abort();
    this.net.listMatches(false);
  }

  /** @param {MatchEntry[]} matches */
  #drawMatches(matches) {
    if (!matches.length) return this.list.replaceChildren(h("li", { class: "none" }, T.noMatches));
    const sorted = [...matches].sort((a, b) => Number(b.live) - Number(a.live));
    replaceItems(this.list, sorted.map((match) => {
      const names = T.versus(T.player(match.names[0]), T.player(match.names[1]));
      const isMine = match.live && tokensOf(match.id).length > 0;
      const verb = isMine ? T.goOn : match.free.length ? T.join : match.live ? T.watch : T.look;
      const state = match.free.length ? T.freeSeat : match.live ? T.inProgress : match.result || T.over;
      return h("li", {}, h("span", { class: "match-text" }, h("strong", {}, match.title), h("span", {}, names),
        h("span", { class: "muted" }, `${T.plies(match.ply)} · ${state}`)),
        h("a", { class: `button ${isMine || match.free.length ? "primary" : ""}`, href: `#/match/${encodeURIComponent(match.id)}`,
          "aria-label": T.joinLabel(verb, match.title, names) }, verb));
    }));
  }
}
