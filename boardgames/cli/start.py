"""Start of the program, before anything large is imported: Ctrl-C ends it without a traceback at any time."""

import _thread
import signal
import sys


def main() -> None:
    """Run the command line. While it is being imported and after it has ended, Ctrl-C kills the process."""
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from boardgames.cli.main import main as run
    from boardgames.cli.program import EXIT_INTERRUPTED

    sys.unraisablehook = _interrupt_again
    try:
        signal.signal(signal.SIGINT, handler)
        run()
    except KeyboardInterrupt:  # a second one, while the first was being handled
        sys.exit(EXIT_INTERRUPTED)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupt_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Repeat a Ctrl-C that came where nothing can be raised, such as in a callback of the interpreter."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _thread.start_new_thread(
            _thread.interrupt_main, ()
        )  # by another thread, so that it comes after this hook
    else:
        sys.__unraisablehook__(unraisable)
