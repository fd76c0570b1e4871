"""The inputs of a verb as the values that the road takes: data read, evidence gathered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from withhold.data import KINDS, Constraints, Evidence, People, Records, Table
from withhold.data.identifying import FEWEST
from withhold.data.identifying_items import refuse_identifying_items
from withhold.data.repeated_records import refuse_repeated_records
from withhold.data.repeats import REPEATS
from withhold.data.roles import ALL, Publish, columns_of, decided_columns
from withhold.data.tidied import ITEMS, Tidied
from withhold.data.tidying import tidied_name
from withhold.data.unknown import Unknown
from withhold.errors import PolicyError, option
from withhold.formats import READERS, Data
from withhold.formats.readable import Consent, Readable, ReadableTable
from withhold.listed import check_listed
from withhold.method import Model
from withhold.registry import method_of


class Given(NamedTuple):
    """What a verb works with."""

    data: Data
    model: Model
    """Its listed items are spelt as in the data."""
    evidence: Evidence
    unknown: tuple[Unknown, ...]
    """What was listed but is missing from the data."""


def gathered(
    data: Readable | ReadableTable,
    model: Model,
    options: object,
    *,
    constraints: Constraints | None = None,
    consent: Consent = None,
    allow_unknown: bool = False,
) -> Given:
    """A verb's inputs, read and checked; raises if the data have none of the listed items."""
    found = as_data(data, model, consent, allow_unknown=allow_unknown)
    model = tidied_model(model, found.tidied)
    evidence = given_evidence(model, constraints)
    unknown = check_listed(model, found, evidence, allowed=allow_unknown)
    return Given(found, model, with_population(evidence, found, model, options), unknown)


def check_items(data: Data, model: Model, publish: Publish, *, fewest: int = FEWEST) -> None:
    """Stop if items or people's columns may identify people, or records are hardly persons.

    The user may choose to publish them nevertheless.
    """
    if isinstance(data, People):
        decided_columns(data.attributes, model, columns_of(publish, data.attributes))  # type: ignore[arg-type]
        refuse_identifying_items(data.items, publish, fewest=fewest)
    elif isinstance(data, Records):
        named = {publish} if isinstance(publish, str) else {*publish}
        if named - {ALL, ITEMS, REPEATS}:
            raise PolicyError(
                f"records have items and no columns: {option('publish', ITEMS)} publishes items that may "
                f"identify people, {option('publish', REPEATS)} records that may be there twice"
            )
        refuse_repeated_records(data, publish)
        refuse_identifying_items(data, publish, fewest=fewest)


def given_evidence(model: Model, constraints: Constraints | None) -> Evidence:
    """The constraints as evidence; an error if the model takes none, or needs some and gets none."""
    if method_of(model).needs_evidence == (constraints is not None):
        return Evidence(constraints=constraints)
    if constraints is None:
        raise PolicyError(f"{model.name} needs constraints: who wants what protected")
    raise PolicyError(f"{model.name} takes no constraints; they are for PersonalRhoUncertainty")


def with_population(evidence: Evidence, data: Data, model: Model, options: object) -> Evidence:
    """The evidence with the population that the options name, if the model is about one."""
    found = method_of(model).gather(data, model, getattr(options, "population", None))
    return evidence if found.population is None else replace(evidence, population=found.population)


def tidied_model(model: Model, done: Iterable[Tidied]) -> Model:
    """The model with its listed items spelt as in the tidied data."""
    lists = [
        each.name for each in method_of(model).parameters().values() if each.option.kind == "items"
    ]
    items = [each for each in done if each.name == ITEMS]
    if not items or not lists:
        return model
    spelt = {name: frozenset(tidied_name(i, items) for i in getattr(model, name)) for name in lists}
    return replace(model, **spelt)  # type: ignore[type-var]  # every model is a dataclass


def as_data(
    data: Readable | ReadableTable,
    model: Model,
    consent: Consent = None,
    *,
    allow_unknown: bool = False,
) -> Data:
    """The data, read if necessary, as the model's kind: a table, records of items, or people."""
    kind = method_of(model).data
    is_examined = not isinstance(data, Table) or data.repeats is not None
    if isinstance(data, KINDS[kind]) and consent is None and is_examined:
        return data
    return READERS[kind](data, consent=consent, allow_unknown=allow_unknown)
