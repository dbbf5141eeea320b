"""Start of the program, before anything large is imported: Ctrl-C ends it without a traceback at any time."""

import _thread
import signal
import sys
import threading


def main() -> None:
    """Run the command line. While it is being imported and after it has ended, Ctrl-C kills the process."""
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from boardgames.cli.interrupts import end_now
    from boardgames.cli.main import main as run
    from boardgames.cli.program import EXIT_INTERRUPTED
    from boardgames.compiling import BACKGROUND_THREAD

    sys.unraisablehook = _interrupt_again
    try:
        signal.signal(signal.SIGINT, handler)
        run()
    except KeyboardInterrupt:  # a second one, while the first was being handled
        sys.exit(EXIT_INTERRUPTED)
    except SystemExit as end:
        # Python may crash or wait when it shuts down while another thread compiles
        if any(thread.name == BACKGROUND_THREAD for thread in threading.enumerate()):
            end_now(code=end.code if isinstance(end.code, int) else 0)
        raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupt_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Repeat a Ctrl-C that came where nothing can be raised, such as in a callback of the interpreter."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _thread.start_new_thread(
            _thread.interrupt_main, ()
        )  # from another thread, so that the signal comes after this hook
    else:
        sys.__unraisablehook__(unraisable)
