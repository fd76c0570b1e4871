"""What commands say, for readers of the page: fields by the names that they have there, not by options."""

from __future__ import annotations

import re

from withhold.page.words import WORDS

MORE = re.compile(r"\s*\(more: withhold help [\w-]+\)|^More: withhold help [\w-]+$")
"""The page of the documentation, which is for terminals."""
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z]|[a-z])\b")


def as_on_page(line: str) -> str:
    """A line of a message with the fields of the page in place of options.

    >>> as_on_page("say --allow-unknown, or --tidy items=case (more: withhold help first-release)")
    'say “Keep them”, or “Merge spellings” items=case'
    """
    return OPTION.sub(_field, MORE.sub("", line))


def _field(found: re.Match[str]) -> str:
    name = found[1]
    label = WORDS.get(f"field.{name}") or WORDS.get(f"option.{name.replace('-', '_')}")
    return f"“{label or name.replace('-', ' ')}”"
