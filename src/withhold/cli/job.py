"""How far a job is, how long it will take, and what its time went to.

A job is a list of phases, and a phase consists of steps that are not known beforehand. Each phase and each
step gets a share of what is left when it begins, so the progress never goes backwards and is complete only at
the end.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from withhold.cli.shares import STEP_SHARES, UNKNOWN_SHARE
from withhold.interruption import stop_if_asked

ENOUGH_SECONDS = 2.0
"""No estimate rests on less work than this,"""
ENOUGH_SHARE = 0.03
"""nor on a smaller share of all."""
SHOWN_PARTS = 3
"""How many of the longest phases are named beside the time."""
STARTING, COMPILING = "starting", "compiling"
NUMBERS = re.compile(r"\d+")


@dataclass
class Job:
    """The state of a running job. Called as a ``Progress``, with the steps of its phases."""

    plan: Mapping[str, float]
    """The phases that are expected, in order, with what they usually take; only the ratios matter."""
    clock: Callable[[], float] = time.monotonic
    compiled: Callable[[], float] = float
    """The seconds spent on compiling so far, which occur only in the first run and belong to no phase."""
    is_compiling: Callable[[], bool] = bool
    started: float | None = None
    """When the user began to wait; now, if not given."""
    what: str = ""
    """What is being done, in words."""
    phase: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    """The seconds of each finished phase."""
    heard: Callable[[], object] = bool
    """Called with every step."""

    def __post_init__(self) -> None:
        self._began: tuple[float, float] = (self.clock(), self.compiled())
        """When the work began, and what was compiled before."""
        self._phase_began = self._began
        self._done, self._share = 0.0, 0.0
        """The share of the job that earlier phases took, and the share of this one."""
        self._ahead = dict(self.plan)
        self._of_phase, self._before_step, self._step_share, self._step = 0.0, 0.0, 0.0, ""
        self._of_step = 0.0
        if self.started is None:
            self.started = self._began[0]
        self.seconds[STARTING] = self._began[0] - self.started

    def begin(self, phase: str) -> None:
        """A phase begins; earlier phases of the plan are no longer expected."""
        self.what = self.phase = phase
        weight = self._ahead.get(phase, 0.0)
        while phase in self._ahead:
            del self._ahead[next(iter(self._ahead))]
        later = sum(self._ahead.values())
        # An unexpected phase gets half of what is left, like an unexpected step.
        share = weight / (weight + later) if weight else UNKNOWN_SHARE
        self._share = (1 - self._done) * share
        self._of_phase = self._before_step = self._step_share = self._of_step = 0.0
        self._step = ""
        self._phase_began = self.clock(), self.compiled()

    def end(self) -> None:
        """The phase is over."""
        took = self._since(self._phase_began)
        self.seconds[self.phase] = self.seconds.get(self.phase, 0.0) + took
        self._done += self._share
        self._share = self._of_phase = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Record a step; the part of its name after a colon may change while it runs."""
        stop_if_asked()
        if not what:  # a kernel of the current step
            return
        self.what = what
        step, part = NUMBERS.sub("N", what.partition(":")[0]), done / total if total else 0.0
        if step != self._step or part < self._of_step:
            self._before_step, self._step = self._of_phase, step
            self._step_share = (1 - self._of_phase) * STEP_SHARES.get(
                f"{self.phase}: {step}", UNKNOWN_SHARE
            )
        self._of_step = min(part, 1.0)
        reached = self._before_step + self._step_share * self._of_step
        self._of_phase = max(self._of_phase, reached)
        self.heard()

    @property
    def share(self) -> float:
        """How much of the job is done."""
        return min(self._done + self._share * self._of_phase, 1.0)

    @property
    def waited(self) -> float:
        """Seconds since the command was given."""
        assert self.started is not None
        return self.clock() - self.started

    def left(self) -> float | None:
        """The estimated remaining seconds at the present pace; None as long as there is no estimate."""
        worked = self._since(self._began)
        if worked < ENOUGH_SECONDS or self.share < ENOUGH_SHARE:
            return None
        return worked * (1 - self.share) / self.share

    def _since(self, then: tuple[float, float]) -> float:
        """Seconds of work since then, without those of compiling."""
        return max(self.clock() - then[0] - (self.compiled() - then[1]), 0.0)

    def as_dict(self) -> dict[str, Any]:
        """The seconds that were waited, in all and by phase."""
        parts = {**self.seconds, COMPILING: self.compiled() - self._began[1]}
        return {"all": round(self.waited, 4)} | {
            name: round(seconds, 4) for name, seconds in parts.items() if seconds > 0
        }

    def took(self) -> str:
        """The waiting time, and the phases that took most of it."""
        parts = self.as_dict()
        total = parts.pop("all")
        longest = sorted(parts, key=lambda name: -parts[name])[:SHOWN_PARTS]
        places = 1 if total >= 10 else 2
        shown = [
            f"{parts[name]:.{places}f} s {name}"
            for name in parts
            if name in longest and parts[name] >= total / 20
        ]
        return f"{total:.{places}f} s" + (f" ({', '.join(shown)})" if shown else "")


def rounded(seconds: float) -> str:
    """An estimate in words, no more exact than it is.

    >>> rounded(3.2), rounded(47), rounded(400), rounded(9000)
    ('4 s', '50 s', '7 min', '3 h')
    """
    if seconds <= 10:
        return f"{max(ceil(seconds), 1)} s"
    if seconds <= 90:
        return f"{5 * ceil(seconds / 5)} s"
    return f"{ceil(seconds / 60)} min" if seconds <= 5400 else f"{ceil(seconds / 3600)} h"
