"""What a terminal gets: lines that fit, verdicts in colour. What a pipe gets: the text as it is."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from withhold.cli.terminal import coloured, fitted

AUDIT = ["audit", "shop.dat", "--rho", "0.5", "--sensitive", "condom"]
COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def shop(tmp_path, monkeypatch):
    long = [f"ointment-with-a-long-name-{number}" for number in range(6)]
    rows = [" ".join([*long, "condom"]), "beer condom", "beer", "coffee"]
    (tmp_path / "shop.dat").write_text("\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)


def on_a_terminal(
    *arguments: str, columns: int = 80, notes: bool = False, **environment: str
) -> str:
    """What the command writes to a terminal of so many columns."""
    return on_a_terminal_of(
        "-m", "withhold", *arguments, columns=columns, notes=notes, **environment
    )


def on_a_terminal_of(
    *words: str, columns: int = 80, notes: bool = False, **environment: str
) -> str:
    """The same of anything that Python runs."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *words],
        stdout=theirs,
        stderr=theirs if notes else subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm", **environment},
    )
    os.close(theirs)
    written = b""
    try:
        while piece := os.read(ours, 65536):
            written += piece
    except OSError:  # the other end is closed
        pass
    process.wait()
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def without_times(text: str) -> str:
    """The words, but for how long it took and what that went to."""
    return re.sub(r"\d+\.\d+ s( \([^)]*\))?", "", " ".join(text.split()))


@pytest.fixture
def without_colour_setting(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.usefixtures("shop", "without_colour_setting")
def test_terminal__shows_a_verdict_in_colour_and_lines_that_fit():
    shown = on_a_terminal(*AUDIT)
    assert shown.startswith("\x1b[31m\x1b[1mBROKEN\x1b[0m")
    plain = COLOUR.sub("", shown)
    assert max(map(len, plain.splitlines())) <= 80
    piped = subprocess.run(
        [sys.executable, "-m", "withhold", *AUDIT], capture_output=True, text=True, check=False
    ).stdout
    assert "\x1b" not in piped
    assert max(map(len, piped.splitlines())) > 80
    # The same words, but for how long it took.
    assert without_times(plain) == without_times(piped)


@pytest.mark.usefixtures("shop")
def test_terminal__no_color_is_honoured():
    shown = on_a_terminal(*AUDIT, NO_COLOR="1")
    assert shown.startswith("BROKEN")
    # colorama, where it is installed, gives numba's terminal back with a reset.
    assert "\x1b" not in shown.removesuffix("\x1b[0m")


@pytest.mark.parametrize("width", [20, 40, 80])
def test_fitted__keeps_every_word_and_the_indent(width):
    text = "Asked: whoever knows any items\n  record 501 (score 5): {a, b} and 2 more\n\n    x"
    shown = fitted(text, width)
    assert shown.split() == text.split()
    assert max(map(len, shown.splitlines())) <= width
    assert fitted(text, 200) == text


def test_fitted__leaves_a_long_path_whole():
    path = "/".join(["folder"] * 20)
    assert path in fitted(f"published  {path}", 40)


def test_fitted__goes_on_under_its_column():
    shown = fitted("  published as they are  " + ", ".join(f"column{n}" for n in range(20)), 60)
    first, *others = shown.splitlines()
    assert all(line.startswith(" " * 25 + "column") for line in others)
    assert first.startswith("  published as they are  column0")


WIDE = ",".join(["age", "income", *(f"a_column_of_a_table_{number}" for number in range(30))])
SETS = ["shop.dat", "--rho", "0.5", "--sensitive", "condom"]
TABLE = ["wide.csv", "--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "age"]
LONG = "something with a name of many words " * 3 + "that is sensitive"
WALK = [
    ["anonymize", *SETS, "-o", "out.dat"],
    ["audit", *SETS],
    [
        "audit",
        "shop.dat",
        "--model",
        "coherence",
        "--h",
        "0.5",
        "--k",
        "2",
        "--p",
        "1",
        "--private",
        "condom",
    ],
    ["audit", "long.jsonl", "--rho", "0.5", "--sensitive", LONG],
    ["inspect", "long.jsonl"],
    ["verify", "out.dat"],
    ["compare", "shop.dat", "out.dat"],
    ["sweep", *SETS[:1], *SETS[3:], "--vary", "rho=0.3,0.5", "--vary", "keep=rules,counts"],
    ["advise", "shop.dat", "--sensitive", "condom"],
    ["inspect", "shop.dat"],
    ["inspect", "wide.csv", "--table"],
    ["demo", "--baskets", "300", "--folder", "demo"],
    ["audit", *TABLE, "--publish", "all"],
    ["anonymize", *TABLE, "--publish", "all", "-o", "out.csv"],
    ["hierarchy", "suggest", "wide.csv", "age"],
    ["help"],
    ["anonymize", "none.dat", *SETS[1:], "-o", "out.dat"],
    ["anonymize", "--help"],
    ["anonymize", "--model", "people", "--help"],
    ["audit", "--help-all"],
]


ONE_AFTER_THE_OTHER = """
import contextlib, json, sys
from withhold.cli import main
for number, words in enumerate(json.loads(sys.argv[1])):
    if number:
        print("THE NEXT", flush=True)
    sys.argv = ["withhold", *words]
    with contextlib.suppress(SystemExit):
        main()
    sys.stderr.flush()
"""


@pytest.fixture
def walk(shop):
    rows = "".join(f"{30 + n % 3},{n % 2},{','.join(['x'] * 30)}\n" for n in range(12))
    Path("wide.csv").write_text(f"{WIDE}\n{rows}")
    Path("long.jsonl").write_text(
        f'["{LONG}", "{LONG.replace("is", "is not")}"]\n["{LONG}", "x"]\n'
    )
    return "-c", ONE_AFTER_THE_OTHER, json.dumps(WALK)


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
def test_verbs__send_no_escape_codes_to_a_terminal_that_wants_none(walk, setting):
    shown = on_a_terminal_of(*walk, notes=True, **setting)
    assert shown.count("THE NEXT") == len(WALK) - 1
    assert "HOLDS" in shown
    assert "BROKEN" in shown
    # colorama, where it is installed, gives numba's terminal back with a reset.
    assert "\x1b" not in shown.removesuffix("\x1b[0m")


def test_verbs__send_no_escape_codes_to_a_pipe(walk):
    done = subprocess.run([sys.executable, *walk], capture_output=True, text=True, check=False)
    assert done.stdout.count("THE NEXT") == len(WALK) - 1
    assert "HOLDS" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    assert "\r" not in done.stdout + done.stderr


@pytest.mark.usefixtures("without_colour_setting")
def test_verbs__fit_a_terminal_of_80_columns(walk):
    """Every line of every verb, but for paths and commands, which stay whole."""
    written = on_a_terminal_of(*walk, notes=True)
    wide = {}
    for words, shown in zip(WALK, COLOUR.sub("", written).split("THE NEXT"), strict=True):
        assert shown.strip(), words
        assert "Traceback" not in shown
        assert "bug in withhold" not in shown
        lines = [line for piece in shown.splitlines() for line in piece.split("\r")]
        too_long = [line for line in lines if len(line) > 80 and "to prove it again:" not in line]
        wide[" ".join(words)] = [line for line in too_long if len(max(line.split(), key=len)) < 60]
    assert {command: lines for command, lines in wide.items() if lines} == {}


def test_coloured__only_at_the_beginning_of_a_line():
    assert coloured("it is BROKEN\nUNDECIDED  yes").count("\x1b[0m") == 1
