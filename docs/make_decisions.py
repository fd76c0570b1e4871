"""Writes docs/decisions/README.md, the list of the decisions, from their titles."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).with_name("decisions")
PAGE = FOLDER / "README.md"


def page() -> str:
    """The list, oldest first."""
    lines = [
        "# Decisions",
        "",
        "What was open, what was decided, and what was measured for it.",
        "",
    ]
    for path in sorted(FOLDER.glob("0*.md")):
        title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        lines.append(f"- [{title}]({path.name})")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
