"""Every command and every example in the README and the documentation does what the page says it does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from house.doc_pages import (
    Block,
    Page,
    PageError,
    agrees,
    blocks_of,
    commands_of,
    make_shim,
    printed_by,
    run_command,
)

ROOT = Path(__file__).parents[2]


def pages() -> list[str]:
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    runnable = ("console", "python", "setup")
    return [
        str(path.relative_to(ROOT))
        for path in found
        if any(block.kind in runnable for block in blocks_of(path.read_text(encoding="utf-8")))
    ]


@pytest.fixture(scope="session")
def demo(tmp_path_factory) -> Path:
    """What ``withhold demo`` leaves, made once."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        code, _, err = run_command("withhold demo --quiet", make_shim(folder / "shims"))
    assert code == 0, err
    return folder


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)


@pytest.mark.parametrize("name", pages())
def test_page__runs_as_it_stands(name, demo, tmp_path, monkeypatch):
    shutil.copytree(demo / "withhold-demo", tmp_path / "withhold-demo")
    monkeypatch.chdir(tmp_path)
    assert Page(ROOT / name, demo / "shims").run()


MOST_COLUMNS = 110
GENERATED = ("api.md", "cli.md", "decisions/README.md", "papers/*.md")
ONE_LINE = ("|", "#", "![", "<", "{{")
"""How lines begin that cannot be broken: tables, headings, pictures, comments and what stands for tables."""


def long_lines(text: str) -> list[int]:
    """The numbers of lines of prose with too many columns; blocks may have any."""
    found, fenced, hidden = [], False, False
    for number, line in enumerate(text.split("\n"), start=1):
        is_fence = line.strip().startswith("```")
        fenced = fenced != is_fence
        hidden = (hidden or line.startswith("<!--")) and "-->" not in line
        if fenced or is_fence or hidden or line.strip().startswith(ONE_LINE):
            continue
        found += [number] if len(line) > MOST_COLUMNS and " " in line.strip() else []
    return found


def test_prose__fits_in_its_columns():
    docs = ROOT / "docs"
    found = {
        str(path.relative_to(docs)): long_lines(path.read_text(encoding="utf-8"))
        for path in [*docs.rglob("*.md"), *docs.rglob("*.md.in")]
        if not any(path.relative_to(docs).match(each) for each in GENERATED)
    }
    assert not {name: lines for name, lines in found.items() if lines}


def test_long_lines__are_found_in_prose_alone():
    long = "word " * 30
    assert long_lines(
        f"{long}\n\n```sh\n{long}\n```\n\n| {long} |\n- {long}\n<!-- setup\n{long}\n-->"
    ) == [1, 8]


# The machinery itself ------------------------------------------------------------------------


def page(tmp_path: Path, text: str) -> Page:
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    return Page(tmp_path / "page.md", make_shim(tmp_path / "shims"))


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.dat").write_text("tea milk\ntea\n")
    return tmp_path


def test_commands__continue_and_show():
    (block,) = blocks_of("```console\n$ one \\\n    two\nout\n\n$ withhold x\nwithhold y\n```\n")
    assert [(each.typed, each.shown) for each in commands_of(block)] == [
        ("one two", ("out",)),
        ("withhold x", ()),
        ("withhold y", ()),
    ]


def test_commands__output_belongs_to_a_command():
    implied = Block("console", "out\n", 1, before="`withhold demo`, shortened")
    assert commands_of(implied)[0].typed == "withhold demo"
    with pytest.raises(PageError, match="without a command"):
        commands_of(Block("console", "out\n", 1, before="See:"))
    assert commands_of(Block("console", "make demo\nmake test  # all\n", 1)) == []


def test_blocks__files_and_setup():
    text = (
        "<!-- file: wishes.csv -->\n```text\nrecord,item\n```\n"
        "```toml\n# policy.toml\nrho = 1\n```\n<!-- setup\n$ touch x\n-->\n"
    )
    wishes, policy, setup = blocks_of(text)
    assert (wishes.named, policy.named, setup.kind) == ("wishes.csv", "policy.toml", "setup")
    assert commands_of(setup)[0].typed == "touch x"


@pytest.mark.parametrize(
    ("shown", "found", "fits"),
    [
        (["a", "b"], "a\nb\n", True),
        (["a"], "a\nb\n", False),
        (["a", "…"], "a\nb\nc\n", True),
        (["…", "c"], "a\nb\nc\n", True),
        (["a", "…", "c"], "a\nc\n", True),
        (["a", "…", "c"], "a\nb\n", False),
        (["HOLDS  x: …"], "HOLDS  x: whoever knows\n", True),
        (["HOLDS  x: …"], "BROKEN  x: whoever knows\n", False),
        (["time  0.96 s"], "time 12.30 s\n", True),
        (["2.44% of (x)"], "2.45% of (x)\n", False),
        (["using 205 MB"], "using 1,900 MB\n", True),
        ([f"sha {'a' * 64}"], f"sha {'b' * 64}\n", True),
        (["withhold 0.1.0"], "withhold 0.2.0.dev3\n", True),
        (["7 records"], "8 records\n", False),
    ],
)
def test_agrees__masks_the_machine_and_nothing_else(shown, found, fits):
    assert agrees(shown, found) is fits


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("```console\n$ withhold inspect a.dat\na.dat: long\n…\n```", "The page shows"),
        ("```console\n$ withhold inspect b.dat\n```", "ends with 3"),
        ("```console\n$ withhold inspekt a.dat\n```", "ends with 2"),
        ("```console\n$ withhold inspect …\n```", "not literal"),
        ("```console\n$ true && true\n$ cat a.dat\n$ exit 7\n```", "ends with 7"),
        ("<!-- setup\n$ exit 3\n-->", "ends with 3"),
        ("```console\n$ exit 1\n```", "ends with 1"),
        ("```console\n$ exit 5\n```", "ends with 5"),
        ("```console\n$ echo BROKEN; exit 5\nBROKEN\n```", "ends with 5"),
        ("```console\n$ true  # exit code 1\n```", "ends with 0"),
        ("```console\n$ exit 1 # exit code 5\n```", "ends with 1"),
        ("It ends with exit code 1:\n```console\n$ exit 5\n```", "ends with 5"),
        ("```python\n>>> 1 + 1\n3\n```", "Expected"),
        ("```python\nprint(1)\n# 2\n```", "The page shows"),
    ],
)
def test_page__that_is_wrong_is_caught(folder, text, told):
    with pytest.raises(PageError, match=told):
        page(folder, text).run()


def test_page__an_exit_code_that_the_page_says_passes(folder):
    text = """
```console
$ echo BROKEN x; exit 1
BROKEN …
$ exit 5  # exit 5
```
It ends with exit code `1`:
```console
$ exit 1
```
"""
    assert page(folder, text).run() == 3


def test_page__that_is_right_passes(folder):
    text = """
```console
$ withhold inspect a.dat --top 1     # what is in it?
a.dat: basket, separated by space
  records   2
…
$ withhold inspect b.dat
withhold: b.dat: does not exist…
$ withhold inspect a.dat --json | grep empty
  "empty_records": 0,
$ echo soap >> a.dat
```

```python
import withhold as wh

print(len(wh.read("a.dat")))
# 3
```

```python
>>> wh.read("a.dat").n_items
3

```
"""
    assert page(folder, text).run() == 6


def test_printed_by__only_what_follows_a_print():
    assert printed_by("x = 1\n# a remark\nprint(x)\n# 1\n# 2\n\n# another\n") == ["1", "2"]
