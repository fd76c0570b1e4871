"""A million wishes in a process of its own: it ends within its budget, holds, and stays small in memory.

A pair of a person and an item is held in 4 bytes, and 8 while pairs are sorted; reading a piece of the file,
laying out the records and searching take the rest. As a matrix of bytes the pairs alone would take 100 MB,
and as Python objects more than that, so the bound is below.
"""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from tables import needs_speed

PEOPLE, ITEMS, WISHES = 20_000, 5_000, 50
"""Everybody names 1% of the items: a million pairs."""
LONGEST = 300
BUDGET, MOST_SECONDS = 2.0, 20.0
BYTES_PER_PAIR = 100
"""What the peak may grow by once kernels, libraries and records are loaded; about 70 were measured."""

CHILD = """
import json, resource, sys, time
import withhold as wh
from withhold.formats.constraints import read_constraints

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

def release(data, wishes):
    table = wh.read(data)
    loaded = peak()
    constraints = read_constraints(wishes, table)
    options = {"constraints": constraints, "budget": BUDGET, "seed": 1}
    return loaded, constraints, wh.anonymize(table, wh.PersonalRhoUncertainty("0.5"), **options)

# Kernels and libraries are loaded by a small release, so that what follows is the data's own.
release("few.parquet", "few-wishes.parquet")
began = time.monotonic()
loaded, constraints, made = release("many.parquet", "many-wishes.parquet")
print(json.dumps({
    "status": made.verdict.status.value,
    "pairs": constraints.n_pairs,
    "longest": int(made.original.lengths.max()),
    "seconds": time.monotonic() - began,
    "grown": peak() - loaded,
}))
"""


def records(people: int, draw: np.random.Generator) -> pl.DataFrame:
    """Most records are short and a few are long; low numbers are frequent."""
    lengths = np.minimum(1 + draw.pareto(1.3, people) * 4, LONGEST).astype(np.int64)
    lengths[0] = 2 * LONGEST
    items = (ITEMS * draw.random(int(lengths.sum())) ** 3).astype(np.int64)
    return pl.DataFrame({"record": np.repeat(np.arange(people), lengths), "item": items}).unique(
        maintain_order=True
    )


def wishes(people: int, draw: np.random.Generator) -> pl.DataFrame:
    who = np.repeat(np.arange(people), WISHES)
    return pl.DataFrame({"record": who, "item": draw.integers(0, ITEMS, len(who))})


@needs_speed
@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
def test_a_million_wishes__end_and_stay_small(tmp_path):
    draw = np.random.default_rng(1)
    for name, people in (("few", 50), ("many", PEOPLE)):
        records(people, draw).write_parquet(tmp_path / f"{name}.parquet")
        wishes(people, draw).write_parquet(tmp_path / f"{name}-wishes.parquet")
    code = CHILD.replace("BUDGET", str(BUDGET))
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["status"] == "HOLDS"
    assert told["pairs"] > 0.98 * PEOPLE * WISHES  # a few are named twice
    assert told["longest"] > LONGEST
    assert told["seconds"] < MOST_SECONDS
    assert told["grown"] < BYTES_PER_PAIR * told["pairs"], told
