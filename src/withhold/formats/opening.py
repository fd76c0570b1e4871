"""From a path to bytes: the first step of reading a file.

In: a path, or ``-`` for standard input. Out: its bytes, unpacked, with the digest of the file on disk.
Problems that do not depend on the content are found here: a missing, empty or truncated file, or a line
that would fill the memory. ``texts`` turns the bytes into text.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from withhold.data.source import Source
from withhold.errors import InputError

LONGEST_LINE = 16 * 2**20
BLOCK = 16 * 2**20
"""Bytes read at a time: a file of one endless line is refused after two blocks."""
UNPACKED_BLOCK = 2**20
GZIP_STEP = 2**16
ZSTD_STEP = 2**9
"""Compressed bytes unpacked at a time. zstd does not stop before it has unpacked all its input, and this
many bytes unpack to at most 16 MiB."""
EXPANSION, EXPANSION_FROM = 250, 256 * 2**20
"""Text unpacks to about ten times its size; an archive that unpacks to 250 times its size and more than
256 MiB is malicious."""

STDIN = "-"
GZIP, ZSTD, PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of spreadsheets: .xlsx and .ods, and .xls."""
FOREIGN = {
    b"BZh": ("is packed with bzip2", "unpack it, or pack it with gzip or zstd"),
    b"\xfd7zXZ": ("is packed with xz", "unpack it, or pack it with gzip or zstd"),
}
SYSTEM = {
    IsADirectoryError: ("is a directory", "name a file inside it"),
    FileNotFoundError: ("does not exist", "check the path"),
    PermissionError: ("permission denied", "ask for read permission on it"),
}
SOMETHING = "give a file with at least one line"
AGAIN = "copy or download it again"


class Placed:
    """Something with a place that messages name; None where it has no file."""

    __slots__ = ()
    path: str | None

    def error(self, problem: str, remedy: str | None = None, **where: Any) -> InputError:
        """The error: the problem, what to do, and the line, column and value."""
        return InputError(problem, path=self.path, remedy=remedy, **where)


class Digest:
    """The SHA-256 of some bytes, computed in the background."""

    def __init__(self, data: bytes) -> None:
        self._hash = hashlib.sha256()
        self._thread = threading.Thread(target=self._hash.update, args=(data,), daemon=True)
        self._thread.start()

    def hexdigest(self) -> str:
        """The digest in hexadecimal, when it is ready."""
        self._thread.join()
        return self._hash.hexdigest()


@dataclass(frozen=True, slots=True)
class Opened:
    """A file's content, unpacked."""

    path: Path
    label: str
    """The file's name in messages."""
    data: bytes
    compression: str
    digest: Digest

    @property
    def is_parquet(self) -> bool:
        """Whether the content says that it is a parquet file."""
        return self.data.startswith(PARQUET)

    def source(self, format: str, **form: Any) -> Source:
        """What a release needs to know about the file, whose content has this form."""
        digest = self.digest.hexdigest()
        return Source(self.path, format, compression=self.compression, sha256=digest, **form)

    @property
    def is_spreadsheet(self) -> bool:
        """Whether the content begins like a spreadsheet; the reader of spreadsheets checks the rest."""
        return self.data.startswith((ZIP, OLE))


@dataclass(frozen=True, slots=True)
class Text(Placed):
    """UTF-8 without byte-order mark, lines ended by ``\\n``, no NUL; the last line may lack its end."""

    data: bytes
    path: str
    name: str = ""
    """The file's name, which may hint at its format."""
    encoding: str = ""
    """The encoding of the file; None for a spreadsheet."""
    assumed: bool = False
    """Whether the encoding is a guess."""
    sheet: str = ""
    """The sheet, if the file is a spreadsheet."""

    def lines(self) -> Iterator[str]:
        """The lines, without their ends; text after the last newline is a line, too."""
        start = 0
        while start < len(self.data):
            # In pieces, so that the decoded text is never in memory as a whole.
            end = self.data.find(b"\n", min(start + UNPACKED_BLOCK, len(self.data)) - 1) + 1
            end = end or len(self.data)
            yield from self.data[start:end].decode().removesuffix("\n").split("\n")
            start = end

    def head(self, n_lines: int) -> Text:
        """The first lines as a text of its own."""
        end = -1
        for _ in range(n_lines):
            end = self.data.find(b"\n", end + 1)
            if end < 0:
                return self
        return replace(self, data=self.data[: end + 1])

    def closed(self) -> bytes:
        """The bytes with the last line ended."""
        return self.data if self.data.endswith(b"\n") else self.data + b"\n"


def open_bytes(path: Path) -> Opened:
    """The unpacked content of a file or of standard input, whatever its name says."""
    label = "standard input" if str(path) == STDIN else str(path)
    try:
        # Standard input is not ours to close.
        is_stdin = str(path) == STDIN
        with nullcontext(sys.stdin.buffer) if is_stdin else open(path, "rb") as stream:
            packed = _read_all(stream, label)
    except (OSError, ValueError) as error:
        raise unreadable(error, label) from None
    if not packed:
        raise InputError("is empty", path=label, remedy=SOMETHING)
    digest = Digest(packed)
    data, compression = packed, ""
    if packed.startswith(GZIP):
        data, compression = _unpack(_gunzip(packed, label), len(packed), label), "gz"
    elif packed.startswith(ZSTD):
        data, compression = _unpack(_unzstd(packed, label), len(packed), label), "zst"
    if not data:
        raise InputError("holds nothing once unpacked", path=label, remedy=SOMETHING)
    return Opened(path, label, data, compression, digest)


def refuse_foreign(data: bytes, label: str) -> None:
    """Refuse kinds of file that are often given by mistake, and name the kind."""
    for magic, (problem, remedy) in FOREIGN.items():
        if data.startswith(magic):
            raise InputError(problem, path=label, remedy=remedy)


def unreadable(error: OSError | ValueError, label: str) -> InputError:
    """The error for a file that the system does not let us read."""
    reason = getattr(error, "strerror", None) or str(error)
    known = (said for kind, said in SYSTEM.items() if isinstance(error, kind))
    problem, remedy = next(known, (f"cannot be read: {reason}", None))
    return InputError(problem, path=label, remedy=remedy)


def line_number(data: bytes, position: int) -> int:
    """The number of the line, from 1, that contains a byte."""
    return data.count(b"\n", 0, position) + 1


def _read_all(stream: BinaryIO, label: str) -> bytes:
    """All bytes of a stream; a line too long for text is refused while it is being read."""
    content = _Content(label)
    try:
        size = os.fstat(stream.fileno()).st_size
    except OSError:
        size = 0  # a pipe, for example
    # A block of the file's own size if that is known: a larger one would have to be cut.
    while block := stream.read(min(BLOCK, size + 1) if size else BLOCK):
        if not content.blocks:
            refuse_foreign(block, label)
        content.add(block)
    return content.joined()


def _unpack(blocks: Iterable[bytes], packed_size: int, label: str) -> bytes:
    """The blocks of an archive joined, as long as they look like text or parquet."""
    content = _Content(label)
    for block in blocks:
        content.add(block)
        if content.size > max(EXPANSION_FROM, EXPANSION * packed_size):
            problem = f"grows more than {EXPANSION}-fold when unpacked"
            raise InputError(problem, path=label, remedy="unpack it yourself if you trust it")
    return content.joined()


def _gunzip(packed: bytes, label: str) -> Iterator[bytes]:
    """The content of a gzip file, which may have several members, block by block."""
    member = zlib.decompressobj(wbits=31)
    try:
        for start in range(0, len(packed), GZIP_STEP):
            rest = packed[start : start + GZIP_STEP]
            while rest:
                if member.eof:
                    # Writers may pad a file with zeros after its last member.
                    rest = rest.lstrip(b"\0")
                    if not rest:
                        break
                    member = zlib.decompressobj(wbits=31)
                yield member.decompress(rest, UNPACKED_BLOCK)
                rest = member.unused_data if member.eof else member.unconsumed_tail
        while not member.eof:
            block = member.decompress(b"", UNPACKED_BLOCK)
            if not block:
                raise _broken("gzip", label)
            yield block
    except zlib.error as error:
        raise _broken("gzip", label, str(error)) from None


def _unzstd(packed: bytes, label: str) -> Iterator[bytes]:
    """The content of a zstd file, which may have several frames, block by block."""
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=2**27)
    frame = unpacker.decompressobj()
    try:
        for start in range(0, len(packed), ZSTD_STEP):
            rest = packed[start : start + ZSTD_STEP]
            while rest:
                frame = unpacker.decompressobj() if frame.eof else frame
                yield frame.decompress(rest)
                rest = frame.unused_data if frame.eof else b""
    except zstandard.ZstdError as error:
        raise _broken("zstd", label, str(error)) from None
    if not frame.eof:
        raise _broken("zstd", label)


class _Content:
    """The blocks of a file so far; refuses a line longer than any record as soon as it is seen."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.blocks: list[bytes] = []
        self.size = 0
        self._has_lines = True
        self._open = 0  # how long the last line is so far

    def add(self, block: bytes) -> None:
        """Take in the next block."""
        if not self.size:
            self._has_lines = not block.startswith((PARQUET, GZIP, ZSTD, ZIP, OLE))
        if self._has_lines:
            # Old Macs ended lines with a carriage return alone.
            end = b"\n" if b"\n" in block else b"\r"
            first = block.find(end)
            if self._open + (len(block) if first < 0 else first) > LONGEST_LINE:
                problem = f"has a line longer than {LONGEST_LINE // 2**20} MiB"
                line = 1 + sum(each.count(b"\n") for each in self.blocks)
                remedy = "put each record on a line of its own"
                raise InputError(problem, path=self.label, line=line, remedy=remedy)
            self._open = self._open if first < 0 else -1 - block.rfind(end)
            self._open += len(block)
        self.blocks.append(block)
        self.size += len(block)

    def joined(self) -> bytes:
        """The whole content."""
        return self.blocks[0] if len(self.blocks) == 1 else b"".join(self.blocks)


def _broken(kind: str, label: str, reason: str = "") -> InputError:
    problem = f"is a broken {kind} archive: {reason}"
    early = f"is a {kind} archive that ends too early"
    return InputError(problem if reason else early, path=label, remedy=AGAIN)
