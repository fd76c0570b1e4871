"""Buckets: every published record is one of at least k equal ones, by generalising items."""

from __future__ import annotations

from withhold.auditing.options import AuditOptions
from withhold.lazy import later
from withhold.method import Method
from withhold.methods.buckets.model import Buckets
from withhold.methods.buckets.options import BucketsSearch
from withhold.telling.words import Words

METHOD = Method(
    name=Buckets.name,
    data="records",
    model=Buckets,
    search_options=BucketsSearch,
    audit_options=AuditOptions,
    search=later("withhold.methods.buckets.search.suppressor:suppress_buckets"),
    check=later("withhold.methods.buckets.check:verify_buckets"),
    audit=later("withhold.methods.buckets.audit:audit_buckets"),
    loss=later("withhold.methods.buckets.measure:loss_of_buckets"),
    measure=later("withhold.methods.buckets.measure:measure_generalised"),
    sections=later("withhold.methods.buckets.telling:sections_of_buckets"),
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
)
