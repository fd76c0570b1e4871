"""The road, from data and a model to a release. The first file to read.

    read ──► audit                          what could an attacker infer?
         ├─► verify                         does it hold?
         └─► suppress ─► apply ─► verify ─► measure ─► release.write (publish)

Each step takes and returns a frozen value; nobody reaches back.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from typing import Any

from withhold.arguments import check_options, checked, option_names
from withhold.counting.memory import give_back_memory
from withhold.data import Records, Table
from withhold.data.plan import apply
from withhold.errors import NotVerifiedError
from withhold.formats import Data, read, read_table
from withhold.listed import check_listed, protects_nobody, unknown_items
from withhold.method import CheckRun, Model, with_defaults
from withhold.publish.identifiers import RENUMBER, check_ids, released
from withhold.registry import check_audit, check_search, method_of
from withhold.registry import verify as prove
from withhold.release import Release
from withhold.verdict import Status, Verdict

SEED_BITS = 32
"""Of a seed that is drawn: too many for anybody to try them all on a release."""


@checked
def audit(
    data: Any, model: Model, *, consent: Any = None, allow_unknown: bool = False, **options: Any
) -> Any:
    """What an attacker could infer from the data, and whether the model holds.

    ``data`` and ``consent`` are whatever ``read`` takes (``read_table``, for a table). The result is an
    ``Audit``, or for a table a ``TableAudit``. Options: ``max_size`` (count antecedents up to so
    many items), ``show`` (how many breaches to list), ``samples`` and ``seed`` (of the attack curve),
    ``jobs``, ``limit_seconds``, ``progress``. If the data have none of the sensitive items, that is an error
    unless ``allow_unknown``.

    >>> from withhold import RhoUncertainty
    >>> shop = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
    >>> found = audit(shop, RhoUncertainty("0.5", {"condom"}))
    >>> found.verdict.status, str(found.breaches[0])
    (<Status.BROKEN: 'BROKEN'>, '{beer} → condom: 2 of 2 (100 %)')
    """
    check_audit(model, options, also=option_names(audit))
    method = method_of(model)
    table = as_data(data, model, consent, allow_unknown=allow_unknown)
    unknown = check_listed(model, table, allowed=allow_unknown)
    # Somebody who gives the originals asks about a release of them; else the table is its own original.
    if getattr(model, "originals", None) is None:
        model = method.released(model, table, None)
    found = method.audit(table, model, **with_defaults(method.audit_options, options))
    return replace(found, without_consent=table.without_consent, unknown=unknown)


@checked
def verify(data: Any, model: Model, *, allow_unknown: bool = False, **options: Any) -> Verdict:
    """Whether the model holds: exactly, for records of any length, with a smallest witness if not.

    Options: ``jobs``, ``limit_seconds`` (gives UNDECIDED when it runs out), ``progress``. If the data have
    none of the sensitive items, the verdict is UNDECIDED unless ``allow_unknown``: the list may be misspelt.

    >>> from withhold import RhoUncertainty
    >>> verify([["beer", "condom"], ["beer"]], RhoUncertainty("0.5", {"condom"})).status
    <Status.HOLDS: 'HOLDS'>
    """
    check_options(CheckRun, options, what="verify", also=option_names(verify))
    table = as_data(data, model)
    if (nobody := protects_nobody(model, allowed=allow_unknown)) is not None:
        return Verdict(Status.UNDECIDED, f"nothing: {nobody.problem}", 0, 0.0)
    missing = unknown_items(model, table, allowed=allow_unknown)
    if missing is not None and missing.is_everything and not allow_unknown:
        return Verdict(Status.UNDECIDED, f"nothing: {missing}", 0, 0.0)
    return prove(table, model, **options)


@checked
def anonymize(
    data: Any,
    model: Model,
    *,
    consent: Any = None,
    allow_unknown: bool = False,
    ids: str = RENUMBER,
    seed: int | None = None,
    **options: Any,
) -> Release:
    """A release of the data for which the model holds, with as little withheld as possible.

    ``consent`` says whose records may be published at all, as in ``read``. If the data have none of the
    sensitive items, that is an error unless ``allow_unknown``. Records are numbered anew, and a frame's index
    is left out, unless ``ids="keep"``. Without a ``seed``, one is drawn from the system.
    Options: ``keep`` (``"rules"``: least loss; ``"distribution"``: frequencies stay alike), ``pick``
    (which records lose an item: ``"longest"`` or ``"random"``), ``restoring`` (undo what can be undone),
    ``parts`` or ``max_cost`` (split the records), ``budget`` (seconds, then the sensitive items of
    what is not finished are removed), ``jobs``, ``progress``. For ``Buckets``: ``hierarchy``
    (a tree, a file, ``"prefix"`` or ``"fan-out:10"``), ``fill`` (``"none"``, or ``"hash"`` as in
    the paper, which adds items that people never had), ``buckets``, ``to_root``. For
    ``KAnonymity``: ``cost`` (``"hybrid"``, ``"mar"``, ``"info"`` or ``"ham"``), ``hierarchy`` (a tree or a
    file for each column that has one), ``publish`` (columns that are published as they are although they
    may identify people, or ``"all"``; without it such columns raise a ``PolicyError``).

    >>> from withhold import RhoUncertainty
    >>> shop = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
    >>> release = anonymize(shop, RhoUncertainty("0.5", {"condom"}))
    >>> release.verdict.status, release.loss.removed
    (<Status.HOLDS: 'HOLDS'>, 1)
    """
    check_search(model, options, also=option_names(anonymize))
    method = method_of(model)
    clock = [time.perf_counter()]
    check_ids(ids)
    table = as_data(data, model, consent, allow_unknown=allow_unknown)
    unknown = check_listed(model, table, allowed=allow_unknown)
    # Whoever knows the seed can work backwards from the release, so the usual one must not be known.
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    asked = with_defaults(method.search_options, options)
    plan, chosen = method.search(table, model, seed=seed, **asked)
    chosen["already_held"] = len(plan) == 0
    model = method.released(model, table, chosen)
    give_back_memory()
    clock.append(time.perf_counter())
    published = released(apply(plan, table), ids)
    verdict = prove(published, model, jobs=options.get("jobs"))
    clock.append(time.perf_counter())
    if not verdict.status.may_be_published:
        raise NotVerifiedError(f"the release is {verdict.status.value}: {verdict.witness}")
    loss = method.loss(table, published, model, plan)
    timings = {"suppress": clock[1] - clock[0], "verify": clock[2] - clock[1]}
    return Release(
        published, table, plan, model, verdict, loss, chosen, timings, unknown=unknown, ids=ids
    )


def as_data(data: Any, model: Model, consent: Any = None, *, allow_unknown: bool = False) -> Data:
    """The data as what the model is about, read if it is not that yet: a table, or records of items."""
    if method_of(model).data == "table":
        if isinstance(data, Table) and consent is None:
            return data
        return read_table(data, consent=consent, allow_unknown=allow_unknown)
    if isinstance(data, Records) and consent is None:
        return data
    return read(data, consent=consent, allow_unknown=allow_unknown)
