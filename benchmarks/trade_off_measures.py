"""What is measured of a trade-off; each function runs alone in a process of its own."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any


def trade_off(
    path: str, hierarchy: str, rho: str, sensitive: str | None, draw: int
) -> dict[str, Any]:
    """Seconds for one whole curve, and its points: the share withheld and NCP, most detail first."""
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
    began, used = time.perf_counter(), time.process_time()
    curve = wh.trade_off(records, wh.RhoUncertainty(rho, listed), hierarchy=hierarchy, seed=1)
    return {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - used,
        "points": [(point.withheld, point.ncp) for point in curve.tried],
    }


TRADE_OFF_MEASURES = {"trade_off": trade_off}
