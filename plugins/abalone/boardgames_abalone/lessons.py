"""Lessons: exercises for beginners."""

from boardgames.declarations import Exercise

LESSONS = (
    Exercise(
        "In line",
        "...../....../......./......../..bbb..../......../......./....../.....:b:0:0",
        "Move all three marbles along their line.",
        ("e3e4", "e5e4"),
        "You move one marble, or two or three that are in a line, by one cell. Here they move along the "
        "line, so only the one in front needs an empty cell.",
        "All three have moved one cell.",
    ),
    Exercise(
        "Side-step",
        "...../....../......./......../........./......../..bbb../....../.....:b:0:0",
        "Move all three marbles sideways.",
        ("c3c5d3", "c3c5d4", "c3c5b3", "c3c5b2"),
        "Marbles in a line can also move sideways, all in the same direction. Every one of them needs an "
        "empty cell, so a side-step never pushes.",
        "That was a side-step. It is the quickest way to change lines.",
    ),
    Exercise(
        "Push",
        "...../....../bbbwb../......../.bbww..../......../.bbbww./....../.....:b:0:0",
        "Black can push in only one of the three rows. Make that push.",
        ("c2c3",),
        "You can push your opponent's marbles along a line if you move more marbles than you push: two "
        "against one, three against one or three against two. The cell behind the pushed marbles must be "
        "empty or off the board.",
        "Three push two. In row E it is two against two, and in row G a black marble is in the way.",
    ),
    Exercise(
        "Push off",
        "...../....../......./......../......bbw/......../......./....../.....:b:0:0",
        "Push the white marble off the board.",
        ("e7e8",),
        "A marble that is pushed over the edge is lost. You cannot move your own marbles off the board.",
        "White has lost a marble.",
    ),
    Exercise(
        "Win",
        "...../....../...w.../..bwb.../..bbb..../...w..../..b..../.bb.../wb...:b:2:5",
        "White has lost five marbles. Push off the sixth.",
        ("c3b2",),
        "You win by pushing six of your opponent's marbles off the board.",
        "Black has won the match.",
    ),
)
