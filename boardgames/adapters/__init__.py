"""Bridges to other libraries; each module imports its library only when it is used."""

SPIEL_PREFIX = "spiel:"
"""What the name of a game of OpenSpiel begins with here."""
SPIEL_MAX_PLIES = 1000
"""A match with OpenSpiel that is as long as this is a draw.

Positions of its games have all actions so far, and OpenSpiel wants a limit for games of ours that have none.
"""
