"""Learning from self-play, for every game whose plug-in offers features."""
