"""Figures 3 to 5 of the paper on buckets, for both ways of publishing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

import withhold as wh
from withhold.methods.buckets.measure import GeneralisationLoss
from withhold.methods.buckets.telling import loss_by_record, records_by_group_size
from withhold.report.figures import svg_file
from withhold.telling.plots import SERIES, Line, Lines, Plot

WAYS = {"hash": "hash", "truthful": "none"}
K = 10
SIZES = (1000, 2000, 4000, 6000, 8000)
KS = (2, 5, 10, 20, 50)


def draw_figures(path: Path, tree: str, folder: Path) -> None:
    """Records by group (3), loss by record (4), loss by the number of records and by k (5)."""
    table = wh.read(path)

    def loss(fill: str, *, k: int = K, records: int | None = None) -> GeneralisationLoss:
        part = table.only_records(np.arange(len(table)) < (records or len(table)))
        return wh.anonymize(part, wh.Buckets(k), hierarchy=tree, fill=fill).loss

    def over(
        places: Sequence[int], one: Callable[[str, int], GeneralisationLoss]
    ) -> dict[str, list[float]]:
        return {way: [one(kind, place).share for place in places] for way, kind in WAYS.items()}

    plots: dict[str, Plot] = {}
    for way, fill in WAYS.items():
        plots[f"figure-3-{way}"] = records_by_group_size(loss(fill).spread)
        plots[f"figure-4-{way}"] = loss_by_record(loss(fill).spread)
    by_size = over(SIZES, lambda fill, size: loss(fill, records=size))
    by_k = over(KS, lambda fill, k: loss(fill, k=k))
    plots["figure-5-records"] = loss_lines("records", SIZES, by_size)
    plots["figure-5-k"] = loss_lines("k", KS, by_k)
    folder.mkdir(exist_ok=True)
    for name, plot in plots.items():
        (folder / f"buckets-{name}.svg").write_text(svg_file(plot), encoding="utf-8")


def loss_lines(what: str, places: Sequence[int], losses: Mapping[str, Sequence[float]]) -> Lines:
    """The loss of several ways of publishing over the number of records, or over k (Figure 5)."""
    return Lines(
        f"loss{what}",
        f"Information loss by {what}",
        what,
        "information loss",
        tuple(f"{place:,}" for place in places),
        tuple(
            Line(way, role, tuple(values))
            for role, (way, values) in zip(SERIES, losses.items(), strict=False)
        ),
        percent=True,
    )
