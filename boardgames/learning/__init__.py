"""Learning weights of a game's features from self-play: learners and training runs."""
