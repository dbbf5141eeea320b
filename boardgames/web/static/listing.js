// Which matches the list shows, and in which order.

/** @import { MatchEntry } from "../messages.js" */

export const FILTERS = /** @type {const} */ (["all", "running", "finished", "mine"]);
export const ORDERS = /** @type {const} */ (["newest", "game", "moves"]);

/**
 * Return whether a match was stored before it had ended; nobody plays it now.
 * @param {MatchEntry} match
 */
export const isUnfinished = (match) => match.stored !== null && !match.result;

/**
 * Return the matches that fit a filter, sorted; those in progress come first, and equal ones are sorted newest first.
 * @param {MatchEntry[]} matches  newest first among those of the same time
 * @param {typeof FILTERS[number]} filter
 * @param {typeof ORDERS[number]} order
 * @param {(match: MatchEntry) => boolean} isMine
 */
export function listed(matches, filter, order, isMine) {
  const fits = {
    all: () => true,
    running: (/** @type {MatchEntry} */ match) => match.live,
    finished: (/** @type {MatchEntry} */ match) => !match.live && !isUnfinished(match),
    mine: isMine,
  }[filter];
  const compare = {
    newest: () => 0,
    game: (/** @type {MatchEntry} */ a, /** @type {MatchEntry} */ b) => a.title.localeCompare(b.title),
    moves: (/** @type {MatchEntry} */ a, /** @type {MatchEntry} */ b) => b.ply - a.ply,
  }[order];
  return matches.filter(fits).sort((a, b) => compare(a, b) || Number(b.live) - Number(a.live) || b.time - a.time);
}
