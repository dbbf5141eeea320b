"""A Connect Four engine that misbehaves at random: `python chaos.py LOG CHANCE`.

It writes what it is about to do into LOG, a line each time that must lose the
match; otherwise it answers with a legal move, sometimes among rubbish.
"""

import os
import random
import sys

import fakes

LOSING = (
    "hang",
    "exit",
    "killed",
    "flood",
    "blank-flood",
    "endless-line",
    "stderr-flood",
    "closed-stdout",
    "late",
    "two-moves",
    "no-word",
    "no-move",
    "illegal",
    "malformed",
)
HARMLESS = ("rubbish", "twice")


def legal_column(words: list[str]) -> int:
    """Return a column that has room after `position fen ROWS [moves M...]`."""
    rows = words[words.index("fen") + 1].split("/")
    heights = [sum(cell != "." for cell in column) for column in zip(*rows, strict=True)]
    for move in words[words.index("moves") + 1 :] if "moves" in words else []:
        heights[int(move) - 1] += 1
    return random.choice([column + 1 for column, height in enumerate(heights) if height < len(rows)])


def misbehave(log: str) -> None:
    """Do one of the things that lose, having said which."""
    kind = random.choice(LOSING)
    note = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(note, f"{kind}\n".encode())
    os.close(note)
    if kind == "illegal":
        fakes.say("bestmove 9")
    elif kind == "malformed":
        fakes.say("bestmove d4")
    else:
        fakes.THOUGHTS[kind]()


def main() -> None:
    log, chance = sys.argv[1], float(sys.argv[2])
    position: list[str] = []
    while line := sys.stdin.readline():
        words = line.split()
        if words == ["ugi"]:
            fakes.say("id name chaos\nid author nobody\nugiok")
        elif words == ["isready"]:
            fakes.say("readyok")
        elif words[:1] == ["position"]:
            position = words
        elif words[:1] == ["go"] and random.random() < chance:
            misbehave(log)
        elif words[:1] == ["go"]:
            fakes.MOVE = str(legal_column(position))
            kind = random.choice(HARMLESS) if random.random() < chance else ""
            fakes.THOUGHTS.get(kind, fakes.answer)()
        elif words == ["quit"]:
            return


if __name__ == "__main__":
    main()
