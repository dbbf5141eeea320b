"""Plug-in of the learners, and of the players that use learned weights."""

from boardgames.hookspecs import Entry, hookimpl

FEATURES, PATTERNS = ("features",), ("patterns",)
"""What plug-ins must offer for a game before an entry can be used; see `Entry.needs`."""


@hookimpl
def bg_agents() -> list[Entry]:
    """Offer the players that use learned weights."""
    return [
        Entry(
            "td",
            "one-ply search with learned weights",
            "boardgames.learning.player:TDPlayer",
            needs=(*FEATURES, "weights"),
        ),
        Entry(
            "ntuple",
            "one-ply search with learned tables of patterns",
            "boardgames.players.simple:NTuple",
            needs=(*PATTERNS, "weights"),
        ),
    ]


@hookimpl
def bg_learners() -> list[Entry]:
    """Offer the learners."""
    return [
        Entry("td", "TD(lambda) in self-play", "boardgames.learning.td:TemporalDifference", needs=FEATURES),
        Entry(
            "evolve",
            "a population that learns by TD(lambda), competes and breeds",
            "boardgames.learning.evolve:Evolve",
            needs=FEATURES,
        ),
        Entry(
            "treestrap",
            "TreeStrap: learns from whole search trees in self-play",
            "boardgames.learning.bootstrapping:TreeStrap",
            needs=FEATURES,
        ),
        Entry(
            "td-leaf",
            "TD(lambda) on the leaves of searches in self-play",
            "boardgames.learning.bootstrapping:TDLeaf",
            needs=FEATURES,
        ),
        Entry(
            "genetic",
            "genetic algorithm for the weights of alpha-beta",
            "boardgames.learning.genetic:Genetic",
            needs=FEATURES,
        ),
        Entry(
            "cem",
            "cross-entropy method for the weights of alpha-beta",
            "boardgames.learning.cem:CrossEntropy",
            needs=FEATURES,
        ),
        Entry(
            "cmaes",
            "covariance matrix adaptation for the weights of alpha-beta",
            "boardgames.learning.cmaes:CovarianceAdaptation",
            needs=FEATURES,
        ),
        Entry(
            "spsa",
            "simultaneous perturbation for the weights of alpha-beta",
            "boardgames.learning.spsa:SPSA",
            needs=FEATURES,
        ),
        Entry(
            "tune",
            "simultaneous perturbation for numeric options of an agent",
            "boardgames.learning.tune:Tune",
        ),
        Entry(
            "regression",
            "logistic regression of match results on the leaves of searches",
            "boardgames.learning.regression:Regression",
            needs=FEATURES,
        ),
        Entry(
            "ntuple",
            "TD(lambda) with temporal coherence for tables of patterns",
            "boardgames.learning.ntuple:NTuple",
            needs=PATTERNS,
        ),
        Entry(
            "patterns",
            "tables of patterns, fitted to the values of searches",
            "boardgames.learning.patterns:Patterns",
            needs=PATTERNS,
        ),
        Entry(
            "alphazero",
            "a network that learns from searches in self-play",
            "boardgames.learning.alphazero.learner:AlphaZero",
        ),
    ]
