"""Monte Carlo tree search for any game, with PUCT or UCB1 and the MCTS solver.

Read `simulate` first: the kernels of one simulation in the order in which it
meets them (selection, expansion, priors, playout, backpropagation). `tree` is
what they grow: the layout of nodes, what is proven about them, and the tree
that is kept from move to move. `options` says what can be set and what the
kernels work with, and `searcher` drives them: limits, threads, reports.
"""
