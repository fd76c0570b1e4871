"""Ctrl-C and SIGTERM: the work is asked to stop, and ended if it does not.

The handler never raises, because it may run inside compiled code's call machinery or a finalizer. The work
checks for the request between kernels and batches. A thread watches as well: it notices the signal even while
the main thread is inside a long kernel, and ends the process if the work did not stop within half a second,
or at once after a second signal. Either way the drafts are removed and one line says so.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from withhold.errors import Interrupted, WithholdError
from withhold.escaping import one_line
from withhold.interruption import ask_to_stop

GRACE_SECONDS = 0.5
"""Seconds in which the work may stop by itself."""

NOTHING_PUBLISHED = "interrupted; nothing was published"

before_ending: list[Callable[[], object]] = []
"""What else must be cleaned up if the process ends at once."""

_words: Callable[[], str] = lambda: NOTHING_PUBLISHED  # noqa: E731
_speaking = threading.Lock()
_restore_terminal = ""
_installed = False


def install_handlers() -> None:
    """Let Ctrl-C and SIGTERM end the work the same way; a signal that is ignored stays ignored."""
    global _installed
    _installed = True
    signals = (signal.SIGINT, signal.SIGTERM)
    numbers = [number for number in signals if signal.getsignal(number) is not signal.SIG_IGN]
    reading, writing = os.pipe()
    if os.name == "posix":
        os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in numbers:
        signal.signal(number, lambda *_: ask_to_stop())
    threading.Thread(target=_watch, args=(reading, numbers), daemon=True).start()


def ignore_from_now_on() -> None:
    """Ignore signals: one that arrives while Python cleans up must not change the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _watch(reading: int, numbers: Collection[int]) -> None:
    _wait_for_signal(reading, numbers)
    ask_to_stop()
    timer = threading.Timer(GRACE_SECONDS, end_now)
    timer.daemon = True
    timer.start()
    _wait_for_signal(reading, numbers)
    end_now()


def _wait_for_signal(reading: int, numbers: Collection[int]) -> None:
    while os.read(reading, 1)[0] not in numbers:
        pass


@contextmanager
def saying(words: str, *, published: Path | None = None) -> Iterator[None]:
    """What to say about an interruption from here on; something else once ``published`` exists."""
    global _words
    before = _words
    after = f"interrupted; {published} was published already"

    def chosen() -> str:
        drafts = _drafts_module()
        done = drafts is not None and published is not None and drafts.was_committed(published)
        return after if done else words

    _words = chosen
    try:
        yield
    except BaseException as error:
        interrupted = is_interruption(error)
        # The watching thread may be the one to print them, so the words are kept.
        if not (_installed and interrupted):
            _words = before
        if interrupted and not isinstance(error, WithholdError):
            raise Interrupted(chosen()) from None
        raise
    _words = before


def what_to_say() -> str:
    """The one line about the interruption."""
    return _words()


def may_speak() -> bool:
    """Whether that line was not printed yet; from then on it counts as printed."""
    return not _installed or _speaking.acquire(blocking=False)


@contextmanager
def restoring_terminal(sequence: str) -> Iterator[None]:
    """The sequence to send to the terminal if the process ends at once from here on."""
    global _restore_terminal
    _restore_terminal = sequence
    try:
        yield
    finally:
        _restore_terminal = ""


def is_interruption(error: BaseException) -> bool:
    """Whether the cause was Ctrl-C: compiled code makes a ``SystemError`` of what is raised inside it."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, KeyboardInterrupt):
            return True
        seen.add(id(cause))
        cause = cause.__cause__ or cause.__context__
    return False


def _drafts_module() -> Any:
    """The module that keeps the drafts, if it is completely loaded; before, nothing can have been written."""
    drafts = sys.modules.get("withhold.atomic.drafts")
    return drafts if hasattr(drafts, "save") else None


def end_now() -> NoReturn:
    """Remove the drafts, say so, and exit without waiting for other threads."""
    drafts = _drafts_module()
    if drafts is not None:
        drafts.abandon()
    for put_away in before_ending:
        with suppress(Exception):
            put_away()
    if may_speak():
        line = f"{_restore_terminal}withhold: {one_line(what_to_say())}\n"
        with suppress(OSError):
            os.write(2, line.encode("utf-8", errors="replace"))
    os._exit(Interrupted.exit_code)
