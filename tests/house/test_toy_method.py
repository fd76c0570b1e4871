"""A method is one folder and one line: a toy method from a package of its own walks every verb.

The toy says: no item is in fewer than k records. It has nothing but what a room must offer, and nothing of
withhold is changed to let it in.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

from withhold.registry import ROOMS

VERBS = ("audit", "anonymize", "verify", "sweep")
"""Those that say which models there are."""
ROOM = '''
"""No item is in fewer than k records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from withhold.auditing.result import Audit, How, SizeCount, size_of
from withhold.data.plan import Plan, Reasons, fingerprint
from withhold.method import Method, SearchOptions, Step
from withhold.options import Option, smaller
from withhold.telling.words import Words
from withhold.verdict import Status, Verdict


@dataclass(frozen=True, init=False)
class CommonItems:
    """No item is in fewer than k records."""

    name: ClassVar[str] = "common"
    needs: ClassVar[str] = ""
    sensitive: ClassVar[frozenset[str]] = frozenset()
    k: int

    def __init__(
        self,
        k: Annotated[
            int, Option("Items in fewer records go.", at_least=1, missing="say --k 5", weaker=smaller)
        ],
    ) -> None:
        object.__setattr__(self, "k", k)

    def promise(self) -> str:
        return f"Every item is in at least {self.k} records."

    def parameters(self) -> dict[str, Any]:
        return {"model": self.name, "k": self.k}


@dataclass(frozen=True, kw_only=True)
class CommonSearch(SearchOptions):
    """How rare items are chosen."""

    politely: Annotated[bool, Option("Ask the items first.")] = False


@dataclass(frozen=True, kw_only=True)
class CommonAudit:
    """How much to show."""

    show: Annotated[int, Option("List so many.", at_least=1)] = 10


@dataclass(frozen=True)
class RareItem:
    item: str
    records: int

    def row(self) -> tuple[str, ...]:
        return (self.item, "", f"{self.records}")

    def as_dict(self) -> dict[str, Any]:
        return {"item": self.item, "records": self.records}

    def __str__(self) -> str:
        return f"{self.item} is in {self.records}"


def rare(records: Any, model: CommonItems) -> list[RareItem]:
    counted = zip(records.vocabulary, records.supports.tolist(), strict=True)
    return [RareItem(item, n) for item, n in counted if 0 < n < model.k]


def search(records, model, evidence, options, run):
    removed = np.flatnonzero(records.supports[records.items] < model.k).astype(np.int32)
    nothing = np.zeros(1, dtype=np.int32)
    reasons = Reasons(np.zeros(2, dtype=np.int64), nothing[:0], nothing - 1, nothing, nothing)
    plan = Plan(removed, np.zeros(len(removed), dtype=np.int32), reasons, fingerprint(records))
    return plan, {"politely": options.politely, "seed": run.seed}


def check(records, model, evidence, run):
    found = rare(records, model)
    status = Status.BROKEN if found else Status.HOLDS
    return Verdict(status, "every item", records.n_items, 0.0, found[0] if found else None, True)


def audit(records, model, evidence, options, run):
    found = rare(records, model)
    return Audit(
        model=model, verdict=check(records, model, evidence, run), breaches=tuple(found[:options.show]),
        counts={1: SizeCount(How.COUNTED, len(found))}, exposed_records=0, attack_curve=(),
        seed=run.seed, seconds=0.0, **size_of(records, ()),
    )


METHOD = Method(
    model=CommonItems, search=Step(search, CommonSearch), check=check, audit=Step(audit, CommonAudit),
    words=Words(counts="Rare items"), limits=(("A toy", "It promises little."),),
)
'''
RUN = """
import contextlib, io, json, sys

from withhold import registry
registry.ROOMS["common"] = "toy_rooms.common"  # the one line
from withhold.cli import main

for line in sys.stdin:
    sys.argv = ["withhold", *json.loads(line)]
    said = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(said[0]), contextlib.redirect_stderr(said[1]):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
    print(json.dumps([code, *(each.buffer.getvalue().decode() for each in said)]), flush=True)
"""


@pytest.fixture
def withhold(tmp_path):
    """The command line in a process of its own, since what it knows of rooms it learns as it starts."""
    package = tmp_path / "toy_rooms" / "common"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(textwrap.dedent(ROOM))
    (tmp_path / "shop.dat").write_text("milk beer\nmilk\nmilk tea\nbeer\n")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", RUN], cwd=tmp_path, **pipes) as process:

        def run(*arguments, code=0):
            process.stdin.write(json.dumps(arguments) + "\n")
            process.stdin.flush()
            found, told, problem = json.loads(process.stdout.readline())
            assert found == code, problem
            return told

        yield run


def test_toy_method__walks_every_verb(withhold, tmp_path):
    for verb in VERBS:
        shown = " ".join(withhold(verb, "--help").split())
        listed = shown.partition("Models:")[2].partition("Options:")[0]
        assert all(f" {name} " in listed for name in [*ROOMS, "common"])
        assert "Items in fewer records go." not in shown
        own = " ".join(withhold(verb, "--model", "common", "--help").split())
        assert "Items in fewer records go." in own
        assert ("Ask the items first." in own) == (verb in ("anonymize", "sweep"))
        assert ("List so many." in own) == (verb == "audit")
    toy = ("--model", "common", "--k", "2")
    told = withhold("audit", "shop.dat", *toy, code=1)
    assert told.startswith("BROKEN")
    assert "tea is in 1" in told
    assert json.loads(withhold("audit", "shop.dat", *toy, "--json", code=1))["verdict"] == "BROKEN"
    withhold("anonymize", "shop.dat", *toy, "-o", "out.dat", "--report", "--politely")
    assert (tmp_path / "out.dat").read_text() == "milk beer\nmilk\nmilk\nbeer\n".replace(
        "milk beer", "beer milk"
    )
    manifest = json.loads((tmp_path / "out.dat.manifest.json").read_text())
    assert manifest["model"] == {"model": "common", "k": 2}
    assert "It promises little." in (tmp_path / "out.dat.report.html").read_text()
    assert withhold("verify", "out.dat").startswith("HOLDS")
    assert withhold("verify", "shop.dat", *toy, code=1).startswith("BROKEN")
    assert "withheld" in withhold("compare", "shop.dat", "out.dat")
    swept = json.loads(
        withhold("sweep", "shop.dat", "--model", "common", "--vary", "k=1,2", "--json")
    )
    assert [point["values"]["k"] for point in swept["points"]] == [1, 2]
    again = withhold(
        "anonymize", "shop.dat", "--policy", "out.dat.internal.json", "-o", "b.dat", "--json"
    )
    assert json.loads(again)["options"]["politely"] is True


def test_toy_method__mistakes_are_told_in_its_words(withhold):
    withhold("anonymize", "shop.dat", "--model", "common", "-o", "x.dat", code=2)
    withhold("anonymize", "shop.dat", "--rho", ".5", "--politely", "-o", "x.dat", code=2)
    withhold("sweep", "shop.dat", "--model", "common", "--k", "2", "--vary", "rho=1", code=2)
