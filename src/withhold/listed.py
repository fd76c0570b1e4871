"""Whether the data have the items that a model lists: a misspelt list protects nothing."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from withhold.data import Constraints, Evidence
from withhold.data.dated_items import oddly_dated
from withhold.data.unknown import (
    Unknown,
    find_unknown,
    how_to_allow,
    refuse_if_nothing_known,
    refuse_misspelt,
    refuse_other_spellings,
    refuse_several,
)
from withhold.data.wishes import RECORDS
from withhold.errors import InputError, WithholdWarning, option
from withhold.method import Model
from withhold.registry import method_of


def unknown_items(
    model: Model, data: Any, evidence: Evidence, *, allowed: bool = False
) -> Unknown | None:
    """The items that the model lists and the data do not know, if any is missing."""
    if not (protected := evidence.protected(model.sensitive)):
        return None
    near = () if evidence.constraints is None else evidence.constraints.categories
    method = method_of(model)
    what, known = method.listed, frozenset(method.counts(data, model))
    return find_unknown(protected, known, what=what, allowed=allowed, also_near=near)


def warn_of(missing: Iterable[str], *, stacklevel: int = 4) -> None:
    """Tell who called a public function what is missing; the command line says it in its own way.

    ``stacklevel``: this, the function, what checks its arguments, and who called it.
    """
    for each in missing:
        warnings.warn(each, WithholdWarning, stacklevel=stacklevel)


def protects_nobody(constraints: Constraints | None, *, allowed: bool = False) -> InputError | None:
    """What is wrong with constraints that protect nobody, unless somebody said that they may.

    Constraints that name only records of another file are wrong all the same.
    """
    if constraints is None or constraints.n_pairs:
        return None
    problem, remedy = (
        "the constraints protect nobody",
        "name records of this file, or * for everybody",
    )
    if not any(each.what == RECORDS for each in constraints.unknown):
        if allowed:
            return None
        allow = option("allow_unknown", True)
        remedy = f"name who wants which item protected, or say {allow} if nobody does"
    listed = "; ".join(str(each) for each in constraints.unknown)
    return InputError(f"{problem}: {listed}" if listed else problem, remedy=remedy)


def check_listed(
    model: Model, data: Any, evidence: Evidence, *, allowed: bool = False
) -> tuple[Unknown, ...]:
    """Everything that was listed and not found; raises if the data have none of the model's items."""
    if (nobody := protects_nobody(evidence.constraints, allowed=allowed)) is not None:
        raise nobody
    items = unknown_items(model, data, evidence, allowed=allowed)
    if items is not None:
        _refuse_assumed(items, data)
        _refuse_swapped(items, data)
        # Before anything else is said: this says what to write.
        counts = method_of(model).counts(data, model)
        refuse_misspelt(items, sorted(counts, key=lambda name: (-counts[name], name)))
        refuse_several(items, counts)
    refuse_if_nothing_known(items)
    protected = evidence.protected(model.sensitive)
    if protected and not allowed:
        method = method_of(model)
        counts = method.counts(data, model)
        refuse_other_spellings(protected, counts, what=method.listed)
        if method.data == "people" and (odd := oddly_dated(counts, protected)):
            raise InputError(
                f"{odd[0]!r} begins like a sensitive item with a date, which is none that is known",
                remedy="write dates as 2015, 2015-03, 2015-03-01 or 2015-2019, or list the item, too; or say "
                f"{option('allow_unknown', True)} if it is an item of its own",
            )
    listed = () if evidence.constraints is None else evidence.constraints.unknown
    found = [replace(each, allowed=each.allowed or allowed) for each in listed]
    return (*getattr(data, "unknown", ()), *found, *([] if items is None else [items]))


def _refuse_assumed(items: Unknown, data: Any) -> None:
    """Refuse items that are missing perhaps because the data were read in the wrong encoding.

    Unicode is known by its bytes; of the others, one that was named may be as wrong as a guess.
    """
    source = getattr(data, "source", None)
    if items.allowed or source is None:
        return
    files = (source, *source.files)
    doubtful = next((e for e in files if e.encoding and not e.encoding.startswith("utf")), None)
    if doubtful is not None and any(not name.isascii() for name in items.names):
        how = "is a guess" if doubtful.assumed else "was given"
        raise InputError(
            f"{items}; and the encoding of the data {how}, {doubtful.encoding}",
            path=doubtful.path,
            remedy=f"say which encoding it has with {option('encoding')}, or correct the list; or "
            f"{how_to_allow()}",
        )


def _refuse_swapped(items: Unknown, data: Any) -> None:
    """Refuse a list of which most cannot be items of the data: it is made of records."""
    source = getattr(data, "source", None)
    if items.allowed or source is None or source.format != "basket":
        return
    if 2 * sum(source.separator in name for name in items.names) > items.total:
        raise InputError(
            f"most of the {items.total:,} {items.what} have the separator of the data in them and never "
            "occur, so the list looks like records",
            remedy="name the data first and the list of items after its option; the two may be swapped",
        )


def occurring_text(model: Model, data: Any, evidence: Evidence) -> str:
    """How many of the listed items occur in the data, in words; nothing for a model that lists none."""
    if not (protected := evidence.protected(model.sensitive)):
        return ""
    method = method_of(model)
    counts, total = method.counts(data, model), len(protected)
    n = sum(counts.get(name, 0) > 0 for name in protected)
    return f"{n:,} of the {total:,} {method.listed} {'occurs' if n == 1 else 'occur'} in the file."
