// One match: board, players, clocks, moves, and what people can ask for.

import { Aids } from "./aids.js";
import { Bars } from "./bars.js";
import { Board } from "./board.js";
import { Controls } from "./controls.js";
import { announce, button, h, keepPreference, preferences, setText, tick } from "./dom.js";
import { addressOf } from "./ending.js";
import { Evaluation } from "./evaluation.js";
import { HAVE_KEYS, MoveList } from "./moves.js";
import { explain, keepToken, reasonOf, tokensOf } from "./net.js";
import { Overlays } from "./overlays.js";
import { Pace } from "./pace.js";
import { Pad } from "./pad.js";
import { Premove } from "./premove.js";
import { Sound, soundOf } from "./sound.js";
import { Status } from "./status.js";
import { T } from "./texts.js";
import { themeField } from "./theme.js";
import { Typing } from "./typing.js";

/** @import { GameReply, MatchState, MoveState, Picture, Request, ViewPly } from "../messages.js" */
/** @import { Net } from "./net.js" */

const TICK = 100;
const PREVIEW_MS = 120;
const LONGEST_NAME = 40;

export class Match {
  /** @type {MatchState | null} what is shown, or null until there is something to show */
  state = null;
  /** @type {MatchState | null} the last state that has arrived, for the clocks */
  latest = null;
  received = 0; // when it arrived
  /** @type {number | null} the ply at which a move has been sent */
  sent = null;
  /** @type {number | null} the ply of an earlier position, or null for the current one */
  shown = null;
  /** @type {boolean | null} whether a person has turned the board, or null if nobody has */
  turned = null;
  /** @type {Map<number, Picture>} */
  views = new Map();
  /** @type {Map<string, Picture>} */
  previews = new Map();
  previewTimer = 0;
  notice = "";
  missing = ""; // the text about a match that the server does not have
  dropped = ""; // what to say about a premove that was not possible
  /** @type {string | null} the move that waits to be confirmed */
  asked = null;
  hasPremoves = false;
  hasSelections = false; // whether a move can take several clicks
  hasCancelled = false; // whether the last press has cancelled a premove
  isPointing = false; // whether the board was last used by mouse or touch
  choice = preferences();
  board = new Board({
    onMove: (move) => this.#play(move), onSelect: () => {
      this.pad.draw();
      this.#drawConfirmation();
    },
    onPreview: (move, isSpoken) => this.#preview(move, isSpoken), onRefuse: (ids) => this.#refuse(ids),
  });
  bars = new Bars((seconds) => {
    announce(T.clockLow(seconds));
    this.sound.play("low");
  });
  pad = new Pad(this.board);
  typing = new Typing((move, refused) => this.#send(move, refused));
  controls = new Controls({ ask: (message) => this.#ask(message), hint: () => this.#hint(), review: () => this.#analyse("review") });
  status = new Status({
    ask: (message) => this.#ask(message), share: () => this.#share("seat", T.seatCopied), claim: (side) => this.#claim(side),
    back: () => this.#show(Infinity), click: (id) => this.board.click(id),
  });
  confirmation = h("div", { class: "confirmation", "data-keeps-selection": true, hidden: true },
    button(T.confirm, () => this.#answer(true), { class: "primary" }), button(T.cancel, () => this.#answer(false)));
  moves = new MoveList((ply) => this.#show(ply));
  title = h("h1", { class: "match-title" });
  spectators = h("span", { class: "muted" });
  loading = h("p", { class: "loading" }, T.loading);
  abort = new AbortController();

  /**
   * @param {Net} net
   * @param {string} id
   * @param {string} [role]  `seat` takes the free seat, `watch` is offered none
   */
  constructor(net, id, role = "match") {
    this.net = net;
    this.id = id;
    this.onlyWatches = role === "watch";
    this.takesSeat = role === "seat";
    this.board.animation = this.choice.animation;
    this.board.setCoordinates(this.choice.coordinates);
    this.overlays = new Overlays(this.board);
    this.evaluation = new Evaluation(net, (move) => this.board.showMove(move), { onSwitch: () => this.state && this.#drawMoves(this.state) });
    this.aids = new Aids(net, this.evaluation, this.overlays, (game) => this.#described(game));
    this.choice.sound ??= true;
    this.sound = new Sound(this.choice.sound);
    this.premove = new Premove(async (ply) => (await net.request({ type: "premoves", match: id, ply })).picture, () => this.state && this.#drawBoard());
    this.pace = new Pace({ show: (state) => this.#receive(state), look: async (ply) => (await this.#view(ply)).picture });
    this.premoves = this.#toggle("premoves", T.premoves, (isOn) => {
      this.choice.premoves = isOn;
      this.#cancelPremove();
      this.#drawBoard();
    });
    this.confirmations = this.#toggle("confirmation", T.confirmMoves, (isOn) => {
      this.choice.confirmation = isOn;
      this.board.clear();
      this.#drawConfirmation();
    });
    this.settings = this.#buildSettings();
    const [buttons, ...ofAgents] = this.controls.elements;
    this.table = h("section", { class: "table", "aria-label": T.board },
      this.bars.far.element, this.board.element, this.evaluation.meter, this.bars.near.element, this.confirmation);
    this.body = h("div", { class: "match", hidden: true }, h("div", { class: "heading" }, this.title), this.table,
      h("div", { class: "side" }, this.status.element, h("div", { class: "pad-stack" }, this.pad.element, buttons), ...ofAgents, this.moves.element,
        this.evaluation.box, this.typing.element, this.settings, this.overlays.element, h("p", { class: "keys" }, T.keys)),
      this.controls.dialog);
    this.element = h("div", {}, this.loading, this.body);
    const { signal } = this.abort;
    net.on("match", ({ detail }) => detail.id === id && this.#news(detail), { signal });
    net.on("status", ({ detail }) => detail.open && this.state && this.aids.reconnected(), { signal });
    net.on("match-gone", ({ detail }) => detail.match === id && this.#missing(T.matchDeleted), { signal });
    net.on("join-refused", ({ detail }) => detail.match === id && this.#missing(detail.reason), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("keydown", (event) => this.#keyOnBoard(event), { signal, capture: true });
    document.addEventListener("pointerdown", (event) => this.#press(event), { signal, capture: true });
    this.board.element.addEventListener("contextmenu", (event) => this.hasCancelled && event.preventDefault());
    net.join(id);
    this.ticker = setInterval(() => this.#tick(), TICK);
  }

  close() {
    this.abort.abort();
    this.board.close();
    this.evaluation.close();
    this.pace.close();
    this.sound.close();
    clearInterval(this.ticker);
    this.net.leave(this.id);
  }

  // --- building ---

  /**
   * Return a checkbox for a preference that the browser keeps.
   * @param {string} name
   * @param {string} label
   * @param {(isOn: boolean) => void} apply
   */
  #toggle(name, label, apply) {
    return tick(label, Boolean(this.choice[name]), (isOn) => {
      keepPreference(name, isOn);
      apply(isOn);
    });
  }

  #buildSettings() {
    return h("div", { class: "settings" }, button(T.flip, () => this.#flip()),
      this.#toggle("coordinates", T.coordinates, (isOn) => this.board.setCoordinates(isOn)),
      this.#toggle("animation", T.animation, (isOn) => (this.board.animation = isOn)),
      this.#toggle("sound", T.sound, (isOn) => (this.sound.isOn = isOn)), this.premoves,
      this.confirmations, this.evaluation.toggle, themeField(),
      button(T.shareWatching, () => this.#share("watch", T.copied)), this.spectators,
      button(T.howToPlay, () => this.#explainGame()),
      button(T.analyse, () => this.#analyse()));
  }

  async #explainGame() {
    const { openLearn } = await import("./learn.js");
    if (this.state) openLearn(this.net, this.state.game);
  }

  /** @param {string} reason */
  #missing(reason) {
    this.missing = T.noMatch(reason);
    if (this.state) this.#say(this.missing);
    else this.loading.replaceChildren(`${this.missing} `, h("a", { href: "#/" }, T.toLobby));
  }

  // --- state ---

  /**
   * Receive a state, which is shown after those before it.
   * @param {MatchState} state
   */
  #news(state) {
    this.latest = state;
    this.received = performance.now();
    const premove = this.#playPremove(state);
    this.pace.receive(state);
    if (premove) this.#send(premove, (reason) => this.#say(reason), state.ply); // the state may not be shown yet
    this.#tick();
  }

  /** @param {MatchState} state */
  #receive(state) {
    const before = this.state;
    this.state = state;
    const isFirst = !before;
    if (isFirst) {
      this.body.hidden = false;
      this.loading.remove();
      this.aids.describe(state.game);
      if (this.takesSeat) this.#takeSeat(state);
    }
    const common = before ? before.moves.findIndex((move, i) => move.text !== state.moves[i]?.text) : 0;
    if (before && common >= 0) for (const ply of [...this.views.keys()]) if (ply > common) this.views.delete(ply);
    if (this.notice === T.lost || this.notice === this.missing) this.notice = "";
    if (before && before.ply !== state.ply) {
      this.previews.clear();
      if (this.sent !== state.ply) this.sent = null;
      this.notice = "";
      this.typing.clear();
      if (this.board.hinted.length) this.board.showMove(null);
    }
    if (this.dropped && state.ply === this.latest?.ply) {
      this.#say(this.dropped);
      this.dropped = "";
    }
    if (this.shown !== null && this.shown >= state.ply) this.shown = null;
    // a selection survives updates that do not change the position
    if (before && before.ply === state.ply && JSON.stringify(before.picture) === JSON.stringify(state.picture)) {
      state.picture = before.picture;
    }
    const sound = soundOf(before, state);
    if (sound) this.sound.play(sound);
    if (state.announcement && state.announcement !== before?.announcement) announce(state.announcement);
    this.#draw();
    this.#tellShown(state);
    this.#follow(before, state);
  }

  /**
   * Tell the server that the board is shown, since the clock of this side starts then.
   * @param {MatchState} state
   */
  #tellShown({ ply, to_move: side, running, outcome, paused, seats }) {
    if (running !== null || outcome || paused || !this.#mine(side) || seats.some((seat) => !seat.taken)) return;
    requestAnimationFrame(() => this.abort.signal.aborted || this.net.send({ type: "shown", match: this.id, ply }));
  }

  /** @param {number} side */
  #mine(side) {
    return this.state?.yours.includes(side) ?? false;
  }

  // Return whether this page plays the second side only.
  get #isSecond() {
    return this.#mine(1) && !this.#mine(0);
  }

  // The player's own side is at the bottom, unless the board is mirrored instead.
  get #isTurned() {
    return this.turned ?? (this.#isSecond && this.state?.picture.flip === "turn");
  }

  #ply() {
    return this.shown ?? this.state?.ply ?? 0;
  }

  /** @param {object} message  what is asked of the match */
  #ask(message) {
    this.notice = "";
    this.net.send(/** @type {Request} */ ({ match: this.id, ...message }), (reason) => this.#say(reason));
  }

  /** @param {string} text */
  #say(text) {
    this.notice = text;
    announce(text);
    this.#drawStatus();
  }

  /**
   * Make a move, or ask to confirm it; the same move again confirms it.
   * @param {string} move
   */
  #play(move) {
    if (this.#canPremove()) {
      this.premove.move = move;
      this.#drawBoard();
      this.board.showMove(move);
      this.#say(T.premove(move, matchMedia("(hover)").matches));
    } else if (this.choice.confirmation && this.asked !== move) {
      this.#drawBoard();
      this.board.hold(move);
    } else this.#make(move);
  }

  /** @param {string} move */
  #make(move) {
    this.#send(move, (reason) => {
      this.#drawBoard();
      this.board.tell(reason);
    });
  }

  /**
   * @param {string} move
   * @param {(reason: string) => void} onRefusal
   * @param {number} [ply]
   */
  #send(move, onRefusal, ply = this.state?.ply ?? 0) {
    this.sent = ply;
    this.#drawBoard();
    this.net.send({ type: "move", match: this.id, ply, move }, (reason) => {
      if (reason === T.lost && this.latest && this.latest.ply > ply) return; // the move had been made before
      this.sent = null;
      this.#drawBoard();
      onRefusal(reason);
    });
  }

  /** @param {boolean} isConfirmed */
  #answer(isConfirmed) {
    const move = this.board.held;
    if (move === null) return;
    this.board.clear();
    if (isConfirmed) this.#make(move);
  }

  // Show the buttons that confirm or cancel the move that waits.
  #drawConfirmation() {
    this.asked = this.board.held;
    const isAsking = this.asked !== null;
    for (const one of this.confirmation.querySelectorAll("button")) one.disabled = !isAsking;
    this.confirmation.classList.toggle("asking", isAsking);
    this.confirmation.hidden = !this.choice.confirmation || !this.state?.yours.length;
  }

  /**
   * Ask for a position of the match, or for the one after `more.move`.
   * @param {number} ply
   * @param {Pick<ViewPly, "move" | "overlays">} [more]
   */
  #view(ply, more) {
    return this.net.request({ type: "view", match: this.id, ply, ...more });
  }

  /**
   * Show the board after a move that is pointed at or focused.
   * @param {string | null} move
   * @param {boolean} isSpoken
   */
  #preview(move, isSpoken) {
    clearTimeout(this.previewTimer);
    if (move === null || !this.state || !this.#canMove()) return;
    const { ply } = this.state;
    const key = `${ply} ${move}`;
    const show = () => {
      if (this.board.previewed === move && this.state?.ply === ply && this.shown === null) {
        this.board.showResult(this.previews.get(key), isSpoken);
      }
    };
    if (this.previews.has(key)) {
      show();
      return;
    }
    this.previewTimer = setTimeout(async () => {
      try {
        this.previews.set(key, (await this.#view(ply, { move })).picture);
        show();
      } catch {
        // the match has moved on
      }
    }, PREVIEW_MS);
  }

  /**
   * Say why clicks lead to no move.
   * @param {string[]} ids
   */
  async #refuse(ids) {
    const { state } = this;
    if (!state?.yours.length || state.outcome || state.fault || this.shown !== null || this.pace.isBehind || this.sent !== null) return;
    if (state.paused) return this.board.tell(T.isPaused, ids.at(-1));
    if (this.#canPremove()) return this.board.tell(this.board.reason(ids), ids.at(-1));
    if (!this.#mine(state.to_move)) return this.board.tell(T.otherSide(state.sides[state.to_move]), ids.at(-1));
    const reason = await explain(this.net, { match: this.id, ply: state.ply, ids }) || this.board.reason(ids);
    if (this.state?.ply === state.ply && this.shown === null) this.board.tell(reason, ids.at(-1));
  }

  async #hint() {
    try {
      const hint = await this.net.request({ type: "hint", match: this.id });
      if (hint.ply !== this.state?.ply) return;
      this.#say(T.hintText(hint.move, hint.value));
      if (this.shown === null) this.board.showMove(hint.move);
    } catch (error) {
      this.#say(reasonOf(error));
    }
  }

  /**
   * Take the free seat to which the link invites.
   * @param {MatchState} state
   */
  #takeSeat(state) {
    const free = state.seats.findIndex((seat) => seat.kind === "open" && !seat.taken);
    if (state.yours.length) return; // a player has opened the link
    if (free >= 0 && !state.outcome) this.#claim(free);
    else this.#say(T.seatGone);
  }

  /** @param {number} side */
  async #claim(side) {
    try {
      const { asked } = await import("./dialog.js");
      const given = await asked(T.yourName, preferences().name ?? "", T.takeSeat(this.state?.sides[side] ?? ""), LONGEST_NAME);
      if (given === null || this.abort.signal.aborted) return;
      const name = given.trim();
      keepPreference("name", name);
      const claimed = await this.net.request({ type: "claim", match: this.id, side, name });
      keepToken(this.id, claimed.token);
      if (this.abort.signal.aborted) return;
      this.turned = null;
      this.net.join(this.id);
    } catch (error) {
      this.#say(reasonOf(error));
    }
  }

  /**
   * Copy a link to the match, or show it where that is not allowed.
   * @param {string} role  see the constructor
   * @param {string} notice
   */
  async #share(role, notice) {
    const link = new URL(`#/${role}/${encodeURIComponent(this.id)}`, location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      this.#say(notice);
    } catch {
      this.#say(link);
    }
  }

  // --- earlier positions ---

  /** @param {number} ply */
  async #show(ply) {
    if (!this.state) return;
    const wanted = Math.max(0, ply);
    this.shown = wanted >= this.state.ply ? null : wanted;
    this.#draw();
    if (this.shown === null || this.views.has(wanted)) return;
    try {
      const { picture } = await this.#view(wanted);
      this.views.set(wanted, picture);
      if (this.shown === wanted) this.#drawBoard();
    } catch (error) {
      this.shown = null;
      this.#say(reasonOf(error));
      this.#draw();
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !this.state) return;
    if (event.key === "Escape" && this.#cancelPremove()) return;
    const { target } = event;
    if (!(target instanceof Element) || target.closest(HAVE_KEYS)) return;
    const isOnBoard = this.table.contains(target) || this.pad.element.contains(target);
    if (isOnBoard && this.pad.press(event)) return;
    this.#step(event);
  }

  /**
   * Move the focus on the board for those who use the keyboard; otherwise step through the match.
   * @param {KeyboardEvent} event
   */
  #keyOnBoard(event) {
    if (["Tab", "ArrowUp", "ArrowDown", "Enter"].includes(event.key)) this.isPointing = false;
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!this.isPointing || !isPlain || !this.state || !contains(this.board.element, event)) return;
    if (this.#step(event)) event.stopPropagation();
  }

  /**
   * Show the position to which a key leads, and return whether it leads to one.
   * @param {KeyboardEvent} event
   */
  #step(event) {
    const { state } = this;
    const to = this.moves.target(event.key);
    if (to === undefined || !state) return false;
    event.preventDefault();
    this.#show(to);
    const move = state.moves[this.#ply() - 1];
    announce(move ? moveLabel(state, this.#ply(), this.evaluation.isOn ? move : { ...move, value: null }) : T.start);
    return true;
  }

  /** @param {"review" | ""} query  `review` starts a review at once */
  #analyse(query = "") {
    const more = [this.#near() && "side=1", query].filter(Boolean).join("&");
    location.hash = `#/analysis/match/${encodeURIComponent(this.id)}/${this.#ply()}${more && `?${more}`}`;
  }

  /**
   * Go to the rematch when it begins; a player who was away then goes there later, once.
   * @param {MatchState | null} before
   * @param {MatchState} state
   */
  #follow(before, { next, yours, owner }) {
    if (!next || before?.next === next) return;
    const isMine = yours.length > 0 || owner;
    if (!before && !(isMine && !tokensOf(next).length)) return;
    if (isMine) for (const token of tokensOf(this.id)) keepToken(next, token);
    location.hash = addressOf(next);
  }

  #flip() {
    this.turned = !this.#isTurned;
    this.#draw();
  }

  // --- drawing ---

  #draw() {
    const { state } = this;
    if (!state) return;
    this.board.setFlipped(this.#isTurned);
    setText(this.title, state.title);
    setText(this.spectators, state.spectators ? T.spectators(state.spectators) : "");
    this.bars.draw(state, this.#near(), nameIn(state));
    this.#drawMoves(state);
    this.#drawTitle(state);
    this.#drawBoard();
    this.#drawStatus();
    this.#drawControls(state);
    this.#drawConfirmation();
    this.#tick();
  }

  /**
   * Draw the list of moves, with their values only while the evaluation is on.
   * @param {MatchState} state
   */
  #drawMoves(state) {
    const moves = this.evaluation.isOn ? state.moves : state.moves.map((move) => ({ ...move, value: null }));
    this.moves.draw(moves, this.#ply(), (ply, move) => moveLabel(state, ply, move), state.picture.colours);
  }

  /**
   * Show in the title of the tab whose turn it is.
   * @param {MatchState} state
   */
  #drawTitle(state) {
    const isMyTurn = !state.outcome && !state.fault && !state.paused && state.yours.length === 1 && this.#mine(state.to_move);
    document.title = isMyTurn ? T.turnTitle(state.title) : T.pageTitle(state.title);
  }

  // --- premoves ---

  /** @param {GameReply} game */
  #described(game) {
    this.hasPremoves = game.premoves;
    if (this.state) this.#drawControls(this.state);
    this.typing.explain(game.move_help);
    this.#drawBoard();
  }

  // Return whether a premove can be chosen now.
  #canPremove() {
    const { state } = this;
    return state !== null && Boolean(this.choice.premoves) && this.hasPremoves && this.shown === null && state.yours.length === 1
      && !this.#mine(state.to_move) && !state.outcome && !state.fault && !state.paused && !this.pace.isBehind;
  }

  #cancelPremove() {
    if (this.premove.move === null) return false;
    this.premove.move = null;
    this.board.showMove(null);
    this.#say(T.premoveCancelled);
    return true;
  }

  /**
   * Return the premove to play now that a state has arrived, if there is one.
   * @param {MatchState} state
   */
  #playPremove(state) {
    const { move } = this.premove;
    if (move === null || !this.state) return null;
    const isOver = state.outcome || state.fault || state.paused || state.ply < this.state.ply;
    if (!isOver && !this.#mine(state.to_move)) return null;
    const premove = this.premove.take(isOver ? {} : state.picture.clicks);
    if (premove === null) this.dropped = T.premoveDropped(move);
    return premove;
  }

  /**
   * Cancel the premove at a press of any button.
   * @param {PointerEvent} event
   */
  #press(event) {
    this.isPointing = contains(this.table, event);
    this.hasCancelled = this.#cancelPremove();
  }

  #canMove() {
    const { state } = this;
    return state !== null && this.shown === null && !state.outcome && !state.fault && !state.paused && this.#mine(state.to_move)
      && !this.pace.isBehind && this.sent !== state.ply;
  }

  #drawBoard() {
    const { state } = this;
    const picture = this.shown === null ? state?.picture : this.views.get(this.shown);
    if (!state || !picture) return;
    const premoves = this.#canPremove() ? this.premove.board(state) : null;
    this.board.show(premoves ?? picture, { interactive: premoves !== null || this.#canMove() });
    this.table.style.setProperty("--ratio", String(this.board.ratio));
    this.body.classList.toggle("past", this.shown !== null);
    this.bars.drawCaptions(picture, this.#isTurned && picture.flip === "turn");
    const ply = this.#ply();
    const key = state.moves.slice(0, ply).map((move) => move.text).join(" ");
    this.evaluation.update(key, { match: this.id, ply }, picture);
    this.overlays.update(key, async (overlays) => (await this.#view(ply, { overlays })).picture);
  }

  // Return the side whose bar is below the board.
  #near() {
    return (this.state?.picture.flip === "mirror" ? this.#isSecond : this.#isTurned) ? 1 : 0;
  }

  #drawStatus() {
    const { state } = this;
    if (!state) return;
    /** @type {(id: string) => boolean} */
    const canClick = (id) => this.#canMove() && this.board.clicks.entries.some((entry) => entry.ids.includes(id));
    const { names, sides } = state; // players of the same name are called by their sides
    const name = names[0] === names[1] ? (/** @type {number} */ side) => sides[side] : nameIn(state);
    this.status.draw(state, { shown: this.shown, notice: this.notice, name, canClick, onlyWatches: this.onlyWatches });
  }

  /** @param {MatchState} state */
  #drawControls(state) {
    const isMine = state.yours.length > 0;
    const isOver = state.outcome !== null;
    this.controls.draw(state);
    this.typing.draw(isMine && !isOver, this.#canMove());
    this.hasSelections ||= Object.values(state.picture.clicks).flat().some((ids) => ids.length > 1);
    this.pad.element.hidden = !isMine || isOver || !this.hasSelections;
    this.pad.draw();
    this.confirmations.hidden = !isMine;
    this.premoves.hidden = !isMine || !this.hasPremoves;
  }

  #tick() {
    if (this.latest && this.state) this.bars.tick(this.latest, (performance.now() - this.received) / 1000);
  }
}

/**
 * Return whether an event happens within an element.
 * @param {Element} element
 * @param {Event} event
 */
const contains = (element, { target }) => target instanceof Node && element.contains(target);

/**
 * Return a function that names the side of a match after its player.
 * @param {MatchState} state
 * @returns {(side: number) => string}
 */
const nameIn = ({ names, sides }) => (side) => T.player(names[side]) || sides[side];

/**
 * Return what a screen reader says about a move.
 * @param {MatchState} state
 * @param {number} ply
 * @param {MoveState} move
 */
const moveLabel = ({ sides }, ply, { side, text, seconds, value }) => T.moveLabel(ply, sides[side], text, seconds ? T.seconds(seconds) : "", value);
