"""Ctrl-C and polite kills: raised where they arrive, and remembered in case Python drops them.

What a signal raises inside a finalizer or a weak reference's callback is printed and forgotten, and
the work would go on to publish. So whoever reports progress asks again.
"""

from __future__ import annotations

import signal
import sys
from typing import Any, NoReturn

_asked = False


def heed() -> None:
    """Let Ctrl-C and SIGTERM end the work the same way; a signal that is ignored stays ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    sys.unraisablehook = _without_interrupts


def interrupt(*_: object) -> NoReturn:
    """Ask for the end: drafts are removed, nothing is published."""
    global _asked
    _asked = True
    raise KeyboardInterrupt


def stop_if_asked() -> None:
    """Raise what was dropped on its way."""
    global _asked
    if _asked:
        _asked = False
        raise KeyboardInterrupt


def _without_interrupts(unraisable: Any) -> None:
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
