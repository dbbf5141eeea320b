"""What Abalone adds to `boardgames`."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_games() -> list[Entry]:
    """Offer the game."""
    return [
        Entry(
            "abalone",
            "push six of the other side's marbles off a hexagonal board",
            "boardgames_abalone.game:Abalone",
        )
    ]


@hookimpl
def bg_agents() -> list[Entry]:
    """Offer the agent of the simple Abalone project."""
    return [
        Entry(
            "simple",
            "alpha-beta, depth 3, with distance to centre, density and marbles lost",
            "boardgames_abalone.agents:Simple",
            game="abalone",
        )
    ]


@hookimpl
def bg_features() -> list[Entry]:
    """Offer three sets of features with numbers for both sides, and one of their differences."""
    sets = {
        "simple": "distance to centre, density and marbles lost of both sides",
        "classic14": "marbles by ring, material, protection, distance and threats of both sides",
        "extended": "the same with density, losses, mobility, pushes, edge danger and groups",
        "engine": "seventeen differences between the sides, early and late: all that search plays by",
    }
    modules = {"engine": "terms"}
    return [
        Entry(name, summary, f"boardgames_abalone.{modules.get(name, 'features')}:{name}", game="abalone")
        for name, summary in sets.items()
    ]


@hookimpl
def bg_weights() -> list[Entry]:
    """Offer learned weights; data/README.md says what made them and how they fare."""
    return [
        Entry(
            "td",
            "of extended, learned by TD(lambda) in 11,000 matches of self-play",
            "boardgames_abalone.evaluation:TD_WEIGHTS",
            game="abalone",
        ),
        Entry(
            "three-terms",
            "of simple, by the genetic algorithm: what the three simple terms can do",
            "boardgames_abalone.evaluation:THREE_TERMS_WEIGHTS",
            game="abalone",
        ),
        Entry(
            "engine",
            "of engine, by regression on the leaves of searches: the game's own evaluation",
            "boardgames_abalone.evaluation:ENGINE_WEIGHTS",
            game="abalone",
        ),
        Entry(
            "three-terms-by-hand",
            "of simple, set by hand: the player of the simple Abalone project",
            "boardgames_abalone.evaluation:THREE_TERMS_BY_HAND",
            game="abalone",
        ),
        Entry(
            "engine-by-hand",
            "of engine, set by hand: what the shipped evaluation was learned from",
            "boardgames_abalone.evaluation:ENGINE_BY_HAND",
            game="abalone",
        ),
    ]


@hookimpl
def bg_books() -> list[Entry]:
    """Offer an opening book; data/README.md says what made it."""
    return [
        Entry(
            "opening",
            "the first plies of the five most-played layouts, by the engine's own searches",
            "boardgames_abalone.agents:OPENING_BOOK",
            game="abalone",
        )
    ]


@hookimpl
def bg_experiments() -> list[Entry]:
    """Offer the core's experiments, each with what an earlier project had found beside it."""
    classes = {
        "basic-training": ("BasicTraining", "two random players train; each meets its old self"),
        "ancestors": ("Ancestors", "the winner of an evolution meets its ancestors"),
        "fine-tuning": (
            "FineTuning", "players trained with one setting changed meet those of a baseline"
        ),
    }  # fmt: skip
    return [
        Entry(name, summary, f"boardgames_abalone.experiments:{made}", game="abalone")
        for name, (made, summary) in classes.items()
    ]
