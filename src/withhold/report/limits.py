"""What no release promises, for the page that people sign. The long version is docs/promise.md."""

from __future__ import annotations

from withhold.telling.sections import Listing, Section

EVERY_RELEASE = (
    (
        "One release for each table",
        "Two releases of the same people can be laid side by side, and what one withholds the other "
        "may show. The same goes for the original in somebody else's hands.",
    ),
    (
        "One record for each person",
        "The promise counts records. Whoever can tell that several records belong to one person can "
        "put them together.",
    ),
    (
        "The program's habits",
        "It withholds as little as it can, and that is public. Who knows the seed, or how much was "
        "withheld, may work backwards from the release.",
    ),
    (
        "Other ways to conclude",
        "Classifiers combine many weak hints, some people know what a person does not have, and "
        "some look for records that match by halves. The promise is about none of these.",
    ),
    (
        "Not differential privacy",
        "No noise is added. One record more or less can change the release visibly.",
    ),
)
ONLY_PUBLIC = (
    "Only what is public is known",
    "Whoever knows a private item of a person, or more public items than the promise says, is outside "
    "the promise.",
)
LIMITS: dict[str, tuple[tuple[str, str], ...]] = {
    "coherence": (
        ONLY_PUBLIC,
        (
            "h is not zero",
            "A suspicion up to the probability in the promise remains possible. If that does harm, "
            "choose a smaller one.",
        ),
    ),
    "km": (
        (
            "Nothing about what follows",
            "Records in which all k agree hide nobody's items: the promise is about finding a "
            "record, not about what stands in it.",
        ),
    ),
    "k-anonymity": (
        (
            "The label is not hidden",
            "Where all rows of a group have the same label, whoever finds the group knows it. That is what "
            "l-diversity (l) is for.",
        ),
        (
            "Only the columns named",
            "Whoever knows something else of a person than the quasi-identifiers may single the row out. "
            "All other columns are published as they are.",
        ),
    ),
    "personal-rho": (
        (
            "ρ is not zero",
            "A suspicion up to the confidence in the promise remains possible. If that does harm, "
            "choose a smaller one.",
        ),
        (
            "Only what people named",
            "Who did not say that an item is feared is not protected against it. That somebody asked "
            "for protection can itself be telling: keep the constraints secret.",
        ),
    ),
    "rho": (
        (
            "ρ is not zero",
            "A suspicion up to the confidence in the promise remains possible. If that does harm, "
            "choose a smaller one.",
        ),
        (
            "Only what was named",
            "Only the items that were listed as sensitive are protected. Everything else in a record "
            "stays, may make it unique, and may suggest what was withheld.",
        ),
    ),
    "buckets": (
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
}
"""What is special to a model; it comes first."""


def limits_section(model: str) -> Section:
    """What is not promised."""
    rows = (*LIMITS.get(model, ()), *EVERY_RELEASE)
    listing = Listing("", ("what", "why"), rows, for_strangers=True)
    return Section("limits", "What is not promised", (listing,))
