"""Every text of the page, in one catalogue: another language is another file of the same keys."""

from __future__ import annotations

import json
from importlib.resources import files

LANGUAGE = "en"
WORDS: dict[str, str] = json.loads(
    files("withhold.page").joinpath(f"words.{LANGUAGE}.json").read_text(encoding="utf-8")
)
"""By key; what is in braces is filled in."""
