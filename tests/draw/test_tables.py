"""What notebooks show of matches, answers of players, reports, runs and features, as HTML."""

from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree as ET

import pytest
from nim import Nim

import boardgames
from boardgames.arena.report import CrosstableEntry, Report, Standing
from boardgames.clock import TimeControl
from boardgames.declarations import Feature, FeatureSet
from boardgames.draw.tables import fact_table, html_text, table
from boardgames.executors import InProcess
from boardgames.game import Move
from boardgames.kernels import Features, Reals, Words, kernel
from boardgames.learning.config import Config
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames.manager import Manager
from boardgames.match_state import MatchRules
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Context, Limit, MoveValue, Player
from boardgames.record import Record
from boardgames.review import review
from boardgames.score import RETURN, Score

TAG = "<script>alert(1)</script>"
CONNECT4 = boardgames.load("connect4", columns=4, rows=4)
AGAIN = Nim(again=True)


def cells(html: str) -> list[list[str]]:
    """Return the rows of all tables; fails if the text is not well-formed."""
    return [
        ["".join(cell.itertext()) for cell in row] for row in ET.fromstring(f"<div>{html}</div>").iter("tr")
    ]


def standing(agent: str, wins: int, losses: int, crashes: int = 0) -> Standing:
    return Standing(agent, wins, losses, 0, None, {"crash": crashes})


def report(*standings: Standing) -> Report:
    encounters = (CrosstableEntry(0, 1, 3, 0, 1),)
    return Report("nim", 4, 6, 4, 0, 0, 0.5, standings, encounters, None, None, None)


class Tagged(Player):
    """Has a name that is not safe in HTML, and scores every position as even."""

    name: ClassVar[str] = "tagged"

    def describe(self) -> str:
        return TAG

    def choose(
        self, position: boardgames.Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT
    ) -> Choice:
        return Choice(position.legal_moves[0])

    def analyse(
        self,
        position: boardgames.Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        even, move = Score.of(0.0, RETURN), position.legal_moves[0]
        return Analysis(position, even, RETURN, False, (MoveValue(move, even, False, (move,)),), 1, 1, 0.1)


def test_texts_in_tables_are_escaped_wherever_they_stand() -> None:
    for html in (fact_table(TAG, [(TAG, TAG)]), table(TAG, [TAG], [[TAG, TAG]])):
        assert "<script>" not in html
        assert html.count("&lt;script&gt;") >= 3
    assert html_text("\ud800\"'<") == "?&quot;&#x27;&lt;"


def test_headings_of_tables_are_known_to_screen_readers() -> None:
    html = table("Wins", ["agent", "wins"], [("greedy", 3)])
    assert '<th scope="col">wins</th>' in html
    assert '<th scope="row">greedy</th><td>3</td>' in html
    assert "<caption>Wins</caption>" in html


def test_a_match_shows_players_side_to_move_moves_and_board() -> None:
    match = Manager(
        CONNECT4,
        [None, None],
        names=(TAG, "Bo"),
        rules=MatchRules(time=TimeControl(match=60)),
    )
    match.make_move(0, "2")
    html = match._repr_html_()
    assert cells(html)[:3] == [["red", TAG], ["blue", "Bo"], ["To move", "blue"]]
    assert "<script>" not in html
    assert "<p>1. 2 *</p>" in html
    assert "Last changed: b1." in html or "Last changed: c2r1." in html
    match.offer_draw(1)
    assert ["Draw offered by", "blue"] in cells(match._repr_html_())
    match.resign(1)
    assert ["Result", "red wins by resignation"] in cells(match._repr_html_())


def test_a_match_shows_points_only_in_games_that_have_them() -> None:
    hexifence, four = boardgames.load("hexifence", dimension=2), CONNECT4
    name = hexifence.facts.score_name
    assert [name, "0 - 0"] in cells(Manager(hexifence, [None, None])._repr_html_())
    assert "0 - 0" not in Manager(four, [None, None])._repr_html_()


def test_a_match_numbers_moves_by_side_where_a_side_moves_twice() -> None:
    match = Manager(AGAIN, [None, None], start=AGAIN.parse("9:0:0:0"))
    for side, move in ((0, "take1"), (0, "take2"), (1, "take2")):
        match.make_move(side, move)
    assert cells(match._repr_html_())[2] == ["To move", "first"]
    assert match.record()._repr_html_().count("<p>") == 1


def test_a_choice_shows_move_score_and_effort() -> None:
    move = CONNECT4.start().legal_moves[0]
    choice = Choice(
        move, Score.win(5), (move,), depth=5, nodes=12_000, seconds=0.5, proven=True, from_book=True
    )
    assert cells(choice._repr_html_()) == [
        ["Move", "1"],
        ["Score", "win in 5 plies"],
        ["Line", "1"],
        ["From the opening book", "yes"],
        ["Proven", "yes"],
        ["Depth in plies", "5"],
        ["Nodes", "12,000"],
        ["Seconds", "0.50"],
    ]
    assert cells(Choice(None)._repr_html_()) == [["Move", "resigns"]]
    assert "<script>" not in Choice(Move(0, TAG))._repr_html_()


def test_an_analysis_shows_its_moves_for_the_side_to_move_and_the_board() -> None:
    position = CONNECT4.start().apply_moves("1 2 1 2 1 3")  # red completes the column
    analysis = boardgames.load_player("minimax:depth=2", CONNECT4).analyse(position)
    html = analysis._repr_html_()
    rows = cells(html)
    assert rows[:2] == [["move", "score", "line"], ["1", "win in 1 move (1 ply)", "1"]]
    assert "<caption>red to move: win in 1 move (1 ply)" in html
    assert position.svg() in html
    after = boardgames.load_player("minimax:depth=1", CONNECT4).analyse(position.apply("4"))
    assert "<caption>blue to move: " in after._repr_html_()


def test_an_analysis_shows_visits_and_priors_if_the_search_has_them() -> None:
    position, even = CONNECT4.start(), Score.of(0.0, RETURN)
    first, second = position.legal_moves[:2]
    moves = (
        MoveValue(first, even, False, (first,), visits=30, prior=0.25),
        MoveValue(second, even, False, (second,), from_book=True),
    )
    rows = cells(Analysis(position, even, RETURN, False, moves, 1, 1, 0.1)._repr_html_())
    assert rows[:3] == [
        ["move", "score", "line", "visits", "prior"],
        ["1", "50.0%", "1", "30", "25.0%"],
        ["2", "50.0% (book)", "2", "", ""],
    ]


def test_scores_have_no_number_of_moves_where_a_side_moves_twice() -> None:
    position = AGAIN.parse("3:1:0:0")
    html = boardgames.load_player("minimax:depth=3", AGAIN).analyse(position)._repr_html_()
    assert "second to move: win in 1 ply" in html


@kernel(Features)
def no_features(position: Words, side: int, out: Reals) -> None:
    """Write a zero."""
    out[0] = 0.0


def test_features_show_units_and_ranges() -> None:
    features = FeatureSet(TAG, no_features, (Feature("a<b", "stones", -1.5, 3.0, TAG),))
    html = features._repr_html_()
    assert cells(html)[1] == ["a<b", "stones", "-1.5 to 3", TAG]
    assert "<script>" not in html


def test_a_report_shows_the_best_agent_first_and_losses_by_faults() -> None:
    html = report(standing(TAG, 1, 3, crashes=2), standing("greedy", 3, 1))._repr_html_()
    rows = cells(html)
    assert [row[0] for row in rows] == ["agent", "greedy", TAG]
    assert rows[0][-1] == "lost by faults"
    assert rows[2] == [TAG, "1", "3", "0", "25.0%", "?", "2"]
    assert "<script>" not in html
    assert "nim: 4 of 6 matches" in html
    assert "lost by faults" not in report(standing("a", 1, 3), standing("b", 3, 1))._repr_html_()


def test_a_report_on_more_than_two_agents_shows_encounters() -> None:
    agents = standing("a", 3, 1), standing("b", 1, 3), standing("c", 0, 0)
    assert cells(report(*agents)._repr_html_())[-1] == ["a", "b", "3", "1", "0"]
    assert "Encounters" not in report(*agents[:2])._repr_html_()


def test_a_run_shows_its_newest_steps_but_no_folder(tmp_path: Path) -> None:
    settings = {"steps": 7, "matches": 2, "test_matches": 2, "groups": 2}
    config = Config("connect4", seed=5, layout="4x4", settings=settings)
    with Run.create(tmp_path / "a<b", config) as run:
        assert cells(run._repr_html_())[-1] == ["Steps", "0 of 7"]
        Trainer(run).train(InProcess())
        html = run._repr_html_()
    rows = cells(html)
    assert rows[:3] == [["Game", "connect4"], ["Learner", "td"], ["Seed", "5"]]
    assert ["Steps", "7 of 7"] in rows
    assert [row[0] for row in rows[-5:]] == ["3", "4", "5", "6", "7"]
    assert "Run a&lt;b" in html
    assert str(tmp_path) not in html


@pytest.mark.parametrize("has_chart", [True, False], ids=["with a chart", "without matplotlib"])
def test_a_review_shows_both_sides_and_the_chart(has_chart: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_chart:
        monkeypatch.setattr("boardgames.review.Review._repr_svg_", lambda self: None)
    record = Record(
        "connect4", start="-", names=(TAG, "b"), moves=("1", "2"), options={"columns": "4", "rows": "4"}
    )
    html = review(record, Tagged(CONNECT4))._repr_html_()
    assert cells(html)[1] == [f"{TAG} (red)", "0", "0", "0", "0.0%", "100.0%"]
    assert "Review by &lt;script&gt;" in html
    assert "<script>" not in html
    assert ("<svg" in html) == has_chart


def test_a_review_lists_the_worst_mistakes() -> None:
    game = boardgames.load("connect4")
    record = Record("connect4", start="-", moves=("1", "2", "1", "2", "1", "3"))
    html = review(record, boardgames.load_player("alphabeta", game), Limit(depth=2))._repr_html_()
    assert ["6", "3??", "loss in 1 move (2 plies)", "1"] in [row[:4] for row in cells(html)]
