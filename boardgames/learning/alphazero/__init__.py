"""AlphaZero: a network learns a game from matches that it plays against itself by tree search."""
