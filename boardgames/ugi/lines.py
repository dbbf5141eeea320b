"""Cut a stream of bytes into lines, whatever comes, in bounded memory."""

LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is read: a match of a hundred thousand plies."""


class Lines:
    r"""Collects bytes and gives the lines that are complete.

    Bytes that are no UTF-8 become replacement signs. A line of more than
    `longest` bytes is dropped and counted.

    Parameters
    ----------
    longest : int
        Bytes of the longest line that is kept.

    Examples
    --------
    >>> lines = Lines(longest=8)
    >>> lines.feed(b"ugi\r\nisre"), lines.feed(b"ady\n much too long\nquit")
    (['ugi'], ['isready'])
    >>> lines.dropped, lines.feed(b"\n")
    (1, ['quit'])
    """

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self.longest = longest
        self.dropped = 0
        self._rest = b""
        self._is_skipping = False

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that `data` completes, without their ends and outer spaces."""
        *ended, self._rest = (self._rest + data).split(b"\n")
        kept = [line for line in ended if self._is_kept(line)]
        if len(self._rest) > self.longest:
            self._rest, self._is_skipping = b"", True
        return [line.decode("utf-8", "replace").strip() for line in kept]

    def _is_kept(self, line: bytes) -> bool:
        is_kept = not self._is_skipping and len(line) <= self.longest
        self.dropped += not is_kept
        self._is_skipping = False
        return is_kept
