"""When finding nothing proves nothing: no listed item occurs, so the list may be misspelt.

In: a verdict and the data that it is about. Out: the same verdict, or UNDECIDED. A release from which every
sensitive item had to go looks the same; the manifest of these very bytes tells the two apart, since it counts
the listed names that the original did not have either, and no release is made of a file that had none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from withhold.arguments import fits
from withhold.data.evidence import Evidence
from withhold.formats import Data
from withhold.listed import unknown_items
from withhold.method import Model
from withhold.registry import method_of
from withhold.verdict import Status, Verdict


def doubted(
    verdict: Verdict, data: Data, model: Model, evidence: Evidence, *, known_before: bool = False
) -> Verdict:
    """The verdict, unless it rests on nothing: then nobody can know whether the right thing was checked.

    ``known_before``: the original had what was listed, so that it was withheld.
    """
    if verdict.status is not Status.HOLDS:
        return verdict
    missing = unknown_items(model, data, evidence)
    is_everything = missing is not None and missing.is_everything
    if is_everything and known_before:
        listed = method_of(model).listed
        return replace(verdict, method=f"all {listed} were withheld, as the manifest says")
    if is_everything:
        return resting_on_nothing(
            verdict, f"nothing, since {missing}; --allow-unknown accepts that"
        )
    if verdict.checked == 0:
        method = f"nothing ({verdict.method}); --allow-unknown accepts that"
        return resting_on_nothing(verdict, method)
    return verdict


def known_to_original(record: Mapping[str, Any] | None, model: Model, evidence: Evidence) -> bool:
    """Whether a manifest says that the original had some of the names that its model lists."""
    if record is None or evidence.constraints is not None:
        return False  # no manifest says whom constraints were about
    unknown = record.get("unknown")
    if not isinstance(unknown, list):
        return False
    of_model = [each for each in unknown if not fits(each, dict) or _is_of(each, model)]
    return all(
        fits(each, dict)
        and fits(each.get("unknown"), int)
        and fits(each.get("of"), int)
        and each["unknown"] < each["of"]
        for each in of_model
    )


def resting_on_nothing(verdict: Verdict, method: str) -> Verdict:
    """The verdict that nothing was found out."""
    return replace(verdict, status=Status.UNDECIDED, method=method, checked=0)


def _is_of(entry: Mapping[str, Any], model: Model) -> bool:
    return entry.get("what") == method_of(model).listed
