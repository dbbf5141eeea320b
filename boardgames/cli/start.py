"""Entry point of the program. Ctrl-C ends it without a traceback, even while modules are being imported."""

import _thread
import signal
import sys
import threading


def main() -> None:
    """Run the command line. During the imports before it and the shutdown after it, Ctrl-C kills it."""
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from boardgames.cli.interrupts import end_now
    from boardgames.cli.main import main as run
    from boardgames.cli.program import EXIT_INTERRUPTED
    from boardgames.compiling import BACKGROUND_THREAD

    sys.unraisablehook = _interrupt_again
    try:
        signal.signal(signal.SIGINT, handler)
        run()
    except KeyboardInterrupt:  # a second Ctrl-C, while the first was being handled
        sys.exit(EXIT_INTERRUPTED)
    except SystemExit as end:
        # Python may crash or hang if it shuts down while another thread is compiling
        if any(thread.name == BACKGROUND_THREAD for thread in threading.enumerate()):
            end_now(code=end.code if isinstance(end.code, int) else 0)
        raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupt_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Interrupt again if Ctrl-C came where Python ignores exceptions, such as in a finalizer."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _thread.start_new_thread(
            _thread.interrupt_main, ()
        )  # from another thread, so that the interrupt comes after this hook
    else:
        sys.__unraisablehook__(unraisable)
