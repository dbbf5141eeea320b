"""The built-in players, which are registered through the same hook as the players of plug-ins."""
