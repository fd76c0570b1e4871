"""What somebody gives to the road, as the values that travel on it: data read, evidence gathered."""

from __future__ import annotations

from dataclasses import replace

from withhold.data import KINDS, Constraints, Evidence
from withhold.errors import PolicyError
from withhold.formats import READERS, Data
from withhold.formats.readable import Consent, Readable, ReadableTable
from withhold.method import Model
from withhold.registry import method_of


def given_evidence(model: Model, constraints: Constraints | None) -> Evidence:
    """The constraints as evidence; refused where a model takes none, and missed where it needs them."""
    if method_of(model).needs_evidence == (constraints is not None):
        return Evidence(constraints=constraints)
    if constraints is None:
        raise PolicyError(f"{model.name} needs constraints: who wants what protected")
    raise PolicyError(f"{model.name} takes no constraints; they are for PersonalRhoUncertainty")


def with_population(evidence: Evidence, data: Data, model: Model, options: object) -> Evidence:
    """The evidence with the population that the options name, where the model speaks of one."""
    found = method_of(model).gather(data, model, getattr(options, "population", None))
    return evidence if found.population is None else replace(evidence, population=found.population)


def as_data(
    data: Readable | ReadableTable,
    model: Model,
    consent: Consent = None,
    *,
    allow_unknown: bool = False,
) -> Data:
    """The data as what the model is about, read if it is not that yet: a table, records of items, people."""
    kind = method_of(model).data
    if isinstance(data, KINDS[kind]) and consent is None:
        return data
    return READERS[kind](data, consent=consent, allow_unknown=allow_unknown)
