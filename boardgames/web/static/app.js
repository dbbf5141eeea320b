// The page: routing by the part of the address after #, and the connection status.

import { byId } from "./dom.js";
import { keepToken, Net } from "./net.js";
import { T } from "./texts.js";
import { applyTheme } from "./theme.js";

const SLOW_MS = 700;

const main = byId("main");
const connection = byId("connection");
const scheme = location.protocol === "https:" ? "wss" : "ws";
const net = new Net(`${scheme}://${location.host}/ws`);
/** @typedef {{element?: Node, close(): void}} Page  `close` is called when the page is left */
/** @type {Page | null} */
let page = null;
let visits = 0;
let isMissing = false; // whether the modules of the page could not be loaded
let wasOpen = false;
let timer = 0;

applyTheme();
document.documentElement.lang = T.lang;
byId("skip").textContent = T.skip;
byId("home-text").textContent = T.site;
byId("to-training").textContent = T.training;
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

// the first connection is usually quick, so at first nothing is said about it;
// screen readers are not told the amount, which changes all the time
let status = "";
const amount = document.createElement("span");
amount.ariaHidden = "true";
/**
 * @param {string} text
 * @param {string} detail
 */
const showStatus = (text, detail = "") => {
  amount.textContent = detail;
  if (text === status) return;
  if (!text) clearTimeout(timer);
  else if (!status) timer = setTimeout(() => connection.replaceChildren(status, amount), SLOW_MS);
  if (connection.hasChildNodes()) connection.replaceChildren(...(text ? [text, amount] : []));
  status = text;
};
showStatus(T.connecting);
net.on("status", ({ detail }) => {
  wasOpen ||= detail.open;
  showStatus(detail.open ? "" : wasOpen ? T.offline : T.connecting);
  if (detail.open && isMissing) route();
});

// while the server compiles, some answers are late
let clearTimer = 0;
net.on("compiling", ({ detail: { title, count, ended } }) => {
  clearTimeout(clearTimer);
  if (!ended) showStatus(T.compiling(title), T.stepsDone(count));
  else clearTimer = setTimeout(() => status === T.offline || showStatus(""), SLOW_MS);
});

/**
 * Return a function that creates the page of an address; only the modules that it needs are loaded.
 * @param {string | undefined} kind
 * @param {string | undefined} id
 * @param {string | undefined} analysis
 * @param {RegExpMatchArray | null} learn  the game and the part of its lesson
 * @returns {Promise<() => Page>}
 */
async function pageOf(kind, id, analysis, learn) {
  const isKnown = kind === "new" || /^#?\/?$/.test(location.hash);
  if (learn) {
    const { Learn } = await import("./learn.js");
    const game = decodeURIComponent(learn[1]);
    /** @param {string} part */
    const onPart = (part) => history.replaceState(null, "", `#/learn/${encodeURIComponent(game)}/${part}`);
    return () => new Learn(net, game, { part: learn[2], onPart });
  }
  if (analysis) {
    const { Analysis } = await import("./analysis.js");
    return () => new Analysis(net, analysis);
  }
  if (id && (kind === "match" || kind === "watch" || kind === "seat")) {
    const { Match } = await import("./match.js");
    return () => new Match(net, id, kind);
  }
  if (kind !== "training" && !isKnown) {
    const { h } = await import("./dom.js");
    const element = h("div", {}, h("h1", {}, T.noPage(location.hash)), h("p", { class: "loading" }, h("a", { href: "#/" }, T.toLobby)));
    return () => ({ element, close() {} });
  }
  if (kind !== "training") {
    const { Lobby } = await import("./lobby.js");
    return () => new Lobby(net, id);
  }
  const { Run, Runs } = await import("./training.js");
  return () => (id ? new Run(net, id) : new Runs(net));
}

async function route() {
  const [, kind, part, token] = location.hash.match(/^#\/(match|watch|seat|new|training)(?:\/([^/]+)(?:\/([\w-]+))?)?\/?$/) ?? [];
  const id = part && decodeURIComponent(part);
  if (id && token) {
    // the secret of a seat does not stay in the address
    keepToken(id, token);
    history.replaceState(null, "", `#/${kind}/${part}`);
  }
  if (id && kind === "seat") history.replaceState(null, "", `#/match/${part}`); // a reload keeps the seat
  const learn = location.hash.match(/^#\/learn\/([^/]+)(?:\/(\w+))?$/);
  const analysis = location.hash.match(/^#\/analysis\/(.+)$/)?.[1];
  page?.close();
  page = null;
  main.replaceChildren();
  document.title = T.site;
  const visit = ++visits;
  const make = await pageOf(kind, id, analysis, learn).catch(() => null);
  // another address may have been opened meanwhile
  if (visit !== visits) return;
  isMissing = make === null;
  page = make ? make() : { element: document.createTextNode(T.noAnswer), close() {} };
  if (page.element) main.append(page.element);
  scrollTo(0, 0);
}

addEventListener("hashchange", async () => {
  await route();
  main.focus({ preventScroll: true });
});
route();
