"""What protecting from more and more knowledge costs, before anything is published."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from withhold.arguments import checked, option_names
from withhold.errors import PolicyError
from withhold.formats.readable import Consent, Readable, ReadableTable
from withhold.given import gathered
from withhold.method import Model
from withhold.phases import phase
from withhold.registry import method_of, search_call
from withhold.seeds import given_or_drawn

if TYPE_CHECKING:
    from withhold.methods.people.ladder import Ladder


@checked
def ladder(
    data: Readable | ReadableTable,
    model: Model,
    *,
    consent: Consent = None,
    allow_unknown: bool = False,
    seed: int | None = None,
    **options: object,
) -> Ladder:
    """What a release would cost against somebody who knows 0, 1, 2 or any items of a person.

    Parameters
    ----------
    data
        ``People``, or whatever is read as people.
    model
        What must hold; ``PeopleUncertainty``. Its own number of known items is also a step of the ladder.
    consent, allow_unknown, seed, **options
        As for ``anonymize``, which makes the release of a step if it gets the same seed.

    Returns
    -------
    Ladder
        Its ``rungs``, from no known item to any number of them, each with the share of the cells and of the
        sensitive items that would be withheld.

    Raises
    ------
    WithholdError
        If the data cannot be read, or an option does not fit the model.

    Examples
    --------
    >>> from withhold import PeopleUncertainty
    >>> from withhold.datasets import hospital
    >>> found = hospital(2000, seed=1)
    >>> columns = ["sex", "age", "region", "occupation"]
    >>> model = PeopleUncertainty("0.5", found.sensitive, k=5, quasi_identifiers=columns)
    >>> for rung in ladder(found.people(), model, seed=1).rungs:
    ...     print(rung.max_known, f"{rung.cells:.1%} {rung.sensitive:.1%}")
    0 7.3% 0.0%
    1 34.3% 31.3%
    2 12.1% 66.8%
    None 12.1% 67.6%
    """
    method = method_of(model)
    if method.ladder is None:
        raise PolicyError(f"{model.name} has no ladder; that is for PeopleUncertainty")
    chosen, run = search_call(model, options, verb="ladder", also=option_names(ladder))
    given = gathered(data, model, chosen, consent=consent, allow_unknown=allow_unknown)
    run = replace(run, seed=given_or_drawn(seed))
    with phase("comparing"):
        found: Ladder = method.ladder(given.data, given.model, chosen, run)  # type: ignore[assignment]
    return found
