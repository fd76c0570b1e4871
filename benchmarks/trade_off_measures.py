"""What is measured of a trade-off; each function runs alone in a process of its own."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

POLISHED = 2.0
"""Seconds of polishing for the release of a point."""


def trade_off(
    path: str,
    hierarchy: str,
    rho: str,
    sensitive: str | None,
    draw: int,
    limits: Sequence[float],
) -> dict[str, Any]:
    """Seconds for one whole curve, and its points: the share withheld and NCP, most detail first.

    For each limit of NCP also the release of the best point below it, polished, and the seconds for that.
    """
    import withhold as wh

    if path:
        records = wh.read(path)
        items = sorted(records.vocabulary)
        listed = random.Random(draw).sample(items, round(0.4 * len(items)))
        if sensitive is not None:
            listed = Path(sensitive).read_text(encoding="utf-8").split()
    else:
        records, invented = wh.pharmacy(2000, seed=7)
        listed = sorted(invented)
    few, model = [["1", "9"], ["2"], ["3", "9"], ["1"]] * 20, wh.RhoUncertainty(rho, ["9"])
    wh.trade_off(few, model, hierarchy="fan-out:2", seed=1)
    wh.anonymize(few, model, hierarchy="fan-out:2", cut=1, polish_moves=1, seed=1)
    began, used = time.perf_counter(), time.process_time()
    model = wh.RhoUncertainty(rho, listed)
    curve = wh.trade_off(records, model, hierarchy=hierarchy, seed=1)
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    polished, polishing = [], []
    for limit in limits:
        below = [point for point in curve.tried if point.ncp <= limit]
        best = min(below, key=lambda point: point.withheld)
        began = time.perf_counter()
        release = wh.anonymize(
            records, model, hierarchy=hierarchy, cut=best.nodes, polish=POLISHED, seed=1
        )
        polishing.append(time.perf_counter() - began)
        polished.append(release.loss.sensitive_occurrences)
    return {
        "seconds": seconds,
        "cpu": cpu,
        "points": [(point.withheld, point.ncp) for point in curve.tried],
        "polished": polished,
        "polishing": polishing,
    }


TRADE_OFF_MEASURES = {"trade_off": trade_off}
