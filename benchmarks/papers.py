"""Results that pages show, ``docs/papers/results/NAME.json``; ``docs/make_papers.py`` makes the pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.tables import Table

FOLDER = Path(__file__).parents[1] / "docs" / "papers" / "results"
SHOWN = ("buckets", "coherence", "personal", "tables")
"""Suites that other pages show; ``paper-partial`` and ``advice`` store their tables as they go."""
OF_THE_MACHINE = ("seconds", "suppress s", "all s", "peak MB", "of sklearn")
"""Columns that the pages of these leave out: they change from run to run, and ``make bench`` shows them."""


def store(name: str, tables: Sequence[Table], *, quick: bool, folder: Path = FOLDER) -> None:
    """Put the tables that have rows in the place of those of the same title; a quick run stores nothing."""
    if quick:
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    by_title = {table["title"]: table for table in stored}
    left_out = OF_THE_MACHINE if name in SHOWN else ()
    by_title |= {table.title: _plain(table, left_out) for table in tables if table.rows}
    text = json.dumps(list(by_title.values()), ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def _plain(table: Table, left_out: Sequence[str]) -> dict[str, Any]:
    """The table with its columns in their order, without those left out and the notes that begin with one."""
    plain = table.plain()
    names = [name for name in table.columns if name not in left_out]
    rows = [{name: row[name] for name in names if name in row} for row in plain["rows"]]
    notes = [note for note in table.notes if note.split(":")[0] not in left_out]
    return {**plain, "rows": _rounded(rows), "notes": notes}


def _rounded(value: Any) -> Any:
    """Four digits of each number: more would only change from run to run."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
