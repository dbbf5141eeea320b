"""`bg games`, `bg agents`, `bg plugins`: what there is."""

import click

from boardgames.cli.common import examples, json_option, print_json
from boardgames.plugins import Offer, Registry, registry


@click.command(epilog=examples("bg games", "bg games --json"))
@json_option
def games(as_json: bool) -> None:
    """List the games that plug-ins offer."""
    _print("games", registry(), registry().offers("games"), as_json)


@click.command(epilog=examples("bg agents", "bg agents abalone", "bg agents --json"))
@click.argument("game", required=False)
@json_option
def agents(game: str | None, as_json: bool) -> None:
    """List the agents: those that GAME can use, or all."""
    found = registry()
    if game is not None:
        found.check_name("games", game)
    _print("agents", found, found.offers("agents", game), as_json)


@click.command(epilog=examples("bg plugins", "bg plugins --json", "BOARDGAMES_BLOCK=hexifence bg plugins"))
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
        click.echo(f"{offer.entry.name:<16} {offer.entry.summary}{where}")
    if kind == "games":
        broken = [plugin for plugin in found.plugins if plugin.error]
        for plugin in broken:
            click.echo(f"bg: warning: plug-in {plugin.name!r}: {plugin.error}", err=True)
