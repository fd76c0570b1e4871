"""How items are chosen for suppression, and groups for items: the options, each defined once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

from withhold.errors import PolicyError, option
from withhold.formats.item_trees import TreeSource
from withhold.methods.coherence.options import CoherenceSearch, not_by_parts
from withhold.methods.km.model import KmAnonymity
from withhold.options import Option


@dataclass(frozen=True, kw_only=True)
class KmSearch(CoherenceSearch):
    """As for coherence; with a hierarchy, whether items may be withheld beside the groups."""

    hierarchy: Annotated[
        TreeSource | None,
        Option(
            "Publish items as groups: a file, prefix, fan-out:10 or co-occurrence (made from the "
            "data).",
            kind="file",
        ),
    ] = None
    withhold: Annotated[
        bool | None,
        Option(
            "With --hierarchy: also withhold items, where that loses less (default).",
            spelt="--withhold/--no-withhold",
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hierarchy is None:
            if self.withhold is not None:
                raise PolicyError(f"{option('withhold')} requires {option('hierarchy')}")
            return
        for each in fields(CoherenceSearch):
            if getattr(self, each.name) != each.default:
                raise PolicyError(
                    f"{option(each.name)} is about items that are withheld without a {option('hierarchy')}; "
                    "leave one of them out"
                )


def km_not_by_parts(model: KmAnonymity, options: KmSearch, given: Mapping[str, Any]) -> str:
    """Why records cannot be released part by part."""
    if options.hierarchy is not None:
        return "with --hierarchy the groups are one choice for all records"
    return not_by_parts(model, options, given)
