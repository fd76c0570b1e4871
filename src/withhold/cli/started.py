"""When the command was given. Loads nothing, since it is the first thing to be noted."""

from __future__ import annotations

at: float | None = None
"""None where a verb is called within another program."""
