"""Which files belong together, and who else may be working on them."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from withhold.atomic import steps
from withhold.errors import InputError, OutputError
from withhold.interruption import stop_if_asked

try:
    import fcntl
except ImportError:  # on Windows an open file cannot be removed, which does the same
    fcntl = None  # type: ignore[assignment]

PATIENCE_SECONDS = 30.0
"""How long to wait for another process that is putting files in place, which takes an instant."""


@dataclass(frozen=True)
class FileSet:
    """Files of one folder that are only right together, such as a release and its manifest.

    The order is the order in which they get their names.
    """

    path: Path
    """The first of them, after which drafts and journal are named."""
    others: tuple[Path, ...] = ()
    parts: re.Pattern[str] | None = None
    """Names of files that may belong to it, too; only its content says which do."""
    steady: int = 2
    """How many of the first get their names in one step each, so that readers always find them."""

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def members(self) -> tuple[Path, ...]:
        return (self.path, *self.others)

    def may_hold(self, name: str) -> bool:
        """Whether a file of this name can belong to the set."""
        return self.is_part(name) or any(path.name == name for path in self.members)

    def is_part(self, name: str) -> bool:
        """Whether the name may be that of a part, which only the set's content confirms."""
        return self.parts is not None and self.parts.fullmatch(name) is not None

    @property
    def journal(self) -> Path:
        return self.path.with_name(f".{self.path.name}.journal")

    def draft(self, token: str) -> Path:
        return self.path.with_name(f".{self.path.name}.{token}.part")

    def is_draft(self, name: str) -> bool:
        """Whether a name is one that ``draft`` gives."""
        pattern = rf"\.{re.escape(self.path.name)}\.[0-9a-f]{{16}}\.part"
        return re.fullmatch(pattern, name) is not None


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Only one process at a time gives names in the folder; a dead one holds nothing.

    If a folder cannot be locked (Windows, some network drives), nobody waits.
    """
    try:
        handle = None if fcntl is None else os.open(folder, os.O_RDONLY)
    except OSError:
        handle = None
    if handle is None:
        yield
        return
    try:
        began = time.monotonic()
        while not claim(handle):
            if time.monotonic() - began > PATIENCE_SECONDS:
                raise OutputError(
                    f"the folder {folder} is locked by another process; try again later"
                )
            stop_if_asked()
            time.sleep(0.02)
        yield
    finally:
        os.close(handle)


def claim(handle: int, *, unless_known: bool = True) -> bool:
    """Lock an open file until it is closed; False if another process holds it.

    ``unless_known`` is what to return if that cannot be found out.
    """
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return unless_known
    return True


def remove_leftovers(files: FileSet) -> None:
    """Remove what killed runs left of this set; drafts of living ones and of other users stay."""
    try:
        names = os.listdir(files.folder)
    except OSError:  # a folder whose names nobody may list can be written to
        return
    for name in names:
        if files.is_draft(name):
            with suppress(OSError):
                _remove_unused(files.folder / name)


def _remove_unused(path: Path) -> None:
    if fcntl is None:
        steps.unlink(path)  # fails if it is open
        return
    handle = os.open(path, steps.READ)
    try:
        if is_ours(os.fstat(handle)) and claim(handle, unless_known=False):
            steps.unlink(path)
    finally:
        os.close(handle)


def is_ours(found: os.stat_result) -> bool:
    """Whether it is an ordinary file of this user; in a folder of many, others can put files there too."""
    mine = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    return stat.S_ISREG(found.st_mode) and mine


def refuse_links(path: Path) -> None:
    """Refuse a target that is a symbolic link: the name would be replaced, and not what it points to."""
    if path.is_symlink():
        raise OutputError(
            f"{path} is a symbolic link, which is never written through; "
            "name the file itself, or remove the link"
        )


def digest_of(path: Path) -> str | None:
    """The SHA-256 of an ordinary file; None if there is none."""
    try:
        handle = os.open(path, steps.READ)
    except OSError:
        return None
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of(path: Path) -> str:
    """The digest of a file's bytes."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot be read: {reason}", path=path, remedy="check the path") from error
