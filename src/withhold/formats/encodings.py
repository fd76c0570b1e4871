"""Decoding text: any encoding in, UTF-8 out.

In: the bytes of a text, and its encoding if the user named one. Out: UTF-8, and the encoding's name. A
byte-order mark settles it, and so do bytes that are valid UTF-8, as no other text is by chance. Anything
else is a guess: text with all the signs of Western Europe is read as cp1252, with a warning; otherwise the
user must name the encoding.
"""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from withhold.data.names import nearest
from withhold.errors import AssumedWarning, InputError, PolicyError, option

UTF8, WESTERN = "utf-8", "cp1252"
BLOCK = 2**20
"""Bytes decoded at a time, so that the text is never in memory twice."""
MARKS = {
    # The longest first: the mark of UTF-32 begins with that of UTF-16.
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
KNOWN = (
    UTF8, "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", WESTERN, "cp1250", "cp1251",
    "cp1253", "cp1254", "cp437", "cp850", "iso-8859-2", "iso-8859-15", "mac-roman", "koi8-r",
    "gb18030", "shift-jis", "euc-jp", "euc-kr", "big5",
)  # fmt: skip
"""Those that a misspelt one is compared with; any other text encoding of Python is taken, too."""
UNCLEAR = re.compile(
    # Characters of UTF-8, or half of one at the end: a file that is cut short, or pasted together.
    rb"[\xc2-\xf4][\x80-\xbf]|[\xc2-\xf4]\Z"
    # Bytes for which cp1252 has no character.
    rb"|[\x81\x8d\x8f\x90\x9d]"
    # Words of such letters alone: Cyrillic, Greek, Hebrew, Arabic.
    rb"|[\xc0-\xd6\xd8-\xf6\xf8-\xff]{3}"
    # Letters of Turkish, or of Icelandic, which share their bytes; and one that programs fill files with.
    rb"|[\xd0\xdd\xde\xf0\xfd-\xff]"
    # Signs inside a word: letters of Eastern Europe, of DOS, of old Macs. An apostrophe may stand there.
    rb"|[A-Za-z][\x80-\x91\x93-\x9f\xa1-\xa9\xab-\xaf\xb1-\xb6\xb8\xb9\xbb-\xbf\xd7\xf7](?=[A-Za-z])"
    # Capitals and signs that mean the same at the end of a word.
    rb"|[a-z][\x80\x82-\x84\x86-\x8c\x8e\x91\x95\x98\x99\x9f\xa2-\xa6\xa8\xac\xaf\xb1\xb4\xb8\xbc-\xbf]"
    rb"(?![0-9A-Za-z\x80-\xff])"
)
"""Bytes that make it doubtful whether a text is of Western Europe."""
NORDIC, SOUTHERN = re.compile(rb"[\xd8\xf8]"), re.compile(rb"[\xc8\xcc\xd2\xe8\xec\xf2\xf9]")
"""Letters that occur together in no Western language; in Czech text, the same bytes do."""


class Decoded(NamedTuple):
    """A text in UTF-8 without byte-order mark."""

    data: bytes
    encoding: str
    """The original encoding."""
    assumed: bool = False
    """Whether that is a guess."""


def check_encoding(encoding: str | None) -> str | None:
    """The encoding's usual name, if there is such an encoding of texts."""
    if encoding is None:
        return None
    try:
        found = codecs.lookup(encoding)
        "a".encode(found.name).decode(found.name)  # some codecs are not for text
    except (LookupError, ValueError, UnicodeError):
        near = nearest(encoding.lower(), KNOWN)
        meant = f"did you mean {near!r}? " if near else ""
        raise PolicyError(
            f"there is no encoding {encoding!r}; {meant}Usual ones are utf-8, cp1252, latin-1 and utf-16"
        ) from None
    return UTF8 if found.name == "utf-8-sig" else found.name


def decode(data: bytes, label: str, encoding: str | None = None) -> Decoded:
    """The text in UTF-8; what cannot be decoded is refused with its line."""
    marked = next((name for mark, name in MARKS.items() if data.startswith(mark)), None)
    if data.startswith(codecs.BOM_UTF8):
        marked = UTF8
    wrong = _first_wrong(data) if marked == UTF8 else None
    if wrong is not None:
        raise InputError(
            "begins with the mark of UTF-8 but has bytes that are not UTF-8",
            path=label,
            **_found_at(data, wrong),
            remedy="correct the letters there in an editor and save it as UTF-8, or delete the mark (the "
            f"first three bytes) and name the encoding, such as {option('encoding', WESTERN)}",
        )
    if marked is not None and encoding is not None and not encoding.startswith(marked):
        raise InputError(
            f"begins with the mark of {marked}, so it is not {encoding} text",
            path=label,
            remedy=f"say {option('encoding', marked)}, or leave it out",
        )
    named = marked or encoding
    if named not in (None, UTF8):
        if marked is None:
            _refuse_wrong(data, str(named), label)
        # A mark also gives the byte order; the codec for a fixed order would keep the mark.
        return Decoded(_recoded(data, marked or str(named), label), str(named))
    wrong = None if marked else _first_wrong(data)
    if wrong is None:
        return Decoded(data.removeprefix(codecs.BOM_UTF8), UTF8)
    if named is None and _is_western(data):
        _warn(label)
        return Decoded(_recoded(data, WESTERN, label), WESTERN, assumed=True)
    usual = option("encoding", WESTERN)
    say = f"save it as UTF-8, or say which encoding it has, such as {usual}"
    if named is not None:
        say = f"leave {option('encoding')} out, or {say}"
    raise InputError("is not UTF-8 text", path=label, **_found_at(data, wrong), remedy=say)


def _found_at(data: bytes, wrong: int) -> dict[str, Any]:
    """The line of a byte, and the byte, as an error shows them."""
    return {"line": data.count(b"\n", 0, wrong) + 1, "value": f"byte 0x{data[wrong]:02x}"}


def _refuse_wrong(data: bytes, encoding: str, label: str) -> None:
    """Refuse an encoding that would garble a text, whose names would then no longer match those on lists."""
    wide = encoding.startswith(("utf-16", "utf-32"))
    # Non-ASCII text is hardly ever valid UTF-8 by chance, and UTF-16 hardly ever lacks NULs and high bytes.
    wrong = b"\0" not in data if wide and data.isascii() else _first_wrong(data) is None
    if wrong and (wide or not data.isascii()):
        remedy = f"leave {option('encoding')} out"
        raise InputError(f"is UTF-8 text, not {encoding}", path=label, remedy=remedy)


def _warn(label: str) -> None:
    warnings.warn(
        f"{label} is not UTF-8 and was read as {WESTERN}, the encoding of Western Europe; if its letters are "
        f"wrong, save it as UTF-8, or, if it is the data, say which encoding it has ({option('encoding')})",
        AssumedWarning,
        stacklevel=2,
    )


def _first_wrong(data: bytes) -> int | None:
    """The first byte that is not UTF-8."""
    if data.isascii():
        return None
    decoder = codecs.getincrementaldecoder(UTF8)()
    for start in range(0, len(data), BLOCK):
        end = start + BLOCK
        try:
            decoder.decode(data[start:end], final=end >= len(data))
        except UnicodeDecodeError as error:
            # The decoder's text begins with the bytes it had kept back from the block before.
            return min(end, len(data)) - len(error.object) + error.start
    return None


def _is_western(data: bytes) -> bool:
    """Whether a text has the signs of cp1252, as Windows writes it in Western Europe, and no other."""
    # Control characters do not occur in text.
    if UNCLEAR.search(data) or re.search(rb"[\0-\x08\x0e-\x1f]", data):
        return False
    return not (NORDIC.search(data) and SOUTHERN.search(data))


def _recoded(data: bytes, encoding: str, label: str) -> bytes:
    try:
        return b"".join(_blocks(data, encoding))
    except UnicodeError as error:
        # Half a pair of UTF-16 cannot be written in UTF-8.
        reason = getattr(error, "reason", str(error))
        remedy = f"say with {option('encoding')} which encoding it has, or save it as UTF-8"
        raise InputError(f"is not {encoding} text: {reason}", path=label, remedy=remedy) from None


def _blocks(data: bytes, encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(data), BLOCK):
        end = start + BLOCK
        yield decoder.decode(data[start:end], final=end >= len(data)).encode()
