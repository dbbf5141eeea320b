"""`bg games`, `bg agents`, `bg plugins`: what there is."""

import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from boardgames.cli.loading import load_game
from boardgames.cli.options import examples, json_option
from boardgames.cli.output import print_json
from boardgames.cli.progress import compile_notice
from boardgames.plugins import Offer, Registry, registry

if TYPE_CHECKING:
    from boardgames.game import Game
    from boardgames.options import Option


@click.command(epilog=examples("boardgames games", "boardgames games abalone", "boardgames games --json"))
@click.argument("game", required=False)
@json_option
def games(game: str | None, as_json: bool) -> None:
    """List the games that plug-ins offer; or GAME with its options, layouts and notations."""
    found = registry()
    if game is not None:
        found.check_name("games", game)
    offers = [offer for offer in found.offers("games") if game in (None, offer.entry.name)]
    _print("games", found, offers, as_json)
    if game is not None and not as_json:
        _print_facts(load_game(game, None, (), searches=False))


@click.command(epilog=examples("boardgames agents", "boardgames agents abalone", "boardgames agents --json"))
@click.argument("game", required=False)
@json_option
def agents(game: str | None, as_json: bool) -> None:
    """List the agents: those that GAME can use with their options, or all."""
    found = registry()
    if game is not None:
        found.check_name("games", game)
    offers = found.offers("agents", game)
    if game is None or as_json:
        _print("agents", found, offers, as_json)
        return
    for offer in offers:
        with compile_notice():
            declared = found.load("agents", offer.entry.name, game).declared_options
        _print("agents", found, [offer], as_json)
        _print_options(declared)


@click.command(
    epilog=examples(
        "boardgames plugins", "boardgames plugins --json", "BOARDGAMES_BLOCK=hexifence bg plugins"
    )
)
@json_option
def plugins(as_json: bool) -> None:
    """List the plug-ins that were found; one that is broken is shown with its error."""
    found = registry()
    found.check_targets()
    if as_json:
        rows = [
            {"name": plugin.name, "summary": plugin.summary, "plugin": plugin.name, "error": plugin.error}
            for plugin in found.plugins
        ]
        print_json(plugins=rows)
        return
    for plugin in found.plugins:
        click.echo(f"{plugin.name:<16} {plugin.version:<8} {plugin.summary}")
        if plugin.error:
            click.echo(f"{'':<16} error: {plugin.error}")


def _print(kind: str, found: Registry, offers: list[Offer], as_json: bool) -> None:
    errors = {plugin.name: plugin.error for plugin in found.plugins}
    if as_json:
        rows = [
            {
                "name": offer.entry.name,
                "summary": offer.entry.summary,
                "plugin": offer.plugin,
                "error": errors.get(offer.plugin),
            }
            for offer in offers
        ]
        print_json(**{kind: rows})
        return
    for offer in offers:
        where = f" ({offer.entry.game} only)" if offer.entry.game else ""
        click.echo(_wrapped(f"{offer.entry.name:<16} {offer.entry.summary}{where}", 17))
    if kind == "games":
        broken = [plugin for plugin in found.plugins if plugin.error]
        for plugin in broken:
            click.echo(f"bg: warning: plug-in {plugin.name!r}: {plugin.error}", err=True)


def _print_facts(game: "Game") -> None:
    facts = game.facts
    _print_options(facts.options)
    click.echo(f"  layouts: {', '.join(facts.layouts)}")
    click.echo(f"  move notations: {', '.join(facts.move_notations)}")
    click.echo(f"  position notations: {', '.join(facts.position_notations)}")
    click.echo(f"  default agent: {facts.default_agent}")


def _print_options(options: "Iterable[Option]") -> None:
    for option in options:
        default = "not set" if option.default is None else str(option.default).lower()
        click.echo(_wrapped(f"  {option.name}={option.describe_values()} ({default}): {option.summary}", 6))


def _wrapped(line: str, indent: int) -> str:
    """Return a line as several ones where the terminal is narrower, all but the first indented."""
    if not sys.stdout.isatty():
        return line
    width, margin = shutil.get_terminal_size().columns, " " * indent
    return textwrap.fill(
        line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )
