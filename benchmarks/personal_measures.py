"""What is measured of the personal model; each function runs alone in a process of its own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.wishes import constraints

if TYPE_CHECKING:
    from withhold import Records
    from withhold.release import AnyRelease

Result = dict[str, Any]
FRESH_DRAWS = 20_000


def personal(
    path: str,
    output: str,
    setting: str,
    share: float,
    rho: str,
    seed: int = 1,
    longest: int | None = None,
    rules: bool = False,
    keep: str = "rules",
    **model: Any,
) -> Result:
    """A release of the file, written and proved: what it lost, and how long that took."""
    import withhold as wh

    warm(setting, keep, **model)
    table = short_records(wh.read(path), longest)
    wishes = constraints(table, setting, share, seed)
    asked = wh.PersonalRhoUncertainty(rho, **model)
    used, began = time.process_time(), time.perf_counter()
    if longest is None:
        table = wh.read(path)
    release = wh.anonymize(table, asked, constraints=wishes, keep=keep)
    release.write(output, force=True)
    result = {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - used,
        "loss": release.loss.occurrences,
        "kl": release.loss.kl,
        "round": release.options.get("round"),
    }
    if rules:
        from withhold.measure import measure_utility

        found = measure_utility(table, release.data).rules
        result |= {"before": found.before, "kept": found.kept, "distance": found.distance}
    if "epsilon" in model:
        result["unsafe"] = unsafe_share(release)
    return result


def personal_samples(
    path: str, output: str, setting: str, keep: str, longest: int, seeds: int
) -> Result:
    """Losses and divergences of releases of a tenth of the short records, one for each seed."""
    import withhold as wh

    table = short_records(wh.read(path), longest)
    losses, kls = [], []
    for seed in range(seeds):
        drawn = np.zeros(len(table), dtype=bool)
        drawn[np.random.default_rng(seed).permutation(len(table))[: len(table) // 10]] = True
        sample = wh.read(table.only_records(drawn).to_lists())
        asked, wishes = wh.PersonalRhoUncertainty("0.5"), constraints(sample, setting, 0.4, seed)
        release = wh.anonymize(sample, asked, constraints=wishes, keep=keep, seed=seed)
        release.write(output, force=True)
        losses.append(release.loss.occurrences)
        kls.append(release.loss.kl)
    return {"losses": losses, "kls": kls}


def short_records(table: Records, longest: int | None) -> Records:
    """Only the records of at most so many items."""
    import withhold as wh

    if longest is None:
        return table
    return wh.read([record for record in table.to_lists() if len(record) <= longest])


def warm(setting: str, keep: str, **model: Any) -> None:
    """Walk the same road with a tiny table, so that all kernels are loaded."""
    import withhold as wh

    generator = np.random.default_rng(0)
    rows = [[str(item) for item in generator.permutation(40)[: 1 + row % 7]] for row in range(400)]
    table = wh.read(rows)
    asked, wishes = wh.PersonalRhoUncertainty("0.5", **model), constraints(table, setting, 0.1, 1)
    wh.anonymize(table, asked, constraints=wishes, keep=keep)


def unsafe_share(release: AnyRelease) -> float:
    """The share of fresh adversaries who succeed, of the size for which it is largest."""
    from withhold.methods.personal.check.judge import mark_successful, new_witness
    from withhold.methods.personal.check.proof import kept_of
    from withhold.methods.personal.people import lay_out_people, problem_of
    from withhold.methods.personal.sampling import draw_adversaries

    model: Any = release.model
    kept = kept_of(release.original, release.data)
    layout = lay_out_people(release.original, kept, release.evidence.constraints, merged=False)
    shares = []
    for size in range(1, model.max_known + 1):
        generator = np.random.default_rng([987654321, size])
        rows, known = draw_adversaries(layout, size, FRESH_DRAWS, generator)
        succeeds = np.zeros(len(rows), dtype=np.bool_)
        running = np.zeros(1, dtype=np.int64)
        problem, witness = problem_of(layout, model.rho), new_witness(layout)
        mark_successful(rows, known, problem, running, succeeds, witness)
        shares.append(float(succeeds.mean()))
    return max(shares)
