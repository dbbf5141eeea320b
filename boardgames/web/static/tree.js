// A tree of variations: every move with the moves that answer it, the main one first. A node is named by its path, the moves
// that lead to it. Nothing here knows the page, so that it is tested without a browser.

export const MARKS = ["!", "?", "!?", "?!", "!!", "??"];

const node = (move, parent) => ({ move, parent, children: [], mark: "", comment: "", side: undefined });

export class Tree {
  constructor() {
    this.root = node(null, null);
  }

  // Return the node of a path, or null.
  at(path) {
    let found = this.root;
    for (const move of path) {
      found = found.children.find((one) => one.move === move);
      if (!found) return null;
    }
    return found;
  }

  // Add the moves of a path that are new, and return its node. What was there before stays.
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

  // Return a path and the main moves after it.
  line(path = []) {
    const moves = [...path];
    for (let here = this.at(path); here?.children.length; [here] = here.children) moves.push(here.children[0].move);
    return moves;
  }

  // Return whether a path is the beginning of the main line.
  isMain(path) {
    return this.line().slice(0, path.length).join(" ") === path.join(" ");
  }

  // Return whether there is more than one line, or a comment or mark.
  get isPlain() {
    const isPlain = (one) => one.children.length < 2 && !one.mark && !one.comment && one.children.every(isPlain);
    return isPlain(this.root);
  }

  // Make a path the main line: at every move of it, it comes first.
  promote(path) {
    let here = this.root;
    for (const move of path) {
      const next = here.children.find((one) => one.move === move);
      here.children = [next, ...here.children.filter((one) => one !== next)];
      here = next;
    }
  }

  // Remove the last move of a path with everything after it, and return the path before it.
  remove(path) {
    const gone = this.at(path);
    gone.parent.children = gone.parent.children.filter((one) => one !== gone);
    return path.slice(0, -1);
  }

  // Return the path of the variation `step` further than that of a path, at the last move that has others beside it.
  beside(path, step) {
    for (let length = path.length; length; length--) {
      const here = this.at(path.slice(0, length));
      const { children } = here.parent;
      const count = children.length;
      if (count > 1) return [...path.slice(0, length - 1), children[(children.indexOf(here) + step + count) % count].move];
    }
    return path;
  }

  // Return the tree as text, as in PGN: variations in parentheses after the move that they replace, `$` before marks.
  format() {
    const words = [];
    const text = (one) => {
      words.push(one.move);
      if (one.mark) words.push(`$${MARKS.indexOf(one.mark) + 1}`);
      if (one.comment) words.push(`{${one.comment}}`);
    };
    const line = (from) => {
      for (let here = from; here.children.length; [here] = here.children) {
        const [main, ...others] = here.children;
        text(main);
        for (const other of others) {
          words.push("(");
          text(other);
          line(other);
          words.push(")");
        }
      }
    };
    if (this.root.comment) words.push(`{${this.root.comment}}`);
    line(this.root);
    return words.join(" ").replaceAll("( ", "(").replaceAll(" )", ")");
  }

  // Return the tree of a text of `format`; what cannot be read is left out.
  static parse(text) {
    const tree = new Tree();
    const open = [];
    let last = tree.root;
    for (const [token, comment] of text.matchAll(/\{([^}]*)\}|[()]|[^\s(){}]+/g)) {
      if (comment !== undefined) last.comment = comment;
      else if (token === "(") {
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

// Return the path of a node.
export function pathOf(one) {
  const path = [];
  for (let here = one; here.parent; here = here.parent) path.unshift(here.move);
  return path;
}

// Return a comment as it can be kept: on one line and without braces.
export const cleanComment = (text) => text.replace(/[{}]/g, "").replace(/\s+/g, " ").trim();
