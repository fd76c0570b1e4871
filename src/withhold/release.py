"""A finished release: the table, why it looks as it does, the proof, the loss. Rendered, never recomputed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.arguments import checked
from withhold.data import Source
from withhold.kernels.threads import Progress, quiet
from withhold.manifest import make_manifest
from withhold.models import Model, Verdict
from withhold.publish import Published, publish

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

    @checked
    def write(
        self,
        path: str | Path,
        *,
        force: bool = False,
        format: str | None = None,
        mark: str | None = None,
        report: bool = False,
        edition: str = "internal",
        jobs: int | None = None,
        progress: Progress = quiet,
    ) -> Published:
        """Write the release to ``path`` with ``PATH.manifest.json`` beside it.

        The file is read back and proved before it gets its name; nothing else ever stands there.
        ``mark`` is what stands for a withheld cell of a table; an empty field or null if not given.
        ``report`` adds ``PATH.report.html``; its ``edition`` ``"external"`` is for strangers.
        """
        return publish(
            self,
            Path(path),
            force=force,
            format=format,
            mark=mark,
            report=report,
            edition=edition,
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
        return make_report(subject, manifest, edition=edition)
