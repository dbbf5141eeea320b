"""Reports of kernels that are being compiled."""

from boardgames.compiling import compilation_listener, report


def test_a_listener_that_fails_affects_neither_the_compiler_nor_other_listeners() -> None:
    def fail(module: str, count: int) -> None:
        raise OSError("the terminal is gone")

    seen: list[tuple[str, int]] = []
    with compilation_listener(fail), compilation_listener(lambda *news: seen.append(news)):
        report("game.rules", 1)
        report("", 1)
    assert seen == [("game.rules", 1), ("", 1)]


def test_a_listener_added_during_a_compilation_is_told_of_it() -> None:
    seen: list[tuple[str, int]] = []
    report("game.rules", 1)
    try:
        with compilation_listener(lambda *news: seen.append(news)):
            assert seen == [("game.rules", 1)]
    finally:
        report("", 1)
