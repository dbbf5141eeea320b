// One match: board, players, clocks, moves, and everything that can be asked for.

import { Aids } from "./aids.js";
import { Board } from "./board.js";
import { announce, button, h, keepPreference, preferences, setText, swatch, tick, whilePointed } from "./dom.js";
import { Evaluation } from "./evaluation.js";
import { MoveList } from "./moves.js";
import { explain, keepToken } from "./net.js";
import { Overlays } from "./overlays.js";
import { Pace } from "./pace.js";
import { T } from "./texts.js";

const TICK = 100;
const LOW = 20;
const WARNINGS = [30, 10];
const ARROWS = ["→", "↘", "↓", "↙", "←", "↖", "↑", "↗"];
// The last letter or digit of the codes of keys for the directions of hexagonal boards, by angle.
const KEYS = { 0: "D6", 60: "C3", 120: "Z1", 180: "A4", 240: "Q7", 300: "E9", 30: "D6", 90: "S2", 150: "A4", 210: "Q7", 270: "W8", 330: "E9" };
const PREVIEW_MS = 120;

export class Match {
  constructor(net, id) {
    this.net = net;
    this.id = id;
    this.state = null; // what is shown
    this.latest = null; // the last state that has come, for the clocks
    this.sent = null; // the ply at which a move has been sent
    this.shown = null; // the ply of an earlier position, or null for the current one
    this.turned = null; // whether a person has turned the board, or null if it lies as it does for its players
    this.views = new Map();
    this.previews = new Map();
    this.notice = "";
    this.choice = preferences();
    this.board = new Board({
      onMove: (move) => this.#play(move), onSelect: () => {
        this.#drawPad();
        this.#drawConfirmation();
      },
      onPreview: (move, isSpoken) => this.#preview(move, isSpoken), onRefuse: (ids) => this.#refuse(ids),
    });
    this.board.animation = this.choice.animation;
    this.board.setCoordinates(this.choice.coordinates);
    this.overlays = new Overlays(this.board);
    this.evaluation = new Evaluation(net, (move) => this.board.showMove(move));
    this.aids = new Aids(net, this.evaluation, this.overlays);
    this.pace = new Pace({ show: (state) => this.#receive(state), look: async (ply) => (await this.#view(ply)).picture });
    this.#build();
    this.abort = new AbortController();
    const { signal } = this.abort;
    net.addEventListener("match", ({ detail }) => detail.id === id && this.#news(detail), { signal });
    net.addEventListener("status", ({ detail }) => detail.open && this.state && this.aids.reconnected(), { signal });
    net.addEventListener("join-refused", ({ detail }) => detail.match === id && this.#missing(detail.reason), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    net.join(id);
    this.ticker = setInterval(() => this.#tick(), TICK);
  }

  close() {
    this.abort.abort();
    this.board.close();
    this.evaluation.close();
    this.pace.close();
    clearInterval(this.ticker);
    this.net.leave(this.id);
  }

  // --- building ---

  #build() {
    this.bars = ["far", "near"].map((place) => {
      const bar = {
        swatch: h("span", { class: "bar-swatch" }), name: h("strong", { class: "bar-name" }),
        note: h("span", { class: "bar-note" }), captions: h("span", { class: "bar-captions" }),
        moveClock: h("span", { class: "clock", role: "timer" }), clock: h("span", { class: "clock", role: "timer" }),
      };
      bar.moveBox = h("span", { class: "move-clock" }, h("span", { "aria-hidden": "true" }, T.thisMove), bar.moveClock);
      bar.element = h("div", { class: `bar ${place}` }, bar.swatch,
        h("span", { class: "bar-text" }, bar.name, bar.note), bar.captions,
        h("span", { class: "bar-clocks" }, bar.moveBox, bar.clock));
      return bar;
    });
    this.status = h("p", { class: "status", role: "status" });
    this.actions = h("div", { class: "actions" });
    this.limit = h("p", { class: "limit" });
    this.statusBox = h("section", { class: "status-box" }, h("div", { class: "spread" }, this.status, this.limit), this.actions);
    this.pad = h("div", { class: "pad", role: "group", "aria-label": T.continuations, "data-keeps-selection": true });
    this.confirmation = h("div", { class: "confirmation", "data-keeps-selection": true, hidden: true },
      button(T.confirm, () => this.#answer(true), { class: "primary" }), button(T.cancel, () => this.#answer(false)));
    this.padBox = h("div", { class: "pad-box", hidden: true }, this.pad);
    this.moves = new MoveList((ply) => this.#show(ply));
    this.input = h("input", { type: "text", id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: false, maxLength: 60 });
    this.input.setAttribute("aria-describedby", "typed-problem");
    this.problem = h("p", { class: "problem", id: "typed-problem", role: "alert" });
    this.typed = h("form", { class: "typed", onsubmit: (event) => this.#type(event) },
      h("label", { for: "typed" }, T.typeMove), h("span", { class: "row" }, this.input, h("button", {}, T.play)), this.problem);
    this.controls = {
      undo: button(T.takeBack, () => this.#ask({ type: "undo" })),
      draw: button(T.offerDraw, () => this.#ask({ type: "offer-draw" })),
      resign: button(T.resign, () => this.dialog.showModal()),
      hint: button(T.hint, () => this.#hint()),
      pause: button(T.pause, () => this.#ask({ type: this.state.paused ? "resume" : "pause" })),
      step: button(T.step, () => this.#ask({ type: "step" })),
    };
    this.delay = h("input", { type: "range", id: "delay", min: 0, max: 3, step: 0.25,
      oninput: () => {
        keepPreference("delay", Number(this.delay.value));
        this.#ask({ type: "delay", seconds: Number(this.delay.value) });
      } });
    this.delayText = h("span", { class: "delay-text", "aria-hidden": "true" });
    this.delayBox = h("p", { class: "field inline" }, h("label", { for: "delay" }, T.delay), this.delay, this.delayText);
    this.playControls = h("div", { class: "controls" }, this.controls.hint, this.controls.undo, this.controls.draw, this.controls.resign);
    this.agentControls = h("div", { class: "controls" }, this.controls.pause, this.controls.step);
    this.dialog = h("dialog", { "aria-labelledby": "resign-question" },
      h("form", { method: "dialog" }, h("p", { id: "resign-question" }, T.resignQuestion),
        h("div", { class: "controls end" }, h("button", {}, T.cancel),
          h("button", { value: "yes", class: "danger" }, T.resign))));
    this.dialog.addEventListener("close", () => {
      if (this.dialog.returnValue === "yes") this.#ask({ type: "resign" });
      this.dialog.returnValue = "";
    });
    const toggle = (name, label, apply) => tick(label, this.choice[name], (isOn) => {
      keepPreference(name, isOn);
      apply(isOn);
    });
    this.settings = h("div", { class: "settings" }, button(T.flip, () => this.#flip()),
      toggle("coordinates", T.coordinates, (on) => this.board.setCoordinates(on)),
      toggle("animation", T.animation, (on) => (this.board.animation = on)),
      toggle("confirmation", T.confirmMoves, (on) => {
        this.choice.confirmation = on;
        this.board.clear();
        this.#drawConfirmation();
      }), this.evaluation.toggle,
      button(T.analyse, () => (location.hash = `#/analysis/match/${encodeURIComponent(this.id)}/${this.#ply()}`)));
    this.title = h("h1", { class: "match-title" });
    const [far, near] = this.bars;
    this.body = h("div", { class: "match", hidden: true },
      (this.table = h("section", { class: "table", "aria-label": T.board },
        far.element, this.board.element, this.evaluation.meter, near.element, this.confirmation)),
      h("div", { class: "side" },
        h("div", { class: "heading" }, this.title), this.statusBox, this.padBox,
        this.playControls, this.agentControls, this.delayBox,
        this.moves.element,
        this.evaluation.box, this.typed, this.settings, this.overlays.element, h("p", { class: "keys" }, T.keys)),
      this.dialog);
    this.loading = h("p", { class: "loading" }, T.loading);
    this.element = h("div", {}, this.loading, this.body);
  }

  #missing(reason) {
    this.missing = `${T.noMatch} ${reason}`;
    if (this.state) return this.#say(this.missing);
    this.loading.replaceChildren(`${this.missing} `, h("a", { href: "#/" }, T.toLobby));
  }

  // --- state ---

  // Take in a state, which is shown when those before it have been.
  #news(state) {
    this.latest = state;
    this.received = performance.now();
    this.pace.receive(state);
    this.#tick();
  }

  #receive(state) {
    const before = this.state;
    this.state = state;
    const isFirst = !before;
    if (isFirst) {
      this.body.hidden = false;
      this.loading.remove();
      document.title = T.pageTitle(state.title);
      this.aids.describe(state.game);
    }
    const common = before ? before.moves.findIndex((move, i) => move.text !== state.moves[i]?.text) : 0;
    if (before && common >= 0) for (const ply of [...this.views.keys()]) if (ply > common) this.views.delete(ply);
    if (this.notice === T.lost || this.notice === this.missing) this.notice = "";
    if (before && before.ply !== state.ply) {
      this.previews.clear();
      this.sent = null;
      this.notice = "";
      setText(this.problem, "");
      if (this.hasTyped) this.input.value = "";
      this.hasTyped = false;
      if (this.board.hinted.length) this.board.showMove(null);
    }
    if (this.shown !== null && this.shown >= state.ply) this.shown = null;
    // a selection survives news that don't change the position
    if (before && before.ply === state.ply && JSON.stringify(before.picture) === JSON.stringify(state.picture)) {
      state.picture = before.picture;
    }
    if (state.announcement && state.announcement !== before?.announcement) announce(state.announcement);
    if (!before || before.running !== state.running || before.ply !== state.ply) this.warned = new Set();
    this.#draw();
    this.#tellShown();
  }

  // Tell the server when the board is on the screen, if the clock of this page's side waits for that.
  #tellShown() {
    const { ply, to_move: side, running, clocks, move_times, outcome, seats } = this.state;
    const isTimed = clocks !== null || move_times[side] !== null;
    if (!isTimed || running !== null || outcome || !this.#mine(side) || seats.some((seat) => !seat.taken)) return;
    requestAnimationFrame(() => this.abort.signal.aborted || this.net.send({ type: "shown", match: this.id, ply }));
  }

  #mine(side) {
    return this.state.yours.includes(side);
  }

  // Return whether this page plays the second side only.
  get #isSecond() {
    return this.#mine(1) && !this.#mine(0);
  }

  // By default the player's own side is at the bottom; upright boards are never turned.
  get #isTurned() {
    return this.turned ?? (this.#isSecond && this.state.picture.surface !== "front");
  }

  #ply() {
    return this.shown ?? this.state.ply;
  }

  #name(side) {
    return T.player(this.state.names[side]) || this.state.sides[side];
  }

  #ask(message) {
    this.notice = "";
    this.net.send({ match: this.id, ...message }, (reason) => this.#say(reason));
  }

  #say(text) {
    this.notice = text;
    announce(text);
    this.#drawStatus();
  }

  // Make a move, or ask whether it is meant; the same move a second time confirms it.
  #play(move) {
    if (this.choice.confirmation && this.asked !== move) {
      this.#drawBoard();
      this.board.hold(move);
      return;
    }
    this.#make(move);
  }

  #make(move) {
    this.#send(move, (reason) => {
      this.#drawBoard();
      this.board.tell(reason);
    });
  }

  #send(move, onRefusal) {
    this.sent = this.state.ply;
    this.#drawBoard();
    this.net.send({ type: "move", match: this.id, ply: this.state.ply, move }, (reason) => {
      this.sent = null;
      this.#drawBoard();
      onRefusal(reason);
    });
  }

  #answer(isConfirmed) {
    const move = this.board.held;
    if (move === null) return;
    this.board.clear();
    if (isConfirmed) this.#make(move);
  }

  // Show the buttons for a move that waits for them.
  #drawConfirmation() {
    this.asked = this.board.held;
    const isAsking = this.asked !== null;
    for (const one of this.confirmation.children) one.disabled = !isAsking;
    this.confirmation.classList.toggle("asking", isAsking);
    this.confirmation.hidden = !this.choice.confirmation || !this.state?.yours.length;
  }

  // Ask for a position of the match, or for the one after `move`.
  #view(ply, more) {
    return this.net.request({ type: "view", match: this.id, ply, ...more });
  }

  // Ask for the board after a move, a little later if the pointer or the focus stays.
  #preview(move, isSpoken) {
    clearTimeout(this.previewTimer);
    if (move === null) return;
    const { ply } = this.state;
    const key = `${ply} ${move}`;
    const show = () => {
      if (this.board.previewed === move && this.state.ply === ply && this.shown === null) {
        this.board.showResult(this.previews.get(key), isSpoken);
      }
    };
    if (this.previews.has(key)) return show();
    this.previewTimer = setTimeout(async () => {
      try {
        this.previews.set(key, (await this.#view(ply, { move })).picture);
        show();
      } catch {
        // the match has moved on
      }
    }, PREVIEW_MS);
  }

  // Say why clicks lead to no move.
  async #refuse(ids) {
    const { state } = this;
    if (!state.yours.length || state.outcome || state.fault || this.shown !== null || this.pace.isBehind || this.sent !== null) return;
    if (!this.#mine(state.to_move)) return this.board.tell(T.otherSide(state.sides[state.to_move]), ids.at(-1));
    const reason = await explain(this.net, { match: this.id, ply: state.ply, ids }) || this.board.reason(ids);
    if (this.state.ply === state.ply && this.shown === null) this.board.tell(reason, ids.at(-1));
  }

  async #hint() {
    try {
      const hint = await this.net.request({ type: "hint", match: this.id });
      if (hint.ply !== this.state.ply) return;
      this.#say(T.hintText(hint.move, hint.value));
      if (this.shown === null) this.board.showMove(hint.move);
    } catch (error) {
      this.#say(error.message);
    }
  }

  #type(event) {
    event.preventDefault();
    const move = this.input.value.trim();
    setText(this.problem, "");
    if (!move) return;
    this.hasTyped = true;
    this.#send(move, (reason) => {
      this.hasTyped = false;
      setText(this.problem, reason);
    });
  }

  async #claim(side) {
    try {
      const name = preferences().name ?? "";
      const claimed = await this.net.request({ type: "claim", match: this.id, side, name });
      keepToken(this.id, claimed.token);
      if (this.abort.signal.aborted) return;
      this.turned = null;
      this.net.join(this.id);
    } catch (error) {
      this.#say(error.message);
    }
  }

  async #share() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.#say(T.copied);
    } catch {
      this.#say(location.href);
    }
  }

  // --- earlier positions ---

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
      this.#say(error.message);
      this.#draw();
    }
  }

  #key(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !this.state) return;
    if (event.target.closest("input, select, textarea, dialog")) return;
    const isOnBoard = this.table.contains(event.target) || this.padBox.contains(event.target);
    const direction = isOnBoard && /^(Key|Numpad)/.test(event.code)
      && this.compass?.find((one) => KEYS[one.angle]?.includes(event.code.at(-1)));
    if (direction) {
      if (direction.move) this.board.play(direction.move);
      else this.board.tell(direction.label);
      return;
    }
    const to = this.moves.target(event.key);
    if (to === undefined) return;
    event.preventDefault();
    this.#show(to);
    const move = this.state.moves[this.#ply() - 1];
    announce(move ? this.#moveLabel(this.#ply(), move) : T.start);
  }

  #flip() {
    this.turned = !this.#isTurned;
    this.#draw();
  }

  // --- drawing ---

  #draw() {
    const { state } = this;
    this.board.setFlipped(this.#isTurned);
    setText(this.title, state.title);
    setText(this.limit, state.outcome || this.shown !== null ? "" : state.limit);
    this.#drawBars();
    this.moves.draw(state.moves, this.#ply(), (number, move) => this.#moveLabel(number, move));
    this.#drawBoard();
    this.#drawStatus();
    this.#drawControls();
    this.#drawConfirmation();
    this.#tick();
  }

  #canMove() {
    const { state } = this;
    return this.shown === null && !state.outcome && !state.fault && this.#mine(state.to_move)
      && !this.pace.isBehind && this.sent !== state.ply;
  }

  #drawBoard() {
    const { state } = this;
    const picture = this.shown === null ? state.picture : this.views.get(this.shown);
    if (!picture) return;
    this.board.show(picture, { interactive: this.#canMove() });
    this.table.style.setProperty("--ratio", this.board.ratio);
    this.body.classList.toggle("past", this.shown !== null);
    this.#drawCaptions(picture);
    const ply = this.#ply();
    const key = state.moves.slice(0, ply).map((move) => move.text).join(" ");
    this.evaluation.update(key, { match: this.id, ply }, picture);
    this.overlays.update(key, async (overlays) => (await this.#view(ply, { overlays })).picture);
  }

  // Return the side whose bar is below the board.
  #near() {
    return (this.state.picture.surface === "front" ? this.#isSecond : this.#isTurned) ? 1 : 0;
  }

  #drawCaptions(picture) {
    const isTurned = this.#isTurned && picture.surface !== "front";
    for (const [i, end] of ["top", "bottom"].entries()) {
      const corner = isTurned ? ["bottom", "top"][i] : end;
      const captions = picture.captions.filter((caption) => caption.corner.startsWith(corner));
      setText(this.bars[i].captions, captions.map((caption) => caption.text).join(" · "));
    }
  }

  #drawBars() {
    const { state } = this;
    const near = this.#near();
    for (const [i, bar] of this.bars.entries()) {
      const side = i === 1 ? near : 1 - near;
      const seat = state.seats[side];
      bar.side = side;
      bar.swatch.replaceChildren(swatch(side, state.picture.colours[side]));
      const isFree = seat.kind === "open" && !seat.taken;
      setText(bar.name, isFree ? T.seatFree : this.#name(side));
      const notes = [this.#name(side) !== state.sides[side] || isFree ? state.sides[side] : ""];
      if (seat.kind !== "agent" && seat.taken && !seat.connected && !state.outcome) notes.push(T.away);
      setText(bar.note, notes.filter(Boolean).join(" · "));
      bar.element.classList.toggle("to-move", !state.outcome && state.to_move === side);
      bar.clock.setAttribute("aria-label", T.clockLabel(state.sides[side]));
      bar.clock.hidden = state.clocks === null;
      bar.moveClock.setAttribute("aria-label", T.moveClockLabel(state.sides[side]));
      const isTimeUp = state.to_move === side && state.move_left === 0;
      bar.moveBox.hidden = state.move_times[side] === null || Boolean(state.outcome && !isTimeUp);
    }
  }

  #drawStatus() {
    const { state } = this;
    const actions = [];
    let text = "";
    const offeredTo = (side) => side !== null && this.#mine(1 - side);
    const isAsked = offeredTo(state.draw_offer) || offeredTo(state.undo_request);
    const free = state.seats.findIndex((seat) => seat.kind === "open" && !seat.taken);
    if (state.fault) text = T.fault(state.fault);
    else if (state.outcome) text = state.outcome.text || T.matchOver;
    else if (isAsked) {
      text = offeredTo(state.draw_offer) ? T.drawOffered(this.#name(state.draw_offer)) : T.undoRequested(this.#name(state.undo_request));
      actions.push(
        button(T.accept, () => this.#ask({ type: "answer", accept: true }), { class: "primary" }),
        button(T.decline, () => this.#ask({ type: "answer", accept: false })),
      );
    } else if (free >= 0) {
      text = T.waitingFor(state.sides[free]);
      if (state.yours.length) actions.push(button(T.share, () => this.#share(), { class: "primary" }));
      actions.push(button(T.takeSeat(state.sides[free]), () => this.#claim(free), { class: state.yours.length ? "" : "primary" }));
    } else if (state.draw_offer !== null) text = T.drawSent;
    else if (state.undo_request !== null) text = T.undoSent;
    else if (state.paused) text = T.paused;
    else if (this.#mine(state.to_move)) text = state.yours.length > 1 ? T.move(state.sides[state.to_move]) : T.yourMove(state.sides[state.to_move]);
    else if (state.thinking || state.seats[state.to_move].kind === "agent") text = T.thinking(this.#name(state.to_move));
    else text = T.opponentsMove(this.#name(state.to_move));
    if (this.notice) text = this.notice;
    if (this.shown !== null) {
      if (!isAsked) text = T.viewing(this.shown);
      actions.unshift(button(T.backToMatch, () => this.#show(Infinity), { class: "primary" }));
    } else if (!this.notice || !actions.length) {
      for (const one of state.picture.buttons) {
        actions.push(button(one.label || one.id, () => this.board.click(one.id),
          { disabled: !this.#canMove() || !this.board.clicks.entries.some((entry) => entry.ids.includes(one.id)), "data-keeps-selection": true }));
      }
    }
    if (state.outcome && this.shown === null) actions.push(button(T.again, () => (location.hash = "#/")));
    setText(this.status, text);
    const key = JSON.stringify([state.version, actions.map((one) => [one.textContent, one.disabled])]);
    if (key !== this.actionsKey) this.actions.replaceChildren(...actions);
    this.actionsKey = key;
    this.statusBox.classList.toggle("over", Boolean(state.outcome) && this.shown === null);
  }

  #drawControls() {
    const { state } = this;
    const isOver = Boolean(state.outcome || state.fault);
    const isMine = state.yours.length > 0;
    const isAgents = state.seats.every((seat) => seat.kind === "agent");
    this.playControls.hidden = !isMine;
    this.typed.hidden = !isMine;
    this.agentControls.hidden = !isAgents;
    this.delayBox.hidden = !isAgents;
    this.controls.undo.disabled = isOver || !state.ply;
    this.controls.draw.disabled = isOver || state.draw_offer !== null;
    this.controls.resign.disabled = isOver;
    this.controls.hint.disabled = isOver || !this.#mine(state.to_move);
    this.controls.pause.disabled = isOver;
    setText(this.controls.pause, state.paused ? T.resume : T.pause);
    this.controls.step.disabled = isOver || !state.paused;
    if (!this.delay.matches(":active")) this.delay.value = state.delay;
    setText(this.delayText, T.seconds(state.delay));
    this.delay.setAttribute("aria-valuetext", T.seconds(state.delay));
    this.input.disabled = this.typed.querySelector("button").disabled = !this.#canMove();
    if (isMine && this.board.clicks.hasSelections) this.hasPad = true;
    this.padBox.hidden = !this.hasPad;
    this.#drawPad();
  }

  #moveLabel(number, move) {
    return T.moveLabel(number, this.state.sides[move.side], move.text, move.seconds ? T.seconds(move.seconds) : "", move.value);
  }

  // Buttons for the ways to continue a move: six directions, or placed like what they stand for, or in rows.
  #drawPad() {
    if (!this.state || !this.hasPad) return;
    const { board } = this;
    const { path } = board.clicks;
    const options = path.length ? board.clicks.next() : new Map();
    const key = JSON.stringify([path, board.flipped, [...options.keys()]]);
    if (key === this.padKey) return;
    this.padKey = key;
    this.compass = null;
    if (!path.length) {
      this.pad.className = "pad";
      this.pad.replaceChildren(h("p", { class: "pad-help" }, board.directions.length === 6 ? T.compassHelp : T.padHelp));
      return;
    }
    const ways = board.directions.map((angle) => {
      const [move, name] = [board.towards(angle), Math.round(angle / 45) % 8];
      return { angle, move, arrow: ARROWS[name], label: T.direction(T.directions[name], move) };
    });
    let entries = [...options.values()];
    const isCompass = ways.length === 6 && entries.every(({ move }) => !move || ways.some((way) => way.move === move));
    if (isCompass) entries = this.compass = ways;
    this.pad.className = `pad ${isCompass ? "compass" : "rows"}`;
    this.pad.replaceChildren(h("span", { class: "pad-middle", "aria-hidden": "true" }, board.clicks.selected.join(" ")), ...entries.map((one) => {
      const { id, move } = one;
      const element = button(one.arrow ?? id, () => (move ? board.play(move) : board.click(id)),
        { class: move ? "plays" : "adds", disabled: isCompass && !move, "aria-label": one.label ?? T.padButton(id, move),
          ...whilePointed(() => board.preview(move), () => board.preview(null)) });
      if (isCompass) element.style.setProperty("--angle", `${one.angle}deg`);
      return element;
    }));
  }

  // --- clocks ---

  #tick() {
    const { latest: state } = this;
    if (!state || !this.state) return;
    for (const { side, clock, moveClock } of this.bars) {
      const isRunning = state.running === side && !state.outcome;
      const passed = isRunning ? (performance.now() - this.received) / 1000 : 0;
      const remaining = (left) => (left === null ? null : Math.max(0, left - passed));
      const perMove = state.move_times[side];
      const ofMatch = remaining(state.clocks?.[side] ?? null);
      const ofMove = remaining(side === state.to_move ? state.move_left : perMove);
      drawClock(clock, ofMatch, { isRunning, isLow: ofMatch !== null && ofMatch < LOW });
      drawClock(moveClock, ofMove, { isRunning, isLow: perMove !== null && ofMove < Math.min(LOW, perMove / 4) });
      if (!isRunning || !this.#mine(side)) continue;
      const left = Math.min(ofMatch ?? Infinity, ofMove ?? Infinity);
      for (const limit of WARNINGS) {
        const isNear = left <= limit && left >= limit - 1 && limit < (perMove ?? Infinity);
        if (!isNear || this.warned.has(limit)) continue;
        this.warned.add(limit);
        announce(T.clockLow(limit));
      }
    }
  }
}

function drawClock(element, seconds, { isRunning, isLow }) {
  setText(element, seconds === null ? "∞" : clockText(seconds));
  element.classList.toggle("running", isRunning);
  element.classList.toggle("low", isLow);
}

function clockText(seconds) {
  if (seconds < 10) return `0:0${(Math.floor(seconds * 10) / 10).toFixed(1)}`;
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value) => String(value).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
