"""Test program: tries to claim run 1 of a store for every line it reads, and prints the results.

python claim_program.py PATH
"""

import sys
from pathlib import Path

from boardgames.store import Store

if __name__ == "__main__":
    with Store(Path(sys.argv[1])) as store:
        for _ in sys.stdin:
            sys.stdout.write(f"{store.claim_run(1)}\n")
            sys.stdout.flush()
