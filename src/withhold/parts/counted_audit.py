"""The audit of data that are read part by part, for a model that is proved by counts of all parts."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from withhold.auditing.by_parts import CountedBreaches
from withhold.auditing.result import Audit
from withhold.counting.threads import Progress
from withhold.listed import check_counted
from withhold.method import Model
from withhold.parts.counting import Readable, over_parts
from withhold.parts.failures import refuse_failed
from withhold.parts.reading import Parts
from withhold.parts.running import STREAM, engine_for
from withhold.registry import method_of


def audit_by_counts(
    parts: Parts,
    model: Model,
    options: Any,
    seed: int,
    *,
    allow_unknown: bool,
    progress: Progress,
) -> Audit:
    """All records together: the verdict, how many breaches there are, and how many records are exposed.

    There is no attack curve: its attacks would have to be tried on all records at once.
    """
    began = time.perf_counter()
    counts = method_of(model).by_parts.counts
    assert counts is not None
    readable = [Readable(f"part {n + 1}", partial(parts.read_part, n)) for n in range(len(parts))]
    refuse = partial(refuse_failed, n_parts=len(parts), kept="")
    most = getattr(model, "p", None)
    largest = counts.surveyed if options.max_size is None else options.max_size
    largest = largest if most is None else min(largest, most)
    with engine_for(STREAM, None, None) as run:
        verdict = over_parts(
            counts.prove(model), readable, run, refuse, what="proving", progress=progress
        )
        found: CountedBreaches = over_parts(
            counts.survey(model, largest, options.show), readable, run, refuse, progress=progress
        )
    supports = found.items.supports
    listed = model.sensitive
    unknown = check_counted(model, supports, allowed=allow_unknown)
    return Audit(
        model=model,
        verdict=verdict,
        breaches=found.worst,
        counts=found.counts,
        exposed_records=found.exposed,
        attack_curve=(),
        records=found.items.records,
        items=len(supports),
        occurrences=sum(supports.values()),
        sensitive_occurrences=sum(supports[name] for name in listed) if listed else None,
        absent_sensitive=tuple(sorted(listed - supports.keys())),
        seed=seed,
        seconds=time.perf_counter() - began,
        unknown=unknown,
    )
