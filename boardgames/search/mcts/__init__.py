"""Monte Carlo tree search for any game, with PUCT or UCB1 and the MCTS solver.

Read `simulate` first: the kernels of one simulation in the order in which they
run (selection, expansion, priors, playout, backpropagation). `tree` has the
layout of nodes, the proofs, and the tree that is kept from move to move.
`options` has the settings and the workspace of the kernels, and `searcher` adds
limits, threads and reports.
"""
