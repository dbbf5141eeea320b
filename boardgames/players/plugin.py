"""Plug-in of the built-in players."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_agents() -> list[Entry]:
    """Return the built-in players."""
    return [
        Entry("human", "a person who types moves", "boardgames.players.human:Human"),
        Entry("random", "a random legal move", "boardgames.players.simple:Random"),
        Entry("greedy", "the best move one ply ahead", "boardgames.players.simple:Greedy"),
        Entry("minimax", "minimax search without pruning", "boardgames.players.minimax:Minimax"),
        Entry("alphabeta", "alpha-beta search", "boardgames.players.alphabeta:AlphaBeta"),
        Entry("mcts", "Monte Carlo tree search", "boardgames.players.mcts:MonteCarlo"),
        Entry(
            "alphazero",
            "Monte Carlo tree search with a network",
            "boardgames.players.alphazero:AlphaZero",
            needs=("weights", "network"),
        ),
        Entry(
            "policy",
            "the most probable move of a policy network, without search",
            "boardgames.players.alphazero:Policy",
            needs=("weights", "network"),
        ),
        Entry(
            "level",
            "alpha-beta search at ten strengths, level=1 to level=10",
            "boardgames.players.levels:Level",
        ),
        Entry("engine", "an external program that speaks UGI", "boardgames.players.engine:Engine"),
    ]
