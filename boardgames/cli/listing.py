"""`boardgames games`, `rules`, `agents`, `learners` and `plugins`: what is installed."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import (
    complete_agent_name,
    complete_game,
    complete_learner,
)
from boardgames.cli.loading import load_game
from boardgames.cli.options import examples, game_option, json_option
from boardgames.cli.output import (
    one_line,
    print_error,
    print_json,
    print_options,
    print_table,
    rules_text,
    say,
    wrap,
)
from boardgames.cli.program import EXIT_CHECK_FAILED, PROGRAM
from boardgames.cli.progress import spinner
from boardgames.compiling import compilation_at_import
from boardgames.errors import UnknownNameError, quote
from boardgames.plugins import Kind, Offer, Registry, registry

if TYPE_CHECKING:
    from boardgames.game import Game

NAME_COLUMNS = 11


LEARNERS = {"patterns": " --learner ntuple", "network": " --learner alphazero"}
"""Options of `train` that produce the patterns or the network that an agent needs."""


@click.command(epilog=examples("boardgames games", "boardgames games abalone", "boardgames games --json"))
@click.argument("game", required=False, shell_complete=complete_game)
@json_option
def games(game: str | None, as_json: bool) -> None:
    """List the installed games, or show the options, layouts and notations of GAME."""
    loaded = registry()
    if game is not None:
        loaded.check_name("games", game)
    offers = [offer for offer in loaded.offers("games") if game in (None, offer.entry.name)]
    if as_json:
        print_json(games=_offers_json(loaded, offers))
        return
    _print_offers(offers)
    for plugin in loaded.plugins:
        if plugin.error:
            print_error(f"plug-in {plugin.name!r}: {plugin.error}", kind="warning")
    if game is not None:
        _print_facts(load_game(game, None, ()))


@click.command(
    epilog=examples(
        "boardgames agents",
        "boardgames agents abalone",
        "boardgames agents abalone alphabeta",
        "boardgames agents abalone --json",
    )
)
@click.argument("game", required=False, shell_complete=complete_game)
@click.argument("agent", required=False, shell_complete=complete_agent_name)
@json_option
def agents(game: str | None, agent: str | None, as_json: bool) -> None:
    """List the agents, or those that can play GAME, or the options of AGENT in GAME."""
    loaded = registry()
    if game is not None and agent is None and game in {offer.entry.name for offer in loaded.offers("agents")}:
        raise UnknownNameError(f"{quote(game)} is an agent; `{PROGRAM} agents GAME {game}` shows its options")
    if game is not None:
        loaded.check_name("games", game)
    if agent is not None:
        _show_one("agents", loaded, agent, game, as_json)
        return
    from boardgames.weights.lookup import usable_agents

    offers = loaded.offers("agents") if game is None else usable_agents(game)
    if as_json:
        print_json(agents=_offers_json(loaded, offers))
        return
    _print_groups(offers)
    say(f"\n`{PROGRAM} agents {game or 'GAME'} AGENT` shows the options of an agent.")
    if game is not None:
        for offer in loaded.offers("agents", game):
            if offer not in offers:
                needs = offer.entry.needs
                learner = next((name for need, name in LEARNERS.items() if need in needs), "")
                command = f"{PROGRAM} train {game}{learner}"
                say(wrap(f"{offer.entry.name} can play once weights are learned: `{command}`", 2))


@click.command(
    epilog=examples(
        "boardgames learners",
        "boardgames learners evolve",
        "boardgames learners --game hexifence",
        "boardgames learners --json",
    )
)
@click.argument("learner", required=False, shell_complete=complete_learner)
@click.option(
    "--game",
    "game_name",
    metavar="GAME",
    shell_complete=complete_game,
    help="Only the learners that this game has features or patterns for.",
)
@json_option
def learners(learner: str | None, game_name: str | None, as_json: bool) -> None:
    """List the learners, which `boardgames train` uses, or show the options of LEARNER."""
    loaded = registry()
    if game_name is not None:
        loaded.check_name("games", game_name)
    if learner is not None:
        _show_one("learners", loaded, learner, game_name, as_json)
    elif as_json:
        print_json(learners=_offers_json(loaded, loaded.offers("learners", game_name)))
    else:
        _print_groups(loaded.offers("learners", game_name))
        say(f"\n`{PROGRAM} learners LEARNER` shows the options of a learner.")


@click.command(epilog=examples("boardgames rules abalone", "boardgames rules connect4"))
@click.argument("game_name", metavar="GAME", shell_complete=complete_game)
@game_option
def rules(game_name: str, options: tuple[str, ...]) -> None:
    """Explain the rules of GAME in one paragraph."""
    facts = load_game(game_name, None, options).facts
    say(wrap(rules_text(facts), 0))


@click.command(
    epilog=examples(
        "boardgames plugins",
        "boardgames plugins --check",
        "boardgames plugins --json",
        "BOARDGAMES_BLOCK=hexifence boardgames plugins",
    )
)
@click.option(
    "--check",
    "is_thorough",
    is_flag=True,
    help="Import everything the plug-ins offer, and report what fails.",
)
@json_option
@click.pass_context
@compilation_at_import()
def plugins(context: click.Context, is_thorough: bool, as_json: bool) -> None:
    """List the installed plug-ins, with the errors of those that failed to load.

    What a plug-in offers is imported when it is first used. --check imports
    everything now, which compiles the kernels of all games that are not cached
    yet. The exit code is then 1 if a plug-in has an error.
    """
    loaded = registry()
    if is_thorough:
        with spinner("checking plug-ins") as update:
            loaded.check_targets(
                lambda name, done, total: update(f"checking plug-in {name}, {done} of {total}")
            )
    group = context.find_root().command
    if isinstance(group, click.Group):
        group.list_commands(context)  # so that plug-ins which fail to add commands are listed too
    if as_json:
        rows = [
            {"name": plugin.name, "summary": plugin.summary, "plugin": plugin.name, "error": plugin.error}
            for plugin in loaded.plugins
        ]
        print_json(plugins=rows)
    else:
        _print_plugins(loaded)
    if is_thorough and any(plugin.error for plugin in loaded.plugins):
        context.exit(EXIT_CHECK_FAILED)


def _print_plugins(loaded: Registry) -> None:
    table = [("plug-in", "version", "")]
    for plugin in loaded.plugins:
        table.append((plugin.name, plugin.version, plugin.summary))
        if plugin.error:
            table.append(("", "", f"error: {plugin.error}"))
    print_table([tuple(map(one_line, row)) for row in table], right=(), cut=(), wrapped=(2,))


def _show_one(kind: Kind, loaded: Registry, name: str, game: str | None, as_json: bool) -> None:
    """Print the summary and options of one agent or learner."""
    loaded.check_name(kind, name, game)
    offer = next(offer for offer in loaded.offers(kind, game) if offer.entry.name == name)
    options = loaded.load(kind, name, game).declared_options
    if as_json:
        rows = _offers_json(loaded, [offer])
        rows[0]["options"] = [option.description for option in options]
        print_json(**{kind: rows})
        return
    say(wrap(f"{name}: {one_line(offer.entry.summary)}", 2))
    if options:
        say()
        print_options(options)
    else:
        say("no options")


def _offers_json(loaded: Registry, offers: Iterable[Offer]) -> list[dict[str, object]]:
    errors = {plugin.name: plugin.error for plugin in loaded.plugins}
    return [
        {
            "name": offer.entry.name,
            "summary": offer.entry.summary,
            "plugin": offer.plugin,
            "error": errors.get(offer.plugin),
        }
        for offer in offers
    ]


def _print_groups(offers: list[Offer]) -> None:
    """Print one line for each offer: those for every game, then those for one game only."""
    owners = sorted({offer.entry.game or "" for offer in offers})
    for number, owner in enumerate(owners):
        if len(owners) > 1:
            gap = "\n" if number else ""
            say(f"{gap}for {owner} only:" if owner else f"{gap}for every game:")
        _print_offers([offer for offer in offers if (offer.entry.game or "") == owner], 2 * (len(owners) > 1))


def _print_offers(offers: list[Offer], indent: int = 0) -> None:
    """Print the name and summary of each offer, one line each if the summary is not too long."""
    width = max([NAME_COLUMNS, *(len(offer.entry.name) for offer in offers)])
    for offer in offers:
        line = f"{'':<{indent}}{offer.entry.name:<{width}} {one_line(offer.entry.summary)}"
        say(wrap(line, indent + width + 1))


def _print_facts(game: "Game") -> None:
    facts = game.facts
    for name, values in (
        ("layouts", game.layout_names),
        ("move notations", facts.move_notations),
        ("position notations", facts.position_notations),
        ("default agent", [facts.default_agent]),
    ):
        say(wrap(f"  {name}: {', '.join(values)}", 4))
    if facts.options:
        say()
        print_options(facts.options)
