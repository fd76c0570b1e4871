"""The journal of a set of files: once it exists, the new set is the one that counts.

It lists which drafts get which names. A process that finds a journal completes what it says, if it belongs to
the same user and the folder is writable; otherwise a reader looks up in it what belongs together. It comes
from a folder in which others may write, so it is trusted only as far as it names drafts and members of the
set, with the digests that these have.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from withhold.atomic import steps
from withhold.atomic.files import FileSet, digest_of, folder_lock, is_ours
from withhold.errors import OutputError
from withhold.escaping import json_text

FORMAT = 1
LARGEST = 1 << 16
"""Bytes of a journal; a few names and digests are far less."""


@dataclass(frozen=True)
class Move:
    """A draft, the name it gets, and its digest."""

    draft: str
    target: str
    sha256: str


@dataclass(frozen=True)
class Journal:
    """What is to be done, in this order: remove, then move, then remove what the old set alone had."""

    removals: tuple[str, ...]
    moves: tuple[Move, ...]
    afterwards: tuple[str, ...] = ()
    """Parts of the old set, which belong to it until the new one is in place."""

    @classmethod
    def replacing(cls, files: FileSet, moves: Sequence[Move]) -> Journal:
        """All members that are not moved are removed; so are, first, those beside the ``steady`` ones.

        Those (the data and its manifest) are replaced in one step each, so that a reader always finds them;
        no page of an older release is ever beside a newer one.
        """
        lasting = [move.target for move in moves[: files.steady]]
        there = [path.name for path in files.members if os.path.lexists(path)]
        gone = [name for name in there if name not in lasting]
        old = tuple(name for name in gone if files.is_part(name))
        return cls(tuple(name for name in gone if name not in old), tuple(moves), old)

    def text(self) -> str:
        return json_text({"journal": FORMAT, **asdict(self)}) + "\n"


def read_journal(files: FileSet) -> tuple[Journal | None, bool]:
    """The set's journal, if there is a proper one that can be completed; and whether it is this user's."""
    try:
        handle = os.open(files.journal, steps.READ)
    except OSError:
        return None, False
    with open(handle, "rb") as file:
        found = os.fstat(handle)
        content = file.read(LARGEST + 1) if found.st_size <= LARGEST else b""
    journal = _parsed(files, content)
    if journal is not None and not all(_is_complete(files.folder, move) for move in journal.moves):
        journal = None
    return journal, is_ours(found)


def _parsed(files: FileSet, content: bytes) -> Journal | None:
    try:
        record: Any = json.loads(content)
        if record["journal"] != FORMAT:
            return None
        removals = tuple(record["removals"])
        moves = tuple(Move(**move) for move in record["moves"])
        afterwards = tuple(record.get("afterwards", ()))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    targets, drafts = [move.target for move in moves], [move.draft for move in moves]
    proper = (
        all(isinstance(text, str) for text in (*removals, *targets, *drafts, *afterwards))
        and all(map(files.may_hold, (*removals, *targets)))
        and all(map(files.is_part, afterwards))
        and not set(afterwards).intersection(targets)
        and all(files.is_draft(name) for name in drafts)
        and len(set(targets)) == len(set(drafts)) == len(moves)
    )
    return Journal(removals, moves, afterwards) if proper else None


def _is_complete(folder: Path, move: Move) -> bool:
    """Whether the new file is still there, under the one name or the other."""
    draft = folder / move.draft
    return digest_of(draft if os.path.lexists(draft) else folder / move.target) == move.sha256


def roll_forward(files: FileSet, journal: Journal) -> None:
    """Do what the journal says and remove it. What is done already is not done again."""
    drafts = {move.target: files.folder / move.draft for move in journal.moves}
    waiting = {target: draft for target, draft in drafts.items() if os.path.lexists(draft)}
    for name in journal.removals:
        if name in waiting or name not in drafts:
            steps.unlink(files.folder / name)
    for target, draft in waiting.items():
        steps.replace(draft, files.folder / target)
        if os.path.lexists(draft):  # two names of one file: renaming did nothing
            steps.unlink(draft)
    for name in journal.afterwards:
        steps.unlink(files.folder / name)
    # The names must be on the disk before the journal that would give them is removed.
    steps.sync_folder(files.folder)
    steps.unlink(files.journal)


def settle(files: FileSet) -> None:
    """Complete what a killed run left half done, as far as this user may; for readers."""
    if not os.path.lexists(files.journal):
        return
    try:
        with folder_lock(files.folder):
            journal, ours = read_journal(files)
            if journal is not None and ours:
                roll_forward(files, journal)
    except (OSError, OutputError):
        return  # a folder that is read-only or locked: ``current`` knows what belongs together


def settle_to_write(files: FileSet) -> None:
    """The same for somebody who is about to replace the set, and holds the folder's lock."""
    if not os.path.lexists(files.journal):
        return
    journal, ours = read_journal(files)
    if not ours:
        raise OutputError(
            f"{files.journal} was left by an interrupted run of another user; "
            "ask them to run it again, or remove that file"
        )
    if journal is None:
        steps.unlink(files.journal)
    else:
        roll_forward(files, journal)


def current(files: FileSet, member: Path) -> Path:
    """The path of the member that belongs to the first file as it is now.

    That is its own name; but a draft, if a run was killed just after the first file had got its name and
    this reader could not complete it.
    """
    settle(files)
    if not os.path.lexists(files.journal):
        return member
    journal, _ = read_journal(files)
    drafts = {} if journal is None else {move.target: move.draft for move in journal.moves}
    draft, first = (files.folder / drafts.get(path.name, "") for path in (member, files.path))
    in_place = files.path.name in drafts and not os.path.lexists(first)
    return draft if in_place and member.name in drafts and os.path.lexists(draft) else member
