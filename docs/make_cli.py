"""Writes docs/cli.md from the help texts, so that the reference cannot drift from the program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


def help_of(*verb: str, option: str = "--help") -> str:
    """What ``withhold VERB --help`` prints, at a fixed width."""
    environment = {**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
    result = subprocess.run(
        [sys.executable, "-m", "withhold", *verb, option],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return result.stdout.replace("python -m withhold", "withhold").strip()


def _commands(text: str) -> list[str]:
    """The verbs that a help text lists."""
    listed = text.partition("Commands:")[2].partition("Exit codes")[0]
    return re.findall(r"^  (\w[\w-]*)", listed, flags=re.MULTILINE)


def _models(text: str) -> list[str]:
    """The models that a help text lists."""
    listed = text.partition("\nModels:\n")[2].partition("\n\n")[0]
    return list(dict.fromkeys(re.findall(r"^  (\w[\w-]*)", listed, flags=re.MULTILINE)))


def main() -> None:
    """Write the page."""
    top = help_of()
    verbs = _commands(top)
    parts = [
        "# The command line",
        "Generated from the help texts by `make docs`.",
        f"```text\n{top}\n```",
    ]
    for verb in verbs:
        text = help_of(verb)
        if "--help-all" in text:
            text = help_of(verb, option="--help-all").partition("\nWhat must hold (")[0].rstrip()
        parts += [f"## withhold {verb}", f"```text\n{text}\n```"]
        for model in _models(text):
            own = help_of(verb, "--model", model).partition("What must hold (")
            options = "".join(own[1:]).partition("What all models share")[0].rstrip()
            parts += [f"### withhold {verb} --model {model}", f"```text\n{options}\n```"]
        for word in _commands(text):
            parts += [f"### withhold {verb} {word}", f"```text\n{help_of(verb, word)}\n```"]
    Path(__file__).with_name("cli.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
