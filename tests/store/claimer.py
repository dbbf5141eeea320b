"""A program for the tests: claims run 1 of a store, says whether it has it, and waits for a line.

python claimer.py PATH
"""

import sys
from pathlib import Path

from boardgames.store import Store

if __name__ == "__main__":
    with Store(Path(sys.argv[1])) as store:
        sys.stdout.write(f"{store.claim_run(1)}\n")
        sys.stdout.flush()
        sys.stdin.readline()
