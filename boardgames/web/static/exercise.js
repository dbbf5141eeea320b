// The course of an exercise: which moves continue one of its lines, and what the other side replies.

export class Exercise {
  /** @param {string[][]} lines - the lines of play that solve it */
  constructor(lines) {
    this.lines = lines;
    /** @type {string[]} */
    this.moves = [];
  }

  /** @returns {string[][]} the lines that begin with the moves made so far and continue */
  get #open() {
    return this.lines.filter((line) => line.length > this.moves.length && this.moves.every((move, i) => move === line[i]));
  }

  // Return whether the moves so far solve the exercise.
  get isSolved() {
    return this.lines.some((line) => line.length === this.moves.length && line.every((move, i) => move === this.moves[i]));
  }

  // Return the next move of the first line, or undefined if the exercise is solved.
  get next() {
    return this.isSolved ? undefined : this.#open[0]?.[this.moves.length];
  }

  /**
   * Make a move if it is right.
   * @param {string} move
   * @returns {boolean} whether it is right
   */
  play(move) {
    const isRight = !this.isSolved && this.#open.some((line) => line[this.moves.length] === move);
    if (isRight) this.moves.push(move);
    return isRight;
  }

  restart() {
    this.moves = [];
  }
}
