"""`boardgames check`: the conformance tests for a game, for authors of plug-ins."""

import sys

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.loading import load_game
from boardgames.cli.options import NON_NEGATIVE, POSITIVE, Number, examples, game_options, json_option
from boardgames.cli.output import print_json, say
from boardgames.cli.program import EXIT_CHECK_FAILED


@click.command(
    epilog=examples(
        "boardgames check abalone",
        "boardgames check hexifence --option dimension=2 --json",
        "boardgames check mygame --reference my_package.slow:Rules",
    )
)
@click.argument("game_name", metavar="GAME", shell_complete=complete_game)
@game_options
@click.option(
    "--matches", type=POSITIVE, default=24, show_default=True, metavar="N", help="Random matches to play."
)
@click.option(
    "--positions",
    type=POSITIVE,
    default=120,
    show_default=True,
    metavar="N",
    help="Positions to test in depth.",
)
@click.option(
    "--seed", type=NON_NEGATIVE, default=0, show_default=True, metavar="N", help="Seed of the matches."
)
@click.option(
    "--perft-depth",
    type=Number(int, 1, 20),
    metavar="N",
    help="Maximum depth of the declared perft counts to verify.",
)
@click.option(
    "--reference", metavar="MODULE:CLASS", help="Reference implementation of the rules to compare with."
)
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
    """Test the kernels, notations, pictures and declared facts of GAME.

    The tests run on positions from random matches. The exit code is 1 if any
    of them fails.
    """
    game = load_game(game_name, layout, options)
    from boardgames.testing import check_game, load_reference

    sys.path.append("")  # an installed program does not search the current folder
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
            checks=[{"name": check.name, "covered": check.covered} for check in report.checks],
            findings=[{"check": finding.check, "message": finding.message} for finding in report.findings],
            notes=list(report.notes),
        )
    else:
        say(str(report))
    click.get_current_context().exit(0 if report.ok else EXIT_CHECK_FAILED)
