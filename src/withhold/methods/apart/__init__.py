"""Sensitive items apart: records in groups, their sensitive items as a list of each group.

Here: the model, how groups and lists are written, the plan, the exact check, the audit, measures; ``search``
forms groups. People with attributes use all of it through ``people_apart``.
"""

from __future__ import annotations

from withhold.auditing.options import AuditOptions
from withhold.lazy import later
from withhold.method import Method, SearchOptions, Step
from withhold.methods.apart.model import SensitiveApart
from withhold.telling.words import Words

METHOD = Method(
    model=SensitiveApart,
    search=Step(later(f"{__name__}.search.suppressor:search_apart"), SearchOptions),
    check=later(f"{__name__}.check:verify_apart"),
    audit=Step(later(f"{__name__}.audit:audit_apart"), AuditOptions),
    about=SensitiveApart.about,
    counts=later(f"{__name__}.check:counts_apart"),
    loss=later(f"{__name__}.measure:loss_of_apart"),
    measure=later(f"{__name__}.measure:measure_apart"),
    sections=later(f"{__name__}.telling:sections_of_apart"),
    words=Words(
        counts="Sensitive items that can be inferred",
        worst="The first of them",
        nothing="whoever finds the record",
        counted="{items}",
        exposed="Exposed to somebody who finds the record",
        exposed_meaning="records about which whoever finds them learns what the model forbids",
    ),
    limits=(
        (
            "Records can be found",
            "All public items are published as they are, so whoever knows a few of them finds the record. "
            "The promise is about what the record then tells, not about who is in the data.",
        ),
        (
            "Each item by itself",
            "The promise is about each sensitive item. That somebody holds one of several can be certain, "
            "and so can be that they do not hold those that their group does not list.",
        ),
        (
            "What is learnt across groups",
            "Whoever learns from all groups which public items go with which sensitive ones can guess "
            "better within one of them (the deFinetti attack), and so can who knows how groups are made "
            "(the minimality attack) or what others in the group hold.",
        ),
    ),
)
