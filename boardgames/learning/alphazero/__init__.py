"""AlphaZero: a network learns a game from its own matches, which it plays by tree search."""
