// A tree of variations: every move with its answers, the main one first. A node's path is the moves that lead to it.
// Nothing here uses the page, so that it can be tested without one.

/** @type {Colour[]} */
const COLOURS = ["green", "red", "blue", "yellow"];
export const MARKS = ["!", "?", "!!", "??", "!?", "?!"];

/** @import { Colour, Shape } from "./shapes.js" */
/**
 * A move with what a person has noted, and who made it if that is known.
 * @typedef {{move: string, parent: TreeNode | null, children: TreeNode[], mark: string, comment: string, shapes: Shape[],
 *   side: number | undefined}} TreeNode
 */

/** @type {(move: string, parent: TreeNode | null) => TreeNode} */
const node = (move, parent) => ({ move, parent, children: [], mark: "", comment: "", shapes: [], side: undefined });

export class Tree {
  constructor() {
    this.root = node("", null);
  }

  /**
   * Return the node of a path, or null.
   * @param {string[]} path
   * @returns {TreeNode | null}
   */
  at(path) {
    let found = this.root;
    for (const move of path) {
      const next = found.children.find((one) => one.move === move);
      if (!next) return null;
      found = next;
    }
    return found;
  }

  /**
   * Add the moves of a path that are new, and return its node.
   * @param {string[]} path
   * @param {number[]} sides who made the moves, if that is known
   */
  add(path, sides = []) {
    let here = this.root;
    for (const [i, move] of path.entries()) {
      let next = here.children.find((one) => one.move === move);
      if (!next) here.children.push((next = node(move, here)));
      next.side = sides[i] ?? next.side;
      here = next;
    }
    return here;
  }

  /**
   * Return a path and the main moves after it.
   * @param {string[]} path
   */
  line(path = []) {
    const moves = [...path];
    for (let next = this.at(path)?.children[0]; next; [next] = next.children) moves.push(next.move);
    return moves;
  }

  /**
   * Return whether a path is the beginning of the main line.
   * @param {string[]} path
   */
  isMain(path) {
    return this.line().slice(0, path.length).join(" ") === path.join(" ");
  }

  // Return whether there are no variations, comments or marks.
  get isPlain() {
    if (this.root.comment || this.root.shapes.length) return false;
    /** @type {(one: TreeNode) => boolean} */
    const isPlain = (one) => one.children.length < 2 && !one.mark && !one.comment && !one.shapes.length && one.children.every(isPlain);
    return isPlain(this.root);
  }

  /**
   * Make a path the main line: each of its moves comes before the alternatives.
   * @param {string[]} path
   */
  promote(path) {
    let here = this.root;
    for (const move of path) {
      const next = here.children.find((one) => one.move === move);
      if (!next) return;
      here.children = [next, ...here.children.filter((one) => one !== next)];
      here = next;
    }
  }

  /**
   * Remove the last move of a path with everything after it, and return the path before it.
   * @param {string[]} path
   */
  remove(path) {
    const gone = this.at(path);
    if (!gone?.parent) return path;
    gone.parent.children = gone.parent.children.filter((one) => one !== gone);
    return path.slice(0, -1);
  }

  /**
   * Return the path of the variation `step` places after this one, at the last move of the path that has alternatives.
   * @param {string[]} path
   * @param {number} step
   */
  beside(path, step) {
    for (let length = path.length; length; length--) {
      const here = this.at(path.slice(0, length));
      if (!here?.parent) return path;
      const { children } = here.parent;
      const count = children.length;
      if (count > 1) return [...path.slice(0, length - 1), children[(children.indexOf(here) + step + count) % count].move];
    }
    return path;
  }

  // Return the tree as text, as in PGN: variations in parentheses after the move that they replace, `$` before marks.
  format() {
    /** @type {string[]} */
    const words = [];
    /** @type {(one: TreeNode) => void} */
    const note = ({ shapes, comment }) => {
      const drawn = shapes.map(({ from, to, colour }) => `${colour[0]}:${from}${to === null ? "" : `>${to}`}`);
      if (drawn.length || comment) words.push(`{${[drawn.length && `[%draw ${drawn.join(" ")}]`, comment].filter(Boolean).join(" ")}}`);
    };
    /** @type {(one: TreeNode) => void} */
    const text = (one) => {
      words.push(one.move);
      if (one.mark) words.push(`$${MARKS.indexOf(one.mark) + 1}`);
      note(one);
    };
    /** @type {(from: TreeNode) => void} */
    const line = (from) => {
      for (let here = from; here.children.length; [here] = here.children) {
        const [main, ...others] = here.children;
        text(main);
        for (const other of others) {
          const start = words.length;
          text(other);
          line(other);
          words[start] = `(${words[start]}`;
          words.push(`${words.pop()})`);
        }
      }
    };
    note(this.root);
    line(this.root);
    return words.join(" ");
  }

  /**
   * Return the tree that a text written by `format` describes; what cannot be read is left out.
   * @param {string} text
   */
  static parse(text) {
    const tree = new Tree();
    /** @type {TreeNode[]} */
    const open = [];
    let last = tree.root;
    for (const [token, comment] of text.matchAll(/\{([^}]*)\}|[()]|[^\s(){}]+/g)) {
      if (comment !== undefined) {
        const drawn = /^\[%draw ([^\]]*)\] ?/.exec(comment);
        last.comment = comment.slice(drawn?.[0].length ?? 0);
        last.shapes = (drawn?.[1] ?? "").split(" ").flatMap(shapeOf);
      }
      if (comment !== undefined) continue;
      if (token === "(") {
        open.push(last);
        last = last.parent ?? last;
      } else if (token === ")") last = open.pop() ?? last;
      else if (/^\$\d+$/.test(token)) last.mark = MARKS[Number(token.slice(1)) - 1] ?? "";
      else {
        let next = last.children.find((one) => one.move === token);
        if (!next) last.children.push((next = node(token, last)));
        last = next;
      }
    }
    return tree;
  }
}

/**
 * Return the shape that a text such as `g:c4` or `r:c4>d5` describes.
 * @param {string} text
 * @returns {Shape[]}
 */
function shapeOf(text) {
  const [, letter, from, to] = /^(\w):([^>]+)(?:>(.+))?$/.exec(text) ?? [];
  const colour = COLOURS.find((one) => one[0] === letter);
  return colour ? [{ from, to: to ?? null, colour }] : [];
}

/**
 * Return the path of a node.
 * @param {TreeNode} one
 */
export function pathOf(one) {
  /** @type {string[]} */
  const path = [];
  for (let here = one; here.parent; here = here.parent) path.unshift(here.move);
  return path;
}

/**
 * Return a comment as it is saved: on one line and without braces.
 * @param {string} text
 */
export const cleanComment = (text) => text.replace(/[{}]|\[%[^\]]*\]/g, "").replace(/\s+/g, " ").trim();
