"""Alpha-beta: a principal variation search for any game.

Read `search` first: it is one kernel that applies its techniques one after
another (repetition, reverse futility, transposition table, futility, null move,
move ordering, ABDADA, extensions, late-move reductions, null windows).
`ordering`, `quiescence` and `table` are parts of it, `workspace` defines the
kernels and arrays that it works with, `options` the techniques that can be
switched off, and `searcher` adds iterative deepening, aspiration windows and
threads.
"""
