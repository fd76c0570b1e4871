"""After the search: make a safe table better, step by step, and safe after every step.

In: a workspace that is safe. Out: the same with less withheld, and a reason for each new deletion. One thread
makes the moves one after the other, and what they do depends on the seed alone: the same number of moves
makes the same release, however long they take.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from withhold.counting.layout import Ints, Longs
from withhold.counting.threads import Progress, Stop, run_all
from withhold.method import SearchRun
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.options import RhoSearch
from withhold.methods.rho.search.events import new_events
from withhold.methods.rho.search.polish_moves import (
    Aim,
    explain_gone,
    make_moves,
    new_moves,
    toggle_all,
)
from withhold.methods.rho.search.polish_safety import MOST, new_rule, new_scratch
from withhold.methods.rho.search.polish_trades import trade_items
from withhold.methods.rho.search.workspace import Workspace
from withhold.wording import percent

AT_ONCE = 1024
"""Moves between two updates of where moves may start; fixed, because the result depends on it."""
TEMPERATURE = 0.3
"""A move that costs d occurrences is kept with the probability exp(-d / TEMPERATURE)."""
RARE = 64
"""A public item may be withheld if at most this many records hold it, or at most one record in this many."""
PASSES = 2
"""Passes over all records to trade items: a third one finds hardly anything."""


def polish(
    work: Workspace, model: RhoUncertainty, options: RhoSearch, run: SearchRun, stop: Stop
) -> int:
    """Withhold less: trade items if public ones may go, make moves if asked to; returns how many moves.

    ``stop`` ends the trading; the moves have a clock, or a number, of their own.
    """
    before = work.items.copy()
    polisher = _Polisher(work, model, options.keep == "sensitive", run)
    if options.keep == "sensitive":
        polisher.trade(stop)
    made = polisher.move(options.polish, options.polish_moves)
    polisher.explain(before)
    return made


class _Polisher:
    """The kernels' arrays for one workspace."""

    def __init__(
        self, work: Workspace, model: RhoUncertainty, any_item: bool, run: SearchRun
    ) -> None:
        self.work, self.run = work, run
        sensitive, supports = work.layout.sensitive, work.layout.supports
        self.rule = new_rule(model.limits, model.max_known, sensitive)
        chances = np.exp(np.arange(-1, -6, -1) / TEMPERATURE) * 2**31
        rare = supports <= max(RARE, work.layout.n_rows // RARE)
        self.aim = Aim(
            starts=np.zeros(0, dtype=np.int32),
            may_go=sensitive | (rare & any_item),
            chances=chances.astype(np.int64),
        )
        self.scratch, self.moves = new_scratch(work.rows), new_moves(work.rows)

    def trade(self, stop: Stop) -> None:
        """Drop rare public items if at least as many sensitive ones come back."""
        arguments = (self.work.rows, self.rule, self.aim, self.scratch, self.moves, stop.flag)
        for number in range(PASSES):
            task = partial(trade_items, *arguments)
            self._run(task, stop, partial(self.run.progress, "trading items", number, PASSES))

    def move(self, seconds: float | None, most: int | None) -> int:
        """Make moves for some seconds, or ``most`` moves; ends with the best table that was met."""
        state = np.random.default_rng([self.run.seed, 1]).integers(1, 2**31 - 2, 1)
        best, best_gain, gain = self.work.items.copy(), 0, self.moves.done[1:2]
        made = self.moves.done[:1]
        if seconds is not None:
            # Compiled before the clock starts.
            self._make(0, self.aim, state, Stop())
        shown = _Shown(self.run.progress, self.work, seconds, most, made)
        with Stop(seconds if most is None else None) as stop:
            while stop.cause == 0 and (seconds is not None or made[0] < (most or 0)):
                starts = self._starts()
                if len(starts) == 0:
                    break
                n = AT_ONCE if most is None else min(AT_ONCE, most - int(made[0]))
                task = partial(self._make, n, self.aim._replace(starts=starts), state, stop)
                self._run(task, stop, shown)
                if gain[0] > best_gain:
                    best, best_gain = self.work.items.copy(), int(gain[0])
        if gain[0] < best_gain:
            self._toggle(np.flatnonzero(best != self.work.items).astype(np.int32))
        return int(made[0])

    def _make(self, n: int, aim: Aim, state: Longs, stop: Stop) -> None:
        rows, rule, scratch = self.work.rows, self.rule, self.scratch
        make_moves(rows, rule, aim, scratch, self.moves, state, n, stop.flag)

    def explain(self, before: Ints) -> None:
        """Log a reason for everything that is gone now and was not ``before``."""
        work = self.work
        gone = np.flatnonzero((before >= 0) & (work.items < 0)).astype(np.int32)
        events = new_events(len(gone))
        antecedents = np.empty(len(gone) * (MOST + 1), dtype=np.int32)
        rows = work.rows_of(gone)
        explain_gone(work.rows, self.rule, self.scratch, gone, rows, events, antecedents)
        work.note(events, antecedents)

    def _starts(self) -> Ints:
        """The positions whose sensitive item is gone, in records that are short enough."""
        work = self.work
        gone = np.flatnonzero((work.items < 0) & work.layout.sensitive[work.layout.items])
        positions = gone.astype(np.int32)
        return positions[work.row_lengths()[work.rows_of(positions)] < MOST]

    def _toggle(self, positions: Ints) -> None:
        toggle_all(self.work.rows, positions, self.work.rows_of(positions))

    def _run(self, task: Callable[[], Any], stop: Stop, shown: Callable[[], None]) -> None:
        # In a thread, so that Ctrl-C is handled at once.
        run_all([task], stop, jobs=1, progress=lambda *_: shown())


class _Shown:
    """How far polishing is: the share that is withheld, and the time left or the moves made."""

    def __init__(
        self,
        progress: Progress,
        work: Workspace,
        seconds: float | None,
        most: int | None,
        made: Longs,
    ) -> None:
        self.progress, self.work, self.made = progress, work, made
        self.seconds, self.most, self.began = seconds, most, time.monotonic()

    def __call__(self) -> None:
        left = float(self.work.supports.sum()) / max(self.work.n_places, 1)
        what = f"polishing: {percent(1 - left, 2)} withheld"
        if self.seconds is None:
            self.progress(what, int(self.made[0]), self.most or 0)
        else:
            passed = min(time.monotonic() - self.began, self.seconds)
            what += f", {self.seconds - passed:.0f} s left"
            self.progress(what, int(10 * passed), int(10 * self.seconds))
