"""A small engine that misbehaves: `python fakes.py MODE [MOVE]`.

Run as a program by the tests; it imports nothing of the package, and MOVE is
the answer to every `go`, column 4 of Connect Four by default.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
MOVE = sys.argv[2] if len(sys.argv) > 2 else "4"
FOREVER = 600.0


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def flood(stream: int, data: bytes, *, times: int = 1 << 60) -> None:
    for _ in range(times):
        os.write(stream, data)


def start_silent() -> None:
    time.sleep(FOREVER)


def start_broken() -> None:
    raise ImportError("no module named 'brain'")


def start_stubborn() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def start_family() -> None:
    """Have a child, and write who we are to the file that stands for MOVE."""
    start_stubborn()
    child = subprocess.Popen([sys.executable, __file__, "silent"], stdin=subprocess.DEVNULL)
    Path(MOVE).write_text(f"{os.getpid()} {child.pid}", encoding="ascii")


def start_loud() -> None:
    flood(2, b"x" * 99 + b"\n", times=4000)


def hang() -> None:
    time.sleep(FOREVER)


def leave() -> None:
    sys.stderr.write("warming up\nout of ideas\n")
    sys.exit(3)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def close_stdout() -> None:
    os.close(1)
    time.sleep(FOREVER)


def close_stdin() -> None:
    os.close(0)
    answer()
    time.sleep(FOREVER)


def talk_rubbish() -> None:
    os.write(1, bytes(range(256)) * 20 + b"\n\xff\xfe bestmove\ninfo depth x score cp\ninfo pv\n\0\n")
    answer()


def talk_past_us() -> None:
    """Say why it cannot play, and play what nobody can."""
    sys.stderr.write("columns?\n")
    sys.stderr.flush()
    say("info string expected 7 columns")
    answer()


def rank_lines() -> None:
    say("info depth 5 nodes 90 multipv 1 score cp 40 pv 4 1")
    say("info depth 5 nodes 80 multipv 2 score cp -30 pv 1 4")
    say(f"bestmove {MOVE}")


def come_late() -> None:
    time.sleep(1.5)
    answer()


def wait_for_stop() -> None:
    say("info depth 1 nodes 5 score mate 3 pv 4 1 4")
    while sys.stdin.readline().split() != ["stop"]:
        continue
    answer()


def answer() -> None:
    say(f"info depth 3 time 5 nodes 77 score cp 25 pv {MOVE} 1 {MOVE} nonsense\nbestmove {MOVE}")


def answer_twice() -> None:
    answer()
    say("bestmove 1")


OFFERS = {
    "ranged": "option name Seed type spin default 1 min 1 max 1000",
    "sized": "option name Columns type spin default 7 min 2 max 8\noption name rows type spin default 6",
}
STARTS = {
    "silent": start_silent,
    "exit-at-once": start_broken,
    "stubborn": start_stubborn,
    "family": start_family,
    "loud": start_loud,
}
THOUGHTS = {
    "hang": hang,
    "exit": leave,
    "killed": die,
    "flood": lambda: flood(1, b"info depth 1 score cp 1 pv 4\n" * 1000),
    "blank-flood": lambda: flood(1, b"\n" * 65536),
    "endless-line": lambda: flood(1, b"x" * 65536),
    "stderr-flood": lambda: flood(2, b"y" * 65535 + b"\n"),
    "closed-stdout": close_stdout,
    "closed-stdin": close_stdin,
    "rubbish": talk_rubbish,
    "late": come_late,
    "two-moves": lambda: say(f"bestmove {MOVE} 5"),
    "no-word": lambda: say("bestmove"),
    "no-move": lambda: say("info string the book is lost\nbestmove 0000"),
    "twice": answer_twice,
    "talks-past-us": talk_past_us,
    "ranks": rank_lines,
    "waits": wait_for_stop,
}


def greet() -> None:
    if MODE == "exit-at-greeting":
        sys.exit(0)
    if MODE == "speaks-uci":
        say("id name fake\nuciok")
        return
    say("id name fake\noption name Level type spin default 1 min 1 max 9")
    say(OFFERS.get(MODE, "option name seed type string") + "\nugiok")


def dribble() -> None:
    """Be ready, and read what follows in drops."""
    say("readyok")
    while os.read(0, 4096):
        time.sleep(0.05)


def main() -> None:
    STARTS.get(MODE, lambda: None)()
    while line := sys.stdin.readline():
        words = line.split()
        if MODE in ("echo", *OFFERS) and words[0] != "isready":
            sys.stderr.write(line)
            sys.stderr.flush()
        if words == ["ugi"]:
            greet()
        elif words == ["isready"]:
            say("readyok")
        elif words == ["uginewgame"] and MODE == "dribbles":
            dribble()
        elif words[:1] == ["go"]:
            THOUGHTS.get(MODE, answer)()
        elif words == ["quit"] and MODE not in ("stubborn", "family"):
            return
    if MODE in ("stubborn", "family"):
        time.sleep(FOREVER)


if __name__ == "__main__":
    main()
