"""The built-in players, registered through the same hook as those of plug-ins."""
