"""What is measured of people; each function runs alone in a process of its own."""

from __future__ import annotations

import time
from typing import Any

RHO, K = "0.5", 5


def people(persons: int, max_known: int | None) -> dict[str, Any]:
    """Seconds for a release of the invented hospital, and what it withholds."""
    import withhold as wh
    from withhold.datasets import hospital

    few, _ = _hospital(hospital(500, seed=2), max_known)
    found, model = _hospital(hospital(persons, seed=1), max_known)
    wh.anonymize(few, model, seed=1)
    # A large group calls kernels that small ones do not.
    wh.anonymize(found, model, seed=1)
    began, used = time.perf_counter(), time.process_time()
    release = wh.anonymize(found, model, seed=1)
    return {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - used,
        "cells": release.loss.cell_share,
        "sensitive": release.loss.sensitive_share,
        "groups": release.loss.groups,
    }


def people_k_first(persons: int, max_known: int | None, detailed: bool) -> dict[str, Any]:
    """The same if cells are made k-anonymous first, whatever that costs of the sensitive items."""
    import numpy as np

    import withhold as wh
    from withhold.data import Table
    from withhold.data.grouping import groups_of
    from withhold.data.people import People
    from withhold.datasets import hospital
    from withhold.method import SearchRun
    from withhold.methods.people.grouped_items import items_of
    from withhold.methods.people.search.withholding import withhold_items

    source = hospital(persons, seed=1)
    found, model = _hospital(source, max_known)
    table = found.attributes
    if detailed:
        columns = ("SEX", "BIRTHDATE", "POSTCODE", "OCCUPATION")
        table = Table(tuple(source.persons.column(name) for name in columns))
        born = table.column("BIRTHDATE").mapped(lambda date: (date or "")[:4])
        table = table.with_columns([born])
    k_anonymous = wh.KAnonymity(K, table.names)
    began = time.perf_counter()
    cells = wh.anonymize(table, k_anonymous, seed=1, bound=False)
    groups = groups_of(cells.data, table.names)
    items = items_of(People(table, found.items), model)
    gone = withhold_items(items, groups.of_row, model, SearchRun(seed=1), restoring=True)
    return {
        "seconds": time.perf_counter() - began,
        "cells": cells.loss.share,
        "sensitive": len(gone.places) / int(np.sum(items.sensitive[items.records.items])),
        "groups": len(groups),
    }


def people_apart(persons: int, rho: str) -> dict[str, Any]:
    """Seconds for the hospital with sensitive items apart, what it loses, and what naive Bayes learns."""
    import withhold as wh
    from benchmarks.apart_attack import attack
    from withhold.datasets import hospital

    source = hospital(persons, seed=1)
    found = source.people()
    model = wh.PeopleApart(rho, source.sensitive, quasi_identifiers=found.names)
    wh.anonymize(found, model, seed=1)
    began, used = time.perf_counter(), time.process_time()
    release = wh.anonymize(found, model, seed=1)
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    return {
        "seconds": seconds,
        "cpu": cpu,
        "sensitive": release.loss.sensitive_share,
        "misplaced": release.loss.misplaced,
        "groups": release.loss.groups,
        **attack(found, release.data, model),
    }


def _hospital(source: Any, max_known: int | None) -> tuple[Any, Any]:
    """The hospital as people with coarse attributes, and the model."""
    import withhold as wh

    found = source.people()
    model = wh.PeopleUncertainty(
        RHO,
        source.sensitive,
        k=K,
        quasi_identifiers=found.attributes.names,
        max_known=max_known,
    )
    return found, model


PEOPLE_MEASURES = {"people": people, "people_k_first": people_k_first, "people_apart": people_apart}
