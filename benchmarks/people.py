"""The suite of people: what a release of attributes and items together withholds, and in what time."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.people_measures import RHO, K
from benchmarks.tables import Judged, Table

PERSONS, FEW_PERSONS = 20_000, 2_000
KNOWN = (0, 1, 2, None)
MOST_SECONDS = 5.0
AGAINST_K_FIRST = 0.5
"""At one known item, so much of the sensitive items that k-first withholds."""
COLUMNS = {
    "knows": "",
    "groups": "",
    "number": ",d",
    "cells": ".3f",
    "sensitive": ".3f",
    "seconds": ".2f",
    "cpu": ".2f",
}
NOTES = [
    f"The invented hospital: ρ = {RHO}, k = {K}; shares of cells and of sensitive items withheld. k first:",
    "cells are made k-anonymous, then sensitive items withheld within the groups. Detailed: year of birth",
    "and whole postcode instead of bands and regions. Seconds: search and proof, everything compiled.",
]
APART_RHOS = ("0.5", "0.2")
APART_COLUMNS = {
    "rho": "",
    "groups": ",d",
    "sensitive": ".3f",
    "misplaced": ".3f",
    "chance": ".3f",
    "right": ".3f",
    "sure": ".3f",
    "right_if_sure": ".3f",
    "seconds": ".2f",
    "cpu": ".2f",
}
APART_NOTES = [
    "The same hospital, four attributes and all public items as they are. Sensitive: share of the sensitive",
    "items that no list has. A naive Bayes attacker learns from all groups, and names for each item of a",
    "list the record that fits best. Right: how often that one holds it, and how often any record would",
    "(chance). Sure: in which share the attacker is more than 90% sure, and how often right then.",
]


def people(bench: Bench) -> list[Table]:
    """Groups that are driven by ρ against groups that are made for k alone."""
    persons = FEW_PERSONS if bench.quick else PERSONS
    table = Table(f"People: {persons:,} persons", COLUMNS, notes=NOTES)
    for max_known in KNOWN:
        knows = "any items" if max_known is None else f"{max_known} items"
        settings = {"persons": persons, "max_known": max_known}
        withheld = None
        for groups, detailed in (("k first", False), ("k first, detailed", True)):
            found = bench.run(
                f"people {knows} {groups}", "people_k_first", **settings, detailed=detailed
            )
            if found is not None:
                withheld = withheld if detailed else found["sensitive"]
                _add(table, knows, groups, found)
        found = bench.run(f"people {knows}", "people", **settings)
        if found is not None:
            seconds = Judged(found["seconds"], None if bench.quick else MOST_SECONDS)
            target = AGAINST_K_FIRST * withheld if max_known == 1 and withheld else None
            target = None if bench.quick else target
            found |= {"seconds": seconds, "sensitive": Judged(found["sensitive"], target)}
            _add(table, knows, "driven by ρ", found)
    return [table, _apart(bench, persons)]


def _apart(bench: Bench, persons: int) -> Table:
    """Sensitive items apart, and what somebody learns who does not take records of a group for equal."""
    table = Table(f"Sensitive items apart: {persons:,} persons", APART_COLUMNS, notes=APART_NOTES)
    for rho in APART_RHOS:
        found = bench.run(f"people apart {rho}", "people_apart", persons=persons, rho=rho)
        if found is not None:
            table.add_run(found, {"rho": rho})
    return table


def _add(table: Table, knows: str, groups: str, found: dict[str, object]) -> None:
    shown = {
        name: found[name] for name in ("cells", "sensitive", "seconds", "cpu") if name in found
    }
    table.add(knows=knows, groups=groups, number=found["groups"], **shown)
