"""What somebody gives to the road, as the values that travel on it: data read, evidence gathered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from withhold.data import Constraints, Evidence, People, Records, Table
from withhold.errors import PolicyError
from withhold.formats import Data, read, read_table
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
    """The data as what the model is about, read if it is not that yet: a table, or records of items."""
    if method_of(model).data == "people":
        if not isinstance(data, People):
            raise PolicyError(f"{model.name} takes People, a table and records of the same persons")
        return data
    kind = Table if method_of(model).data == "table" else Records
    if isinstance(data, kind) and consent is None:
        return data
    reader: Callable[..., Data] = read_table if kind is Table else read
    return reader(data, consent=consent, allow_unknown=allow_unknown)
