"""Who wants what protected, read from files with the data that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withhold.data import Records
from withhold.formats.constraints import read_constraints
from withhold.formats.hierarchy import read_hierarchy
from withhold.methods.personal.model import PersonalRhoUncertainty


def with_constraints(
    model: PersonalRhoUncertainty,
    files: Mapping[str, Any],
    records: Records,
    allow_unknown: bool,
) -> PersonalRhoUncertainty:
    """The model with the constraints of the files."""
    tree = read_hierarchy(files["hierarchy"]) if "hierarchy" in files else None
    constraints = read_constraints(
        files["constraints"], records, hierarchy=tree, allow_unknown=allow_unknown
    )
    if "sensitive" in files:
        constraints = constraints.and_for_all(files["sensitive"])
    return model.with_constraints(constraints)
