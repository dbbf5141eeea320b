"""A program for the tests: adds matches to a store, printing the id of each one that is kept.

python writer.py PATH COUNT NAME
"""

import sys
from pathlib import Path

from boardgames.record import Record
from boardgames.store import NewMatch, Store

if __name__ == "__main__":
    path, count, name = sys.argv[1:]
    record = Record("connect4", start="-", names=(name, "Bob"), moves=("4", "4", "5"))
    match = NewMatch.of(record, variant="")
    with Store(Path(path)) as store:
        sys.stdout.write("open\n")
        sys.stdout.flush()
        for _ in range(int(count)):
            sys.stdout.write(f"{store.add([match])[0]}\n")
            sys.stdout.flush()
