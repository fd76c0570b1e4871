"""The command line: one file per verb, thin; checks what was typed, walks the road, prints."""

from withhold.cli.app import main

__all__ = ["main"]
