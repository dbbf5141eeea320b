// The start page: set up a new match, and find matches to join or watch.

import { asked, confirmed } from "./dialog.js";
import { announce, button, field, h, keepPreference, preferences, replaceItems, setText } from "./dom.js";
import { FILTERS, isUnfinished, listed, ORDERS } from "./listing.js";
import { reasonOf, tokensOf } from "./net.js";
import { Setup } from "./setup.js";
import { T } from "./texts.js";

/** @import { MatchEntry } from "../messages.js" */
/** @import { Net } from "./net.js" */

const FIRST_SHOWN = 12; // until more are asked for
const MORE_SHOWN = 100;
const MAX_NAME = 60;

/** @param {MatchEntry} match */
const isMine = (match) => tokensOf(match.id).length > 0;
/** @param {MatchEntry} match */
const mayChange = (match) => !match.owned || isMine(match);

export class Lobby {
  /** @type {MatchEntry[]} */
  #here = [];
  /** @type {MatchEntry[]} */
  #stored = [];
  #leftOut = 0;
  #drawn = ""; // the matches that the list was made from
  #most = FIRST_SHOWN;

  /**
   * @param {Net} net
   * @param {string | undefined} wanted  the name of a game
   */
  constructor(net, wanted) {
    this.net = net;
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.setup = new Setup(net, wanted);
    const { filter, order } = preferences().list ?? {};
    this.filter = this.#choice("filter", FILTERS, T.matchFilters, filter);
    this.order = this.#choice("order", ORDERS, T.matchOrders, order);
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.clear = button(T.clearFinished, () => this.#clearFinished());
    this.tools = h("div", { class: "list-tools" }, field(T.showMatches, this.filter), field(T.sortMatches, this.order), this.clear);
    this.tools.hidden = true; // until there are matches
    this.list = h("ul", { class: "matches" });
    this.more = button("", () => this.#showMore(), { hidden: true });
    this.hidden = h("p", { class: "muted hidden-matches", hidden: true });
    this.older = h("p", { class: "muted", hidden: true });
    this.element = h("div", { class: "lobby" },
      h("section", { "aria-labelledby": "new-title" }, h("h1", { id: "new-title" }, T.newMatch), this.setup.element),
      h("section", { "aria-labelledby": "matches-title" }, h("h2", { id: "matches-title" }, T.matches),
        this.tools, this.problem, this.list, this.more, this.hidden, this.older));
    net.on("status", ({ detail }) => detail.open && this.setup.load(), { signal });
    net.on("matches", ({ detail }) => this.#news({ here: detail.matches }), { signal });
    net.on("stored", ({ detail }) => this.#news({ stored: detail.matches, leftOut: detail.left_out }), { signal });
    net.listMatches(true);
    // matches may have been played elsewhere meanwhile
    addEventListener("focus", () => net.listMatches(true), { signal });
    if (net.isOpen) this.setup.load();
  }

  close() {
    this.abort.abort();
    this.net.listMatches(false);
  }

  /**
   * Return a control that chooses a name and remembers it.
   * @template {string} K
   * @param {string} name
   * @param {readonly K[]} names
   * @param {Record<K, string>} texts
   * @param {unknown} chosen
   */
  #choice(name, names, texts, chosen) {
    const onchange = () => {
      keepPreference("list", { filter: this.filter.value, order: this.order.value });
      this.#most = FIRST_SHOWN;
      this.#draw();
    };
    return h("select", { name, onchange }, names.map((one) => h("option", { value: one, selected: one === chosen }, texts[one])));
  }

  /** @param {{here?: MatchEntry[], stored?: MatchEntry[], leftOut?: number}} news */
  #news({ here = this.#here, stored = this.#stored, leftOut = this.#leftOut }) {
    const drawn = JSON.stringify([here, stored, leftOut]);
    if (drawn === this.#drawn) return; // a button that is being pressed must stay
    this.#drawn = drawn;
    this.#here = here;
    this.#stored = stored;
    this.#leftOut = leftOut;
    this.#draw();
  }

  #showMore() {
    const before = this.#most;
    this.#most += MORE_SHOWN;
    this.#draw();
    /** @type {HTMLElement | undefined} */ (this.list.querySelectorAll("a")[before])?.focus();
  }

  #draw() {
    const all = [...this.#here, ...this.#stored];
    const matches = listed(all, FILTERS[this.filter.selectedIndex], ORDERS[this.order.selectedIndex], isMine);
    const shown = matches.slice(0, this.#most);
    this.tools.hidden = !all.length;
    this.clear.disabled = !this.#finished.length;
    this.more.hidden = shown.length === matches.length;
    this.more.textContent = T.more(matches.length - shown.length);
    const others = all.length - matches.length;
    this.hidden.hidden = !others;
    setText(this.hidden, T.hiddenByFilter(others));
    this.older.hidden = !this.#leftOut || shown.length < matches.length;
    this.older.textContent = T.leftOut(this.#leftOut);
    if (shown.length) replaceItems(this.list, shown.map((match) => this.#item(match)));
    else this.list.replaceChildren(h("li", { class: "none" }, all.length ? T.noSuchMatches : T.noMatches));
  }

  /** @param {MatchEntry} match */
  #item(match) {
    const names = T.versus(T.player(match.names[0]), T.player(match.names[1]));
    const isOpen = match.live && isMine(match);
    const verb = isOpen ? T.goOn : match.free.length ? T.join : match.live ? T.watch : T.look;
    const state = match.free.length ? T.freeSeat : match.live ? T.inProgress : isUnfinished(match) ? T.unfinished : match.result || T.over;
    const title = match.name || match.title;
    const called = `${title}, ${names}`;
    return h("li", {}, h("span", { class: "match-text" }, h("strong", {}, title), h("span", {}, names),
      h("span", { class: "muted" }, [match.name && match.title, T.plies(match.ply), state,
        match.time && T.day(match.time), match.stored !== null && T.storedAs(match.stored),
        match.spectators && T.spectators(match.spectators)].filter(Boolean).join(" · "))),
    h("span", { class: "match-tools" },
      h("a", { class: `button ${isOpen || match.free.length ? "primary" : ""}`, href: `#/match/${encodeURIComponent(match.id)}`,
        "aria-label": T.joinLabel(verb, title, names) }, verb),
      mayChange(match) && match.stored === null && button("✎", () => this.#rename(match), { class: "icon", title: T.rename, "aria-label": T.renameLabel(called) }),
      mayChange(match) && button("✕", () => this.#delete(match, called), { class: "icon", title: T.deleteOne, "aria-label": T.deleteLabel(called) })));
  }

  /** @param {MatchEntry} match */
  async #rename(match) {
    const name = await asked(T.renameQuestion, match.name || match.title, T.rename, MAX_NAME);
    if (name === null) return;
    const own = name.trim() === match.title ? "" : name;
    this.#do(this.net.request({ type: "rename", match: match.id, name: own, tokens: tokensOf(match.id) }));
  }

  /**
   * @param {MatchEntry} match
   * @param {string} called
   */
  async #delete(match, called) {
    if (await confirmed((match.live ? T.deleteQuestion : T.deleteFinishedQuestion)(called), T.deleteOne)) this.#deleteAll([match]);
  }

  // The matches that can be cleared.
  get #finished() {
    return this.#here.filter((match) => !match.live && mayChange(match));
  }

  async #clearFinished() {
    const finished = this.#finished;
    if (await confirmed(T.clearQuestion(finished.length, this.#stored.length), T.deleteOne)) this.#deleteAll(finished);
  }

  /** @param {MatchEntry[]} matches */
  #deleteAll(matches) {
    this.#do(this.net.request({ type: "delete", matches: matches.map(({ id }) => ({ match: id, tokens: tokensOf(id) })) }));
  }

  /**
   * Show why something was refused.
   * @param {Promise<unknown>} request
   */
  #do(request) {
    request.then(() => this.#say(""), (error) => this.#say(reasonOf(error)));
  }

  /** @param {string} text */
  #say(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
    announce(text);
  }
}
