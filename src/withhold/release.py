"""A finished release: the data, the reasons for each removal, the proof, the loss. Rendered, never
recomputed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from withhold.arguments import checked
from withhold.auditing.risk.options import PopulationInfo
from withhold.counting.threads import Progress, quiet
from withhold.data import Evidence, Source, Table
from withhold.data.plan import AnyPlan
from withhold.data.repeats import repeat_warnings
from withhold.data.unknown import Unknown
from withhold.errors import PolicyError
from withhold.formats import Data
from withhold.method import AnyBound, AnyLadder, AnyLoss, Model, SearchOptions
from withhold.options import Plain, Threshold
from withhold.publish.identifiers import KEEP, KEPT, RENUMBER
from withhold.publish.manifest import make_internal, make_manifest
from withhold.publish.publishing import Published, publish
from withhold.registry import method_of
from withhold.shown import Shown
from withhold.verdict import Verdict

if TYPE_CHECKING:
    from withhold.report.content import Report


DataT = TypeVar("DataT", bound=Data, covariant=True)
LossT = TypeVar("LossT", bound=AnyLoss, covariant=True)


@dataclass(frozen=True)
class Release(Shown, Generic[DataT, LossT]):
    """What ``anonymize`` returns."""

    data: DataT
    """What may be published."""
    original: DataT = field(repr=False)
    plan: AnyPlan = field(repr=False)
    """What was withheld, and why."""
    model: Model
    evidence: Evidence = field(repr=False)
    """What else the proof needs: nothing, for most models."""
    verdict: Verdict
    """The result of the independent check of ``data``."""
    loss: LossT
    """A ``Loss``, a ``TableLoss``, or another class that fits the method."""
    options: Mapping[str, Plain]
    """The search options in force, with the seed."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each step."""
    unknown: tuple[Unknown, ...] = ()
    """Names that were listed but are missing from the data."""
    ids: str = RENUMBER
    """Whether records are renumbered or keep their own names."""
    asked: Model | None = None
    """The requested model; ``model`` also has what the search chose, such as groups."""
    bound: AnyBound | None = None
    """The least that any release that only deletes could withhold, if that is known."""
    search: SearchOptions | None = field(default=None, repr=False)
    """The search options, as an instance of the method's options class."""
    ladder: AnyLadder | None = field(default=None, repr=False)
    """What protecting from more or less knowledge would have cost, if that was computed."""

    def __repr__(self) -> str:
        """The verdict and the loss, not the data."""
        model, verdict = self.model.name, self.verdict.words
        (what, lost), *_ = self.loss.facts()
        return f"<Release model={model} verdict={verdict}, {what} {lost}: {self.data!r}>"

    @property
    def seed(self) -> int:
        """The random seed that was given or drawn."""
        seed = self.options["seed"]
        assert isinstance(seed, int)
        return seed

    @property
    def protected(self) -> frozenset[str]:
        """The items whose loss is counted separately."""
        return self.evidence.protected(self.model.sensitive)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the custodian should know before publishing this release."""
        missing = tuple(str(each) for each in self.unknown if not each.allowed)
        kept = self.ids == KEEP and (
            self.original.record_ids is not None or self.original.index is not None
        )
        given_away = method_of(self.model).warnings(self.data, self.model)
        as_read = getattr(self.original, "warnings", ())
        if isinstance(self.original, Table):
            known = getattr(self.model, "quasi_identifiers", ())
            as_read = repeat_warnings(self.original, known)
        return (*as_read, *missing, *([KEPT] if kept else []), *given_away)

    @property
    def advice(self) -> tuple[str, ...]:
        """What is worth changing, with the measured gain; empty if nothing is."""
        return method_of(self.model).advise(self.model, self.loss)

    @checked
    def write(
        self,
        path: str | Path,
        *,
        force: bool = False,
        format: str | None = None,
        mark: str | None = None,
        safe_csv: bool = False,
        report: bool = False,
        edition: str = "internal",
        population: Any = None,
        sampling_fraction: Threshold | None = None,
        policy: Mapping[str, Plain] | None = None,
        jobs: int | None = None,
        progress: Progress = quiet,
    ) -> Published:
        """Write the release to ``path`` with ``PATH.manifest.json`` and ``PATH.internal.json`` beside it.

        The manifest may go to strangers, who can prove the file with it; the internal one must stay with you.

        ``force`` replaces an existing release that nobody changed, and no other file.

        The file is read back and proved before it gets its name; nothing else is ever written there.
        ``mark`` is written for a withheld cell of a table; an empty field or null if not given.
        ``safe_csv`` puts a quote before CSV cells that a spreadsheet would run, such as ``=1+1``.
        ``report`` adds ``PATH.report.html``; its ``edition`` ``"external"`` is for strangers; ``population``
        or ``sampling_fraction``, as for ``audit``, give it the journalist's risk. ``policy`` is noted in the
        internal manifest as the request, instead of the policy derived from the release.
        """
        return publish(
            self,
            Path(path),
            force=force,
            format=format,
            mark=mark,
            safe_csv=safe_csv,
            report=report,
            edition=edition,
            known=known_population(population, sampling_fraction, used=report),
            policy=policy,
            jobs=jobs,
            progress=progress,
        )

    @checked
    def report(
        self,
        *,
        edition: str = "internal",
        population: Any = None,
        sampling_fraction: Threshold | None = None,
        jobs: int | None = None,
        progress: Progress = quiet,
    ) -> Report:
        """The content of the report, as a value: ``.facts``, ``.sections``, ``.plots``.

        ``withhold.report.figures.draw(release.report().plots["supports"])`` is a matplotlib figure.
        """
        from withhold.report.content import examine, make_report

        known = known_population(population, sampling_fraction)
        subject = examine(self, known=known, jobs=jobs, progress=progress)
        not_written = Source(Path(), format="")
        manifest = make_manifest(self, "", not_written, self.verdict)
        internal = make_internal(self, "", not_written)
        return make_report(subject, manifest, internal, edition=edition)


def known_population(
    population: Any, sampling_fraction: Threshold | None, *, used: bool = True
) -> Mapping[str, Any]:
    """What is known about the population, as options of an audit."""
    PopulationInfo.from_options(population, sampling_fraction)
    given = {"population": population, "sampling_fraction": sampling_fraction}
    found = {name: value for name, value in given.items() if value is not None}
    if found and not used:
        raise PolicyError(f"{next(iter(found))} is for the risks in a report; give report=True")
    return found


AnyRelease = Release[Any, Any]
"""A release under any model."""
