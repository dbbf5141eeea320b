"""A small engine that misbehaves in the way that MODE names: `python fake_engine.py MODE [MOVE]`.

The tests run it as a program. It imports nothing from the package, and answers
every `go` with MOVE, by default column 4 of Connect Four.
"""

import os
import signal
import sys
import time
from pathlib import Path

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
MOVE = sys.argv[2] if len(sys.argv) > 2 else "4"
FOREVER_S = 600.0
DELAY_S = 0.4


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def flood(stream: int, data: bytes, *, times: int = 1 << 60) -> None:
    for _ in range(times):
        os.write(stream, data)


# --- at the start ------------------------------------------------------------


def start_silent() -> None:
    time.sleep(FOREVER_S)


def start_and_fail() -> None:
    raise ImportError("no module named 'brain'")


def ignore_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def start_child() -> None:
    """Start child processes and write all process IDs to the file named MOVE.

    On Linux, one child has its own session, and another one has its own session and a parent that has ended.
    """
    import subprocess  # imported here, because it takes longer to import than everything else

    ignore_signals()
    program = [sys.executable, "-S", __file__, "silent"]
    ids = [os.getpid(), subprocess.Popen(program, stdin=subprocess.DEVNULL).pid]
    if Path("/proc/self/environ").exists():
        ids.append(subprocess.Popen(program, stdin=subprocess.DEVNULL, start_new_session=True).pid)
        orphaning = ["/bin/sh", "-c", '"$@" </dev/null >/dev/null 2>&1 & echo $!', "sh", *program]
        ended = subprocess.run(orphaning, start_new_session=True, capture_output=True, check=True)
        ids.append(int(ended.stdout))
    Path(MOVE).write_text(" ".join(map(str, ids)), encoding="ascii")


def fill_stderr() -> None:
    flood(2, b"x" * 99 + b"\n", times=4000)


# --- in answer to `go` -------------------------------------------------------


def hang() -> None:
    time.sleep(FOREVER_S)


def leave() -> None:
    sys.stderr.write("warming up\nout of ideas\n")
    sys.exit(3)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def close_stdout() -> None:
    os.close(1)
    time.sleep(FOREVER_S)


def close_stdin() -> None:
    os.close(0)
    answer()
    time.sleep(FOREVER_S)


def answer_amid_garbage() -> None:
    os.write(1, bytes(range(256)) * 20 + b"\n\xff\xfe bestmove\ninfo depth x score cp\ninfo pv\n\0\n")
    answer()


def refuse_the_game() -> None:
    """Say why the position cannot be played, and send a move anyway."""
    sys.stderr.write("columns?\n")
    sys.stderr.flush()
    say("info string expected 7 columns")
    answer()


def answer_late() -> None:
    time.sleep(DELAY_S)
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


START_MODES = {
    "silent": start_silent,
    "exit-at-once": start_and_fail,
    "stubborn": ignore_signals,
    "child": start_child,
    "long-stderr": fill_stderr,
}
GO_MODES = {
    "hang": hang,
    "exit": leave,
    "killed": die,
    "flood": lambda: flood(1, b"info depth 1 score cp 1 pv 4\n" * 1000),
    "flood-of-newlines": lambda: flood(1, b"\n" * 65536),
    "endless-line": lambda: flood(1, b"x" * 65536),
    "flood-of-stderr": lambda: flood(2, b"y" * 65535 + b"\n"),
    "closed-stdout": close_stdout,
    "closed-stdin": close_stdin,
    "garbage": answer_amid_garbage,
    "late": answer_late,
    "two-moves": lambda: say(f"bestmove {MOVE} 5"),
    "bestmove-alone": lambda: say("bestmove"),
    "no-move": lambda: say("info string the book is lost\nbestmove 0000"),
    "twice": answer_twice,
    "other-game": refuse_the_game,
    "until-stop": wait_for_stop,
}


def shake_hands() -> None:
    if MODE == "exit-at-handshake":
        sys.exit(0)
    seed = "type spin default 1 min 1 max 1000" if MODE == "ranged-seed" else "type string"
    say(f"id name fake\noption name Level type spin default 1 min 1 max 9\noption name seed {seed}\nugiok")


def read_slowly() -> None:
    say("readyok")
    while os.read(0, 4096):
        time.sleep(0.05)


def main() -> None:
    START_MODES.get(MODE, lambda: None)()
    while line := sys.stdin.readline():
        words = line.split()
        if words == ["ugi"]:
            shake_hands()
        elif words == ["isready"]:
            say("readyok")
        elif words == ["uginewgame"] and MODE == "slow-reader":
            read_slowly()
        elif words[:1] == ["go"]:
            GO_MODES.get(MODE, answer)()
        elif words == ["quit"] and MODE not in ("stubborn", "child"):
            return
    if MODE in ("stubborn", "child"):
        time.sleep(FOREVER_S)


if __name__ == "__main__":
    main()
