"""The hint that shows how to continue: what it keeps of an error."""

import pytest

from boardgames.cli.continuing import add_continue_text
from boardgames.errors import BoardgamesError, ClusterError, DeadWorkerError, WorkerError


@pytest.mark.parametrize(
    "error", [ClusterError("it has died"), WorkerError("it has died"), DeadWorkerError("it has died", -9)]
)
def test_an_error_keeps_its_cause_notes_and_exit_code(error: BoardgamesError) -> None:
    cause = OSError("no answer")
    error.__cause__ = cause
    error.add_note("in a worker: ...")
    add_continue_text(error, "boardgames train --resume first")
    assert str(error) == "it has died; to continue, run: boardgames train --resume first"
    assert error.__cause__ is cause
    assert error.__notes__ == ["in a worker: ..."]
    assert getattr(error, "exit_code", -9) == -9
