"""What is measured of the personal model; each function runs alone in a process of its own."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.fears import constraints
from withhold.kernels.jit import kernel
from withhold.kernels.personal_subsets import somebody_fears

if TYPE_CHECKING:
    from withhold import PersonalRhoUncertainty, Transactions
    from withhold.release import Release

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
    fears = constraints(table, setting, share, seed)
    asked = wh.PersonalRhoUncertainty(rho, fears, **model)
    used, began = time.process_time(), time.perf_counter()
    if longest is None:
        table = wh.read(path)
    release = wh.anonymize(table, asked, keep=keep)
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
        result["possible"] = possible_rules(table, asked)
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
        asked = wh.PersonalRhoUncertainty("0.5", constraints(sample, setting, 0.4, seed))
        release = wh.anonymize(sample, asked, keep=keep, seed=seed)
        release.write(output, force=True)
        losses.append(release.loss.occurrences)
        kls.append(release.loss.kl)
    return {"losses": losses, "kls": kls}


def short_records(table: Transactions, longest: int | None) -> Transactions:
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
    asked = wh.PersonalRhoUncertainty("0.5", constraints(table, setting, 0.1, 1), **model)
    wh.anonymize(table, asked, keep=keep)


def possible_rules(table: Transactions, model: PersonalRhoUncertainty) -> int:
    """How many of the rules a safe release can keep at most.

    If somebody who owns Q fears e, and Q→e is likelier than ρ, then at most ρ·sup(Q) records may hold both.
    If that is too few for a rule, none survives with Q and e, nor with more items.
    """
    from withhold.kernels.people import lay_out_people
    from withhold.measure.mining import frequent_itemsets, min_count, rules_of

    layout = lay_out_people(table, np.ones(table.n_occurrences, dtype=bool), model.constraints)
    rank_of = np.empty(table.n_items, dtype=np.int32)
    rank_of[layout.layout.code_of_rank] = np.arange(table.n_items, dtype=np.int32)
    sets = frequent_itemsets(table, "0.05%")
    least = min_count("0.05%", len(table))
    pairs = rules_of(sets, Fraction(1, len(table)))
    num, den = model.rho.numerator, model.rho.denominator
    joint, support = sets.supports[pairs.wholes], sets.supports[pairs.antecedents]
    dead = np.zeros(len(sets), dtype=bool)
    mark_feared(
        np.flatnonzero((joint * den > num * support) & (support * num // den < least)),
        pairs.wholes,
        pairs.antecedents,
        rank_of[pairs.consequents],
        sets.offsets,
        rank_of[sets.items],
        layout.people,
        layout.fears,
        dead,
    )
    for size in range(3, sets.sizes.max(initial=0) + 1):
        larger = sets.sizes[pairs.wholes] == size
        dead[pairs.wholes[larger & dead[pairs.antecedents]]] = True
    return int((~dead[rules_of(sets, "0.3").wholes]).sum())


@kernel
def mark_feared(suspects, wholes, antecedents, consequents, offsets, ranks, people, fears, dead):
    """Mark the sets of those rules that somebody who owns the antecedent fears."""
    for rule in suspects:
        if not dead[wholes[rule]]:
            known = np.sort(ranks[offsets[antecedents[rule]] : offsets[antecedents[rule] + 1]])
            dead[wholes[rule]] = somebody_fears(known, len(known), consequents[rule], people, fears)


def unsafe_share(release: Release) -> float:
    """The share of fresh adversaries who succeed, of the size for which it is largest."""
    from withhold.kernels.people import lay_out_people
    from withhold.kernels.personal_draws import draw_adversaries, try_adversaries
    from withhold.kernels.personal_judge import room_for_rules
    from withhold.proofs.personal import kept_of

    model: Any = release.model
    kept = kept_of(release.original, release.data)
    layout = lay_out_people(release.original, kept, model.constraints, merged=False)
    shares = []
    for size in range(1, model.max_known + 1):
        generator = np.random.default_rng([987654321, size])
        rows, known = draw_adversaries(layout, size, FRESH_DRAWS, generator)
        unsafe = np.zeros(len(rows), dtype=np.bool_)
        try_adversaries(
            rows,
            known,
            layout.rows,
            layout.people,
            layout.fears,
            model.rho.numerator,
            model.rho.denominator,
            np.zeros(1, dtype=np.int64),
            unsafe,
            room_for_rules(1, 10),
        )
        shares.append(float(unsafe.mean()))
    return max(shares)
