"""Alpha-beta: a principal variation search for any game.

Read `search` first: one kernel, in the order in which it meets its techniques
(repetition, reverse futility, transposition table, futility, null move, move
ordering, ABDADA, extensions, late-move reductions, null windows). `ordering`,
`quiescence` and `table` are its parts, `workspace` is what it works with,
`options` says what can be switched off, and `searcher` drives it: iterative
deepening, aspiration windows and threads.
"""
