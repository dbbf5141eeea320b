"""Checks of the sampled matches as a whole: which actions occurred, how matches ended, and who was ahead.

They need no reference, and find faults that no single position shows: winners who are
mostly behind, or sides that are stuck where they should pass.
"""

import math
from collections.abc import Iterator

from boardgames.declarations import NO_EVALUATION
from boardgames.game import Game
from boardgames.kernels import Words
from boardgames.plain_game import PlainGame
from boardgames.testing.checks import RunningCheck, counted
from boardgames.testing.sampling import Fault, Sample, Walk, more_walks, place, write_moves

CHANCE = 0.001
"""If winners are mostly behind, this is a finding if its probability by chance is at most `CHANCE`."""
DOUBT = 0.3
"""More matches are played while that probability is between `CHANCE` and `DOUBT`."""
MAX_MATCHES = 400
"""Maximum number of matches that are played in case of doubt."""
SHOWN_ACTIONS = 8
REVERSED_POINTS = "`outcome` names the wrong side, or `score` counts what sides want to avoid"
REVERSED_VALUES = (
    "it is negated (larger must be better for the side to move), or `outcome` names the wrong side"
)
STUCK = (
    "which loses: if the side to move must pass, add the pass as an action; "
    "if it loses or draws by the rules, set no_moves_loses or no_moves_draws in the facts"
)


def check_coverage(sample: Sample) -> RunningCheck:
    """List the actions that were never legal. This finds no faults: its result is only informative."""
    yield from ()  # a check is a generator
    game = sample.game
    if not sample.walks:
        return "needs matches"
    seen = {action for walk in sample.walks for step in walk.steps for action in step.actions}
    never = [action for action in range(game.facts.actions) if action not in seen]
    where = f"legal in a position of {len(sample.walks)} matches"
    if isinstance(game, PlainGame) and not game.all_moves():  # an action is only the index of a legal move
        return f"at most {len(seen)} moves were {where}"
    covered = f"{len(seen)} of {game.facts.actions} actions were {where}"
    if never and sample.words:
        texts = [place(game, sample.words[0], action).move for action in never[:SHOWN_ACTIONS]]
        more = f" and {len(never) - SHOWN_ACTIONS} more" if len(never) > SHOWN_ACTIONS else ""
        covered += f", never: {', '.join(texts)}{more}"
    return covered


def check_stuck(sample: Sample) -> RunningCheck:
    """Check that no side is without a legal move, unless the facts say who wins then."""
    game = sample.game
    ends = [walk.steps[-1].words for walk in sample.walks if walk.has_ended] or list(sample.words)
    stuck = [words for words in ends if _is_stuck(game, words)]
    covered = f"{counted(len(stuck), 'side')} stuck at the end of {counted(len(ends), 'match', 'matches')}"
    if stuck and not (game.facts.no_moves_draws or game.facts.no_moves_loses):
        yield Fault(f"{covered}, {STUCK}; for example", stuck[0])
    return covered


def check_results(sample: Sample) -> RunningCheck:
    """Check that winners are not mostly behind in points or in the evaluation."""
    game, name = sample.game, sample.game.facts.score_name
    walks = list(sample.walks)
    if not walks:
        return "needs matches"
    while True:
        decided = [(walk, winner) for walk in walks if (winner := _winner(game, walk)) is not None]
        points = _signs(_points(game, walk, winner) for walk, winner in decided) if name else []
        has_values = game.evaluation is not NO_EVALUATION
        values = _signs(_value(game, walk, winner) for walk, winner in decided) if has_values else []
        chances = [_chance(points), _chance(values)]
        if min(chances) <= CHANCE or min(chances) > DOUBT or len(walks) >= MAX_MATCHES:
            break
        walks += more_walks(sample, min(len(walks), MAX_MATCHES - len(walks)))
    covered = f"{len(decided)} of {counted(len(walks), 'match', 'matches')} won"
    if name:
        covered += f", the winner led in {name} in {points.count(1)} of {len(points)}"
        if _chance(points) <= CHANCE:
            behind = f"{points.count(-1)} of {counted(len(points), 'match', 'matches')}"
            yield f"the winner had fewer {name} than the loser in {behind}: {REVERSED_POINTS}"
    if has_values:
        covered += f", the evaluation favoured the winner in {values.count(1)} of {len(values)}"
        if _chance(values) <= CHANCE:
            behind = f"{values.count(-1)} of {counted(len(values), 'match', 'matches')}"
            yield f"the evaluation favoured the loser in the last quarter of {behind}: {REVERSED_VALUES}"
    return covered


def _is_stuck(game: Game, words: Words) -> bool:
    return game.kernels.outcome(words.copy()) < 0 and not write_moves(game, words).actions


def _winner(game: Game, walk: Walk) -> int | None:
    """Return the side that won, or None."""
    if not walk.has_ended:
        return None
    end = walk.steps[-1]
    if end.outcome >= 0:
        return end.outcome if end.outcome < 2 else None
    return None if game.facts.no_moves_draws else 1 - end.side


def _points(game: Game, walk: Walk, winner: int) -> float:
    """Return the winner's lead in points at the end."""
    points = game.score(walk.steps[-1].words.copy())
    return points[winner] - points[1 - winner]


def _value(game: Game, walk: Walk, winner: int) -> float:
    """Return the sum of the winner's evaluations in the last quarter of a match, but at least two plies."""
    ongoing = walk.steps[:-1]
    last = ongoing[-max(2, len(ongoing) // 4) :]
    evaluation = game.evaluation

    def value(words: Words) -> float:
        return evaluation.value(words.copy())

    return sum(value(step.words) if step.side == winner else -value(step.words) for step in last)


def _signs(values: Iterator[float]) -> list[int]:
    """Return 1 or -1 for each finite value that is not 0."""
    return [1 if value > 0 else -1 for value in values if value and math.isfinite(value)]


def _chance(signs: list[int]) -> float:
    """Return the probability that winners are ahead this rarely by chance (a sign test)."""
    as_few = sum(math.comb(len(signs), count) for count in range(signs.count(1) + 1))
    return as_few / (1 << len(signs))
