// The form for a new match. It remembers what was chosen, even after a change to another game.

import { button, details, field, h, keepPreference, number, preferences, setText, swatch } from "./dom.js";
import { LONG_PATIENCE_MS, reasonOf } from "./net.js";
import { T } from "./texts.js";
import { thumbnail } from "./thumbnail.js";

/** @import { CreateMatch, GameEntry, GameReply, OptionDescription } from "../messages.js" */
/** @import { Control } from "./dom.js" */
/** @import { Net } from "./net.js" */
/** @typedef {Omit<CreateMatch, "type">} Wanted  a match to create */
/** @typedef {boolean | number | string | null} Value  of an option */
/** @typedef {{name: string, value: () => Value | undefined, element: HTMLElement}} OptionField */
/** @typedef {Record<string, any>} Kept  what an earlier visit chose, as JSON */
/**
 * @typedef {object} Seat  what can be chosen for a side
 * @property {"here" | "open" | "agent"} kind
 * @property {HTMLSelectElement} strength
 * @property {HTMLInputElement} level
 * @property {HTMLSelectElement} agent
 * @property {Record<string, Record<string, Value | undefined>>} agentOptions  those chosen for each agent
 * @property {OptionField[]} options
 * @property {HTMLInputElement} name
 * @property {HTMLInputElement} seconds
 * @property {boolean} usesTime  whether the agent plays better with more time
 * @property {HTMLElement} element
 */
/** @typedef {{name: string, place: HTMLElement | null, element: HTMLElement}} Card  a layout to choose */

const MINUTES = [1, 3, 5, 10, 15, 30];
const LEVEL = "level";
const OTHER = "other";
const OWN = "own"; // a clock with any other number of minutes
const TIME = "time"; // the option of agents that think longer if they are given more time
const DELAY = 0.5;
const WAIT_MS = 150; // the form says that a game is being prepared after this time

/**
 * Return the last match of a game, or undefined. Older versions of the page kept only one match.
 * @param {string | undefined} game
 * @returns {{message: Wanted, isRandom: boolean, text: string} | undefined}
 */
function lastMatch(game) {
  const { last } = preferences();
  return game === undefined ? undefined : last?.message ? (last.message.game === game ? last : undefined) : last?.[game];
}

/** @param {HTMLInputElement} input */
const filled = (input) => (input.value.trim() === "" ? null : Number(input.value));

/**
 * Set a control to a remembered value if it offers that value.
 * @param {HTMLInputElement | HTMLSelectElement} control
 * @param {unknown} value
 */
function restore(control, value) {
  if (value === undefined || value === null) return;
  if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value === true;
  else if (control instanceof HTMLInputElement || [...control.options].some((option) => option.value === `${value}`)) control.value = `${value}`;
}

/**
 * Show or hide an element; a hidden invalid input does not block the form.
 * @param {HTMLElement} element
 * @param {boolean} isShown
 */
function setShown(element, isShown) {
  element.hidden = !isShown;
  for (const input of element.querySelectorAll("input")) input.disabled = !isShown;
}

export class Setup {
  rest = h("div", { class: "rest" }, h("p", { class: "loading" }, T.loading));
  problem = h("p", { class: "problem", role: "alert" });
  learn = button(T.howToPlay, () => this.#explainGame());
  puzzles = h("a", { class: "button" }, T.puzzles);
  analyse = h("a", { class: "button" }, T.analyse);
  submit = h("button", { class: "primary large", disabled: true }, T.startMatch);
  now = h("p", { class: "now" });
  waiting = 0;
  play = button(T.playNow, () => {}, { class: "primary large" });
  random = h("input", { type: "checkbox" });
  /** @type {GameEntry[]} */
  games = [];
  isListed = false; // whether those that cannot be loaded are left out
  /** @type {GameReply | null} */
  game = null;
  layout = "";
  /** @type {OptionField[]} */
  options = [];
  /** @type {Seat[]} */
  seats = [];
  position = h("input", { type: "text", autocomplete: "off", spellcheck: false });
  plyLimit = number({ min: 1, step: 1 });
  moveLimits = [0, 1].map(() => number({ min: 1, step: 1 }));
  moveSeconds = number(); // for people
  time = h("div", { class: "time" });
  clock = h("select");
  minutes = number();
  increment = number();
  /** @type {HTMLInputElement[]} */
  sideMinutes = [];
  /** @type {HTMLInputElement[]} */
  sideIncrements = [];
  isPaused = h("input", { type: "checkbox" });
  /** @type {Kept} */
  kept = preferences().setup ?? {};

  /**
   * @param {Net} net
   * @param {string | undefined} wanted  the name of a game, from the address
   */
  constructor(net, wanted) {
    this.net = net;
    this.wanted = wanted;
    this.inAddress = wanted;
    this.element = h("form", { class: "new", onsubmit: (event) => this.#create(event), onchange: () => this.#changed() },
      h("p", { class: "loading" }, T.loading));
    this.#announce();
  }

  // Show what the plug-ins say of their games until the server has loaded them.
  async #announce() {
    try {
      const { games } = await (await fetch("games.json")).json();
      if (!this.isListed && games.length) this.#draw(games);
    } catch {
      // `load` shows what is wrong
    }
  }

  // Ask which games can be played, unless that is known; called when there is a connection.
  async load() {
    if (this.wanted && this.games.length && this.game?.name !== this.wanted) this.#choose(this.wanted);
    if (this.isListed) return;
    try {
      const { games } = await this.net.request({ type: "catalogue" }, { patience: LONG_PATIENCE_MS });
      this.isListed = true;
      if (!games.length || JSON.stringify(games) !== JSON.stringify(this.games)) this.#draw(games);
    } catch (error) {
      this.games = [];
      this.element.replaceChildren(h("p", { class: "problem", role: "alert" }, reasonOf(error)));
    }
  }

  /** @param {GameEntry[]} games */
  #draw(games) {
    this.games = games;
    if (!games.length) return this.element.replaceChildren(h("p", {}, T.noGames));
    const wanted = this.wanted ?? preferences().game;
    const chosen = games.some((game) => game.name === wanted) ? wanted : games[0].name;
    const { inAddress } = this;
    const isKnown = inAddress === undefined || games.some((game) => game.name === inAddress);
    this.element.replaceChildren(
      isKnown ? "" : h("p", { class: "problem", role: "alert" }, T.noGame(inAddress)), this.now,
      h("fieldset", { class: "games" }, h("legend", {}, T.game), games.map((game) => h("label", { class: "card" },
        h("input", { type: "radio", name: "game", value: game.name, checked: game.name === chosen,
          onchange: () => this.#choose(game.name) }),
        h("span", {}, h("strong", {}, game.title), h("span", { class: "muted" }, game.summary))))),
      this.rest, this.problem, h("p", { class: "end" }, this.learn, this.puzzles, this.analyse, this.submit));
    this.#choose(chosen);
  }

  // Offer to repeat the last match of the chosen game or, without one, to start what the form describes.
  #drawNow() {
    const last = lastMatch(this.wanted);
    const game = this.game?.name === this.wanted ? this.game : null;
    const text = last ? last.text : game ? this.#describe(game, this.#message(game)) : T.preparing(this.#title);
    this.play.disabled = !last && !game;
    this.play.onclick = () => (last ? this.#start(last.message, last.isRandom) : this.element.requestSubmit());
    this.now.replaceChildren(this.play, h("span", { class: "muted" }, text));
  }

  // The title of the game that is chosen.
  get #title() {
    return this.games.find(({ name }) => name === this.wanted)?.title ?? "";
  }

  /**
   * Return in words who plays.
   * @param {GameReply} game
   * @param {Wanted} message
   */
  #describe(game, message) {
    const who = message.seats.map((seat) => (seat.kind === "here" ? T.you : seat.kind === "open" ? T.somebody : T.player(seat.agent ?? "")));
    return T.lastMatch(game.title, who, this.random.checked ? [] : game.sides);
  }

  /** @param {string} name */
  async #choose(name) {
    this.wanted = name;
    keepPreference("game", name);
    this.analyse.href = `#/analysis/${encodeURIComponent(name)}`;
    this.puzzles.href = `#/learn/${encodeURIComponent(name)}/puzzles`;
    if (this.game?.name !== name) this.#setWaiting(true); // the form is still that of another game
    this.#drawNow();
    if (!this.net.isOpen) return; // `load` chooses it again
    try {
      const game = await this.net.game(name);
      if (this.wanted === name) this.#drawGame(game);
    } catch (error) {
      if (this.wanted !== name) return;
      clearTimeout(this.waiting);
      this.rest.replaceChildren();
      this.now.replaceChildren(this.play);
      setText(this.problem, reasonOf(error));
    }
  }

  async #explainGame() {
    const { openLearn } = await import("./learn.js");
    if (this.wanted) openLearn(this.net, this.wanted);
  }

  /** @param {boolean} isWaiting */
  #setWaiting(isWaiting) {
    this.rest.inert = this.submit.disabled = isWaiting;
    clearTimeout(this.waiting);
    if (isWaiting) {
      this.rest.style.minHeight = `${this.rest.offsetHeight}px`;
      this.waiting = setTimeout(() => this.rest.replaceChildren(h("p", { class: "loading", role: "status" }, T.preparing(this.#title))), WAIT_MS);
    } else this.rest.style.minHeight = "";
  }

  /** @param {GameReply} game */
  #drawGame(game) {
    this.game = game;
    this.#setWaiting(false);
    const { kept } = this;
    const own = kept.games?.[game.name] ?? {};
    this.puzzles.hidden = !game.puzzles;
    this.layout = game.layouts.includes(own.layout) ? own.layout : game.default_layout;
    this.options = game.options.map((option) => optionField(option, own.options?.[option.name]));
    this.seats = [0, 1].map((side) => this.#seat(game, side, kept.seats?.[side] ?? {}));
    this.random = h("input", { type: "checkbox", checked: kept.random === true });
    this.#buildTime(game, kept);
    this.plyLimit = number({ min: 1, step: 1 });
    restore(this.plyLimit, kept.plyLimit);
    this.#buildMoveLimits(kept);
    this.moveSeconds = number({ min: 0.1 });
    restore(this.moveSeconds, kept.moveSeconds);
    this.isPaused = h("input", { type: "checkbox" });
    this.position = h("input", { type: "text", autocomplete: "off", spellcheck: false });
    const { sides } = game;
    this.rest.replaceChildren(
      game.layouts.length > 1 ? this.#layouts(game) : "",
      this.options.length ? details(T.gameOptions, this.options.map((one) => one.element)) : "",
      h("div", { class: "seats" }, this.seats.map((seat) => seat.element)),
      h("p", { class: "sides" }, button(T.swapSides, () => this.#swap()),
        h("label", { class: "check" }, this.random, T.randomSides)),
      this.time,
      details(T.limits, h("div", { class: "grid" }, field(T.plyLimit, this.plyLimit),
        ...this.moveLimits.map((input, side) => field(T.moveLimitOf(sides[side]), input)), field(T.mostSeconds, this.moveSeconds)), field(T.position, this.position),
      h("label", { class: "check" }, this.isPaused, T.startPaused)));
    setText(this.problem, "");
    this.#drawNow();
  }

  /**
   * Return the choice of a layout; pictures are drawn when it is opened.
   * @param {GameReply} game
   */
  #layouts(game) {
    const label = h("span", { class: "muted" }, T.layoutName(this.layout));
    const cards = game.layouts.map((name) => {
      const input = h("input", { type: "radio", name: "layout", value: name, checked: name === this.layout, onchange: () => {
        this.layout = name;
        setText(label, T.layoutName(name));
      } });
      const place = name in game.pictures ? h("span", { class: "thumbnail" }) : null;
      return { name, place, element: h("label", { class: "card layout" }, input, place, h("span", {}, T.layoutName(name))) };
    });
    /** @type {HTMLDetailsElement} */
    const box = h("details", { class: "layouts", ontoggle: () => box.open && drawThumbnails(game, cards) },
      h("summary", {}, `${T.layout} `, label),
      h("fieldset", { "aria-label": T.layout }, cards.map((card) => card.element)));
    return box;
  }

  /**
   * Build the inputs for the move limits. A limit that is given for one side only applies to both, and the other input
   * shows it as its placeholder.
   * @param {Kept} kept
   */
  #buildMoveLimits(kept) {
    this.moveLimits = both((side) => number({ min: 1, step: 1, oninput: () => show(side) }));
    /** @param {number} side */
    const show = (side) => (this.moveLimits[1 - side].placeholder = this.moveLimits[side].value);
    this.moveLimits.forEach((input, side) => restore(input, kept.moveLimits?.[side]));
    both(show);
  }

  /**
   * Build the choice of a clock: one for both sides, or one for each.
   * @param {GameReply} game
   * @param {Kept} kept
   */
  #buildTime({ sides }, kept) {
    this.clock = h("select", {}, h("option", { value: "" }, T.noClock),
      MINUTES.map((minutes) => h("option", { value: minutes }, T.minutes(minutes))), h("option", { value: OWN }, T.ownClock),
      h("option", { value: OTHER }, T.clockOfEach));
    const newMinutes = () => number({ min: 0.1, value: "10" });
    const newIncrement = () => number({ min: 0, max: 3600, value: "0" });
    this.minutes = newMinutes();
    this.increment = newIncrement();
    this.sideMinutes = sides.map(newMinutes);
    this.sideIncrements = sides.map(newIncrement);
    restore(this.clock, kept.clock);
    restore(this.minutes, kept.ownMinutes);
    restore(this.increment, kept.increment);
    this.sideMinutes.forEach((input, side) => restore(input, kept.minutes?.[side]));
    this.sideIncrements.forEach((input, side) => restore(input, kept.increments?.[side] ?? kept.increment));
    const minutes = field(T.minutesPerSide, this.minutes);
    const increment = field(T.increment, this.increment);
    const ofEach = h("div", { class: "grid" }, both((side) => [field(T.minutesFor(sides[side]), this.sideMinutes[side]),
      field(T.incrementFor(sides[side]), this.sideIncrements[side])]).flat());
    const show = () => {
      const { value } = this.clock;
      setShown(minutes, value === OWN);
      setShown(increment, value !== "" && value !== OTHER);
      setShown(ofEach, value === OTHER);
    };
    this.clock.addEventListener("change", show);
    show();
    this.time = h("div", { class: "time" }, h("div", { class: "grid" }, field(T.time, this.clock), minutes, increment), ofEach);
  }

  /**
   * @param {GameReply} game
   * @param {number} side
   * @param {Kept} kept
   */
  #seat(game, side, kept) {
    /** @type {[Seat["kind"], string][]} */
    const kinds = [["here", T.me], ["open", T.elsewhere], ...(game.agents.length ? [/** @type {[Seat["kind"], string]} */ (["agent", T.computer])] : [])];
    const start = kinds.find(([kind]) => kind === kept.kind)?.[0] ?? (side === 0 || !game.agents.length ? "here" : "agent");
    const trained = Object.entries(game.trained).map(([name, agent]) => h("option", { value: agent }, T.trained(name)));
    /** @type {Seat} */
    const seat = {
      kind: start,
      strength: h("select", {}, game.levels > 0 && h("option", { value: LEVEL }, T.levels), trained, h("option", { value: OTHER }, T.chooseAgent)),
      level: h("input", { type: "range", min: 1, max: Math.max(game.levels, 1), value: Math.ceil(game.levels / 2) }),
      agent: h("select", {}, game.agents.map((agent) =>
        h("option", { value: agent.name, selected: agent.name === game.default_agent }, agent.name))),
      agentOptions: { ...kept.agentOptions },
      options: [],
      name: h("input", { type: "text", maxLength: 40, autocomplete: "nickname", placeholder: T.namePlaceholder }),
      seconds: number({ min: 0.01, value: "1" }),
      usesTime: false,
      element: h("fieldset", { class: "seat" }),
    };
    restore(seat.strength, kept.strength);
    restore(seat.level, kept.level);
    const meaning = h("p", { class: "muted", "aria-live": "polite" });
    const level = h("div", {}, field(T.levels, seat.level), meaning);
    restore(seat.agent, kept.agent);
    const summary = h("p", { class: "muted" });
    const options = h("div", { class: "grid" });
    const optionsBox = details(T.agentOptions, options);
    const chosenAgent = () => game.agents.find((one) => one.name === seat.agent.value);
    const showAgent = () => {
      const agent = chosenAgent();
      seat.options = agent?.options.map((option) => optionField(option, seat.agentOptions[agent.name]?.[option.name])) ?? [];
      setText(summary, agent?.summary ?? "");
      options.replaceChildren(...seat.options.map((one) => one.element));
      optionsBox.hidden = !seat.options.length;
    };
    restore(seat.name, kept.name ?? (side === 0 ? preferences().name : ""));
    restore(seat.seconds, kept.seconds);
    const seconds = field(T.moveTime, seat.seconds);
    const person = h("div", {}, field(T.name, seat.name));
    const own = h("div", {}, field(T.agent, seat.agent), summary, optionsBox);
    const agent = h("div", {}, field(T.strength, seat.strength), level, own, seconds);
    // whether the agent plays better with more time
    const usesTime = () => {
      if (seat.strength.value === LEVEL) return Number(seat.level.value) === game.levels;
      const name = seat.strength.value === OTHER ? seat.agent.value : seat.strength.value.split(":")[0];
      return game.agents.some((one) => one.name === name && one.options.some((option) => option.name === TIME));
    };
    const show = () => {
      person.hidden = seat.kind !== "here";
      agent.hidden = seat.kind !== "agent";
      level.hidden = seat.strength.value !== LEVEL;
      own.hidden = seat.strength.value !== OTHER;
      setText(meaning, T.levelMeaning(Number(seat.level.value), game.levels));
      seat.usesTime = usesTime();
      setShown(seconds, seat.kind === "agent" && seat.usesTime);
    };
    const radios = kinds.map(([kind, label]) =>
      h("label", {}, h("input", { type: "radio", name: `seat-${side}`, value: kind, checked: kind === start, onchange: () => {
        seat.kind = kind;
        show();
      } }), h("span", {}, label)));
    seat.strength.addEventListener("change", show);
    seat.level.addEventListener("input", show);
    seat.agent.addEventListener("change", () => {
      showAgent();
      show();
    });
    showAgent();
    show();
    seat.element.append(
      h("legend", {}, swatch(side, game.colours), T.seatOf(game.sides[side])), h("div", { class: "choice" }, radios), person, agent);
    return seat;
  }

  #swap() {
    if (!this.game) return;
    this.#remember();
    this.kept.seats.reverse();
    this.kept.minutes.reverse();
    this.kept.increments.reverse();
    this.kept.moveLimits.reverse();
    this.#drawGame(this.game);
    this.#remember();
  }

  // --- remembering ---

  #changed() {
    this.#remember();
    if (this.game) this.#drawNow();
  }

  #remember() {
    if (!this.game) return;
    const { kept } = this;
    for (const seat of this.seats) {
      seat.agentOptions = { ...seat.agentOptions, [seat.agent.value]: changed(seat.options) };
    }
    this.kept = {
      random: this.random.checked, clock: this.clock.value, ownMinutes: this.minutes.value, increment: this.increment.value,
      minutes: this.sideMinutes.map((input) => input.value), increments: this.sideIncrements.map((input) => input.value),
      plyLimit: this.plyLimit.value, moveLimits: this.moveLimits.map((input) => input.value), moveSeconds: this.moveSeconds.value,
      seats: this.seats.map((seat) => ({ kind: seat.kind, strength: seat.strength.value, level: seat.level.value,
        agent: seat.agent.value, agentOptions: seat.agentOptions, name: seat.name.value.trim(), seconds: seat.seconds.value })),
      games: { ...kept.games, [this.game.name]: { layout: this.layout, options: changed(this.options) } },
    };
    keepPreference("setup", this.kept);
  }

  // --- creating ---

  /**
   * Return the match that the form describes.
   * @param {GameReply} game
   * @returns {Wanted}
   */
  #message(game) {
    const { value } = this.clock;
    /** @param {number} side */
    const time = (side) => {
      const minutes = value === "" ? null : value === OTHER ? filled(this.sideMinutes[side])
        : value === OWN ? filled(this.minutes) : Number(value);
      return minutes === null ? null : 60 * minutes;
    };
    const times = both(time);
    /** @param {number} side */
    const increment = (side) => (times[side] === null ? null : filled(value === OTHER ? this.sideIncrements[side] : this.increment)) ?? 0;
    const limits = this.moveLimits.map(filled);
    const some = limits[0] ?? limits[1];
    return {
      game: game.name, layout: game.layouts.length ? this.layout : null, options: changed(this.options),
      position: this.position.value.trim() || null,
      seats: both((side) => {
        const seat = this.seats[side];
        return { kind: seat.kind, name: seat.kind === "here" ? seat.name.value.trim() : "", agent: seat.kind === "agent" ? agentText(seat) : "" };
      }),
      clock: times, increment: both(increment),
      move_time: both((side) => {
        const seat = this.seats[side];
        if (seat.kind !== "agent") return filled(this.moveSeconds);
        return seat.usesTime ? filled(seat.seconds) : null;
      }),
      ply_limit: filled(this.plyLimit), move_limits: some === null ? null : both((side) => limits[side] ?? some),
      paused: this.isPaused.checked,
    };
  }

  /** @param {Event} event */
  #create(event) {
    event.preventDefault();
    if (!this.game) return;
    this.#remember();
    const message = this.#message(this.game);
    const mine = this.seats.find((seat) => seat.kind === "here");
    if (mine) keepPreference("name", mine.name.value.trim());
    const isRandom = this.random.checked;
    const { last } = preferences();
    const earlier = last?.message ? { [last.message.game]: last } : last;
    const again = { message: { ...message, paused: false }, isRandom, text: this.#describe(this.game, message) };
    keepPreference("last", { ...earlier, [this.game.name]: again });
    this.#start(message, isRandom);
  }

  /**
   * Create a match; if `isRandom`, toss a coin to decide whether to swap the sides.
   * @param {Wanted} message
   * @param {boolean} isRandom
   */
  async #start(message, isRandom) {
    const isSwapped = isRandom && Math.random() < 0.5;
    const { seats, clock, move_time, move_limits } = message;
    // older versions of the page kept one increment for both sides
    const increment = typeof message.increment === "number" ? both(() => Number(message.increment)) : message.increment;
    const swapped = isSwapped ? { seats: turned(seats), clock: clock && turned(clock), increment: increment && turned(increment),
      move_time: move_time && turned(move_time), move_limits: move_limits && turned(move_limits) } : {};
    this.#setStarting(true);
    setText(this.problem, "");
    try {
      await this.net.create({ ...message, increment, ...swapped, delay: preferences().delay ?? DELAY });
    } catch (error) {
      setText(this.problem, reasonOf(error));
      this.#setStarting(false);
    }
  }

  /** @param {boolean} isStarting */
  #setStarting(isStarting) {
    this.submit.disabled = isStarting || this.game?.name !== this.wanted;
    this.play.disabled = isStarting || (!lastMatch(this.wanted) && this.game?.name !== this.wanted);
    this.submit.textContent = isStarting ? T.starting : T.startMatch;
    this.play.textContent = isStarting ? T.starting : T.playNow;
  }
}

/**
 * @param {GameReply} game
 * @param {Card[]} cards
 */
function drawThumbnails({ picture, pictures }, cards) {
  for (const { name, place } of cards) if (place && !place.firstChild) place.append(thumbnail({ ...picture, ...pictures[name] }));
}

/**
 * Return the results of a function for both sides.
 * @template V
 * @param {(side: number) => V} of
 * @returns {[V, V]}
 */
const both = (of) => [of(0), of(1)];

/**
 * Return a pair of values with the sides swapped.
 * @template V
 * @param {[V, V]} sides
 * @returns {[V, V]}
 */
const turned = ([first, second]) => [second, first];

/**
 * Return the options that do not have their default values, by name.
 * @param {OptionField[]} options
 */
function changed(options) {
  /** @type {Record<string, Value>} */
  const found = {};
  for (const option of options) {
    const value = option.value();
    if (value !== undefined) found[option.name] = value;
  }
  return found;
}

/**
 * Return an option's control, and its value, which is undefined if it is the default one.
 * @param {OptionDescription} option
 * @param {unknown} kept
 * @returns {OptionField}
 */
function optionField(option, kept) {
  const { type, choices } = option;
  const start = option.default;
  const isNumber = type === "int" || type === "float";
  const placeholder = start === null ? T.notSet : "";
  /** @type {HTMLInputElement | HTMLSelectElement} */
  let control;
  if (choices.length) {
    control = h("select", {}, start === null && h("option", { value: "" }, T.notSet),
      choices.map((choice) => h("option", { value: choice, selected: choice === start }, `${choice}`)));
  } else if (type === "bool") control = h("input", { type: "checkbox", checked: start === true });
  else if (isNumber) control = number({ min: option.minimum, max: option.maximum, step: type === "int" ? 1 : "any", value: `${start ?? ""}`, placeholder });
  else control = h("input", { type: "text", autocomplete: "off", spellcheck: false, value: start ?? "", placeholder });
  restore(control, kept);
  const value = () => {
    const read = control instanceof HTMLInputElement && control.type === "checkbox" ? control.checked : control.value.trim() === "" && (isNumber || start === null)
      ? start : isNumber ? Number(control.value) : control.value;
    return read === start ? undefined : read;
  };
  const label = h("span", { title: option.name }, T.optionLabel(option.name, option.summary));
  return { name: option.name, value, element: field(label, control, { class: control.type === "checkbox" ? "field tick" : "field" }) };
}

/**
 * Return an agent with its options as text: name:option=value,option="value".
 * @param {Seat} seat
 */
function agentText(seat) {
  if (seat.strength.value === LEVEL) return `level:level=${seat.level.value}`;
  if (seat.strength.value !== OTHER) return seat.strength.value;
  const options = Object.entries(changed(seat.options));
  /** @param {Value} value */
  const quoted = (value) => (/[,"=]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : value);
  return seat.agent.value + (options.length ? `:${options.map(([name, value]) => `${name}=${quoted(value)}`).join(",")}` : "");
}
