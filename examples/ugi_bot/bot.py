"""A UGI engine for Connect Four that wins if it can, else blocks, else plays near the middle."""

import sys
from itertools import takewhile

EMPTY = "/".join(["......."] * 6)
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))


def parse(words: list[str]) -> list[str]:
    """Return the columns, as strings from the bottom up, of `startpos` or `fen ROWS` after `moves`."""
    place = words.index("moves") if "moves" in words else len(words)
    rows = (words[1] if words[0] == "fen" else EMPTY).split("/")
    columns = ["".join(stones).rstrip(".") for stones in zip(*reversed(rows), strict=True)]
    for move in words[place + 1 :]:
        columns = drop(columns, int(move) - 1, "rb"[turn(columns)])
    return columns


def turn(columns: list[str]) -> int:
    """Return the side to move: 0 for red, 1 for blue."""
    return sum(map(len, columns)) % 2


def drop(columns: list[str], place: int, stone: str) -> list[str]:
    """Return the columns with one stone added."""
    return [column + stone * (index == place) for index, column in enumerate(columns)]


def wins(columns: list[str], stone: str) -> bool:
    """Return True if four of these stones are in a line."""
    cells = {(x, y) for x, column in enumerate(columns) for y, held in enumerate(column) if held == stone}
    return any(all((x + i * a, y + i * b) in cells for i in range(4)) for x, y in cells for a, b in STEPS)


def choose(columns: list[str]) -> int:
    """Return the column to play, 1 to 7."""
    places = [place for place in (3, 2, 4, 1, 5, 0, 6) if len(columns[place]) < 6]
    for stone in ("rb"[turn(columns)], "br"[turn(columns)]):
        for place in places:
            if wins(drop(columns, place, stone), stone):
                return place + 1
    return places[0] + 1


def result(columns: list[str]) -> str:
    """Return the result in the words of UGI."""
    is_full = sum(map(len, columns)) == 42
    return "p1win" if wins(columns, "r") else "p2win" if wins(columns, "b") else "draw" if is_full else "none"


board, answers = parse(["startpos"]), {"ugi": "id name ugi_bot\nid author you\nugiok", "isready": "readyok"}
for message in takewhile(lambda words: words != ["quit"], map(str.split, sys.stdin)):
    board = parse(message[1:]) if message[:1] == ["position"] else board
    answers["query p1turn"] = f"response {str(turn(board) == 0).lower()}"
    answers["query gameover"] = f"response {str(result(board) != 'none').lower()}"
    answers["query result"] = f"response {result(board)}"
    answer = f"bestmove {choose(board)}" if message[:1] == ["go"] else answers.get(" ".join(message))
    sys.stdout.write(f"{answer}\n" if answer else "")
    sys.stdout.flush()
