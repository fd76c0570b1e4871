"""The road, from data and a model to a release. The first file to read.

    read ──► audit                          what could an attacker infer?
         ├─► verify                         does it hold?
         └─► search ─► apply ─► measure ─► bound ─► verify ─► release.write (publish)

Each step takes and returns a frozen value; nobody reaches back.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from withhold.arguments import check_options, checked, option_names
from withhold.counting.memory import give_back_memory
from withhold.data import Constraints, Evidence, Records
from withhold.data.evidence import Draw
from withhold.data.plan import apply
from withhold.data.roles import plain_list
from withhold.errors import NotVerifiedError, PolicyError
from withhold.formats import Data
from withhold.formats.item_trees import TreeSource
from withhold.formats.readable import Consent, Readable, ReadableTable
from withhold.given import as_data, check_items, gathered
from withhold.listed import protects_nobody, unknown_items, warn_of
from withhold.method import AnyLoss, CheckRun, Model
from withhold.phases import phase
from withhold.publish.identifiers import RENUMBER, check_ids, released
from withhold.registry import audit_call, method_of, search_call
from withhold.registry import verify as prove
from withhold.release import AnyRelease, Release
from withhold.seeds import given_or_drawn
from withhold.verdict import Status, Verdict

if TYPE_CHECKING:
    from withhold.auditing.result import Audit
    from withhold.methods.cells.audit import TableAudit
    from withhold.methods.rho.curve import Curve

NOT_PROVED = Verdict(Status.UNDECIDED, "nothing yet", 0, 0.0)


@checked
def audit(
    data: Readable | ReadableTable,
    model: Model,
    *,
    constraints: Constraints | None = None,
    originals: Records | None = None,
    consent: Consent = None,
    allow_unknown: bool = False,
    **options: object,
) -> Audit | TableAudit:
    """What an attacker could infer from the data, and whether the model holds.

    Parameters
    ----------
    data, model, constraints
        As for ``anonymize``.
    originals
        For ``PersonalRhoUncertainty``, if the data was published: the original records.
    consent
        Whose records are audited, as in ``read``.
    allow_unknown
        As for ``anonymize``.
    **options
        ``max_size`` (count antecedents of up to this many items), ``show`` (how many breaches to list),
        ``samples`` and ``seed`` (of the attack curve), ``jobs``, ``limit_seconds``, ``progress``.

    Returns
    -------
    Audit or TableAudit
        The verdict, the breaches, and the attack curve; for a table, its smallest groups.

    Raises
    ------
    WithholdError
        If the data cannot be read, or an option does not fit the model.

    Examples
    --------
    >>> from withhold import RhoUncertainty
    >>> shop = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
    >>> found = audit(shop, RhoUncertainty("0.5", {"condom"}))
    >>> found.verdict.status, str(found.breaches[0])
    (<Status.BROKEN: 'BROKEN'>, '{beer} → condom: 2 of 2 (100%)')
    """
    chosen, run = audit_call(model, options, also=option_names(audit))
    method = method_of(model)
    found_data, model, evidence, unknown = gathered(
        data, model, chosen, constraints=constraints, consent=consent, allow_unknown=allow_unknown
    )
    # If originals are given, the data are a release of them; otherwise the data are the originals.
    if isinstance(found_data, Records) and method.needs_evidence:
        evidence = evidence.of(found_data if originals is None else originals)
    with phase("auditing"):
        found = method.audit(found_data, method.about(model, found_data), evidence, chosen, run)
    warn_of(str(each) for each in unknown if not each.allowed)
    found = replace(found, without_consent=found_data.without_consent, unknown=unknown)
    return found  # type: ignore[no-any-return]  # each method has its own


@checked
def verify(
    data: Readable | ReadableTable,
    model: Model,
    *,
    evidence: Evidence | None = None,
    mark: str | None = None,
    allow_unknown: bool = False,
    **options: object,
) -> Verdict:
    """Whether the model holds, decided exactly, for records of any length; with a smallest witness if not.

    Parameters
    ----------
    data, model
        As for ``anonymize``.
    evidence
        For ``PersonalRhoUncertainty``: the originals and the constraints; for ``KAnonymity`` with
        ``presence`` the population, ``Evidence(population=read_table(...))``. Without it: UNDECIDED.
    mark
        For a table: what marks a withheld quasi-identifier, such as ``"*"``, or ``""`` for empty cells.
        Without it every cell of a file is a value; a release in memory knows its withheld cells.
    allow_unknown
        Accept data that have none of the sensitive items; without it that is UNDECIDED, since the list
        may be misspelt.
    **options
        ``jobs``, ``limit_seconds`` (gives UNDECIDED when it runs out), ``progress``.

    Returns
    -------
    Verdict
        HOLDS, BROKEN with a witness, or UNDECIDED; as a condition it is true only if it HOLDS.

    Raises
    ------
    WithholdError
        If the data cannot be read.

    Examples
    --------
    >>> from withhold import RhoUncertainty
    >>> verify([["beer", "condom"], ["beer"]], RhoUncertainty("0.5", {"condom"})).status
    <Status.HOLDS: 'HOLDS'>
    """
    check_options(CheckRun, options, what="verify", also=option_names(verify))
    published = method_of(model).marked(as_data(data, model), model, mark)
    evidence = evidence or Evidence()
    if (nobody := protects_nobody(evidence.constraints, allowed=allow_unknown)) is not None:
        return Verdict(Status.UNDECIDED, f"nothing: {nobody.problem}", 0, 0.0)
    missing = unknown_items(model, published, evidence, allowed=allow_unknown)
    if missing is not None and missing.is_everything and not allow_unknown:
        return Verdict(Status.UNDECIDED, f"nothing: {missing}", 0, 0.0)
    return prove(published, model, evidence, CheckRun(**options))  # type: ignore[arg-type]


@checked
def anonymize(
    data: Readable | ReadableTable,
    model: Model,
    *,
    constraints: Constraints | None = None,
    consent: Consent = None,
    allow_unknown: bool = False,
    ids: str = RENUMBER,
    seed: int | None = None,
    **options: object,
) -> Release[Data, AnyLoss]:
    """A release of the data for which the model holds, with as little withheld as possible.

    Parameters
    ----------
    data
        Whatever ``read`` takes, or ``read_table`` for a model of tables.
    model
        What must hold.
    constraints
        For ``PersonalRhoUncertainty``: who wants what protected.
    consent
        Whose records may be published at all, as in ``read``.
    allow_unknown
        Accept lists with items that the data does not have. Otherwise a list without any known item is an
        error.
    ids
        ``"renumber"``: records are renumbered, and a frame's index is left out; ``"keep"``: they stay.
    seed
        Random seed; drawn from the system if not given.
    **options
        How to withhold, by model, and ``jobs``, ``progress``; docs/cli.md lists them, and an editor
        completes those of the model.

    Returns
    -------
    Release
        The data, the plan, the verdict, the loss; ``release.write`` publishes it.

    Raises
    ------
    WithholdError
        If the data cannot be read, an option does not fit the model, or there is no such release.

    Examples
    --------
    >>> from withhold import RhoUncertainty
    >>> shop = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
    >>> release = anonymize(shop, RhoUncertainty("0.5", {"condom"}))
    >>> release.verdict.status, release.loss.removed
    (<Status.HOLDS: 'HOLDS'>, 1)
    """
    release = proved_draft(
        data,
        model,
        constraints=constraints,
        consent=consent,
        allow_unknown=allow_unknown,
        ids=ids,
        seed=seed,
        **options,
    )
    warn_of(str(each) for each in release.unknown if not each.allowed)
    return release


def proved_draft(data: Readable | ReadableTable, model: Model, **options: Any) -> AnyRelease:
    """As ``anonymize``, but names that do not occur are only noted in the release, without a warning."""
    drafted = draft(data, model, **options)
    began = time.perf_counter()
    jobs = CheckRun(jobs=options.get("jobs"))
    verdict = prove(drafted.data, drafted.model, drafted.evidence, jobs)
    if not verdict.status.may_be_published:
        raise NotVerifiedError(f"the release is {verdict.status.value}: {verdict.witness}")
    timings = {**drafted.timings, "verify": time.perf_counter() - began}
    return replace(drafted, verdict=verdict, timings=timings)


def draft(
    data: Readable | ReadableTable,
    model: Model,
    *,
    constraints: Constraints | None = None,
    consent: Consent = None,
    allow_unknown: bool = False,
    ids: str = RENUMBER,
    seed: int | None = None,
    items_checked: bool = False,
    **options: object,
) -> Release[Data, AnyLoss]:
    """As ``anonymize``, but without the proof: for callers that write the release, which proves the bytes.

    ``items_checked``: it was already checked whether the items may identify people.
    """
    chosen, run = search_call(model, options, also=option_names(anonymize))
    method = method_of(model)
    clock = [time.perf_counter()]
    check_ids(ids)
    original, model, evidence, unknown = gathered(
        data, model, chosen, constraints=constraints, consent=consent, allow_unknown=allow_unknown
    )
    run = replace(run, seed=given_or_drawn(seed))
    if not items_checked:
        check_items(original, model, chosen.publish)
    with phase("searching"):
        plan, in_force = method.search(original, model, evidence, chosen, run)
    if chosen.publish:
        in_force["publish"] = plain_list(chosen.publish)
    in_force["already_held"] = len(plan) == 0
    if isinstance(original, Records) and method.needs_evidence:
        draw = Draw(run.seed, in_force["round"]) if "round" in in_force else Draw()
        evidence = replace(evidence, originals=original, draw=draw)
    give_back_memory()
    clock.append(time.perf_counter())
    with phase("applying"):
        published = released(apply(plan, original), ids)
        asked, model = model, method.about(method.promised(model, plan), published)
        loss = method.loss(original, published, model, evidence.protected(model.sensitive), plan)
    clock.append(time.perf_counter())
    with phase("bounding"):
        bound = None if method.bound is None else method.bound(original, model, chosen, run)
    clock.append(time.perf_counter())
    timings = {"suppress": clock[1] - clock[0]}
    if bound is not None:
        timings["bound"] = clock[3] - clock[2]
    details = (in_force, timings, unknown, ids, asked, bound, chosen)
    return Release(published, original, plan, model, evidence, NOT_PROVED, loss, *details)


@checked
def trade_off(
    data: Readable,
    model: Model,
    *,
    hierarchy: TreeSource,
    consent: Consent = None,
    allow_unknown: bool = False,
    seed: int | None = None,
    **options: object,
) -> Curve:
    """What each choice of groups would cost: sensitive items withheld against detail given up.

    Parameters
    ----------
    data
        Whatever ``read`` takes.
    model
        What must hold; ``RhoUncertainty``.
    hierarchy
        What public items can be generalised to, as for ``anonymize``.
    consent, allow_unknown, seed, **options
        As for ``anonymize``.

    Returns
    -------
    Curve
        Its ``points``, from most detail to least; ``anonymize(..., cut=point.nodes)`` with the same seed
        makes the release of one of them, and ``curve.choose(weight)`` is what ``detail=weight`` chooses.

    Raises
    ------
    WithholdError
        If the data cannot be read, or an option does not fit the model.

    Examples
    --------
    >>> from withhold import Hierarchy, RhoUncertainty
    >>> tree = Hierarchy.from_edges([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    >>> shop = [["ale", "pill"], ["stout"], ["tea", "pill"], ["tea"], ["tea"]]
    >>> curve = trade_off(shop, RhoUncertainty("0.5", {"pill"}), hierarchy=tree, seed=1)
    >>> [(point.nodes, point.withheld) for point in curve.points]
    [(('ale', 'stout', 'tea'), 0.5), (('beer', 'tea'), 0.0)]
    """
    options = {**options, "hierarchy": hierarchy}
    method = method_of(model)
    if method.trade_off is None:
        raise PolicyError(
            f"{model.name} has no groups to choose; a trade-off is for RhoUncertainty"
        )
    chosen, run = search_call(model, options, verb="trade_off", also=option_names(trade_off))
    given = gathered(data, model, chosen, consent=consent, allow_unknown=allow_unknown)
    run = replace(run, seed=given_or_drawn(seed))
    curve: Curve = method.trade_off(given.data, given.model, chosen, run)
    return curve
