"""The road, from data and a model to a release. The first file to read.

    read ──► audit                          what could an attacker infer?
         ├─► verify                         does it hold?
         └─► suppress ─► apply ─► verify ─► measure ─► release.write (publish)

Each step takes and returns a frozen value; nobody reaches back.
"""

from __future__ import annotations

import time
from typing import Any

from withhold.audits import Audit
from withhold.audits import audit as find
from withhold.data import Transactions
from withhold.errors import NotVerifiedError
from withhold.formats import read
from withhold.measure import loss_of
from withhold.models import Model, Verdict, as_released
from withhold.proofs import verify as prove
from withhold.release import Release
from withhold.suppress import apply, suppress


def audit(data: Any, model: Model, **options: Any) -> Audit:
    """What an attacker could infer from the data, and whether the model holds.

    ``data`` is whatever ``read`` takes. Options: ``max_size`` (count antecedents up to so many items),
    ``show`` (how many breaches to list), ``samples`` and ``seed`` (of the attack curve), ``jobs``,
    ``limit_seconds``, ``progress``.

    >>> from withhold import RhoUncertainty
    >>> shop = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
    >>> found = audit(shop, RhoUncertainty("0.5", {"condom"}))
    >>> found.verdict.status, str(found.breaches[0])
    (<Status.BROKEN: 'BROKEN'>, '{beer} → condom: 2 of 2 (100 %)')
    """
    table = as_table(data)
    return find(table, as_released(model, table), **options)


def verify(data: Any, model: Model, **options: Any) -> Verdict:
    """Whether the model holds: exactly, for records of any length, with a smallest witness if not.

    Options: ``jobs``, ``limit_seconds`` (gives UNDECIDED when it runs out), ``progress``.

    >>> from withhold import RhoUncertainty
    >>> verify([["beer", "condom"], ["beer"]], RhoUncertainty("0.5", {"condom"})).status
    <Status.HOLDS: 'HOLDS'>
    """
    return prove(as_table(data), model, **options)


def anonymize(data: Any, model: Model, **options: Any) -> Release:
    """A release of the data for which the model holds, with as little withheld as possible.

    Options: ``keep`` (``"rules"``: least loss; ``"distribution"``: frequencies stay alike), ``pick``
    (which records lose an item: ``"longest"`` or ``"random"``), ``restoring`` (undo what can be undone),
    ``parts`` or ``max_cost`` (split the records), ``budget`` (seconds, then the sensitive items of
    what is not finished are removed), ``seed``, ``jobs``, ``progress``.

    >>> from withhold import RhoUncertainty
    >>> shop = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
    >>> release = anonymize(shop, RhoUncertainty("0.5", {"condom"}))
    >>> release.verdict.status, release.loss.removed
    (<Status.HOLDS: 'HOLDS'>, 1)
    """
    clock = [time.perf_counter()]
    table = as_table(data)
    plan, chosen = suppress(table, model, **options)
    model = as_released(model, table, chosen)
    clock.append(time.perf_counter())
    published = apply(plan, table)
    verdict = prove(published, model, jobs=options.get("jobs"))
    clock.append(time.perf_counter())
    if not verdict.status.may_be_published:
        raise NotVerifiedError(f"the release is {verdict.status.value}: {verdict.witness}")
    loss = loss_of(table, published, model)
    timings = {"suppress": clock[1] - clock[0], "verify": clock[2] - clock[1]}
    return Release(published, table, plan, model, verdict, loss, chosen, timings)


def as_table(data: Any) -> Transactions:
    """The data as transactions, read if it is not that yet."""
    return data if isinstance(data, Transactions) else read(data)
