"""Write drafts, then give all of them their names at one moment.

A draft is a new file beside its target, under a name that nobody can guess, open until it is finished.
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import shutil
import stat
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from withhold.atomic import steps
from withhold.atomic.files import (
    FileSet,
    claim,
    digest_of,
    folder_lock,
    refuse_links,
    remove_leftovers,
)
from withhold.atomic.journal import Journal, Move, roll_forward, settle_to_write
from withhold.errors import OutputError, PolicyError, option
from withhold.interruption import stop_if_asked

leaving = threading.RLock()
"""Held while a draft is made and while files get their names: the process cannot end in between."""
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
        """Make sure that the bytes are on the disk, and that the name is still this file's."""
        steps.set_mode(self._handle, self.path, mode)
        steps.sync(self._handle, self.path)
        here, there = os.fstat(self._handle), os.lstat(self.path)
        if (here.st_ino, here.st_dev) != (there.st_ino, there.st_dev):
            raise OutputError(
                f"{self.path} was replaced by another process while it was being written"
            )

    def close(self) -> None:
        if not self.closed:
            os.close(self._handle)
        super().close()


def _new_draft(files: FileSet) -> Draft:
    """A draft of this process; others see that it is in use as long as it is open."""
    while True:
        path = files.draft(secrets.token_hex(8))
        with leaving:
            try:
                handle = steps.create(path)
            except FileExistsError:
                continue
            _living.add(path)
        # Another process may have removed it as a leftover before the claim: then the name is gone.
        if claim(handle) and os.fstat(handle).st_nlink:
            return Draft(path, handle)
        os.close(handle)
        _living.discard(path)


def was_committed(path: Path) -> bool:
    """Whether this process has published there."""
    return path.absolute() in _committed


def abandon() -> None:
    """Remove all drafts for good: no other can be made, and nothing can be published.

    Only for a process that ends at once.
    """
    leaving.acquire()
    # A copy: other threads may still finish or drop a draft.
    for path in tuple(_living):
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
    # The umask can only be read by setting it; what another thread creates meanwhile is at worst too private.
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


class Drafts:
    """The drafts of one set of files."""

    def __init__(self, files: FileSet) -> None:
        self.files = files
        self._open: list[Draft] = []
        self._names: list[Path] = []

    def new(self) -> Draft:
        """One more draft."""
        draft = _new_draft(self.files)
        self._open.append(draft)
        self._names.append(draft.path)
        return draft

    def new_text(self, text: str) -> Draft:
        """One more draft, with this text."""
        draft = self.new()
        draft.write(text.encode("utf-8", errors="backslashreplace"))
        return draft

    def commit(
        self,
        targets: Sequence[tuple[Draft, Path]],
        *,
        overwrite: bool,
        private: Collection[Path] = (),
    ) -> None:
        """Give the drafts their names; members of the set that get none are removed.

        Targets that are ``private`` can be read by their owner alone. A process that is stopped in between
        leaves the old set or the new one, never a mixture; an error leaves the old one.
        """
        files = self.files
        for draft, target in targets:
            draft.finish(mode_for(target) & (0o600 if target in private else 0o777))
        with folder_lock(files.folder), leaving:
            stop_if_asked()
            settle_to_write(files)
            there = [path for path in files.members if os.path.lexists(path)]
            for path in there:
                refuse_links(path)
                if not overwrite:
                    again = option("force", True)
                    raise PolicyError(f"{path} exists already; use {again} to replace it")
            moves = [Move(d.path.name, t.name, d.digest.hexdigest()) for d, t in targets]
            if len(moves) == 1 and set(there) <= {targets[0][1]}:
                self._close()
                steps.replace(targets[0][0].path, targets[0][1])
                steps.sync_folder(files.folder)
            else:
                self._replace_set(Journal.replacing(files, moves), there)
            _committed.add(files.path.absolute())

    def _replace_set(self, journal: Journal, there: Sequence[Path]) -> None:
        saved = {path.name: self._back_up(path) for path in there}
        placed = self._written(journal)
        self._close()
        steps.sync_folder(self.files.folder)
        try:
            steps.replace(placed, self.files.journal)
            steps.sync_folder(self.files.folder)
            roll_forward(self.files, journal)
        except BaseException:
            if os.path.lexists(self.files.journal):
                self._undo(journal, saved)
            raise

    def _written(self, journal: Journal) -> Path:
        draft = self.new_text(journal.text())
        draft.finish(mode_for(self.files.journal))
        return draft.path

    def _back_up(self, path: Path) -> Path:
        """A second name for a file that will be replaced; a copy if the file system has no second names."""
        backup = self.files.draft(secrets.token_hex(8))
        _living.add(backup)
        self._names.append(backup)
        try:
            steps.link(path, backup)
        except OSError:
            draft = self.new()
            with path.open("rb") as file:
                shutil.copyfileobj(file, draft)
            draft.finish(stat.S_IMODE(path.stat().st_mode) & 0o777)
            return draft.path
        return backup

    def _undo(self, journal: Journal, saved: dict[str, Path]) -> None:
        """Restore the old set: a commit like any other, of its second names."""
        moves = [Move(path.name, name, digest_of(path) or "") for name, path in saved.items()]
        new = [move.target for move in journal.moves if move.target not in saved]
        undoing = Journal(tuple(new), tuple(moves))
        try:
            placed = self._written(undoing)
            self._close()
            steps.replace(placed, self.files.journal)
            roll_forward(self.files, undoing)
        except OSError as error:
            raise OutputError(
                f"{self.files.path} is only partly replaced ({error.strerror or error}); "
                "run withhold verify on it, which completes the replacement"
            ) from error

    def _close(self) -> None:
        """Close all drafts: an open file cannot be renamed on every system."""
        while self._open:
            self._open.pop().close()

    def clear(self) -> None:
        """Remove what has no name, unless a journal that could not be completed still needs it."""
        self._close()
        needed = os.path.lexists(self.files.journal)
        for path in self._names:
            if not needed:
                with suppress(OSError):
                    steps.unlink(path)
            _living.discard(path)


@contextmanager
def drafting(files: FileSet) -> Iterator[Drafts]:
    """Drafts of a set of files, all removed afterwards, whatever happens.

    First what an earlier run left is completed or removed.
    """
    drafts = Drafts(files)
    try:
        with folder_lock(files.folder):
            settle_to_write(files)
            remove_leftovers(files)
        yield drafts
    except OutputError as error:
        # The writer knows only the draft's name, which means nothing to the user.
        text = str(error)
        for name in drafts._names:
            text = text.replace(str(name), str(files.path))
        raise OutputError(text) from error
    except OSError as error:
        raise OutputError(
            f"{files.path} could not be written: {error.strerror or error}; nothing was published"
        ) from error
    finally:
        drafts.clear()


@contextmanager
def save(path: Path) -> Iterator[Draft]:
    """A single file, written whole or not at all, over whatever ordinary file has the name."""
    with drafting(FileSet(path)) as drafts:
        draft = drafts.new()
        yield draft
        drafts.commit([(draft, path)], overwrite=True)
