"""Descriptions of games for the page: layouts and their pictures, options, and agents."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

from boardgames import plugins
from boardgames.errors import PluginError, PositionError
from boardgames.game import Game
from boardgames.hookspecs import Entry
from boardgames.options import Option, OptionDescription
from boardgames.player import Player
from boardgames.plugins import load
from boardgames.web.messages import (
    AgentEntry,
    GameReply,
    OverlayEntry,
    picture_changes,
    picture_json,
)
from boardgames.web.training import trained_agents
from boardgames.weights.lookup import network_names, usable_agents, usable_names

LEVEL = "level"
"""The agent whose levels the form offers."""
MAX_PICTURES = 60
"""Maximum number of layouts that are shown as pictures."""
NOT_IN_BROWSER = frozenset({"human", "engine"})
"""Agents that pages cannot choose: people have seats of their own, and no page may start programs."""


def load_agents(name: str) -> list[tuple[Entry, type[Player]]]:
    """Load a game and the agents that pages can choose, and return the agents.

    Return the agents. An agent that cannot be loaded is left out with a warning.

    Raises
    ------
    UnknownNameError, PluginError
        If there is no such game, or it cannot be loaded.
    """
    load(name)
    agents = []
    for entry in (offer.entry for offer in usable_agents(name)):
        if entry.name in NOT_IN_BROWSER:
            continue
        try:
            agents.append((entry, plugins.registry().load("agents", entry.name, name)))
        except PluginError as error:
            text = f"the agent {entry.name!r} of {name} cannot be used: {error}"
            warnings.warn(text, RuntimeWarning, stacklevel=1)
    return agents


def is_path(text: str) -> bool:
    """Return True if a text contains a path, which must not be shown or chosen on a page.

    Examples
    --------
    >>> is_path("alphabeta:depth=4"), is_path("~/best.safetensors")
    (False, True)
    """
    return any(sign in text for sign in "/\\~")


def public_name(name: str) -> str:
    """Return the name of a player, without the agent's options if they contain paths.

    Examples
    --------
    >>> public_name("alphabeta:weights=/opt/ann/best.safetensors"), public_name("alphabeta:depth=4")
    ('alphabeta', 'alphabeta:depth=4')
    """
    return name.partition(":")[0] if is_path(name) else name


def description(name: str) -> GameReply:
    """Return what can be chosen for a match of a game."""
    game = load(name)
    facts = game.facts
    learned = {"weights": tuple(usable_names(game)), "network": tuple(network_names(name))}
    loaded = load_agents(name)
    agents = [
        AgentEntry(
            entry.name,
            entry.summary,
            [_described(one, learned) for one in agent.declared_options if one.file != "write"],
        )
        for entry, agent in loaded
    ]
    start = game.start().picture()
    base = picture_json(start)
    pictured = facts.layouts if 1 < len(facts.layouts) <= MAX_PICTURES else ()
    return GameReply(
        name=name,
        title=facts.title,
        move_help=facts.move_help,
        sides=facts.sides,
        colours=start.colours,
        layouts=game.layout_names,
        default_layout=game.layout,
        picture=base,
        pictures={one: picture_changes(base, game.parse(facts.layouts[one]).picture()) for one in pictured},
        options=[option.description for option in facts.options],
        agents=agents,
        default_agent=facts.default_agent,
        premoves=_allows_premoves(game),
        levels=next((_levels(agent.declared_options) for entry, agent in loaded if entry.name == LEVEL), 0),
        trained=trained_agents([*learned["weights"], *learned["network"]]),
        overlays=overlay_entries(name),
        puzzles=bool(plugins.registry().offers("puzzles", name)),
    )


def overlay_entries(game: str) -> list[OverlayEntry]:
    """Return the overlays that plug-ins offer for a game."""
    offers = plugins.registry().offers("overlays", game)
    return [OverlayEntry(offer.entry.name, offer.entry.summary) for offer in offers]


def _allows_premoves(game: Game) -> bool:
    """Return True if the game has positions that differ only in the side to move."""
    start = game.start()
    try:
        game.edit_turn(start, 1 - start.side_to_move)
    except PositionError:
        return False
    return True


def _levels(options: Sequence[Option]) -> int:
    return int(next((option.maximum or 0 for option in options if option.role == "strength"), 0))


def _described(option: Option, learned: Mapping[str, tuple[str, ...]]) -> OptionDescription:
    """Return an option for pages, which choose books, weights and networks by name, not by file."""
    if option.file == "read" and option.default == "true":
        return replace(option.description, choices=("true", "false"))
    if option.role in ("weights", "network"):
        return replace(option.description, choices=learned[option.role])
    return option.description
