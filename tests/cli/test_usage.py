import click
import pytest

from boardgames.cli.usage import told


@click.command("greet")
@click.argument("name")
@click.option("--count", type=click.IntRange(1), default=1)
@click.option("--mood", type=click.Choice(["calm", "wild"]))
@click.option("--loud", is_flag=True)
def greet(name: str, count: int, mood: str, loud: bool) -> None:
    """Stand for a command of a plug-in, which uses what click has."""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected NAME: nothing came"),
        (["a", "b"], "expected no further argument: 'b'"),
        (["a", "--cuont", "1"], "no option '--cuont'; did you mean '--count'?"),
        (["a", "--zzz"], "no option '--zzz'; --help lists the options"),
        (["a", "--count"], "expected a value after --count: nothing came"),
        (["a", "--loud=1"], "expected no value for --loud: one came"),
        (["a", "--mood", "odd"], "expected one of calm, wild: 'odd'"),
        (["a", "--count", "x"], "expected another value for --count: 'x' is not a valid integer range"),
    ],
)
def test_what_click_finds_is_said_in_one_clause(arguments: list[str], message: str) -> None:
    with pytest.raises(click.ClickException) as caught:
        greet.main(arguments, standalone_mode=False)
    assert told(caught.value) == message


def test_a_message_of_a_plugin_stays_as_it_is() -> None:
    assert told(click.UsageError("expected a quiet room")) == "expected a quiet room"
