"""One thing is one thing: no text of the program says "1 rows"."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import withhold as wh
from typed import run
from withhold.data.breach import SmallGroup

ONE_OF_MANY = re.compile(
    r"(?<![\d,.])1 (\w+ )?(rows|records|items|cells|columns|groups|values|sets|leaves|nodes|occurrences)\b"
)


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("a\nx\n")
    Path("two.csv").write_text("a,b\nx,y\nx,y\n")
    Path("one.dat").write_text("beer\n")
    Path("baskets.dat").write_text("beer tea\nbeer\nbeer\n")
    Path("tree.csv").write_text("x;*\n")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "inspect one.csv --table",
        "inspect one.dat",
        "inspect --hierarchy tree.csv",
        "audit one.csv --model k-anonymity --k 2 --quasi-identifiers a",
        "audit one.dat --rho 0.5 --sensitive beer,",
        "audit one.dat --rho 0.5 --sensitive gin, --allow-unknown",
        "audit one.dat --model coherence --h 0.5 --k 2 --p 1 --private gin, --allow-unknown",
        "audit one.dat --model km --k 2 --m 1",
        "anonymize one.csv --model k-anonymity --k 2 --quasi-identifiers a -o out.csv",
        "anonymize two.csv --model k-anonymity --k 2 --quasi-identifiers a -o out.csv --report",
        "anonymize baskets.dat --rho 0.5 --sensitive tea, -o out.dat --report",
        "anonymize one.dat --model buckets --k 2 --hierarchy prefix -o out.dat",
    ],
)
def test_texts__of_one_thing(here, command):
    done = run(*command.split())
    assert done.exit_code in (0, 1, 4), done.output
    assert done.stdout + done.stderr
    assert not ONE_OF_MANY.search(done.stdout + done.stderr), done.output
    for page in here.glob("*.html"):
        words = re.sub(r"<[^>]+>", " ", page.read_text())
        assert not ONE_OF_MANY.search(words), ONE_OF_MANY.search(words)


def test_findings__and_promises_of_one_thing():
    assert SmallGroup((("a", "x"),), 1, 5).row()[2] == "1 row"
    assert "a=x: too few in 1 row" in str(SmallGroup((("a", "x"),), 1, 2, "too few"))
    assert "cannot infer the sensitive item" in wh.RhoUncertainty("0.5", {"a"}).promise()
    assert "none of the 2 sensitive items" in wh.RhoUncertainty("0.5", {"a", "b"}).promise()
