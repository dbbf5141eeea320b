"""Alpha-beta: a principal variation search for any game.

Read `search` first: one kernel, which applies its techniques one after another
(repetition, reverse futility, transposition table, futility, null move, move
ordering, ABDADA, extensions, late-move reductions, null windows). `ordering`,
`quiescence` and `table` are its parts, `workspace` has its kernels and arrays,
`options` says what can be switched off, and `searcher` drives it: iterative
deepening, aspiration windows and threads.
"""
