"""A draft: a new file beside its target, under a name that nobody can guess, open until it is finished."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import stat
import threading
from contextlib import suppress
from pathlib import Path

from withhold.atomic import steps
from withhold.atomic.files import FileSet, claim
from withhold.errors import OutputError

leaving = threading.RLock()
"""Held while a draft is made and while files get their names: nobody leaves in between."""
_living: set[Path] = set()
_committed: set[Path] = set()


class Draft(io.RawIOBase):
    """A file that is written once, and knows its digest."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self.digest = hashlib.sha256()
        self._handle = handle

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        block = memoryview(data).cast("B")  # type: ignore[arg-type]  # any buffer, as RawIOBase has it
        self.digest.update(block)
        steps.write(self._handle, self.path, block)
        return len(block)

    def finish(self, mode: int) -> None:
        """See the bytes to the disk, and make sure that the name still is this file's."""
        steps.set_mode(self._handle, self.path, mode)
        steps.sync(self._handle, self.path)
        here, there = os.fstat(self._handle), os.lstat(self.path)
        if (here.st_ino, here.st_dev) != (there.st_ino, there.st_dev):
            raise OutputError(f"{self.path} was replaced by somebody else while it was written")

    def close(self) -> None:
        if not self.closed:
            os.close(self._handle)
        super().close()


def new_draft(files: FileSet) -> Draft:
    """A draft of this process; others see that it is in use as long as it is open."""
    while True:
        path = files.draft(secrets.token_hex(8))
        with leaving:
            try:
                handle = steps.create(path)
            except FileExistsError:
                continue
            _living.add(path)
        # Whoever removes leftovers may have been faster than the claim: then the name is gone.
        if claim(handle) and os.fstat(handle).st_nlink:
            return Draft(path, handle)
        os.close(handle)
        forget(path)


def note_draft(path: Path) -> None:
    """Remember a draft that was not made by ``new_draft``."""
    _living.add(path)


def forget(path: Path) -> None:
    """The draft has got its name, or is gone."""
    _living.discard(path)


def note_commit(files: FileSet) -> None:
    """Remember that the set stands there."""
    _committed.add(files.path.absolute())


def was_committed(path: Path) -> bool:
    """Whether this process has published there."""
    return path.absolute() in _committed


def abandon() -> None:
    """Remove all drafts for good: no other can be made, and nothing is published any more.

    Only for a process that ends at once.
    """
    leaving.acquire()
    for path in _living:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def mode_for(target: Path) -> int:
    """The mode of the file that will be replaced, or what the user's umask gives to a new one."""
    try:
        found = os.lstat(target)
        if stat.S_ISREG(found.st_mode):
            return stat.S_IMODE(found.st_mode) & 0o777
    except OSError:
        pass
    # It can only be read by setting it; what another thread creates meanwhile is too private at worst.
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
