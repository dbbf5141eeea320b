"""The learners that every game with features has."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_agents() -> list[Entry]:
    """Offer the player that goes by what is learned."""
    return [
        Entry(
            "td",
            "the best move one ply ahead by learned weights",
            "boardgames.learning.player:TemporalPlayer",
        )
    ]


@hookimpl
def bg_learners() -> list[Entry]:
    """Offer the core's learners."""
    return [
        Entry("td", "TD(lambda) in self-play", "boardgames.learning.td:TemporalDifference"),
        Entry("evolve", "TD(lambda), tournaments and breeding", "boardgames.learning.evolve:Evolve"),
        Entry(
            "genetic", "crossover and mutation of alpha-beta's weights", "boardgames.learning.genetic:Genetic"
        ),
        Entry("cem", "cross-entropy method for alpha-beta's weights", "boardgames.learning.cem:CrossEntropy"),
        Entry(
            "cmaes",
            "covariance matrix adaptation for alpha-beta's weights",
            "boardgames.learning.cmaes:CovarianceAdaptation",
        ),
        Entry(
            "regression",
            "logistic regression of outcomes on the leaves of searches",
            "boardgames.learning.regression:Regression",
        ),
    ]


@hookimpl
def bg_experiments() -> list[Entry]:
    """Offer the core's experiments."""
    package = "boardgames.learning.experiments"
    return [
        Entry(
            "basic-training",
            "two random players train; each meets its old self",
            f"{package}.basic_training:BasicTraining",
        ),
        Entry(
            "ancestors", "the winner of an evolution meets its ancestors", f"{package}.ancestors:Ancestors"
        ),
        Entry(
            "fine-tuning",
            "players trained with one setting changed meet those of a baseline",
            f"{package}.fine_tuning:FineTuning",
        ),
    ]
