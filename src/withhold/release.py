"""A finished release: the table, why it looks as it does, the proof, the loss. Rendered, never recomputed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from withhold.formats import Data
from withhold.kernels.threads import Progress, quiet
from withhold.models import Model, Verdict
from withhold.publish import Published, publish


@dataclass(frozen=True)
class Release:
    """What ``anonymize`` returns."""

    data: Data
    """The table that may be published."""
    original: Data
    plan: Any
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

    def write(
        self,
        path: str | Path,
        *,
        force: bool = False,
        format: str | None = None,
        mark: str | None = None,
        jobs: int | None = None,
        progress: Progress = quiet,
    ) -> Published:
        """Write the release to ``path`` with ``PATH.manifest.json`` beside it.

        The file is read back and proved before it gets its name; nothing else ever stands there.
        ``mark`` is what stands for a withheld cell of a table; an empty field or null if not given.
        """
        return publish(
            self,
            Path(path),
            force=force,
            format=format,
            mark=mark,
            jobs=jobs,
            progress=progress,
        )
