"""The built-in players, which are registered through the same hook as those of plug-ins."""
