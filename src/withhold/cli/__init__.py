"""The command line: one module per verb, which checks what was typed, calls the pipeline and prints.

The options of the models are declared in ``methods``, and the texts that are printed come from ``report``.
"""

from __future__ import annotations

import sys
import time

__all__ = ["main"]


def main() -> None:
    """Entry point of the ``withhold`` command."""
    from withhold.cli import started

    started.at = time.monotonic()
    # For failures before errors can be reported: exit code 1 is reserved for verdicts.
    try:
        import signal

        # Until the handlers are loaded: like Ctrl-C, and unlike the default, it prints a message.
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        from withhold.cli.interrupts import install_handlers

        install_handlers()
        from withhold.cli.app import main as run
    except KeyboardInterrupt:
        sys.stderr.write("withhold: interrupted; nothing was published\n")
        sys.exit(130)
    except BaseException as error:
        sys.stderr.write(f"withhold: cannot start: {type(error).__name__}: {error}\n")
        sys.exit(70)
    run()
