"""A solver, an agent, a learner and an overlay for tic-tac-toe."""
