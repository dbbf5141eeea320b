"""Bridges to other libraries; each module imports its library only when it is used."""

SPIEL_PREFIX = "spiel:"
"""Prefix of the names of OpenSpiel's games."""
SPIEL_MAX_PLIES = 1000
"""Number of plies after which a match with OpenSpiel is a draw.

Positions of its games contain all actions so far, and OpenSpiel requires a limit even for our games without
one.
"""
