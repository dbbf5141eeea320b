"""The guardian's ear: orders in pieces, the end of the pipe, and the end of the parent."""

import os

import pytest

from boardgames.ugi.guardian import watch

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX")


def test_orders_are_read_until_the_pipe_ends() -> None:
    source, target = os.pipe()
    for piece in (b"+7", b"1\n+72\n", b"-71\n+7"):
        os.write(target, piece)
    os.close(target)
    assert watch(source, os.getppid()) == {72}
    os.close(source)


def test_the_end_of_the_parent_is_seen_though_somebody_holds_the_pipe() -> None:
    source, target = os.pipe()
    os.write(target, b"+71\n")
    assert watch(source, os.getpid()) == {71}  # not our parent
    os.close(source)
    os.close(target)
