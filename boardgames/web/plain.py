"""Descriptions of games whose kernels are not compiled yet, made by a process that does not compile any.

This module tells Numba to treat kernels as plain Python before it imports any. The environment variable for
this is set in that process and not in the server, where it could affect a compilation that is under way.
"""

from typing import TYPE_CHECKING

import numba

from boardgames.paths import environment_variables

if TYPE_CHECKING:
    from boardgames.web.messages import GameReply


def describe_plainly(name: str) -> "GameReply":
    """Return what can be chosen for a match of a game; called in a new process."""
    with environment_variables({"NUMBA_DISABLE_JIT": "1"}):
        numba.config.reload_config()
        from boardgames.kernels.plain import JIT
        from boardgames.web.games import description

        assert not JIT, "kernels were imported before"
        return description(name)
