"""With ``--json``, an error is one JSON object on standard output; message and exit code stay as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from typed import run, start
from withhold.page.jobs import _ended_in_error

RHO = ("--rho", "0.5", "--sensitive")


@pytest.fixture(autouse=True)
def shop(tmp_path, monkeypatch):
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)
    monkeypatch.chdir(tmp_path)
    Path("shop.dat").write_text("beer pill\nbeer\nwine\n" * 20)
    Path("table.csv").write_text("age,zip\n" + "40,1\n41,2\n" * 20)
    Path("list.txt").write_text("pill\nwnie\n")
    return tmp_path


def failure(*words) -> dict[str, object]:
    """What a command that fails prints as JSON, which is all that it prints on stdout."""
    done = run(*words, "--json")
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert list(found) == ["error"]
    assert found["error"]["exit_code"] == done.exit_code > 0
    plain = run(*words)
    assert (plain.exit_code, plain.stdout) == (done.exit_code, "")
    assert done.stderr == plain.stderr
    assert found["error"]["message"].partition("\n")[0] in done.stderr
    return dict(found["error"])


@pytest.mark.parametrize(
    ("words", "kind", "page"),
    [
        (("inspect", "none.dat"), "InputError", "formats"),
        (("advise", "none.dat"), "InputError", "formats"),
        (("audit", "shop.dat", *RHO, "whiskey"), "InputError", "first-release"),
        (
            ("audit", "shop.dat", "--rho", "1.5", "--sensitive", "pill"),
            "PolicyError",
            "first-release",
        ),
        (("anonymize", "shop.dat", *RHO, "pill", "-o", "shop.dat"), "PolicyError", "first-release"),
        (
            ("anonymize", "shop.dat", *RHO, "pill", "-o", "no/out.dat"),
            "OutputError",
            "first-release",
        ),
        (("verify", "shop.dat"), "InputError", "formats"),
        (("compare", "shop.dat", "none.dat"), "InputError", "formats"),
        (("sweep", "shop.dat", *RHO, "pill", "--vary", "rho"), "PolicyError", "deciding"),
        (("hierarchy", "suggest", "table.csv", "income"), "InputError", "hierarchies"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_an_error_is_one_object(words, kind, page):
    found = failure(*words)
    assert (found["kind"], found["page"]) == (kind, page)


def test_the_place_and_the_remedy_are_there():
    found = failure("audit", "shop.dat", *RHO, "list.txt")
    assert (found["kind"], found["path"], found["line"]) == ("ListError", "list.txt", 2)
    assert "spell them as the data do" in str(found["remedy"])


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (ValueError("gone"), "InternalError", 70),
        (MemoryError(), "MemoryError", 3),
        (KeyboardInterrupt(), "Interrupted", 130),
    ],
)
def test_a_bug_and_an_interruption_are_errors_too(monkeypatch, error, kind, code):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("withhold.formats.read", fail)
    found = failure("inspect", "shop.dat")
    assert (found["kind"], found["exit_code"]) == (kind, code)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("audit", "--json"), "Missing argument"),
        (("audit", "shop.dat", "--rho", "0.5", "--rho", "0.6", "--json"), "--rho is given twice"),
        (("anonymise", "shop.dat", "--json"), "anonymise"),
    ],
)
def test_a_command_that_nobody_understands_is_an_error_too(words, said):
    process = start(*words)
    shown, errors = process.communicate(timeout=60)
    found = json.loads(shown)["error"]
    assert (found["kind"], found["exit_code"], process.returncode) == ("UsageError", 2, 2)
    assert said in found["message"]
    assert said in errors


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("", True),
        ('{"error": {"kind": "NotVerifiedError"}}\n', True),
        ('{"event": "part"}\n{"error": {"kind": "NotVerifiedError"}}\n', True),
        ('{\n  "verdict": "BROKEN"\n}\n', False),
    ],
)
def test_the_page_takes_no_error_for_a_result(tmp_path, printed, expected):
    output = tmp_path / "job.json"
    output.write_text(printed)
    assert _ended_in_error(output) is expected
