"""Results of experiments: tables, CSV and charts."""

import csv
import io
from dataclasses import replace

from boardgames.experiments import Figure, Findings, Grid, Measurements, Table, combine
from boardgames.experiments.results import CSV_FIELDS
from boardgames.selfplay import SelfPlayMatch

WON, LOST = SelfPlayMatch(0, 0, False, 9, 1, (0, 0)), SelfPlayMatch(1, 0, False, 9, 2, (0, 0))
DRAWN = SelfPlayMatch(1, None, False, 9, 3, (0, 0))


def test_figure_counts_wins_unfinished_and_distinct_matches() -> None:
    figure = Figure.of("row", "column", [WON, LOST, WON, DRAWN])
    assert (figure.wins, figure.unfinished, figure.distinct, figure.matches) == ((2, 1), 1, 3, 4)


def test_shares_are_those_of_the_player_that_is_examined() -> None:
    figure = Figure("row", "column", ((1, 3),), 0, 4, original=(2, 6))
    table = Table("table", "old", "new", 1, (figure,), ())
    fields = table.fields(figure)
    assert (fields["share"], table.share_name) == (0.75, "new")
    assert (fields["original_first_wins"], fields["original_second_wins"]) == (2, 6)
    assert replace(table, subject=0).fields(figure)["share"] == 0.25


def test_combined_figures_are_one_unit_each() -> None:
    figures = [Figure("1", "", ((1, 1), (0, 2)), 0, 4), Figure("2", "", ((0, 0),), 2, 2)]
    assert combine("total", "", figures, (1, 2)) == Figure(
        "total", "", ((1, 3), (0, 0)), 2, 6, (1, 2), min_units=3
    )


def test_csv_has_each_figure_and_total_once() -> None:
    figures = [Figure.of(row, "a", [WON, LOST, WON, DRAWN]) for row in ("1", "2")]
    tables = [
        Table(name, "old", "new", 0, tuple(figures), (combine("total", "a", figures),)) for name in ("t", "u")
    ]
    findings = Findings(tuple(tables), "")
    text = findings.csv("connect4", "fine-tuning", 7, {"alpha": 0.1, "tanh": True})
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert tuple(rows[0]) == CSV_FIELDS
    places = [(row["table"], row["row"], row["column"]) for row in rows]
    assert len(places) == len(set(places)) == 6
    common = {(row["game"], row["seed"], row["first"], row["second"], row["settings"]) for row in rows}
    assert common == {("connect4", "7", "old", "new", "alpha=0.1 tanh=true")}
    single = [row for row in rows if row["total"] == "0"]
    assert sum(int(row["distinct"]) for row in single) == findings.distinct == 12
    counted = ("first_wins", "second_wins", "unfinished")
    assert sum(int(row[name]) for row in single for name in counted) == findings.matches == 16


# --- measurements -------------------------------------------------------------

LOSSES = Grid("mean loss", ("8", "12", "all"), ("greedy", "td"), ((1.5, 0.25, 0.875), (None, 0.1, 0.1)))


def test_measurements_are_written_to_csv_one_number_per_line() -> None:
    text = Measurements("ply", (LOSSES,), "").csv("connect4", "perfection", 7, {"positions": 2})
    lines = text.splitlines()
    assert lines[0] == "game,experiment,seed,table,row,column,value,settings"
    assert lines[1] == "connect4,perfection,7,mean loss,greedy,8,1.5,positions=2"
    assert lines[4] == "connect4,perfection,7,mean loss,td,8,,positions=2"
    assert len(lines) == 7


def test_numeric_columns_are_the_axes_of_a_chart_of_measurements() -> None:
    chart = Measurements("ply", (LOSSES,), "").svg("Connect Four")
    assert "Connect Four by ply. mean loss: greedy 1.5 at 8, 0.25 at 12; td 0.1 at 12" in chart
