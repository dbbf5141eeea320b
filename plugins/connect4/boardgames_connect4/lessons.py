"""Lessons: exercises for beginners."""

from boardgames.declarations import Exercise

LESSONS = (
    Exercise(
        "Drop",
        "......./......./......./......./......./.......",
        "Drop a stone into any column.",
        tuple("1234567"),
        "A move drops a stone into a column. It falls to the lowest empty cell.",
        "The stone lies at the bottom. The next one in this column will lie on top of it.",
    ),
    Exercise(
        "Win",
        "......./......./......./..rb.../.rbb.../rbbrr..",
        "Red has three stones on a diagonal. Complete the line.",
        ("4",),
        "Four stones of one side in a row, a column or a diagonal win at once.",
        "Four on the diagonal: red has won.",
    ),
    Exercise(
        "Block",
        "......./......./......./...b.../r..b.../rr.b...",
        "Blue threatens to win. Prevent it.",
        ("4",),
        "If your opponent has three in a line and could fill the fourth cell with the next move, take that"
        " cell yourself.",
        "Blue can no longer complete the column.",
    ),
    Exercise(
        "Two threats",
        "......./......./......./......./..bb.../..rr...",
        "Make two threats at once, and then win.",
        ("2 5 1", "5 2 6"),
        "Your opponent can block one cell with a move, but not two.",
        "A line of three that is open at both ends cannot be stopped.",
    ),
)
