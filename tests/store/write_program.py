"""Test program: adds matches to a store and prints the ID of each one once it is stored.

python write_program.py PATH COUNT NAME
"""

import sys
from pathlib import Path

from boardgames.record import Record
from boardgames.store import NewMatch, Store

if __name__ == "__main__":
    path, count, name = sys.argv[1:]
    record = Record("connect4", start="-", names=(name, "Bob"), moves=("4", "4", "5"))
    match = NewMatch.from_record(record, variant="", seconds=(0.0, 0.0))
    with Store(Path(path)) as store:
        sys.stdout.write("open\n")
        sys.stdout.flush()
        for _ in range(int(count)):
            sys.stdout.write(f"{store.add([match])[0]}\n")
            sys.stdout.flush()
