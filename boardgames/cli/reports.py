"""What `bg arena` prints: the report of an arena as lines of text and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from boardgames.cli.common import estimate_json
from boardgames.cli.tables import fitting_names, table_lines
from boardgames.draw.text import printable

if TYPE_CHECKING:
    from boardgames.arena.report import Report, SprtState, Standing

BESIDE_NAMES = 46
"""Signs that the other columns of a table take, as a rule."""
FEW = 0.02
"""Above this share of pairs that repeat others, of all matches, the report says so."""
MOST_MEETINGS = 15


def report_json(report: "Report") -> dict[str, object]:
    """Return a report as JSON has it."""
    share = report.first_side_share
    return {
        "game": report.game,
        "matches": report.matches,
        "planned": report.planned,
        "distinct": report.distinct,
        "repeated_pairs": report.repeated,
        "first_side_share": share if share is None else round(share, 6),
        "players": [_standing_json(standing) for standing in report.standings],
        "encounters": [
            {
                "first": report.standings[met.first].agent,
                "second": report.standings[met.second].agent,
                "wins": met.wins,
                "losses": met.losses,
                "draws": met.draws,
            }
            for met in report.encounters
        ],
        "pairs": None if report.pairs is None else list(report.pairs.counts),
        "superiority": None if report.superiority is None else round(report.superiority, 6),
        "sprt": None if report.sprt is None else _sprt_json(report.sprt),
    }


def _standing_json(standing: "Standing") -> dict[str, object]:
    return {
        "agent": standing.agent,
        "wins": standing.wins,
        "losses": standing.losses,
        "draws": standing.draws,
        **estimate_json(standing.estimate),
        "faults": sum(standing.faults.values()),
        "faults_by_kind": dict(standing.faults),
    }


def _sprt_json(state: "SprtState") -> dict[str, object]:
    lower, upper = state.test.bounds
    return {
        "elo0": state.test.elo0,
        "elo1": state.test.elo1,
        "llr": round(state.llr, 4),
        "lower": round(lower, 4),
        "upper": round(upper, 4),
        "decision": state.decision,
    }


def report_lines(report: "Report", names: Sequence[str]) -> list[str]:
    """Return a report as lines of text, for a terminal of 80 columns; `names` are those of the agents."""
    ranked = report.ranked
    fitting = fitting_names(list(names), beside=BESIDE_NAMES)
    called = {standing.agent: name for standing, name in zip(report.standings, fitting, strict=True)}
    rows: list[tuple[str, ...]] = [("agent", "wins", "losses", "draws", "score", "Elo")]
    rows += [_row(standing, called) for standing in ranked]
    table = table_lines(rows, right=range(1, 6), cut=())
    lines = [_headline(report), "", *table, "", *_meetings(report, called), *_remarks(report, called)]
    while not lines[-1]:
        lines.pop()
    return lines


def _headline(report: "Report") -> str:
    parts = [f"{report.game}: {report.matches} matches"]
    if report.matches:
        parts.append(f"{report.distinct} distinct")
    if report.first_side_share is not None:
        parts.append(f"the first side has {report.first_side_share:.1%}")
    return ", ".join(parts)


def _row(standing: "Standing", called: "Mapping[str, str]") -> tuple[str, ...]:
    score = "" if standing.score is None else f"{standing.score:.1%}"
    elo = "?" if standing.estimate is None else str(standing.estimate)
    numbers = (standing.wins, standing.losses, standing.draws)
    return called[standing.agent], *map(str, numbers), score, elo


def _meetings(report: "Report", called: "Mapping[str, str]") -> list[str]:
    """Return who beat whom, where more than two have met and a screen can hold it."""
    if len(report.standings) == 2 or not 0 < len(report.encounters) <= MOST_MEETINGS:
        return []
    names = [called[standing.agent] for standing in report.standings]
    rows = [
        (f"{names[met.first]} - {names[met.second]}", f"{met.wins}-{met.losses}-{met.draws}")
        for met in report.encounters
    ]
    return ["wins, losses and draws of the first:", *table_lines(rows, right=[1], cut=[0]), ""]


def _remarks(report: "Report", called: "Mapping[str, str]") -> "Iterator[str]":
    if report.pairs is not None and report.pairs.count and report.superiority is not None:
        first = called[report.standings[0].agent]
        counts = " ".join(map(str, report.pairs.counts))
        yield f"pairs of {first} by points, 0 to 2 in halves: {counts}"
        yield f"likelihood that {first} is the stronger one: {report.superiority:.1%}"
    elif report.pairs is None and report.matches:
        yield "Elo is over the mean of all"
    if any(standing.estimate is None and standing.matches for standing in report.standings):
        yield "?: nothing compares these with the others, not even through others"
    for standing in report.standings:
        faults = ", ".join(f"{times} by {kind}" for kind, times in standing.faults.items() if times)
        if faults:
            yield f"{called[standing.agent]} lost {faults}: {printable(standing.reason)}"
    if report.sprt is not None:
        yield _sprt_line(report.sprt)
    if report.repeated > FEW * report.matches:
        yield (
            f"{report.repeated} of {report.matches // 2} pairs repeat another one: "
            "intervals are too narrow; take more openings"
        )


def _sprt_line(state: "SprtState") -> str:
    lower, upper = state.test.bounds
    accepted = {"H0": state.test.elo0, "H1": state.test.elo1}
    decision = "no decision yet"
    if state.decision is not None:
        decision = f"{state.decision} accepted: nearer to {accepted[state.decision]:+g} Elo"
    return f"{state.test}: ratio {state.llr:.2f} in [{lower:.2f}, {upper:.2f}], {decision}"
