"""What the suite of the paper on partial suppression measures beside what the others do."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import withhold as wh

FAN_OUT = 10
QUERIES, KNOWN = 200, 4
"""Group-by queries for the error of reconstruction, each over so many public items."""


def releases(path: str, sensitive: str, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """A release for each of the runs, one after the other in one process, and what it lost.

    A run is a ``rho`` and options of ``anonymize``; ``max_known`` is the model's, ``share`` is how much of
    the list of sensitive items counts, ``globally`` stands for the baseline instead, and with ``min_support``
    rules are compared, too. No lower bound is computed, which would take most of the time.
    """
    import withhold as wh
    from benchmarks.baselines.suppress_control import suppress_globally

    table, _ = _read(path, sensitive, "0.5")
    found = []
    for run in runs:
        options = dict(run)
        rho, known = options.pop("rho"), options.pop("max_known", None)
        items = Path(sensitive).read_text(encoding="utf-8").split()
        drawn = random.Random(1).sample(items, round(options.pop("share", 1.0) * len(items)))
        support = options.pop("min_support", None)
        model = wh.RhoUncertainty(rho, drawn, max_known=known)
        began, used = time.perf_counter(), time.process_time()
        if options.pop("globally", False):
            published = suppress_globally(table, model)
        else:
            published = wh.anonymize(table, model, seed=1, bound=False, **options).data
        taken = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
        counts = dict(zip(published.vocabulary, published.supports.tolist(), strict=True))
        secret = table.codes(model.sensitive)
        left = sum(counts.get(table.vocabulary[code], 0) for code in secret)
        found.append(
            {
                **taken,
                "loss": 1 - published.n_occurrences / table.n_occurrences,
                "sensitive_loss": 1 - left / max(int(table.supports[secret].sum()), 1),
                "symmetric_kl": _divergence(table, counts),
                **({} if support is None else _rules(table, published, model, support)),
            }
        )
    return {
        "releases": found,
        "records": len(table),
        "seconds": sum(run["seconds"] for run in found),
    }


def _rules(
    table: wh.Records, published: wh.Records, model: wh.RhoUncertainty, support: str
) -> dict[str, Any]:
    from withhold.measure import measure_utility

    found = measure_utility(
        table,
        published,
        sensitive=model.sensitive,
        min_support=support,
        min_confidence=model.rho,
    ).rules
    return {"jaccard": found.jaccard, "before": found.before, "kept": found.kept}


def tdcontrol(path: str, sensitive: str, rho: str) -> dict[str, Any]:
    """The loss, the divergence and the time of TDControl, over a tree of neighbouring item numbers."""
    import withhold as wh
    from benchmarks.baselines.tdcontrol import TopDown, estimated_counts

    table, model = _read(path, sensitive, rho)
    public = [item for item in table.vocabulary if item not in model.sensitive]
    search = TopDown(table, model, wh.Hierarchy.by_fan_out(sorted(public, key=int), FAN_OUT))
    began, used = time.perf_counter(), time.process_time()
    published = search.search()
    taken = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
    return {
        **taken,
        "loss": published.loss,
        "symmetric_kl": _divergence(table, estimated_counts(published)),
        "trials": search.trials,
        "suppressed": len(published.suppressed),
    }


def permutation(path: str, sensitive: str, p: int) -> dict[str, Any]:
    """How well sensitive items can be told from public ones after permuting, and the time that takes."""
    from benchmarks.baselines.permutation import estimated_counts, permute

    table, model = _read(path, sensitive, "0.5")
    rows = table.to_lists()
    began, used = time.perf_counter(), time.process_time()
    published = permute(rows, model.sensitive, p)
    taken = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
    sizes = np.bincount(published.group_of)

    def spread(item: str) -> np.ndarray:
        # Within a group every transaction is as likely to hold the item as any other.
        shares = np.array([summary[item] for summary in published.summaries]) / sizes
        return np.asarray(shares[published.group_of])

    divergence = _divergence(table, estimated_counts(published))
    return {**taken, "symmetric_kl": divergence, "error": _error(table, model, spread)}


def reconstruction(path: str, sensitive: str, rho: str, keep: str) -> dict[str, Any]:
    """The same for a release of ours."""
    import withhold as wh

    table, model = _read(path, sensitive, rho)
    began, used = time.perf_counter(), time.process_time()
    release = wh.anonymize(table, model, keep=keep, seed=1, bound=False)
    taken = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
    spread = _holders(release.data)
    return {
        **taken,
        "loss": release.loss.occurrences,
        "symmetric_kl": release.loss.symmetric_kl,
        "error": _error(table, model, spread),
    }


def _error(table: wh.Records, model: wh.RhoUncertainty, spread: Any) -> float:
    """The mean symmetric KL, over random queries, of how an item spreads over the cells of some public items.

    As Ghinita and others ask: of the transactions with a sensitive item, how many are in each of the cells
    that some public items make. ``spread(item)`` says for each transaction how likely it holds the item, as
    far as the published table tells. What it tells nothing of counts as spread evenly.
    """
    from withhold.measure.loss import symmetric_divergence

    actual = _holders(table)
    draw = random.Random(1)
    supports = dict(zip(table.vocabulary, table.supports.tolist(), strict=True))
    secret = sorted(item for item in model.sensitive if supports.get(item, 0) >= 10)
    public = sorted(item for item in table.vocabulary if item not in model.sensitive)
    weights = [supports[item] for item in public]
    errors = []
    for _ in range(QUERIES):
        item = draw.choice(secret)
        cells = np.zeros(len(table), dtype=np.int64)
        for bit, known in enumerate(draw.choices(public, weights, k=KNOWN)):
            cells |= (actual(known) > 0).astype(np.int64) << bit
        before, after = (
            np.bincount(cells, weights=held, minlength=1 << KNOWN)
            for held in (actual(item), _or_even(spread(item)))
        )
        errors.append(symmetric_divergence(before / before.sum(), after / after.sum()))
    return float(np.mean(errors))


def _or_even(held: np.ndarray) -> np.ndarray:
    return held if held.any() else np.ones_like(held)


def _holders(table: wh.Records) -> Any:
    """For an item: 1 for each record that holds it, else 0."""
    rows = np.repeat(np.arange(len(table)), table.lengths)
    order = np.argsort(table.items, kind="stable")
    ends = np.cumsum(np.bincount(table.items, minlength=len(table.vocabulary)))
    code_of = {item: code for code, item in enumerate(table.vocabulary)}

    def held(item: str) -> np.ndarray:
        found = np.zeros(len(table))
        if (code := code_of.get(item)) is not None:
            found[rows[order[ends[code - 1] if code else 0 : ends[code]]]] = 1.0
        return found

    return held


def _divergence(table: wh.Records, counts: Mapping[str, float]) -> float:
    from withhold.measure.loss import symmetric_divergence

    before = table.supports.astype(np.float64)
    after = np.array([counts.get(item, 0.0) for item in table.vocabulary])
    return symmetric_divergence(before / before.sum(), after / max(after.sum(), 1.0))


def _read(path: str, sensitive: str, rho: str) -> tuple[wh.Records, wh.RhoUncertainty]:
    import withhold as wh

    items: Sequence[str] = Path(sensitive).read_text(encoding="utf-8").split()
    table = wh.read(path)
    # The kernels are loaded before a clock starts.
    few = wh.read([["1", "2"], ["2", "3"], ["1"]] * 4)
    for keep in ("rules", "distribution", "counts"):
        wh.anonymize(few, wh.RhoUncertainty("0.5", {"1"}), keep=keep)
    return table, wh.RhoUncertainty(rho, items)


PAPER_MEASURES = {
    each.__name__: each for each in (releases, tdcontrol, permutation, reconstruction)
}
