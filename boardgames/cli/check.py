"""`bg check`: say whether a game keeps what games promise."""

import sys

import click

from boardgames.cli.loading import load_game
from boardgames.cli.options import NON_NEGATIVE, POSITIVE, Number, examples, game_options, json_option
from boardgames.cli.output import print_json

EXIT_FOUND = 1


@click.command(
    epilog=examples(
        "boardgames check abalone",
        "boardgames check hexifence --option dimension=2 --json",
        "boardgames check mygame --reference my_package.slow:Rules",
    )
)
@click.argument("game_name", metavar="GAME")
@game_options
@click.option("--matches", type=POSITIVE, default=24, show_default=True, help="Random matches.")
@click.option("--positions", type=POSITIVE, default=120, show_default=True, help="Closely.")
@click.option("--seed", type=NON_NEGATIVE, default=0, show_default=True, help="Of the matches.")
@click.option("--perft-depth", type=Number(int, 1, 20), help="Deepest declared perft to count.")
@click.option("--reference", metavar="MODULE:CLASS", help="Slow rules to compare with.")
@json_option
def check(
    game_name: str,
    layout: str | None,
    options: tuple[str, ...],
    matches: int,
    positions: int,
    seed: int,
    perft_depth: int | None,
    reference: str | None,
    as_json: bool,
) -> None:
    """Check kernels, notations, pictures and declared facts of GAME on positions it reaches.

    Exits with 1 if anything is found.
    """
    game = load_game(game_name, layout, options)
    from boardgames.testing import check_game, load_reference

    sys.path.append("")  # the installed program does not look into the current folder by itself
    report = check_game(
        game,
        matches=matches,
        positions=positions,
        seed=seed,
        reference=None if reference is None else load_reference(reference, game),
        perft_depth=perft_depth,
    )
    if as_json:
        print_json(
            game=game_name,
            ok=report.ok,
            checks=[{"name": done.name, "covered": done.covered} for done in report.checks],
            findings=[{"check": found.check, "message": found.message} for found in report.findings],
            notes=list(report.notes),
        )
    else:
        click.echo(str(report))
    click.get_current_context().exit(0 if report.ok else EXIT_FOUND)
