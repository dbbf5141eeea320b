// Short sounds, made by the browser itself. Nothing is heard before somebody has clicked or pressed a key.

/** @typedef {"move" | "capture" | "end" | "low"} Sounding */

// The notes of each sound: frequency in Hz, start and length in seconds.
/** @type {Record<Sounding, number[][]>} */
const NOTES = {
  move: [[520, 0, 0.06]],
  capture: [[330, 0, 0.07], [220, 0.06, 0.12]],
  end: [[392, 0, 0.14], [523, 0.13, 0.14], [659, 0.26, 0.3]],
  low: [[880, 0, 0.08], [880, 0.16, 0.08]],
};
const VOLUME = 0.16;
const ATTACK_S = 0.006;

/** @type {AudioContext | null} */
let context = null;

/** Allow sounds from now on: browsers require a gesture of the user first. */
function unlock() {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
}

export class Sound {
  /** @param {boolean} isOn */
  constructor(isOn) {
    this.isOn = isOn;
    this.abort = new AbortController();
    const listen = () => this.isOn && unlock();
    for (const kind of ["pointerdown", "keydown"]) {
      document.addEventListener(kind, listen, { capture: true, signal: this.abort.signal });
    }
  }

  close() {
    this.abort.abort();
  }

  /** @param {Sounding} kind */
  play(kind) {
    if (!this.isOn || context?.state !== "running") return;
    for (const [frequency, start, length] of NOTES[kind]) note(context, frequency, context.currentTime + start, length);
  }
}

/**
 * @param {AudioContext} audio
 * @param {number} frequency
 * @param {number} start
 * @param {number} length
 */
function note(audio, frequency, start, length) {
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.type = "triangle";
  tone.frequency.value = frequency;
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(VOLUME, start + ATTACK_S);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + length);
}

/**
 * Return what is heard when one state of a match follows another one, or null.
 * @param {Heard | null} before
 * @param {Heard} after
 * @typedef {{ply: number, score: readonly number[], outcome: object | null, picture: {pieces: readonly object[]}}} Heard
 * @returns {Sounding | null}
 */
export function soundOf(before, after) {
  if (!before) return null;
  if (after.outcome) return before.outcome ? null : "end";
  if (after.ply <= before.ply) return null;
  const hasScored = after.score.some((points, side) => points !== before.score[side]);
  return hasScored || after.picture.pieces.length < before.picture.pieces.length ? "capture" : "move";
}
