"""Alpha-beta: a principal variation search for any game.

Read `search` first. Its main kernel applies the techniques one after
another (repetition, reverse futility, transposition table, futility, null move,
move ordering, ABDADA, extensions, late-move reductions, null windows).
`ordering`, `quiescence` and `table` are parts of the search. `workspace` has the
kernels and arrays that the search uses, `options` has the techniques that can be
switched off, and `searcher` adds iterative deepening, aspiration windows and
threads.
"""
