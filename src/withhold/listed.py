"""Whether the data contain the items that a model lists: a misspelt list protects nothing."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from withhold.data import Constraints, Evidence
from withhold.data.dated_items import oddly_dated
from withhold.data.sensitive_values import counts_of, refuse_spellings
from withhold.data.unknown import (
    NEVER_OCCURS,
    Unknown,
    find_unknown,
    how_to_allow,
    refuse_wrong_list,
)
from withhold.data.variants import forms_of, refuse_variants
from withhold.data.wishes import RECORDS
from withhold.errors import InputError, WithholdWarning, option
from withhold.method import Method, Model
from withhold.registry import method_of


def unknown_items(
    model: Model, data: Any, evidence: Evidence, *, allowed: bool = False
) -> Unknown | None:
    """The items that the model lists and the data do not have, if any is missing."""
    if not (protected := evidence.protected(model.sensitive)):
        return None
    near = () if evidence.constraints is None else evidence.constraints.categories
    method = method_of(model)
    what, known = method.listed, frozenset(method.counts(data, model))
    return find_unknown(protected, known, what=what, allowed=allowed, also_near=near)


def warn_of(missing: Iterable[str]) -> None:
    """Warn the caller of a public function about missing items; the command line has its own messages."""
    for each in missing:
        # The frames: this function, the public function, its argument check, and the caller.
        warnings.warn(each, WithholdWarning, stacklevel=4)


def protects_nobody(constraints: Constraints | None, *, allowed: bool = False) -> InputError | None:
    """The error for constraints that protect nobody, unless that was allowed.

    Constraints that name only records of another file are an error in any case.
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
        # First, since this error says what to write.
        counts = method_of(model).counts(data, model)
        by_count = sorted(counts, key=lambda name: (-counts[name], name))
        refuse_wrong_list(items, dict.fromkeys(by_count))
    if not allowed:
        attributes = getattr(data, "attributes", data)
        for name in getattr(model, "sensitive_column", ()):
            refuse_spellings(name, counts_of(attributes.column(name)))
    protected = evidence.protected(model.sensitive)
    forms = None
    if protected and not allowed:
        method = method_of(model)
        counts = {name: n for name, n in method.counts(data, model).items() if n}
        refuse_variants(protected, counts, what=method.listed)
        forms = forms_of(protected, counts, what=method.listed)
        if method.data == "people" and (odd := oddly_dated(counts, protected)):
            raise InputError(
                f"{odd[0]!r} begins like a sensitive item with a date, which is none that is known",
                remedy="write dates as 2015, 2015-03, 2015-03-01 or 2015-2019, or list the item, too; or say "
                f"{option('allow_unknown', True)} if it is an item of its own",
            )
    listed = () if evidence.constraints is None else evidence.constraints.unknown
    found = [replace(each, allowed=each.allowed or allowed) for each in listed]
    about_items = [each for each in (items, forms) if each is not None]
    return (*getattr(data, "unknown", ()), *found, *about_items)


def check_counted(model: Model, counts: Mapping[str, int], *, allowed: bool) -> tuple[Unknown, ...]:
    """As ``check_listed``, for data in parts, of which only the items and their counts are known."""
    if not (listed := model.sensitive):
        return ()
    what = method_of(model).listed
    missing = find_unknown(listed, counts, what=what, allowed=allowed)
    refuse_wrong_list(missing, counts)
    forms = None
    if not allowed:
        refuse_variants(listed, counts, what=what)
        forms = forms_of(listed, counts, what=what)
    return tuple(each for each in (missing, forms) if each is not None)


def _refuse_assumed(items: Unknown, data: Any) -> None:
    """Refuse items that may be missing because the data were read in the wrong encoding.

    Unicode is recognised by its bytes; any other encoding may be wrong, even if the user named it.
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
    """Refuse a list most of whose lines cannot be items of the data: it has records instead."""
    source = getattr(data, "source", None)
    if items.allowed or source is None or source.format != "basket":
        return
    if 2 * sum(source.separator in name for name in items.names) > items.total > 1:
        raise InputError(
            f"the data were read with {source.separator!r} between the items, and most of the "
            f"{items.total:,} {items.what} have it in them and never occur, so the list looks like records",
            remedy=f"name the {option('separator')} of the data if it is another one; write one item per "
            "line in the list; or, if the two are swapped, name the data first and the list of items after "
            "its option",
        )


def occurring_text(model: Model, data: Any, evidence: Evidence) -> str:
    """How many of the listed items occur in the data, in words; empty for a model that lists none."""
    if not (protected := evidence.protected(model.sensitive)):
        return ""
    method = method_of(model)
    counts, total = method.counts(data, model), len(protected)
    n = sum(counts.get(name, 0) > 0 for name in protected)
    if total == 1:
        return f"The {one_of(method)} {'occurs' if n else 'does not occur'} in the file."
    return f"{n:,} of the {total:,} {method.listed} {'occurs' if n == 1 else 'occur'} in the file."


def one_of(method: Method) -> str:
    """What one name on the list is.

    >>> from withhold.registry import all_methods
    >>> one_of(all_methods()["rho"])
    'sensitive item'
    """
    return method.listed.replace("items", "item")


def told_promise(model: Model, unknown: Iterable[Unknown]) -> str:
    """The promise; if listed items are missing, also how many of them the data have."""
    method = method_of(model)
    missing = [e for e in unknown if e.what == method.listed and e.missing == NEVER_OCCURS]
    if not missing:
        return model.promise()
    total = missing[0].total
    if total == 1:
        return f"{model.promise()} The data do not have the {one_of(method)}."
    there = total - len(missing[0].names)
    return f"{model.promise()} Of these {total:,} {method.listed}, the data have {there:,}."
