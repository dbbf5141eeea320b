// The start page: set up a new match, and find matches to join or watch.

import { details, field, h, keepPreference, number, preferences, replaceItems, setText, swatch } from "./dom.js";
import { LONG_PATIENCE_MS, tokensOf } from "./net.js";
import { T } from "./texts.js";

const MINUTES = [1, 3, 5, 10, 15, 30];
const OTHER = "other";
const DELAY = 0.5;

const filled = (input) => (input.value.trim() === "" ? null : Number(input.value));

export class Lobby {
  constructor(net, wanted) {
    this.net = net;
    this.wanted = wanted;
    this.game = null;
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.form = h("form", { class: "new", onsubmit: (event) => this.#create(event) }, h("p", { class: "loading" }, T.loading));
    this.list = h("ul", { class: "matches" });
    this.element = h("div", { class: "lobby" },
      h("section", { "aria-labelledby": "new-title" }, h("h1", { id: "new-title" }, T.newMatch), this.form),
      h("section", { "aria-labelledby": "matches-title" }, h("h2", { id: "matches-title" }, T.matches), this.list));
    net.addEventListener("status", ({ detail }) => detail.open && this.#load(), { signal });
    net.addEventListener("matches", ({ detail }) => this.#drawMatches(detail.matches), { signal });
    net.listMatches(true);
    if (net.isOpen) this.#load();
  }

  close() {
    this.abort.abort();
    this.net.listMatches(false);
  }

  async #load() {
    if (this.catalogue) {
      if (!this.game && this.wanted) this.#choose(this.wanted);
      return;
    }
    try {
      this.catalogue = (await this.net.request({ type: "catalogue" }, { patience: LONG_PATIENCE_MS })).games;
      this.#drawForm();
    } catch (error) {
      this.form.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message));
    }
  }

  // --- matches ---

  #drawMatches(matches) {
    if (!matches.length) return this.list.replaceChildren(h("li", { class: "none" }, T.noMatches));
    const sorted = [...matches].sort((a, b) => b.live - a.live);
    replaceItems(this.list, sorted.map((match) => {
      const names = T.versus(...match.names.map(T.player));
      const isMine = match.live && tokensOf(match.id).length > 0;
      const verb = isMine ? T.goOn : match.free.length ? T.join : match.live ? T.watch : T.look;
      const state = match.free.length ? T.freeSeat : match.live ? T.inProgress : match.result || T.over;
      return h("li", {}, h("span", { class: "match-text" }, h("strong", {}, match.title), h("span", {}, names),
        h("span", { class: "muted" }, `${T.plies(match.ply)} · ${state}`)),
        h("a", { class: `button ${isMine || match.free.length ? "primary" : ""}`, href: `#/match/${encodeURIComponent(match.id)}`,
          "aria-label": T.joinLabel(verb, match.title, names) }, verb));
    }));
  }

  // --- the form ---

  #drawForm() {
    const games = this.catalogue;
    if (!games.length) return this.form.replaceChildren(h("p", {}, T.noGames));
    const wanted = this.wanted ?? preferences().game;
    const chosen = games.some((game) => game.name === wanted) ? wanted : games[0].name;
    this.rest = h("div", { class: "rest" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.analyse = h("a", { class: "button" }, T.analyse);
    this.submit = h("button", { class: "primary large", disabled: true }, T.startMatch);
    this.form.replaceChildren(
      h("fieldset", { class: "games" }, h("legend", {}, T.game), games.map((game) => h("label", { class: "card" },
        h("input", { type: "radio", name: "game", value: game.name, checked: game.name === chosen,
          onchange: () => this.#choose(game.name) }),
        h("span", {}, h("strong", {}, game.title), h("span", { class: "muted" }, game.summary))))),
      this.rest, this.problem, h("p", { class: "end" }, this.analyse, this.submit));
    this.#choose(chosen);
  }

  async #choose(name) {
    this.wanted = name;
    keepPreference("game", name);
    try {
      const game = await this.net.game(name);
      if (this.wanted === name) this.#drawGame(game);
    } catch (error) {
      setText(this.problem, error.message);
    }
  }

  #drawGame(game) {
    this.game = game;
    this.analyse.href = `#/analysis/${encodeURIComponent(game.name)}`;
    this.layout = h("select", {}, game.layouts.map((name) => h("option", { value: name, selected: name === game.default_layout }, name)));
    this.options = game.options.map((option) => optionField(option));
    this.seats = [0, 1].map((side) => this.#seat(side));
    this.#buildTime();
    this.plyLimit = number({ min: 1, step: 1 });
    this.moveLimits = [number({ min: 1, step: 1 }), number({ min: 1, step: 1 })];
    this.position = h("input", { type: "text", autocomplete: "off", spellcheck: false });
    const sides = game.sides;
    this.rest.replaceChildren(
      game.layouts.length > 1 ? field(T.layout, this.layout) : "",
      this.options.length ? details(T.gameOptions, this.options.map((one) => one.element)) : "",
      h("div", { class: "seats" }, this.seats.map((seat) => seat.element)),
      this.time,
      details(T.limits, h("div", { class: "grid" }, field(T.plyLimit, this.plyLimit),
        ...this.moveLimits.map((input, side) => field(T.moveLimitOf(sides[side]), input))), field(T.position, this.position)));
    this.submit.disabled = false;
    setText(this.problem, "");
  }

  #buildTime() {
    const { sides } = this.game;
    this.clock = h("select", {}, h("option", { value: "" }, T.noClock),
      MINUTES.map((minutes) => h("option", { value: minutes }, T.minutes(minutes))), h("option", { value: OTHER }, T.ownClock));
    this.minutes = sides.map(() => number({ min: 0.1, value: "10" }));
    this.increment = number({ min: 0, max: 3600, value: "0" });
    const own = h("div", { class: "grid", hidden: true }, this.minutes.map((input, side) => field(T.minutesFor(sides[side]), input)));
    const increment = field(T.increment, this.increment, { hidden: true });
    this.clock.addEventListener("change", () => {
      own.hidden = this.clock.value !== OTHER;
      increment.hidden = this.clock.value === "";
    });
    this.time = h("div", { class: "time" }, h("div", { class: "grid" }, field(T.time, this.clock), increment), own);
  }

  #seat(side) {
    const { game } = this;
    const kinds = { here: T.me, open: T.elsewhere, agent: T.computer };
    const start = side === 0 || !game.agents.length ? "here" : "agent";
    const seat = { kind: start };
    const strengths = Array.from({ length: game.levels }, (_, i) =>
      h("option", { value: `level:level=${i + 1}`, selected: i + 1 === Math.ceil(game.levels / 2) }, T.level(i + 1)));
    const trained = Object.entries(game.trained).map(([name, agent]) => h("option", { value: agent }, T.trained(name)));
    seat.strength = h("select", {}, strengths, trained, h("option", { value: OTHER, selected: !strengths.length }, T.chooseAgent));
    seat.agent = h("select", {}, game.agents.map((agent) =>
      h("option", { value: agent.name, selected: agent.name === game.default_agent }, agent.name)));
    const summary = h("p", { class: "muted" });
    const options = h("div", { class: "grid" });
    const optionsBox = details(T.agentOptions, options);
    const showAgent = () => {
      const agent = game.agents.find((one) => one.name === seat.agent.value);
      seat.options = (agent?.options ?? []).map((option) => optionField(option));
      setText(summary, agent?.summary ?? "");
      options.replaceChildren(...seat.options.map((one) => one.element));
      optionsBox.hidden = !seat.options.length;
    };
    seat.name = h("input", { type: "text", maxLength: 40, autocomplete: "nickname", placeholder: T.namePlaceholder,
      value: side === 0 ? (preferences().name ?? "") : "" });
    seat.seconds = number({ min: 0.01, value: "1" });
    const person = h("div", {}, field(T.name, seat.name));
    const own = h("div", {}, field(T.agent, seat.agent), summary, optionsBox);
    const agent = h("div", {}, field(T.strength, seat.strength), own, field(T.moveTime, seat.seconds));
    const show = () => {
      person.hidden = seat.kind !== "here";
      agent.hidden = seat.kind !== "agent";
      own.hidden = seat.strength.value !== OTHER;
    };
    const radios = Object.entries(kinds).filter(([kind]) => kind !== "agent" || game.agents.length).map(([kind, label]) =>
      h("label", {}, h("input", { type: "radio", name: `seat-${side}`, value: kind, checked: kind === start, onchange: () => {
        seat.kind = kind;
        show();
      } }), h("span", {}, label)));
    seat.strength.addEventListener("change", show);
    seat.agent.addEventListener("change", showAgent);
    showAgent();
    show();
    seat.element = h("fieldset", { class: "seat" },
      h("legend", {}, swatch(side, game.colours[side]), T.seatOf(game.sides[side])), h("div", { class: "choice" }, radios), person, agent);
    return seat;
  }

  // --- creating ---

  async #create(event) {
    event.preventDefault();
    const { seats, clock } = this;
    const mine = seats.find((seat) => seat.kind === "here");
    if (mine) keepPreference("name", mine.name.value.trim());
    const options = Object.fromEntries(this.options.map((one) => [one.name, one.value()]).filter(([, value]) => value !== undefined));
    const times = clock.value === "" ? [null, null] : clock.value === OTHER
      ? this.minutes.map((input) => (filled(input) === null ? null : 60 * filled(input))) : [60 * clock.value, 60 * clock.value];
    const limits = this.moveLimits.map(filled);
    const some = limits.find((limit) => limit !== null);
    const message = {
      game: this.game.name, layout: this.game.layouts.length ? this.layout.value : null, options,
      position: this.position.value.trim() || null,
      seats: seats.map((seat) => ({ kind: seat.kind, name: seat.kind === "here" ? seat.name.value.trim() : "",
        agent: seat.kind === "agent" ? agentText(seat) : "" })),
      clock: times, increment: times.every((time) => time === null) ? 0 : (filled(this.increment) ?? 0),
      move_time: seats.map((seat) => (seat.kind === "agent" ? filled(seat.seconds) : null)),
      ply_limit: filled(this.plyLimit), move_limits: some === undefined ? null : limits.map((limit) => limit ?? some),
    };
    this.submit.disabled = true;
    setText(this.problem, "");
    try {
      await this.net.create(message, (match) => {
        if (seats.every((seat) => seat.kind === "agent")) this.net.send({ type: "delay", match, seconds: preferences().delay ?? DELAY });
      });
    } catch (error) {
      setText(this.problem, error.message);
      this.submit.disabled = false;
    }
  }
}

// Return an option's control, and its value, which is undefined if it is the default one.
function optionField(option) {
  const { kind, choices } = option;
  const start = option.default;
  const isNumber = kind === "int" || kind === "float";
  const placeholder = start === null ? T.notSet : "";
  let control;
  if (choices?.length) {
    control = h("select", {}, start === null && h("option", { value: "" }, T.notSet),
      choices.map((choice) => h("option", { value: choice, selected: choice === start }, `${choice}`)));
  } else if (kind === "bool") control = h("input", { type: "checkbox", checked: start === true });
  else if (isNumber) control = number({ min: option.minimum, max: option.maximum, step: kind === "int" ? 1 : "any", value: `${start ?? ""}`, placeholder });
  else control = h("input", { type: "text", autocomplete: "off", spellcheck: false, value: start ?? "", placeholder });
  const value = () => {
    const read = kind === "bool" && !choices?.length ? control.checked : control.value.trim() === "" && (isNumber || start === null)
      ? start : isNumber ? Number(control.value) : control.value;
    return read === start ? undefined : read;
  };
  const label = h("span", {}, option.name, h("span", { class: "muted" }, ` ${option.summary}`));
  return { name: option.name, value, element: field(label, control, { class: control.type === "checkbox" ? "field tick" : "field" }) };
}

// Return an agent with its options as text: name:option=value,option="value".
function agentText(seat) {
  if (seat.strength.value !== OTHER) return seat.strength.value;
  const options = seat.options.map((one) => [one.name, one.value()]).filter(([, value]) => value !== undefined);
  const quoted = (value) => (/[,"=]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value);
  return seat.agent.value + (options.length ? `:${options.map(([name, value]) => `${name}=${quoted(value)}`).join(",")}` : "");
}
