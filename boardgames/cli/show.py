"""`boardgames show`: a position with its legal moves, score and outcome, as text, SVG or JSON."""

from pathlib import Path

import click

from boardgames.cli.loading import load_position
from boardgames.cli.options import examples, json_option, position_options
from boardgames.cli.output import outcome_json, outcome_text, print_json, print_picture, wrapped_moves


@click.command(
    epilog=examples(
        "boardgames show abalone",
        "boardgames show abalone --layout standard --svg board.svg",
        "boardgames show connect4 4453",
        "boardgames show connect4 --moves '4 4 5 3'",
        "boardgames show hexifence --option dimension=2 --json",
    )
)
@click.argument("game")
@position_options
@click.option("--notation", metavar="NAME", help="Notation for the moves.")
@click.option("--flip", is_flag=True, help="Turn the board around.")
@click.option(
    "--svg", "svg_file", type=click.Path(path_type=Path), metavar="FILE", help="Draw the board as SVG."
)
@json_option
def show(
    game: str,
    position_argument: str | None,
    position_text: str | None,
    moves: str | None,
    layout: str | None,
    options: tuple[str, ...],
    notation: str | None,
    flip: bool,
    svg_file: Path | None,
    as_json: bool,
) -> None:
    """Show a position of GAME; the start by default."""
    position = load_position(game, layout, options, position_argument, position_text, moves, searches=False)
    rules = position.game
    legal_moves = [rules.format_move(position, move, notation=notation) for move in position.legal_moves]
    if svg_file is not None:
        from boardgames.draw.svg import svg
        from boardgames.paths import write_atomic

        write_atomic(svg_file, svg(position.picture(), flipped=flip))
    if as_json:
        print_json(
            game=game,
            position=str(position),
            side_to_move=position.side_to_move,
            legal_moves=legal_moves,
            outcome=outcome_json(position.outcome),
            score=list(position.score),
        )
        return
    if svg_file is not None:
        click.echo(f"wrote {svg_file}")
        return
    print_picture(position.picture(), flipped=flip)
    click.echo(f"\n{position}")
    if rules.facts.score_name:
        named = zip(rules.facts.sides, position.score, strict=True)
        click.echo(f"{rules.facts.score_name}: " + ", ".join(f"{side} {count}" for side, count in named))
    if position.outcome is not None:
        click.echo(outcome_text(position.outcome, rules))
    else:
        side = rules.facts.sides[position.side_to_move]
        click.echo(f"{side} to move, {len(legal_moves)} legal moves:\n{wrapped_moves(legal_moves)}")
