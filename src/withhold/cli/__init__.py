"""The command line: one file per verb, thin; checks what was typed, walks the road, prints."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Entry point of the ``withhold`` command; also an installation that is broken never ends with 1."""
    try:
        from withhold.cli import app
    except ImportError as error:
        print(f"withhold: {error}. To fix it: install withhold again", file=sys.stderr)
        sys.exit(70)
    app.main()
