"""Buckets: every published record is one of at least k equal ones, by generalising items.

Here: the model, the exact check, the audit, and measures in memory and over parts; ``search`` forms groups
and generalises. Not here: counts of equal records over parts, which are in ``counting.equal_sets``.
"""

from __future__ import annotations

from withhold.auditing.options import AuditOptions
from withhold.by_parts import ByCounts, ByParts
from withhold.lazy import later
from withhold.method import Method, Step
from withhold.methods.buckets.model import Buckets
from withhold.methods.buckets.options import AUDITED_SIZE, BucketsSearch
from withhold.telling.words import Words

METHOD = Method(
    model=Buckets,
    search=Step(later(f"{__name__}.search.suppressor:suppress_buckets"), BucketsSearch),
    check=later(f"{__name__}.check:verify_buckets"),
    audit=Step(later(f"{__name__}.audit:audit_buckets"), AuditOptions),
    by_parts=ByParts(
        later(f"{__name__}.options:not_by_parts"),
        ByCounts(
            later(f"{__name__}.search.by_counts:choose_sets"),
            later(f"{__name__}.check:prove_by_counts"),
            later(f"{__name__}.audit_by_counts:survey_by_counts"),
            AUDITED_SIZE,
        ),
        generalised=later(f"{__name__}.measure_by_parts:measure_parts"),
    ),
    words=Words(
        counts="Rare sets by their number of items",
        worst="The rarest sets",
        nothing="0 items",
        counted="{items}",
        exposed="In rare sets of {at_most_items}",
        exposed_meaning="records that share all their items, {most:,} or fewer, with too few others",
    ),
    limits=(
        (
            "Whole records, not what is in them",
            "A group of records with the same items hides who is who, not what all of them have: if every "
            "record of a group holds an item, so does everybody in it.",
        ),
        (
            "Items that people never had",
            "With --fill hash, records are published with the items of their whole bucket. Such a record "
            "accuses people of what they never had. Without it nothing is added.",
        ),
    ),
    loss=later(f"{__name__}.measure:loss_of_buckets"),
    measure=later(f"{__name__}.measure:measure_generalised"),
    sections=later(f"{__name__}.telling:sections_of_buckets"),
)
