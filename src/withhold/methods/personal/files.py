"""Who wants what protected, read from files with the data that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withhold.data import Evidence, Records
from withhold.formats.constraints import read_constraints
from withhold.formats.hierarchy import read_hierarchy


def constraints_as_evidence(
    files: Mapping[str, Any], records: Records, allow_unknown: bool
) -> Evidence:
    """The constraints of the files, about these records."""
    tree = read_hierarchy(files["hierarchy"]) if "hierarchy" in files else None
    constraints = read_constraints(
        files["constraints"], records, hierarchy=tree, allow_unknown=allow_unknown
    )
    if "sensitive" in files:
        constraints = constraints.and_for_all(files["sensitive"])
    return Evidence(constraints=constraints)
