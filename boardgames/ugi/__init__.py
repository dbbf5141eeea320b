"""UGI, the Universal Game Interface: our agents as engines, and other programs as players.

The protocol was designed by kz04px: lines of text over stdin and stdout, like
UCI, for any two-player game. docs/engines.md describes how this package
implements it.
"""
