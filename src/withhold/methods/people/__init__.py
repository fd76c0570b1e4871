"""ρ-uncertainty of people: attributes and items of the same persons, proved together.

Here: the model, items renamed by group, the audit, the ladder of costs, measures; ``check`` has the proof,
``search`` the search. Not here: the search and proof of items within groups, which are those of ``rho`` and
``km``.
"""

from __future__ import annotations

from withhold.auditing.options import AuditOptions
from withhold.data.reading_options import PeopleReading
from withhold.lazy import later
from withhold.method import Method, Step
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.people.options import PeopleSearch
from withhold.methods.rho import METHOD as RHO
from withhold.methods.rho import RHO_IS_NOT_ZERO
from withhold.telling.words import WORST_INFERENCES, Words

METHOD = Method(
    model=PeopleUncertainty,
    data="people",
    reading_options=PeopleReading,
    search=Step(later(f"{__name__}.search.suppressor:suppress_people"), PeopleSearch),
    check=later(f"{__name__}.check.proof:verify_people"),
    audit=Step(later(f"{__name__}.audit:audit_people"), AuditOptions),
    about=PeopleUncertainty.about,
    ladder=later(f"{__name__}.ladder:ladder_of_people"),
    loss=later(f"{__name__}.loss:loss_of_people"),
    measure=later(f"{__name__}.measure:measure_people"),
    warnings=RHO.warnings,
    sections=later(f"{__name__}.telling:sections_of_people"),
    column_roles=later("withhold.data.roles:roles_of_people"),
    marked=later("withhold.data.marks:people_with_marks"),
    added=frozenset({"km"}),
    words=Words(
        counts="Breaches by how many items the attacker knows beside all attributes",
        worst=WORST_INFERENCES,
        nothing="no item",
        exposed="Exposed to somebody who knows all attributes and {at_most}",
        exposed_meaning=(
            "persons about whom somebody who knows all attributes and {at_most_items} learns what the model "
            "forbids"
        ),
    ),
    limits=(
        RHO_IS_NOT_ZERO,
        (
            "Limited knowledge only, if a number of items was given",
            "With a number of known items (max_known), whoever knows more items of a person than that may "
            "infer what is sensitive. Attributes are covered in any case.",
        ),
        (
            "Only the columns and items named",
            "Columns that are not quasi-identifiers are published as they are, and whoever knows them may "
            "single a person out. Items that are not sensitive stay and may make a person unique, unless km "
            "was asked for.",
        ),
    ),
)
