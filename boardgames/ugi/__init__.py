"""UGI, the Universal Game Interface: our end as an engine, and programs that are engines to us.

The protocol is kz04px's: text lines over stdin and stdout, as UCI, for any
game of two players. docs/engines.md says how this package speaks it.
"""
