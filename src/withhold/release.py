"""A finished release: the table, why it looks as it does, the proof, the loss. Rendered, never recomputed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.arguments import checked
from withhold.counting.threads import Progress, quiet
from withhold.data import Source
from withhold.data.unknown import Unknown
from withhold.method import Model
from withhold.publish.identifiers import KEEP, KEPT, RENUMBER
from withhold.publish.manifest import make_internal, make_manifest
from withhold.publish.publishing import Published, publish
from withhold.verdict import Verdict

if TYPE_CHECKING:
    from withhold.report.content import Report


@dataclass(frozen=True)
class Release:
    """What ``anonymize`` returns."""

    data: Any
    """The table that may be published."""
    original: Any = field(repr=False)
    plan: Any = field(repr=False)
    """Which occurrences went, and the breach each answered."""
    model: Model
    verdict: Verdict
    """Of the independent check of ``data``."""
    loss: Any
    """A ``Loss``, or for other than fewer items what fits the model."""
    options: Mapping[str, Any]
    """How the suppressor was asked to choose, with the seed."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each step."""
    unknown: tuple[Unknown, ...] = ()
    """Names that were listed and that the data do not have."""
    ids: str = RENUMBER
    """Whether records are numbered anew or keep their own names."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the custodian should know before this goes out."""
        missing = tuple(str(each) for each in self.unknown if not each.allowed)
        kept = self.ids == KEEP and (
            self.original.record_ids is not None or self.original.index is not None
        )
        return (*missing, KEPT) if kept else missing

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
        policy: Mapping[str, Any] | None = None,
        jobs: int | None = None,
        progress: Progress = quiet,
    ) -> Published:
        """Write the release to ``path`` with ``PATH.manifest.json`` and ``PATH.internal.json`` beside it.

        The manifest may go to strangers, who can prove the file with it; the internal one must stay with you.

        The file is read back and proved before it gets its name; nothing else ever stands there.
        ``mark`` is what stands for a withheld cell of a table; an empty field or null if not given.
        ``safe_csv`` puts a quote before CSV cells that a spreadsheet would run, such as ``=1+1``.
        ``report`` adds ``PATH.report.html``; its ``edition`` ``"external"`` is for strangers. ``policy`` is
        noted in the internal manifest as what was asked for, instead of what follows from the release.
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
            policy=policy,
            jobs=jobs,
            progress=progress,
        )

    @checked
    def report(
        self,
        *,
        edition: str = "internal",
        jobs: int | None = None,
        progress: Progress = quiet,
    ) -> Report:
        """What the page says, as a value: ``.facts``, ``.sections``, ``.plots``.

        ``withhold.report.figures.draw(release.report().plots["supports"])`` is a matplotlib figure.
        """
        from withhold.report.content import examine, make_report

        subject = examine(self, jobs=jobs, progress=progress)
        not_written = Source(Path(), format="")
        manifest = make_manifest(self, "", not_written, self.verdict)
        internal = make_internal(self, "", not_written)
        return make_report(subject, manifest, internal, edition=edition)
