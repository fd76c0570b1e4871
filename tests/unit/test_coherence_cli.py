"""Coherence and k^m-anonymity from the command line: the whole road, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import withhold as wh
from typed import run
from withhold.errors import PolicyError

ROWS = ["a b s", "a b", "a b t", "a c", "a c", "a c s", "d s", "b", "b", "c"]


@pytest.fixture
def baskets(tmp_path: Path) -> str:
    path = tmp_path / "baskets.dat"
    path.write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    return str(path)


ASKED = ("--model", "coherence", "--h", "0.5", "--k", "2", "--p", "any", "--private", "s,t")


def test_road__publish_and_verify(baskets, tmp_path):
    output = str(tmp_path / "out.dat")
    done = run("anonymize", baskets, *ASKED, "-o", output, "--json", "--report")
    assert done.exit_code == 0, done.stderr
    released = json.loads(done.stdout)
    assert released["model"] == {
        "model": "coherence",
        "h": "0.5",
        "k": 2,
        "p": None,
        "private": ["s", "t"],
    }
    assert released["options"]["nugget_support"] == 2
    assert "d" not in Path(output).read_text(encoding="utf-8")
    assert "every remaining count is true" in Path(output + ".report.html").read_text("utf-8")
    assert run("verify", output).exit_code == 0
    Path(output).write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    assert run("verify", output).exit_code == 1


def test_audit__says_why_each_is_a_mole(baskets):
    found = json.loads(run("audit", baskets, *ASKED, "--json").stdout)
    assert found["verdict"] == "BROKEN"
    assert found["check"]["witness"]["why"] == "too rare"
    text = run("audit", baskets, *ASKED).stdout
    assert "too rare" in text
    assert "1 record" in text


def test_km__and_a_private_item_in_too_many_records(baskets, tmp_path):
    output = str(tmp_path / "out.dat")
    assert (
        run("anonymize", baskets, "--model", "km", "--k", "2", "--m", "2", "-o", output).exit_code
        == 0
    )
    refused = run("anonymize", baskets, *ASKED[:3], "1/4", *ASKED[4:], "-o", output, "--force")
    assert refused.exit_code == 4
    assert "'s' is in 3 of 10 records" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "coherence", "--h", "0.5", "--k", "2", "--private", "s"), "--p is missing"),
        (("--model", "km", "--k", "2"), "--m is missing"),
        (("--model", "km", "--k", "2", "--m", "2", "--h", "0.5"), "belongs to --model coherence"),
        ((*ASKED[:7], "many", *ASKED[8:]), "p must be a whole number of at least 1, or any"),
    ],
)
def test_usage__is_explained(baskets, arguments, said):
    refused = run("audit", baskets, *arguments)
    assert refused.exit_code == 2
    assert said in refused.stderr


def test_models__refuse_what_makes_no_sense():
    for wrong in (
        lambda: wh.Coherence("0.5", 0, 1, {"a"}),
        lambda: wh.Coherence("0.5", 2, 0, {"a"}),
        lambda: wh.Coherence("0", 2, 1, {"a"}),
        lambda: wh.Coherence("0.5", 2, 1, set()),
        lambda: wh.Coherence("0.5", 2, 1, "a"),
        lambda: wh.KmAnonymity(2, True),
        lambda: wh.KmAnonymity(1, 2),
        lambda: wh.Coherence("0.5", 1, 1, {"a"}),
    ):
        with pytest.raises(PolicyError):
            wrong()
    assert wh.Coherence(1, 2, None, {"a"}).parameters()["h"] == "1"
