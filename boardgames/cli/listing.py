"""`boardgames games`, `agents` and `plugins`: what is installed."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from boardgames.cli.loading import load_game
from boardgames.cli.options import examples, json_option
from boardgames.cli.output import option_line, print_json, wrap
from boardgames.cli.progress import compile_notice
from boardgames.errors import PluginError
from boardgames.plugins import Offer, Registry, registry

if TYPE_CHECKING:
    from boardgames.game import Game
    from boardgames.options import Option


@click.command(epilog=examples("boardgames games", "boardgames games abalone", "boardgames games --json"))
@click.argument("game", required=False)
@json_option
def games(game: str | None, as_json: bool) -> None:
    """List the installed games, or show the options, layouts and notations of GAME."""
    loaded = registry()
    if game is not None:
        loaded.check_name("games", game)
    offers = [offer for offer in loaded.offers("games") if game in (None, offer.entry.name)]
    _print_offers("games", loaded, offers, as_json)
    if game is not None and not as_json:
        _print_facts(load_game(game, None, (), searches=False))


@click.command(epilog=examples("boardgames agents", "boardgames agents abalone", "boardgames agents --json"))
@click.argument("game", required=False)
@json_option
def agents(game: str | None, as_json: bool) -> None:
    """List all agents, or those that play GAME with their options."""
    loaded = registry()
    if game is not None:
        loaded.check_name("games", game)
    offers = loaded.offers("agents", game)
    if game is None or as_json:
        _print_offers("agents", loaded, offers, as_json)
        return
    for offer in offers:
        _print_offers("agents", loaded, [offer], as_json)
        try:
            with compile_notice():
                declared = loaded.load("agents", offer.entry.name, game).declared_options
        except PluginError as error:
            click.echo(wrap(f"  error: {error}", 6))
        else:
            _print_options(declared)


@click.command(
    epilog=examples(
        "boardgames plugins", "boardgames plugins --json", "BOARDGAMES_BLOCK=hexifence boardgames plugins"
    )
)
@json_option
@click.pass_context
def plugins(context: click.Context, as_json: bool) -> None:
    """List the installed plug-ins, with the errors of those that failed to load."""
    loaded = registry()
    loaded.check_targets()
    group = context.find_root().command
    if isinstance(group, click.Group):
        group.list_commands(context)  # so that plug-ins which fail to add commands are listed too
    if as_json:
        rows = [
            {"name": plugin.name, "summary": plugin.summary, "plugin": plugin.name, "error": plugin.error}
            for plugin in loaded.plugins
        ]
        print_json(plugins=rows)
        return
    for plugin in loaded.plugins:
        click.echo(f"{plugin.name:<16} {plugin.version:<8} {plugin.summary}")
        if plugin.error:
            click.echo(f"{'':<16} error: {plugin.error}")


def _print_offers(kind: str, loaded: Registry, offers: list[Offer], as_json: bool) -> None:
    errors = {plugin.name: plugin.error for plugin in loaded.plugins}
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
        click.echo(wrap(f"{offer.entry.name:<16} {offer.entry.summary}{where}", 17))
    if kind == "games":
        for plugin in loaded.plugins:
            if not plugin.error:
                continue
            click.echo(f"warning: plug-in {plugin.name!r}: {plugin.error}", err=True)


def _print_facts(game: "Game") -> None:
    facts = game.facts
    _print_options(facts.options)
    click.echo(f"  layouts: {', '.join(facts.layouts)}")
    click.echo(f"  move notations: {', '.join(facts.move_notations)}")
    click.echo(f"  position notations: {', '.join(facts.position_notations)}")
    click.echo(f"  default agent: {facts.default_agent}")


def _print_options(options: "Iterable[Option]") -> None:
    for option in options:
        click.echo(wrap(f"  {option_line(option)}", 6))
