"""A Connect Four engine that misbehaves at random: `python chaotic_engine.py LOG CHANCE`.

Before each fault that must lose the match, it writes the kind of fault to LOG,
one a line. Otherwise it answers with a legal move, sometimes amid garbage.
"""

import os
import random
import sys

import fake_engine  # type: ignore[import-not-found]  # beside this program

FATAL = (
    "hang",
    "exit",
    "killed",
    "flood",
    "flood-of-newlines",
    "endless-line",
    "flood-of-stderr",
    "closed-stdout",
    "late",
    "two-moves",
    "bestmove-alone",
    "no-move",
    "illegal",
    "malformed",
)
HARMLESS = ("garbage", "twice")


def legal_column(words: list[str]) -> int:
    """Return a random column that is not full after `position fen ROWS [moves M...]`."""
    rows = words[words.index("fen") + 1].split("/")
    heights = [sum(cell != "." for cell in column) for column in zip(*rows, strict=True)]
    for move in words[words.index("moves") + 1 :] if "moves" in words else []:
        heights[int(move) - 1] += 1
    return random.choice([column + 1 for column, height in enumerate(heights) if height < len(rows)])


def misbehave(log: str) -> None:
    """Log a random fault and commit it."""
    fault = random.choice(FATAL)
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{fault}\n".encode())
    os.close(descriptor)
    if fault == "illegal":
        fake_engine.say("bestmove 9")
    elif fault == "malformed":
        fake_engine.say("bestmove z4")
    else:
        fake_engine.GO_MODES[fault]()


def main() -> None:
    log, chance = sys.argv[1], float(sys.argv[2])
    fake_engine.DELAY_S = 6.0  # more than the arena's time for a move
    position: list[str] = []
    while line := sys.stdin.readline():
        words = line.split()
        if words == ["ugi"]:
            fake_engine.say("id name chaos\nid author nobody\nugiok")
        elif words == ["isready"]:
            fake_engine.say("readyok")
        elif words[:1] == ["position"]:
            position = words
        elif words[:1] == ["go"] and random.random() < chance:
            misbehave(log)
        elif words[:1] == ["go"]:
            fake_engine.MOVE = str(legal_column(position))
            mode = random.choice(HARMLESS) if random.random() < chance else ""
            fake_engine.GO_MODES.get(mode, fake_engine.answer)()
        elif words == ["quit"]:
            return


if __name__ == "__main__":
    main()
