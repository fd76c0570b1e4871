"""How records are grouped and generalised: the options, each defined once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from withhold.errors import PolicyError, option
from withhold.formats.item_trees import CO_OCCURRENCE, TreeSource, is_built
from withhold.method import SearchOptions
from withhold.methods.buckets.model import FILLS
from withhold.options import Option

AUDITED_SIZE = 5
"""The default size up to which an audit counts rare sets: each is checked once, so this need not be small."""


@dataclass(frozen=True, kw_only=True)
class BucketsSearch(SearchOptions):
    """How items are generalised, and how records are made equal."""

    hierarchy: Annotated[
        TreeSource | None,
        Option(
            "What items are generalised to: a file, prefix, prefix:1,3 (codes such as E11.9) or fan-"
            "out:10.",
            kind="file",
        ),
    ] = None
    fill: Annotated[
        Literal["none", "hash"],
        Option("none (default), or hash (as in the paper; adds items that people never had)."),
    ] = "none"
    buckets: Annotated[
        int | None,
        Option(
            "With --fill hash: buckets to start with.",
            at_least=1,
        ),
    ] = None
    to_root: Annotated[bool, Option("With --fill hash: generalise up to the root if needed.")] = (
        False
    )

    def warnings(self) -> tuple[str, ...]:
        """The warning that the paper's method publishes untrue statements about people."""
        return (f"{option('fill', 'hash')} {FILLS['hash']}",) if self.fill == "hash" else ()

    def __post_init__(self) -> None:
        if self.fill != "hash" and (self.buckets is not None or self.to_root):
            which = "buckets" if self.buckets is not None else "to_root"
            raise PolicyError(
                f"{option(which)} requires {option('fill', 'hash')}, which {FILLS['hash']}; leave "
                f"{option(which)} out, or choose that"
            )


def not_by_parts(model: object, options: BucketsSearch, given: Mapping[str, Any]) -> str:
    """Why records cannot be released part by part."""
    if options.fill != "none":
        return f"{option('fill', options.fill)} is about buckets of all records; leave it out"
    wanted = options.hierarchy
    named = os.fspath(wanted) if isinstance(wanted, str | os.PathLike) else ""
    if named == CO_OCCURRENCE and is_built(named):
        return f"{CO_OCCURRENCE} clusters all records at once; use a hierarchy from a file, prefix or fan-out"
    return ""
