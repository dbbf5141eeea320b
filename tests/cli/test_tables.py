import pytest

from boardgames.cli.tables import print_table

ROWS = [("7", "a long text that may be cut", "kept"), ("123", "short", "kept too")]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        ("80", ["  7 a long text that may be cut kept", "123 short                       kept too"]),
        ("24", ["  7 a long tex… kept", "123 short       kept too"]),
    ],
)
def test_columns_stand_below_each_other_within_the_line(
    columns: str, lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    print_table(ROWS, right=(0,), cut=(1,))
    assert capsys.readouterr().out.splitlines() == lines


def test_no_text_moves_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    print_table([("a\x1b[2Jb\nc", "[red]d")], right=(), cut=())
    assert capsys.readouterr().out == "a?[2Jb?c [red]d\n"
