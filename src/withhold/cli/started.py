"""When the command was started. Imports nothing else, since the time must be noted first."""

from __future__ import annotations

at: float | None = None
"""None if a verb is called within another program."""
