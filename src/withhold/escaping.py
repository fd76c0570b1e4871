"""Text that is safe to show: characters that control a terminal or change the text direction are escaped.

Names of files and items come from the data; printed unchanged, they could clear the screen, forge a line or
show one name as another.
"""

from __future__ import annotations

import json
import re
from typing import Any

_BIDI = "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069"
_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_BIDI}]")
_UNSAFE_IN_LINE = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_BIDI}]")
_UNSAFE_IN_JSON = re.compile(f"[\x7f-\x9f\u2028\u2029{_BIDI}\ud800-\udfff]")


def visible(text: str) -> str:
    r"""The text with every control and direction character escaped, except line ends and tabs.

    >>> print(visible("a\x1b[2J\x9b1m\u202eb"))
    a\x1b[2J\x9b1m\u202eb
    """
    return _UNSAFE.sub(_written_out, text)


def one_line(text: str) -> str:
    r"""The same for text that is one line: line ends and tabs are escaped as well.

    >>> print(one_line("a\nHOLDS"))
    a\nHOLDS
    """
    return _UNSAFE_IN_LINE.sub(_written_out, text)


def json_text(value: Any, *, indent: int | None = 2) -> str:
    r"""The value as JSON that is readable in every script and safe on a terminal.

    ``json.dumps`` leaves DEL and the control characters from U+0080 to U+009F as they are. The surrogates for
    bytes of a file name that are not UTF-8 are escaped too, so that the text can be encoded.

    >>> print(json_text(["é", "\x9b1m", "\x7f"], indent=None))
    ["é", "\u009b1m", "\u007f"]
    """
    text = _plain(value) if indent is None else _indented(value, "\n", " " * indent)
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _plain(value: Any, separators: tuple[str, str] = (", ", ": ")) -> str:
    return json.dumps(value, ensure_ascii=False, separators=separators)


def _indented(value: Any, margin: str, indent: str) -> str:
    """As ``json.dumps`` with an indent; its fast encoder, which cannot indent, does the long parts."""
    nested = (dict, list, tuple)
    if not isinstance(value, nested) or not value:
        return _plain(value)
    inner = margin + indent
    parts = value.values() if isinstance(value, dict) else value
    if not any(issubclass(kind, nested) for kind in set(map(type, parts))):
        text = _plain(value, ("," + inner, ": "))
        return text[0] + inner + text[1:-1] + margin + text[-1]
    texts = [_indented(part, inner, indent) for part in parts]
    if isinstance(value, dict):
        # A key that is not a string is written as one.
        keys = (_plain(key if isinstance(key, str) else _plain(key)) for key in value)
        texts = [f"{key}: {text}" for key, text in zip(keys, texts, strict=True)]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return first + inner + ("," + inner).join(texts) + margin + last


def _written_out(found: re.Match[str]) -> str:
    return repr(found[0])[1:-1]
