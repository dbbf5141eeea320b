"""`boardgames check`: the conformance tests for a game, for authors of plug-ins."""

import sys

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.loading import load_game
from boardgames.cli.options import NON_NEGATIVE, POSITIVE, Number, examples, game_options, json_option
from boardgames.cli.output import print_json, say
from boardgames.cli.program import EXIT_CHECK_FAILED
from boardgames.cli.progress import spinner
from boardgames.compiling import compilation_at_import
from boardgames.errors import OptionError, UnknownNameError, quote, suggest


@click.command(
    epilog=examples(
        "boardgames check abalone",
        "boardgames check hexifence --option dimension=2 --json",
        "boardgames check mygame --reference my_package.slow:Rules",
        "boardgames check tictactoe --position .../.x./... --move a1 --only apply",
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
@click.option(
    "--only", multiple=True, metavar="CHECK", help="Run only this check, named as in the report; repeatable."
)
@click.option(
    "--position",
    "position_texts",
    multiple=True,
    metavar="TEXT",
    help="Check this position instead of random matches; repeatable.",
)
@click.option("--move", metavar="MOVE", help="Check only this move in the positions given with --position.")
@json_option
@compilation_at_import()
def check(
    game_name: str,
    layout: str | None,
    options: tuple[str, ...],
    matches: int,
    positions: int,
    seed: int,
    perft_depth: int | None,
    reference: str | None,
    only: tuple[str, ...],
    position_texts: tuple[str, ...],
    move: str | None,
    as_json: bool,
) -> None:
    """Test the kernels, notations, pictures and declared facts of GAME.

    The tests run on positions from random matches. First, the kernels run in a
    separate process with bounds checks, so that a crash or an endless loop is
    reported like any other fault. A Python method that does not return is
    reported, too. Each finding names the position, the move, and a command that
    reproduces it. Remarks are not faults: they point out what is unusual but may
    be right for this game.

    The exit code is 1 if there are findings; remarks do not change it.
    """
    game = load_game(game_name, layout, options)
    from boardgames.reading import read_position
    from boardgames.testing import CHECKS, check_game, load_reference, reference_file

    for name in only:
        if name not in CHECKS:
            raise UnknownNameError(f"there is no check {quote(name)}{suggest(name, CHECKS)}")
    if move is not None and not position_texts:
        raise OptionError("--move needs --position: say in which position to check the move")
    sys.path.append("")  # an installed program does not import from the current folder
    reference_rules = None if reference is None else load_reference(reference, game)
    file = "" if reference_rules is None else reference_file(reference_rules)
    if file and not as_json:
        say(f"reference: {file}")
    at = [read_position(game, text) for text in position_texts]
    with spinner(f"checking {game_name}") as update:
        report = check_game(
            game,
            matches=matches,
            positions=positions,
            seed=seed,
            reference=reference_rules,
            perft_depth=perft_depth,
            isolated=True,
            only=only,
            at=at,
            move=move or "",
            announce=lambda name: update(f"checking {game_name}: {name}"),
        )
    if as_json:
        print_json(
            game=game_name,
            ok=report.ok,
            checks=report.checks,
            findings=report.findings,
            remarks=report.remarks,
            notes=report.notes,
        )
    else:
        say(str(report))
    click.get_current_context().exit(0 if report.ok else EXIT_CHECK_FAILED)
