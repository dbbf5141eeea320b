"""The players that every game has: human, random, greedy, minimax, alphabeta, mcts, level, engine."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_agents() -> list[Entry]:
    """Offer the core's players."""
    return [
        Entry("human", "a person who types moves", "boardgames.players.human:Human"),
        Entry("random", "any legal move, each as likely", "boardgames.players.simple:Random"),
        Entry("greedy", "the best move one ply ahead", "boardgames.players.simple:Greedy"),
        Entry("minimax", "full search without pruning", "boardgames.players.minimax:Minimax"),
        Entry("alphabeta", "search with pruning", "boardgames.players.alphabeta:AlphaBeta"),
        Entry("mcts", "Monte Carlo tree search", "boardgames.players.mcts:MonteCarlo"),
        Entry(
            "level", "search made weaker for people, level=1 to level=10", "boardgames.players.levels:Level"
        ),
        Entry("engine", "an external program that speaks UGI", "boardgames.players.engine:Engine"),
    ]
