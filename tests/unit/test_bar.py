"""The bar on a terminal: drawn in place, above it what is printed meanwhile, and nothing left in the end."""

from __future__ import annotations

import threading
import time
from contextlib import redirect_stderr
from io import StringIO

import pytest

from withhold.cli import bar
from withhold.cli.job import Job


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setattr(bar, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(bar, "REDRAWN_PER_SECOND", 1000)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def drawn_with(*texts: str) -> str:
    """What the terminal is sent while the texts are printed above a bar."""
    job = Job({"searching": 1})
    with redirect_stderr(StringIO()) as stderr, bar.drawing(job):
        job.begin("searching")
        deadline = time.monotonic() + 20
        while "searching" not in stderr.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.001)
        for text in texts:
            assert bar.print_above(text, on_stdout=False)
    assert not bar.print_above("afterwards", on_stdout=False)
    return stderr.getvalue()


def last_screen(sent: str, width: int = 80) -> list[str]:
    """The lines of a terminal that knows carriage returns and new lines, and nothing else."""
    lines = []
    for line in sent.split("\n"):
        cells = [" "] * width
        for piece in line.split("\r"):
            cells[: len(piece)] = piece
        lines.append("".join(cells).rstrip())
    return lines


def test_bar__is_known_before_it_is_drawn(monkeypatch):
    known = []
    monkeypatch.setattr(bar.Bar, "_write", lambda self, text: known.append(list(bar._drawn)))
    with bar.drawing(Job({"searching": 1})):
        while not known:
            time.sleep(0.001)
    assert len(known[0]) == 1


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_bar__of_a_terminal_without_escape_codes_is_text_alone(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    sent = drawn_with("a note", "and another")
    assert "\x1b" not in sent
    assert "━" in sent or "─" in sent
    assert last_screen(sent) == ["a note", "and another", ""]


def test_bar__gives_the_cursor_back_and_clears_its_line():
    sent = drawn_with("a note")
    assert sent.startswith(bar.HIDE_CURSOR)
    assert sent.endswith(bar.CLEAR_LINE + bar.SHOW_CURSOR)
    assert f"{bar.CLEAR_LINE}a note\n" in sent


@pytest.mark.parametrize("columns", [20, 60, 79])
def test_bar__is_no_wider_than_the_terminal(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    sent = drawn_with()
    assert max(map(len, sent.split("\r"))) <= columns - 1
    drawn = [piece for piece in sent.split("\r") if piece.strip()]
    assert drawn
    # What the terminal shows of Ctrl-C must not begin a line of its own.
    assert max(map(len, drawn)) <= columns - len("^C") - 1


def test_bar__of_quick_work_is_never_drawn(monkeypatch):
    monkeypatch.setattr(bar, "PATIENCE_SECONDS", 60.0)
    before = set(threading.enumerate())
    with redirect_stderr(StringIO()) as stderr, bar.drawing(Job({})):
        assert not bar.print_above("a note", on_stdout=False)
    assert stderr.getvalue() == ""
    # Threads of other tests may end meanwhile.
    assert set(threading.enumerate()) <= before
