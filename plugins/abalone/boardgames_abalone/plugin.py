"""Hooks of the Abalone plug-in."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_games() -> list[Entry]:
    """Return the game."""
    return [
        Entry(
            "abalone",
            "push six opposing marbles off a hexagonal board",
            "boardgames_abalone.game:Abalone",
        )
    ]


@hookimpl
def bg_agents() -> list[Entry]:
    """Return agents that never change: two earlier players, and one that only waits and is hard to beat."""
    return [
        Entry(
            "simple",
            "alpha-beta to depth 3 with a simple evaluation of three terms",
            "boardgames_abalone.agents:Simple",
            game="abalone",
        ),
        Entry(
            "tapered",
            "alpha-beta with the evaluation `engine`; never changed",
            "boardgames_abalone.agents:Tapered",
            game="abalone",
        ),
        Entry(
            "passive",
            "keeps its marbles together and waits; little can be pushed off",
            "boardgames_abalone.passive:Passive",
            game="abalone",
        ),
    ]


@hookimpl
def bg_features() -> list[Entry]:
    """Return the feature sets."""
    sets = {
        "simple": "distance to the centre, density and marbles lost, per side",
        "classic14": "marbles by ring, material, protection, distance and threats, per side",
        "extended": "classic14 with density, losses, mobility, pushes, edge danger and groups",
        "decisive": "extended with push-offs that win at once, and threats of them",
        "full": "decisive and engine together",
        "engine": "the 17 terms of the agent tapered, early and late",
    }
    modules = {"engine": "terms"}
    return [
        Entry(name, summary, f"boardgames_abalone.{modules.get(name, 'features')}:{name}", game="abalone")
        for name, summary in sets.items()
    ]


@hookimpl
def bg_patterns() -> list[Entry]:
    """Return the pattern set."""
    return [
        Entry("shapes", "lines and hexagons of cells", "boardgames_abalone.patterns:shapes", game="abalone")
    ]


@hookimpl
def bg_weights() -> list[Entry]:
    """Return the shipped weights; data/README.md says how they were made and how strong they are."""
    return [
        Entry(
            "shapes",
            "for the patterns shapes, fitted to the values of searches; the default evaluation",
            "boardgames_abalone.evaluation:SHAPES_WEIGHTS",
            game="abalone",
        ),
        Entry(
            "td",
            "for extended, learned by TD(lambda) in 11,000 matches of self-play",
            "boardgames_abalone.evaluation:TD_WEIGHTS",
            game="abalone",
        ),
        Entry(
            "three-terms",
            "for simple, found by the genetic algorithm",
            "boardgames_abalone.evaluation:THREE_TERMS_WEIGHTS",
            game="abalone",
        ),
        Entry(
            "engine",
            "for engine, fitted by regression on search leaves",
            "boardgames_abalone.evaluation:ENGINE_WEIGHTS",
            game="abalone",
        ),
        Entry(
            "three-terms-by-hand",
            "for simple, set by hand; used by the agent simple",
            "boardgames_abalone.evaluation:THREE_TERMS_BY_HAND",
            game="abalone",
        ),
        Entry(
            "engine-by-hand",
            "for engine, set by hand; the starting point of the learned weights",
            "boardgames_abalone.evaluation:ENGINE_BY_HAND",
            game="abalone",
        ),
    ]


@hookimpl
def bg_books() -> list[Entry]:
    """Return the opening book; data/README.md says how it was made."""
    return [
        Entry(
            "opening",
            "the first ten plies of the five most popular layouts, from deep searches",
            "boardgames_abalone.agents:OPENING_BOOK",
            game="abalone",
        )
    ]


@hookimpl
def bg_experiments() -> list[Entry]:
    """Return the experiments of the first project that learned Abalone, for every game with features."""
    package, features = "boardgames_abalone.experiments", ("features",)
    return [
        Entry(
            "basic-training",
            "two random players train; each meets its old self",
            f"{package}.basic_training:BasicTraining",
            needs=features,
        ),
        Entry(
            "ancestors",
            "the winner of an evolution meets its ancestors",
            f"{package}.ancestors:Ancestors",
            needs=features,
        ),
        Entry(
            "lookahead",
            "players that learn with two plies of search meet those that learn with one",
            f"{package}.lookahead:Lookahead",
            needs=features,
        ),
        Entry(
            "fine-tuning",
            "baseline players meet players trained with one hyperparameter changed",
            f"{package}.fine_tuning:FineTuning",
            needs=features,
        ),
    ]


@hookimpl
def bg_puzzles() -> list[Entry]:
    """Return the kind of puzzles."""
    summary = "win or save a marble, or the match"
    return [Entry("tactics", summary, "boardgames_abalone.puzzles:tactics", game="abalone")]
