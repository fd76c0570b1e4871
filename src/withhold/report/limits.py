"""What no release promises, for the page that people sign. The long version is docs/promise.md."""

from __future__ import annotations

from withhold.method import Method
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


def limits_section(method: Method) -> Section:
    """What is not promised: first what is special to the method."""
    rows = (*method.limits, *EVERY_RELEASE)
    listing = Listing("", ("what", "why"), rows, for_strangers=True)
    return Section("limits", "What is not promised", (listing,))
