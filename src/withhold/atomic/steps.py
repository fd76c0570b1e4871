"""Every change to the file system that publishing makes, one function each.

``before`` is called ahead of each of them: a test stops the work there, as a kill would.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_PLAIN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
READ = os.O_RDONLY | NO_FOLLOW | _PLAIN | getattr(os, "O_NONBLOCK", 0)
"""To open a file that others may have put there: no link is followed, no pipe waited for."""
BLOCK = 1 << 24
"""Bytes handed to the system at a time."""


def _nothing(what: str, path: Path) -> None:
    pass


before: Callable[[str, Path], None] = _nothing


def create(path: Path) -> int:
    """A new file that only its owner can read; never an existing one, nor where a link points."""
    before("create", path)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_FOLLOW | _PLAIN, 0o600)


def write(handle: int, path: Path, block: memoryview) -> None:
    """All of the block; the system may take it in pieces."""
    while block:
        before("write", path)
        block = block[os.write(handle, block[:BLOCK]) :]


def append(path: Path, line: bytes) -> None:
    """Add the line to an existing file, safely on the disk; if that fails, the file is as it was."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | NO_FOLLOW | _PLAIN)
    try:
        size = os.fstat(handle).st_size
        try:
            write(handle, path, memoryview(line))
            sync(handle, path)
        except OSError:
            with suppress(OSError):
                os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)


def sync(handle: int, path: Path) -> None:
    """Make sure that the bytes survive a crash."""
    before("sync", path)
    os.fsync(handle)


def sync_folder(folder: Path) -> None:
    """Make sure that the folder's names survive a crash."""
    before("sync", folder)
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # folders cannot be opened on some systems
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def set_mode(handle: int, path: Path, mode: int) -> None:
    """Who may read the file."""
    before("mode", path)
    if hasattr(os, "fchmod"):
        os.fchmod(handle, mode)


def link(path: Path, other: Path) -> None:
    """A second name for a file."""
    before("link", path)
    os.link(path, other)


def replace(path: Path, target: Path) -> None:
    """Rename over whatever has the name: a link is itself replaced, never what it points to."""
    before("replace", target)
    os.replace(path, target)


def unlink(path: Path) -> None:
    """Remove a name, if it is there."""
    before("unlink", path)
    path.unlink(missing_ok=True)
