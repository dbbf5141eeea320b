"""Tables as plain HTML, for notebooks. They have captions and headings, and every text is escaped."""

from collections.abc import Iterable, Sequence
from html import escape


def html_text(text: object) -> str:
    """Return a value as escaped text for HTML; characters that cannot be encoded become `?`.

    Examples
    --------
    >>> html_text("<b> & " + chr(0xD800))
    '&lt;b&gt; &amp; ?'
    """
    return escape(str(text).encode(errors="replace").decode())


def fact_table(caption: str, facts: Iterable[tuple[str, object]]) -> str:
    """Return a table of names and values, one row for each.

    Examples
    --------
    >>> fact_table("", [("First", "Ann")])
    '<table><tr><th scope="row">First</th><td>Ann</td></tr></table>'
    """
    rows = (
        f'<tr><th scope="row">{html_text(name)}</th><td>{html_text(value)}</td></tr>' for name, value in facts
    )
    return f"<table>{_caption(caption)}{''.join(rows)}</table>"


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with a row of headings; the first cell of each other row is its heading.

    Examples
    --------
    >>> table("Wins", ["agent", "wins"], [("greedy", 3)])[:64]
    '<table><caption>Wins</caption><thead><tr><th scope="col">agent</'
    """
    head = "".join(f'<th scope="col">{html_text(name)}</th>' for name in heads)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return f"<table>{_caption(caption)}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _caption(caption: str) -> str:
    return f"<caption>{html_text(caption)}</caption>" if caption else ""


def _cells(row: Sequence[object]) -> str:
    first, *others = (html_text(value) for value in row)
    return f'<th scope="row">{first}</th>' + "".join(f"<td>{value}</td>" for value in others)
