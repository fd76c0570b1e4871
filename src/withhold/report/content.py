"""A report: one frozen value, computed once, which HTML, JSON and figures only render.

In: a release and its manifest. Out: a ``Report`` in one of two editions. ``internal`` is for the custodian
and has everything. ``external`` is for whoever gets the file: no item, nothing exact about the original,
nothing that helps to reconstruct it; docs/decisions/0010 says what was left out and why.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from withhold.auditing.risk.telling import risk_section
from withhold.counting.threads import Progress, quiet
from withhold.errors import PolicyError
from withhold.measure import Loss
from withhold.method import AuditAfterProof, AuditRun, SearchRun
from withhold.publish.identifiers import KEPT
from withhold.registry import measured, method_of
from withhold.report.attack import attack_section, exposure
from withhold.report.provenance import IDS, limits_section, provenance_section
from withhold.telling.facts import ALL_ITEMS, SENSITIVE_ITEMS, Fact, Measured, MeasureRequest
from withhold.telling.plots import Plot
from withhold.telling.sections import Drawing, Facts, Page, Paragraph, Section, Subject
from withhold.wording import counted, percent

if TYPE_CHECKING:
    from withhold.release import AnyRelease

EDITIONS = ("internal", "external")
KICKERS = {
    "internal": "Release report, internal: it names items and describes the original",
    "external": "Release report",
}
FOOTERS = {
    "internal": "Do not publish this page: it reveals more than the file. There is an external edition.",
    "external": "Everything missing here was left out on purpose.",
}
NOT_FIRST = ("distribution.symmetric_kl", "loss.kl")
"""Measures that a sweep draws, but that mean little to somebody who reads their first report."""
AUDIT_SECONDS = 60.0
"""The time limit of each audit; the counts of one that was cut short are lower bounds, and say so."""
BANDS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
"""Strangers learn which band the loss is in. Exact counts and long decimals are as good as a digest:
whoever puts guesses back into the release can tell which guess is right."""
FEWEST_POSSIBILITIES = 100
"""A band is stated only if at least this many different numbers of occurrences are in it."""


@dataclass(frozen=True)
class Report(Page):
    """The page of a release, in one edition; its title is the name of the published file."""

    edition: str = EDITIONS[0]

    @property
    def name(self) -> str:
        return self.title

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Every number that the page shows, by its path."""
        parts = (p for section in self.sections for p in section.parts if isinstance(p, Facts))
        shown = [*self.headline, *(fact for part in parts for fact in part.facts)]
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


def examine(
    release: AnyRelease,
    *,
    known: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Subject:
    """All that a report is about: both tables audited, and compared; ``known`` is about the population."""
    model = release.model
    method = method_of(model)
    tree = getattr(release.plan, "hierarchy", None)
    request = MeasureRequest(model, release.protected, hierarchy=tree, jobs=jobs, progress=progress)
    # The seed of the attacks is not the release's, which whoever sees the curve could find by trying.
    run = AuditRun(seed=0, jobs=jobs, limit_seconds=AUDIT_SECONDS, progress=progress)
    # The release was already proved, in memory and from the written bytes.
    runs = (
        # The original is audited under the requested model: its items are not generalised.
        (release.original, release.asked or model, run),
        (release.data, model, AuditAfterProof(**vars(run), proof=release.verdict)),
    )
    before, after = (
        method.audit(data, what, release.evidence, method.audit.options(**(known or {})), how)
        for data, what, how in runs
    )
    ladder = release.ladder
    if ladder is None and method.ladder is not None and release.search is not None:
        asked = release.asked or model
        search = SearchRun(seed=release.seed, jobs=jobs, progress=progress)
        ladder = method.ladder(release.original, asked, release.search, search)
    compared = measured(release.original, release.data, request)
    return Subject(release, compared, before, after, ladder)


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
    risks = [risk_section(subject)] if inside else []
    made = provenance_section(manifest, internal if inside else None)
    sections = [attack, *risks, *method.sections(subject), made, limits_section(method)]
    if inside:
        sections = [section.for_custodians() for section in sections]
    else:
        if text := _fitness(release):
            fit = Section("fit", "What it is still good for", (Paragraph(text, True),))
            sections.insert(1, fit)
        sections = [section.for_strangers() for section in sections]
    checked = manifest["verdict"]
    return Report(
        edition=edition,
        title=manifest["output"]["name"] or "a release",
        kicker=KICKERS[edition],
        footer=f"Made by withhold. {FOOTERS[edition]}",
        about=_about(manifest),
        status=checked["status"],
        promise=manifest["promise"],
        proof=_proof({**checked, "method": internal["method"]} if inside else checked),
        warnings=tuple(internal["warnings"]) if inside else _warnings_for_strangers(release),
        headline=(*exposed(subject), *_headline(subject.measured)) if inside else (),
        sections=tuple(section for section in sections if section.parts),
    )


def _headline(measured: Measured) -> list[Fact]:
    """The losses to see first, with that of the sensitive items next to that of all."""
    found = []
    for path in measured.plotted:
        if path not in NOT_FIRST:
            found.append(measured.fact(path))
        if path == ALL_ITEMS and any(fact.path == SENSITIVE_ITEMS for fact in measured.facts):
            sensitive = measured.fact(SENSITIVE_ITEMS)
            found.append(replace(sensitive, label="of the sensitive items: withheld"))
    return found


def _about(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """How much the release holds, of what, its ids, and the day; all of it strangers can see in the file."""
    output = manifest["output"]
    amounts = [
        counted(output[name], name.removesuffix("s"))
        for name in ("records", "rows", "persons")
        if isinstance(output.get(name), int)
    ]
    columns = len(manifest.get("column_roles", ()))
    amounts += [counted(columns, "column")] if columns else []
    return (*amounts, IDS[manifest["ids"]], _today())


def _today() -> str:
    """The day, or that of SOURCE_DATE_EPOCH, for whoever wants the same bytes another day."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(given), UTC) if given.isdigit() else datetime.now(UTC)
    return now.date().isoformat()


def _proof(checked: Mapping[str, Any]) -> str:
    """How the file was checked; how much was checked, only if strangers may know it."""
    if "checked" not in checked:
        return f"Checked: {checked['method']}"
    looked_at = counted(checked["checked"], checked["unit"].removesuffix("s"))
    return f"{looked_at} checked: {checked['method']}"


def _fitness(release: AnyRelease) -> str:
    """What the external edition says about the loss of items; for other data their own section does."""
    if not isinstance(release.loss, Loss):
        return ""
    band = band_text(release.loss.share, release.data.n_occurrences)
    return f"{band} {release.loss.in_words()}"


def band_text(share: float, published: int) -> str:
    """How much was withheld, in a band.

    >>> band_text(0.0244, 100_000)
    'Between 2% and 5% of the values were withheld.'
    >>> band_text(0.0244, 100)
    'Some of the values may have been withheld; in a small file, saying how many would say too much.'
    """
    low, high = next(band for band in pairwise(BANDS) if share <= band[1])
    # The original had published / (1 - share) occurrences.
    most = published / (1 - high) - published if high < 1 else float("inf")
    least = published / (1 - low) - published
    if most - least < FEWEST_POSSIBILITIES:
        return (
            "Some of the values may have been withheld; in a small file, saying how many "
            "would say too much."
        )
    if low == 0.0:
        return f"At most {percent(high, None)} of the values were withheld."
    return f"Between {percent(low, None)} and {percent(high, None)} of the values were withheld."


def _warnings_for_strangers(release: AnyRelease) -> tuple[str, ...]:
    """The warnings of a release, without any names."""
    counts = (
        f"{len(each.names):,} of {each.total:,} {each.what} {each.problem}"
        for each in release.unknown
        if each.public and not each.allowed
    )
    return (*counts, *(text for text in release.warnings if text == KEPT))
