"""A small game in plain Python and as kernels whose matches are decided by repetition.

Two tokens stand on a ring of cells, and a third part of the state is the side to move. A move takes the
own token one cell to the left or to the right, but not onto the other one. A token that reaches its goal
wins. Two sides that keep away from each other can go on forever, so that it matters what a repeated
position means.
"""
