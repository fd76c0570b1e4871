"""Pages of the documentation as programs: what they ask the reader to type, and what they say comes of it.

How a page is written so that it can be run:

- In a ``console`` block, ``$ COMMAND`` (or a line that begins with ``withhold``) is a command. A backslash at
  its end goes on in the next line. What follows up to the next command is its output. A block without a
  command is the output of the command that the paragraph before it begins with.
- A command must end with 0, unless its output shows the verdict (BROKEN: 1, UNDECIDED: 5) or a message
  (``withhold: …``), or a comment behind it or the line of prose before the block says ``exit N`` or
  ``exit code N``.
- A ``python`` block runs in one namespace with the others of its page: as a doctest if it has ``>>>``, else
  as it stands, with comments right after a ``print`` as what it prints.
- ``<!-- file: NAME -->`` before a block, or ``# NAME`` as the first line of a ``toml`` block, saves the block
  as a file.
- ``<!-- setup`` … ``-->`` has commands that readers need not see.
- ``…`` in an output stands for any text, on a line of its own for any lines. Seconds, sizes of memory,
  versions, digests and blanks are not compared.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typed import run

CUT = "…"
MASKS = (
    # What the time went to differs, too.
    (re.compile(r"(\d s) \(\d[\d.]* s [^)]*\)"), r"\1"),
    (re.compile(r"\b\d+(\.\d+)? s\b"), "N s"),
    (re.compile(r"\b[\d,.]+ [kMG]i?B\b"), "N MB"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"\b\d+\.\d+\.\d+\S*"), "VERSION"),
    (re.compile(r"\s+"), " "),
)
SHELL = re.compile(r"(?<![\w'\"\\])[|<>;&]")
DOCTEST_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
VERDICTS = {"BROKEN": 1, "UNDECIDED": 5}
"""Exit codes that a command may end with where its page shows the verdict."""
EXIT = re.compile(r"\bexit (?:code )?`?(\d+)")


class PageError(AssertionError):
    """A page that says something else than the program does."""


@dataclass(frozen=True)
class Block:
    """A fenced block, or what stands in a comment for the test alone."""

    kind: str
    text: str
    line: int
    named: str | None = None
    """The file that it is to be saved as."""
    before: str = ""
    """The line of prose before it."""


@dataclass(frozen=True)
class Command:
    """One command and what the page says it prints."""

    typed: str
    shown: tuple[str, ...]
    line: int
    before: str = ""
    """The line of prose before its block."""

    @property
    def exit_codes(self) -> set[int]:
        """What it may end with: what the page says; else 0, or the code of a verdict that is shown."""
        comment = self.typed.partition(" #")[2]
        said = {int(code) for text in (comment, self.before) for code in EXIT.findall(text)}
        words = " ".join(self.shown)
        seen = {code for verdict, code in VERDICTS.items() if verdict in words}
        return said or {0, *seen}


def blocks_of(text: str) -> list[Block]:
    """The blocks of a page, in order."""
    blocks: list[Block] = []
    lines = text.split("\n")
    at, named, before = 0, None, ""
    while at < len(lines):
        line = lines[at].strip()
        if line.startswith("```") and line.count("```") == 1:
            end = next(
                (n for n in range(at + 1, len(lines)) if lines[n].strip() == "```"), len(lines)
            )
            body = lines[at + 1 : end]
            kind = line[3:].strip()
            first = re.fullmatch(r"# ([\w.-]+\.toml)", body[0].strip()) if body else None
            if kind == "toml" and first:
                named = first[1]
            blocks.append(Block(kind, "\n".join(body) + "\n", at + 1, named, before))
            at, named = end, None
        elif found := re.fullmatch(r"<!-- file: (\S+) -->", line):
            named = found[1]
        elif line.startswith("<!-- setup"):
            end = next(n for n in range(at, len(lines)) if "-->" in lines[n])
            blocks.append(Block("setup", "\n".join(lines[at + 1 : end]) + "\n", at + 1))
            at = end
        elif line:
            before = line
        at += 1
    return blocks


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block, each with the output that is shown for it."""
    commands: list[Command] = []
    typed, shown, start, goes_on = "", [], block.line, False
    implied = re.match(r"`(withhold [^`]*)`", block.before)
    for number, line in enumerate(block.text.rstrip("\n").split("\n"), start=block.line + 1):
        is_command = line.startswith(("$ ", "withhold ")) or (block.kind == "setup" and line)
        if goes_on:
            typed, goes_on = f"{typed[:-1].rstrip()} {line.strip()}", line.endswith("\\")
        elif is_command:
            if typed:
                commands.append(Command(typed, _trimmed(shown), start, block.before))
            typed, shown, start = line.removeprefix("$ ").strip(), [], number
            goes_on = line.endswith("\\")
        elif typed:
            shown.append(line)
        elif line.startswith("make "):
            continue  # of whoever works on the program
        elif line.strip() and implied:
            typed, shown, start = implied[1], [line], number
        elif line.strip():
            raise PageError(f"line {number}: output without a command: {line}")
    if typed:
        commands.append(Command(typed, _trimmed(shown), start, block.before))
    return commands


def _trimmed(lines: list[str]) -> tuple[str, ...]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return tuple(lines)


def masked(text: str) -> str:
    """The line without what differs from machine to machine.

    >>> masked("  time   1.89 s, 205 MB")
    'time N s, N MB'
    """
    for pattern, instead in MASKS:
        text = pattern.sub(instead, text)
    return text.strip()


def agrees(shown: list[str] | tuple[str, ...], found: str) -> bool:
    """Whether the output is what the page shows of it.

    >>> agrees(["a", "…", "b 1 of …"], "a\\nx\\ny\\nb 1 of 3"), agrees(["a"], "a\\nb")
    (True, False)
    """
    parts = []
    for line in shown:
        if line.strip() == CUT:
            parts.append(r"(?:.*\n)*?")
        else:
            whole = masked(line.replace(CUT, "\0"))
            parts.append(re.escape(whole).replace("\0", ".*").replace("\\.*", ".*") + r"\n")
    lines = [masked(line) for line in found.rstrip().split("\n")]
    return re.fullmatch("".join(parts), "\n".join(lines) + "\n") is not None


class Page:
    """A page that is run block by block in the current folder."""

    def __init__(self, path: Path, shims: Path) -> None:
        self.path = path
        self.shims = shims
        self.names: dict[str, Any] = {"__name__": "__page__"}

    def run(self) -> int:
        """Run all blocks; how many commands and examples there were."""
        done = 0
        for block in blocks_of(self.path.read_text(encoding="utf-8")):
            if block.named:
                Path(block.named).write_text(block.text, encoding="utf-8")
            if block.kind in ("console", "setup"):
                for command in commands_of(block):
                    self.type(command, check=block.kind == "console")
                    done += 1
            elif block.kind == "python" and not block.named:
                self.execute(block)
                done += 1
        return done

    def type(self, command: Command, *, check: bool = True) -> None:
        """Type a command, and compare what it prints with what is shown."""
        if CUT in command.typed:
            raise self.wrong(command.line, f"not literal: {command.typed}")
        code, out, err = run_command(command.typed, self.shims)
        found = out if out.strip() else err
        told = any(line.startswith("withhold:") for line in command.shown)
        if code not in command.exit_codes and not (told and 1 < code < 6):
            raise self.wrong(command.line, f"{command.typed}\nends with {code}:\n{err or out}")
        if check and command.shown and not agrees(command.shown, found):
            shown = "\n".join(command.shown)
            raise self.wrong(
                command.line, f"{command.typed}\nprints\n{found}\nThe page shows\n{shown}"
            )

    def execute(self, block: Block) -> None:
        """Run a block of Python, and compare what it prints with what is shown."""
        said = io.StringIO()
        if ">>>" in block.text:
            where = f"{self.path.name}, line {block.line}"
            test = doctest.DocTestParser().get_doctest(
                block.text, self.names, where, str(self.path), block.line
            )
            test.globs = self.names
            runner = doctest.DocTestRunner(optionflags=DOCTEST_FLAGS)
            runner.run(test, out=said.write, clear_globs=False)
            if runner.failures:
                raise self.wrong(block.line, said.getvalue())
            return
        code = compile("\n" * block.line + block.text, str(self.path), "exec")
        with contextlib.redirect_stdout(said):
            exec(code, self.names)
        if (shown := printed_by(block.text)) and not agrees(shown, said.getvalue()):
            raise self.wrong(block.line, f"prints\n{said.getvalue()}The page shows\n{shown}")

    def wrong(self, line: int, what: str) -> PageError:
        """What is wrong with the page, and where."""
        return PageError(f"{self.path.name}, line {line}: {what}")


def printed_by(code: str) -> list[str]:
    """What the comments right after each ``print`` say that it prints."""
    shown, after = [], False
    for line in code.split("\n"):
        if after and line.startswith("# "):
            shown.append(line[2:])
            continue
        after = line.startswith("print(")
    return shown


def run_command(typed: str, shims: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command; our own runs in this process, for speed."""
    words = shlex.split(typed, comments=True)
    if words[0] != "withhold" or SHELL.search(typed.split(" #")[0]):
        path = f"{shims}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["/bin/sh", "-c", typed],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, "PATH": path},
        )
        return done.returncode, done.stdout, done.stderr
    done = run(*words[1:], prog_name="withhold")
    return done.exit_code, done.stdout, done.stderr


def make_shim(folder: Path) -> Path:
    """A folder with a ``withhold`` that runs this Python's."""
    folder.mkdir(exist_ok=True)
    shim = folder / "withhold"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m withhold "$@"\n', encoding="utf-8")
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    return folder
