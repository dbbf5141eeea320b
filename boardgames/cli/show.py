"""`boardgames show`: a position with its legal moves, score, outcome and features, as text, SVG or JSON."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.loading import load_position, split_notation
from boardgames.cli.options import OutputFile, apply_moves, examples, json_option, position_options
from boardgames.cli.output import (
    count_text,
    outcome_text,
    print_json,
    print_picture,
    print_table,
    say,
    wrapped_moves,
)
from boardgames.compiling import rules_interpreted
from boardgames.errors import OptionError, UnknownNameError, quote, suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boardgames.game import Position
    from boardgames.picture import Overlay
    from boardgames.weights.explain import Explanation


@click.command(
    epilog=examples(
        "boardgames show abalone",
        "boardgames show abalone --layout standard --svg board.svg",
        "boardgames show connect4 4453",
        "boardgames show connect4 --moves '4 4 5 3'",
        "boardgames show connect4 4453 --features",
        "boardgames show hexifence --option dimension=2 --json",
        "boardgames show abalone Test1.input --successors --notation course",
    )
)
@click.argument("game", shell_complete=complete_game)
@position_options
@click.option(
    "--successors",
    "lists_successors",
    is_flag=True,
    help="Print only the position after each legal move, one per line.",
)
@click.option("--flip", is_flag=True, help="Turn the board around.")
@click.option("--svg", "svg_file", type=OutputFile(), metavar="FILE", help="Draw the board as SVG.")
@click.option(
    "--features", "has_features", is_flag=True, help="Show overlays, and the features with their weights."
)
@click.option(
    "--weights",
    "weights_text",
    metavar="NAME|RUN|FILE",
    help="Weights for --features; default: the weights named td, if the game has any.",
)
@json_option
@rules_interpreted()
def show(
    game: str,
    position_argument: str | None,
    position_text: str | None,
    moves: str | None,
    layout: str | None,
    options: tuple[str, ...],
    notation: str | None,
    lists_successors: bool,
    flip: bool,
    svg_file: Path | None,
    has_features: bool,
    weights_text: str | None,
    as_json: bool,
) -> None:
    """Show a position of GAME; the start by default.

    POSITION may also be the name of a file with a position, or `-` for standard
    input. --notation names the notation in which the position or the legal moves
    are printed.

    With --features, the game's overlays are drawn over the board, such as the
    chains of Hexifence. The features of the position are listed below, each with
    its weight and its contribution to the value of the position. They are those of
    the side that made the last move of --moves or, without --moves, of the side
    that is not to move, because `td` evaluates the position after a move.
    """
    if weights_text is not None and not has_features:
        raise OptionError("--weights needs --features")
    if lists_successors and (svg_file is not None or has_features):
        raise OptionError("--successors cannot be used with --svg or --features")
    first = load_position(game, layout, options, position_argument, position_text, None, notation)
    rules = first.game
    for_position, for_moves = split_notation(rules, notation)
    position = apply_moves(first, moves, for_moves)
    if lists_successors:
        _print_successors(position, notation, as_json)
        return
    overlays: tuple[Overlay, ...] = ()
    explained = None
    if has_features:
        overlays, explained = _load_features(position, _last_mover(first, moves, for_moves), weights_text)
    picture = position.picture().with_overlays(*overlays)
    text = rules.format(position, notation=for_position)
    legal_moves = [rules.format_move(position, move, notation=for_moves) for move in position.legal_moves]
    if svg_file is not None:
        from boardgames.draw.svg import svg
        from boardgames.paths import write_atomic

        write_atomic(svg_file, svg(picture, flipped=flip))
    if as_json:
        print_json(
            game=game,
            position=text,
            side_to_move=position.side_to_move,
            legal_moves=legal_moves,
            outcome=position.outcome,
            score=position.score,
            **(_features_json(explained, overlays) if has_features else {}),
        )
        return
    if svg_file is not None:
        say(f"wrote {svg_file}")
        return
    print_picture(picture, flipped=flip)
    say(f"\n{text}")
    _print_state(position, legal_moves)
    if explained is not None:
        _print_features(explained, position)


def _print_state(position: "Position", legal_moves: "Sequence[str]") -> None:
    """Print the points, and the outcome or the legal moves."""
    facts = position.game.facts
    if facts.score_name:
        named = zip(facts.sides, position.score, strict=True)
        say(f"{facts.score_name}: " + ", ".join(f"{side} {count}" for side, count in named))
    if position.outcome is not None:
        say(outcome_text(position.outcome, position.game))
        return
    side = facts.sides[position.side_to_move]
    count = count_text(len(legal_moves), "legal move")
    say(f"{side} to move, {count}:\n{wrapped_moves(legal_moves)}")


def _print_successors(position: "Position", notation: str | None, as_json: bool) -> None:
    """Print the positions after each legal move, separated by empty lines if they take several lines."""
    game = position.game
    if notation is not None and notation not in game.facts.position_notations:
        known = game.facts.position_notations
        raise UnknownNameError(
            f"{game.facts.name} has no notation {quote(notation)} for positions{suggest(notation, known)}"
        )
    texts = game.successor_texts(position, notation)
    if as_json:
        print_json(game=game.facts.name, position=str(position), successors=texts)
    elif texts:
        say(("\n\n" if any("\n" in text for text in texts) else "\n").join(texts))


def _last_mover(position: "Position", moves: str | None, notation: str | None) -> int | None:
    """Return the side that made the last of the moves, or None if there are none.

    This does not follow from the side to move, because in some games the same side may move again.
    """
    positions = position.line(moves or "", notation=notation)
    return positions[-2].side_to_move if len(positions) > 1 else None


def _load_features(
    position: "Position", side: int | None, weights_text: str | None
) -> "tuple[tuple[Overlay, ...], Explanation | None]":
    """Return the overlays and the features of a position; a game with overlays need not have features."""
    from boardgames.plugins import load_overlay, overlay_names, registry

    game = position.game
    overlays = tuple(load_overlay(name, position) for name in overlay_names(game))
    if overlays and weights_text is None and not registry().offers("features", game.facts.name):
        return overlays, None
    return overlays, _explain(position, side, weights_text)


def _explain(position: "Position", side: int | None, weights_text: str | None) -> "Explanation":
    """Return the features of a position, with the given weights or, if the game has some, `td` weights."""
    from boardgames.learning.base import find_features
    from boardgames.learning.player import DEFAULT_WEIGHTS
    from boardgames.weights.explain import explain
    from boardgames.weights.lookup import find_weights, offered_names

    if weights_text is None and DEFAULT_WEIGHTS not in offered_names(position.game):
        return explain(position, find_features(position.game, ""), side=side)
    name = DEFAULT_WEIGHTS if weights_text is None else weights_text
    weights, features = find_weights(name, position.game)
    return explain(position, features, weights, name, side=side)


def _print_features(explained: "Explanation", position: "Position") -> None:
    """Print the features as a table, and the value below it."""
    sides = position.game.facts.sides
    side = sides[explained.side]
    turn = "" if position.outcome is not None else f", with {sides[position.side_to_move]} to move"
    say(f"\nfeatures {explained.features} from the point of view of {side}{turn}")
    if explained.total is None:
        rows = [("feature", "value"), *((one.name, f"{one.value:.4g}") for one in explained.terms)]
        print_table(rows, right=(1,), cut=())
        return
    weighted = [("feature", "value", "weight", "contribution")]
    for one in explained.terms:
        assert one.weight is not None
        assert one.contribution is not None
        weighted.append((one.name, f"{one.value:.4g}", f"{one.weight:.4f}", f"{one.contribution:+z.4f}"))
    print_table([*weighted, ("sum", "", "", f"{explained.total:+z.4f}")], right=(1, 2, 3), cut=())
    if explained.is_squashed:
        say(f"value for {side} with weights {explained.weights}: tanh of the sum, {explained.value:+z.4f}")
    else:
        unit = f" {explained.unit}" if explained.unit else ""
        say(f"value for {side} with weights {explained.weights}: {explained.value:+z.4f}{unit}")


def _features_json(explained: "Explanation | None", overlays: "tuple[Overlay, ...]") -> dict[str, object]:
    return {
        "features": None if explained is None else _explanation_json(explained),
        "overlays": overlays,
    }


def _explanation_json(explained: "Explanation") -> dict[str, object]:
    return {
        "set": explained.features,
        "weights": explained.weights,
        "side": explained.side,
        "terms": explained.terms,
        "sum": explained.total,
        "value": explained.value,
    }
