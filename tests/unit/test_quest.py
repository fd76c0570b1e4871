"""The benchmark generator: reproducible, and true to the parameters of the Quest model."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from withhold.data.records import Records
from withhold.errors import PolicyError

QUEST = Path(__file__).resolve().parents[2] / "benchmarks" / "quest.py"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("quest", QUEST)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name.
    sys.modules["quest"] = module
    spec.loader.exec_module(module)
    return module


quest: Callable[..., Records] = _load().quest


def test_quest__same_seed_same_table() -> None:
    assert quest(500, length=10, pattern=4, seed=1) == quest(500, length=10, pattern=4, seed=1)


def test_quest__other_seed_other_table() -> None:
    assert quest(500, length=10, pattern=4, seed=1) != quest(500, length=10, pattern=4, seed=2)


def test_quest__fewer_records_are_the_first_ones() -> None:
    many = quest(20_000, length=5, pattern=2, seed=1).to_lists()
    assert quest(17_000, length=5, pattern=2, seed=1).to_lists() == many[:17_000]


@pytest.mark.parametrize(("length", "pattern"), [(5, 2), (10, 4), (20, 6), (40, 10)])
def test_quest__mean_length_is_near_what_was_asked(length: float, pattern: float) -> None:
    lengths = quest(5000, length=length, pattern=pattern, seed=1).lengths
    assert lengths.min() >= 1
    assert lengths.mean() == pytest.approx(length, rel=0.05)
    # Poisson lengths, widened by patterns that do not fit exactly.
    assert length**0.5 * 0.8 < lengths.std() < length**0.5 * 2


def test_quest__items_are_numbers_below_the_limit() -> None:
    table = quest(3000, length=10, pattern=4, items=200, seed=1)
    assert all(0 <= int(name) < 200 for name in table.vocabulary)
    assert list(table.vocabulary) == sorted(table.vocabulary)
    assert (table.supports > 0).all()


def test_quest__patterns_make_items_occur_together() -> None:
    table = quest(5000, length=10, pattern=4, seed=1)
    held = np.zeros((len(table), table.n_items))
    held[np.repeat(np.arange(len(table)), table.lengths), table.items] = 1
    together = held.T @ held
    np.fill_diagonal(together, 0)
    by_chance = np.outer(table.supports, table.supports) / len(table)
    strongest = np.unravel_index(together.argmax(), together.shape)
    assert together[strongest] > 5 * by_chance[strongest]


@pytest.mark.parametrize("limits", [{"items": 1}, {"items": 3, "patterns": 1}])
def test_quest__ends_although_no_transaction_can_be_filled(limits: dict[str, int]) -> None:
    table = quest(50, length=10, pattern=2, seed=1, **limits)
    assert len(table) == 50
    assert table.lengths.min() >= 1
    assert table.lengths.max() <= limits["items"]


def test_quest__no_records() -> None:
    table = quest(0, length=10, pattern=4, seed=1)
    assert (len(table), table.n_items) == (0, 0)


@pytest.mark.parametrize(
    "wrong",
    [{"length": 0.5}, {"pattern": 0}, {"items": 0}, {"patterns": 0}, {"length": float("nan")}],
)
def test_quest__refuses_impossible_parameters(wrong: dict[str, float]) -> None:
    with pytest.raises(PolicyError, match="or more"):
        quest(10, **{"length": 10, "pattern": 4, "seed": 1, **wrong})


def test_quest__prints_fimi_lines() -> None:
    options = ["--records", "20", "--length", "10", "--pattern", "4", "--seed", "1"]
    done = subprocess.run(
        [sys.executable, str(QUEST), *options], capture_output=True, text=True, check=True
    )
    printed = [line.split(" ") for line in done.stdout.splitlines()]
    assert [sorted(line) for line in printed] == quest(20, length=10, pattern=4, seed=1).to_lists()
    assert all(line == sorted(line, key=int) for line in printed)
