"""A report: one frozen value, computed once, which HTML, JSON and figures only render.

In: a release and its manifest. Out: a ``Report`` in one of two editions. ``internal`` is for the custodian
and has everything. ``external`` is for whoever gets the file: no item, nothing exact about the original,
nothing that helps to work backwards; docs/decisions/0010 says what was left out and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from withhold.counting.threads import Progress, quiet
from withhold.errors import PolicyError
from withhold.method import AuditRun
from withhold.registry import measured, method_of
from withhold.report.attack import attack_section, exposure
from withhold.report.limits import limits_section
from withhold.report.provenance import provenance_section
from withhold.report.strangers import fitness, warnings_for_strangers
from withhold.telling.facts import Asked, Fact
from withhold.telling.plots import Plot
from withhold.telling.sections import (
    Drawing,
    Facts,
    Paragraph,
    Section,
    Subject,
)
from withhold.wording import counted

if TYPE_CHECKING:
    from withhold.release import AnyRelease

EDITIONS = ("internal", "external")
AUDIT_SECONDS = 60.0
"""For looking at the original; the counts are lower bounds after that, and say so."""


@dataclass(frozen=True)
class Report:
    """What a page says, in order."""

    edition: str
    name: str
    """Of the published file."""
    status: str
    promise: str
    proof: str
    """How it was checked."""
    warnings: tuple[str, ...]
    """What to know before the file is used or passed on."""
    headline: tuple[Fact, ...]
    """The numbers to see first."""
    sections: tuple[Section, ...]

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Every number that the page shows, by its path."""
        shown = [*self.headline]
        for section in self.sections:
            for part in section.parts:
                if isinstance(part, Facts):
                    shown += part.facts
        return {fact.path: fact for fact in shown}

    @property
    def plots(self) -> Mapping[str, Plot]:
        """Every plot, by its name; ``figures.draw`` makes a matplotlib figure of it."""
        drawings = (p for section in self.sections for p in section.parts if isinstance(p, Drawing))
        return {drawing.plot.name: drawing.plot for drawing in drawings}


def check_edition(edition: str) -> None:
    """Refuse an edition that does not exist."""
    if edition not in EDITIONS:
        raise PolicyError(f"the edition must be {' or '.join(EDITIONS)}, not {edition!r}")


def examine(release: AnyRelease, *, jobs: int | None = None, progress: Progress = quiet) -> Subject:
    """All that a report is about: both tables audited, and compared."""
    model = release.model
    method = method_of(model)
    tree = getattr(release.plan, "hierarchy", None)
    asked = Asked(model, release.protected, hierarchy=tree, jobs=jobs, progress=progress)
    # The seed of the attacks is not the release's: who sees the curve could find that by trying.
    run = AuditRun(seed=0, jobs=jobs, limit_seconds=AUDIT_SECONDS, progress=progress)
    before, after = (
        method.audit(data, model, release.evidence, method.audit_options(), run)
        for data in (release.original, release.data)
    )
    return Subject(release, measured(release.original, release.data, asked), before, after)


def make_report(
    subject: Subject,
    manifest: Mapping[str, Any],
    internal: Mapping[str, Any],
    *,
    edition: str = "internal",
) -> Report:
    """The report of a release in one edition, from its two manifests."""
    check_edition(edition)
    inside = edition == "internal"
    release = subject.release
    method = method_of(release.model)
    attack = (method.attack_section or attack_section)(subject, with_original=inside)
    exposed = method.exposure or exposure
    own = tuple(method.sections(subject))
    if not inside and (told := fitness(subject)):
        own = (Section("fit", "What it is still good for", (Paragraph(told, True),)), *own)
    made = provenance_section(manifest, internal if inside else None)
    sections = (attack, *own, made, limits_section(method))
    if not inside:
        sections = tuple(section.for_strangers() for section in sections)
    loss = tuple(subject.measured.fact(path) for path in subject.measured.plotted)
    checked = manifest["verdict"]
    return Report(
        edition=edition,
        name=manifest["output"]["name"] or "a release",
        status=checked["status"],
        promise=manifest["promise"],
        proof=_proof({**checked, "method": internal["method"]} if inside else checked),
        warnings=tuple(internal["warnings"]) if inside else warnings_for_strangers(release),
        headline=(*exposed(subject), *loss) if inside else (),
        sections=tuple(section for section in sections if section.parts),
    )


def _proof(checked: Mapping[str, Any]) -> str:
    """How the file was checked; how much was looked at only where strangers may know it."""
    if "checked" not in checked:
        return f"Checked: {checked['method']}"
    looked_at = counted(checked["checked"], checked["unit"].removesuffix("s"))
    return f"{looked_at} looked at: {checked['method']}"
