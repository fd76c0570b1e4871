"""The folder that was chosen, and a private one for uploads: nothing outside of these is read or written."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path, PurePosixPath
from typing import Any

from withhold.counting.memory import physical_memory
from withhold.errors import InputError
from withhold.formats.forms import split_name
from withhold.page.words import WORDS
from withhold.parts.folder import MANIFEST

UPLOADED = "upload:"
"""Before the name of a file that was uploaded."""
OURS = (
    ".manifest.json",
    ".internal.json",
    ".report.html",
    ".page.toml",
    ".page.sensitive.txt",
)
"""Endings of files that withhold writes beside others."""
MEMORY_PER_BYTE = 10
"""How many bytes of memory a byte of a file is assumed to need if it is read whole."""
LISTED = 500
"""How many files are offered; any other can be named."""


class Folder:
    """The files that the page may touch."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve(strict=True)
        self.private = Path(tempfile.mkdtemp(prefix="withhold-page-")).resolve()
        """Readable by its owner alone, removed at the end."""
        self.uploads = self.private / "uploads"
        self.uploads.mkdir(mode=0o700)

    def remove_private(self) -> None:
        """Forget all uploads and drafts."""
        shutil.rmtree(self.private, ignore_errors=True)

    def path(self, name: str) -> Path:
        """The path that a request names, which must be within the folder, wherever links lead."""
        base, rest = self.root, name
        if name.startswith(UPLOADED):
            base, rest = self.uploads, name.removeprefix(UPLOADED)
        inner = PurePosixPath(rest.replace("\\", "/"))
        if not rest or "\0" in rest or inner.is_absolute() or ".." in inner.parts or ":" in rest:
            raise outside(name)
        found = (base / inner).resolve()
        if not found.is_relative_to(base):
            raise outside(name)
        return found

    def holds(self, path: Path) -> bool:
        """Whether a path is within the folder or among the uploads, wherever links lead."""
        found = path.resolve()
        return found.is_relative_to(self.root) or found.is_relative_to(self.uploads)

    def file(self, name: str) -> Path:
        """The path of a file that exists."""
        found = self.path(name)
        if not found.is_file():
            raise InputError(WORDS["folder.missing"], path=Path(name))
        return found

    def name_of(self, path: Path) -> str:
        """What requests call a file of the folder."""
        if path.is_relative_to(self.uploads):
            return UPLOADED + path.relative_to(self.uploads).as_posix()
        return path.relative_to(self.root).as_posix()

    def data_files(self) -> list[str]:
        """The files that may hold data, those of sub-folders after the others."""
        found = sorted(
            self.name_of(path)
            for pattern in ("*", "*/*")
            for path in self.root.glob(pattern)
            if _is_data(path, self.root)
        )
        found.sort(key=lambda name: name.count("/"))
        return [self.name_of(path) for path in sorted(self.uploads.iterdir())] + found[:LISTED]

    def folders(self) -> list[str]:
        """The folders in the folder, which may hold parts."""
        found = (path for path in self.root.iterdir() if path.is_dir() and self.holds(path))
        return sorted(path.name for path in found if not path.name.startswith("."))[:LISTED]

    def manifests(self) -> list[Path]:
        """The manifests of the releases in the folder, the newest first; one for all parts of a release."""
        of_parts = [path for path in self.root.glob(f"*/{MANIFEST}") if path.is_file()]
        whole = {path.parent for path in of_parts}
        found = [
            path
            for path in (
                *of_parts,
                *self.root.glob("*.manifest.json"),
                *self.root.glob("*/*.manifest.json"),
            )
            if path.is_file()
            and path.resolve().is_relative_to(self.root)
            and (path in of_parts or path.parent not in whole)
        ]
        return sorted(found, key=lambda path: (-path.stat().st_mtime_ns, path.name))

    async def keep(self, name: str, chunks: AsyncIterator[bytes], most_bytes: int) -> str:
        """Write an upload to the private folder; its name for requests."""
        plain = PurePosixPath(name.replace("\\", "/")).name
        if plain in ("", ".", "..") or "\0" in plain or ":" in plain:
            raise outside(name)
        path = self.uploads / plain
        draft = self.private / f"{plain}.part"
        written = 0
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
                async for chunk in chunks:
                    written += len(chunk)
                    if written > most_bytes:
                        raise InputError(WORDS["guard.large"])
                    file.write(chunk)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        return self.name_of(path)


def is_release(path: Path) -> bool:
    """Whether a file was published by withhold: it has a manifest beside it."""
    return path.with_name(f"{path.name}{OURS[0]}").is_file()


def is_too_large(path: Path) -> bool:
    """Whether a file would hardly fit in memory."""
    memory = physical_memory()
    packed = bool(split_name(path.name)[1])
    return memory is not None and not packed and path.stat().st_size * MEMORY_PER_BYTE > memory


def outside(name: Any) -> InputError:
    """The error for a file that is not within the folder."""
    return InputError(WORDS["folder.outside"], value=str(name))


def _is_data(path: Path, root: Path) -> bool:
    if path.name.startswith(".") or path.name.endswith(OURS) or not path.is_file():
        return False
    return path.resolve().is_relative_to(root)
