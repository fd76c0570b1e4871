"""Results as plain values for JSON: whole numbers stay whole, exact shares come as text as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from withhold.auditing.result import Audit, How, OtherBreaches, Share, SizeCount
from withhold.data import Hierarchy
from withhold.data.profile import PeopleProfile, Profile, TableProfile
from withhold.data.unknown import unknown_as_dict
from withhold.listed import told_promise
from withhold.publish.manifest import amounts, column_roles_of
from withhold.publish.publishing import Published
from withhold.publish.recheck import Recheck
from withhold.report.content import Report
from withhold.telling.facts import finite
from withhold.verdict import Verdict

if TYPE_CHECKING:
    from withhold.release import AnyRelease

SHARES = ("unique", "below_k", "inferred")
"""The shares of the points of an attack curve."""


def audit_as_dict(audit: Any) -> dict[str, Any]:
    """The audit; ``verdict`` is at the top level."""
    if not isinstance(audit, Audit):
        return {**audit.as_dict(), "check": verdict_as_dict(audit.verdict)}
    return {
        "verdict": audit.verdict.status.value,
        "promise": told_promise(audit.model, audit.unknown),
        "model": audit.model.parameters(),
        "check": verdict_as_dict(audit.verdict),
        "records": audit.records,
        "without_consent": audit.without_consent,
        **unknown_as_dict(audit.unknown),
        "items": audit.items,
        "occurrences": audit.occurrences,
        "sensitive_occurrences": audit.sensitive_occurrences,
        "absent_sensitive": list(audit.absent_sensitive),
        "breaches_by_size": {
            str(size): None if each.how is How.ESTIMATED else each.count
            for size, each in audit.counts.items()
        },
        "breach_counts": _counts(audit.counts),
        "counted_in_full": audit.complete,
        "exposed_records": audit.exposed_records,
        "exposed_known": audit.exposed_known,
        "breaches": [breach.as_dict() for breach in audit.breaches],
        **({"other_breaches": [_other(each) for each in audit.others]} if audit.others else {}),
        "risks": None if audit.risks is None else audit.risks.as_dict(),
        "attack_curve": [
            {
                "known": point.known,
                "eligible_records": point.eligible,
                **{name: _share(getattr(point, name)) for name in SHARES},
            }
            for point in audit.attack_curve
        ],
        "advice": list(audit.advice),
        **({} if audit.parts is None else {"parts": audit.parts}),
        "seed": audit.seed,
        "seconds": round(audit.seconds, 4),
    }


def _other(found: OtherBreaches) -> dict[str, Any]:
    return {
        "what": found.what,
        "counts": _counts(found.counts),
        "exposed_records": found.exposed_records,
        "breaches": [breach.as_dict() for breach in found.breaches],
    }


def _counts(counts: Mapping[int, SizeCount]) -> dict[str, Any]:
    return {str(size): asdict(each) | {"how": each.how.value} for size, each in counts.items()}


def release_as_dict(release: AnyRelease, published: Published) -> dict[str, Any]:
    """The release as published; ``verdict`` is that of the bytes on disk."""
    return {
        "verdict": published.verdict.status.value,
        "promise": told_promise(release.model, release.unknown),
        "output": str(published.path),
        "manifest": str(published.manifest),
        "internal": str(published.internal),
        "sha256": published.sha256,
        **({"items": [str(path) for path in published.items]} if published.items else {}),
        "model": release.model.parameters(),
        "options": dict(release.options),
        "check": verdict_as_dict(published.verdict),
        "ids": release.ids,
        "unknown": [each.as_dict() | {"names": list(each.names)} for each in release.unknown],
        "warnings": list(published.warnings),
        "column_roles": column_roles_of(release.original, release.model),
        "without_consent": release.original.without_consent,
        "loss": release.loss.as_dict(),
        "advice": list(release.advice),
        "bound": None if release.bound is None else release.bound.as_dict(),
        "seconds": {step: round(seconds, 4) for step, seconds in published.timings.items()},
        "report": None if published.report is None else str(published.report),
        **({} if published.content is None else {"facts": facts_as_dict(published.content)}),
    }


def facts_as_dict(report: Report) -> dict[str, float | None]:
    """Every number that a report's page shows, by its path."""
    return {path: finite(fact.value) for path, fact in report.facts.items()}


def recheck_as_dict(recheck: Recheck) -> dict[str, Any]:
    """The outcome of proving a published file again."""
    return {
        "verdict": recheck.verdict.status.value,
        "same_bytes": recheck.same_bytes,
        **({"changed": list(recheck.changed)} if recheck.changed else {}),
        "policy_from": recheck.policy_from,
        "promise": recheck.model.promise(),
        "occurring": recheck.occurring,
        "warnings": list(recheck.warnings),
        "check": verdict_as_dict(recheck.verdict),
        **amounts(recheck.table),
    }


def verdict_as_dict(verdict: Verdict) -> dict[str, Any]:
    """The verdict with its method and witness."""
    return {
        "status": verdict.status.value,
        "words": verdict.words,
        "method": verdict.method,
        "checked": verdict.checked,
        "seconds": round(verdict.seconds, 4),
        "witness": None if verdict.witness is None else verdict.witness.as_dict(),
        "witness_is_smallest": verdict.witness_is_smallest,
    }


def profile_as_dict(profile: Profile) -> dict[str, Any]:
    """The profile, bins and top items as objects."""
    lengths = [{"from": low, "to": high, "records": n} for low, high, n in profile.lengths]
    top = [{"item": item, "records": count} for item, count in profile.top]
    return asdict(profile) | {"lengths": lengths, "top": top} | _hints(profile)


def people_profile_as_dict(profile: PeopleProfile) -> dict[str, Any]:
    """The profile of people: of their attributes, and of their items."""
    return {
        "persons": table_profile_as_dict(profile.persons),
        "items": profile_as_dict(profile.items),
        "items_of_nobody": profile.items_of_nobody,
        "warnings": list(profile.warnings),
    }


def table_profile_as_dict(profile: TableProfile) -> dict[str, Any]:
    """The profile of a table."""
    return asdict(profile) | _hints(profile)


def _hints(profile: Profile | TableProfile) -> dict[str, Any]:
    return {"hints": [hint.as_dict() for hint in profile.hints]}


def hierarchy_as_dict(tree: Hierarchy) -> dict[str, Any]:
    """The size of a tree, and every edge as child and parent."""
    return {
        "root": tree.root,
        "nodes": len(tree),
        "leaves": tree.n_leaves,
        "height": tree.height,
        "edges": [[name, tree.parent(name)] for name in tree.names[1:]],
    }


def _share(share: Share | None) -> dict[str, Any] | None:
    if share is None:
        return None
    low, high = share.interval
    return {"share": share.value, "low": low, "high": high, "trials": share.trials}
