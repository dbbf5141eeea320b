"""Learning weights of a game's features from self-play: learners, training runs, experiments."""
