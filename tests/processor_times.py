"""Where the time of the suite goes: ``pytest --times 30`` lists files, tests and kernels by processor time.

Processor time, with that of finished child processes, is about the same on a busy machine; time on the clock
is not.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Any

import pytest
from numba.core import event

SECONDS, COMPILED = "processor seconds", "compiled kernels"


def spent() -> float:
    """Seconds of this process and of the children that it waited for."""
    return sum(os.times()[:4])


class Compiling(event.Listener):
    """Notes which kernels are compiled and how long that takes, with the kernels that they call."""

    def __init__(self) -> None:
        self.depth, self.began = 0, 0.0
        self.noted: list[tuple[str, float]] = []

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.began = time.thread_time()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            function = event.data["dispatcher"].py_func
            name = f"{function.__module__}.{function.__name__}"
            self.noted.append((name, time.thread_time() - self.began))


class ProcessorTimes:
    """Notes what each test takes, in the worker that runs it, and adds it up where the results arrive."""

    def __init__(self, most: int) -> None:
        self.most, self.mark = most, spent()
        self.tests: Counter[str] = Counter()
        self.kernels: Counter[str] = Counter()
        self.times_compiled: Counter[str] = Counter()
        self.compiling = Compiling()
        event.register("numba:compile", self.compiling)

    def pytest_collection_finish(self) -> None:
        self.mark = spent()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Any:
        report = yield
        before, self.mark = self.mark, spent()
        report.user_properties.append((SECONDS, self.mark - before))
        report.user_properties.append((COMPILED, self.compiling.noted))
        self.compiling.noted = []
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        noted = dict(report.user_properties)
        self.tests[report.nodeid] += noted[SECONDS]
        for kernel, seconds in noted[COMPILED]:
            self.kernels[kernel] += seconds
            self.times_compiled[kernel] += 1

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        files, functions = Counter[str](), Counter[str]()
        for test, seconds in self.tests.items():
            files[test.split("::")[0]] += seconds
            functions[test.split("[")[0]] += seconds
        total = sum(files.values())
        terminalreporter.section(f"{total:.0f} s of processor time, collecting not counted")
        for listed in (files, functions):
            for name, seconds in listed.most_common(self.most):
                terminalreporter.write_line(f"{seconds:8.1f} s  {name}")
            terminalreporter.write_line("")
        if self.kernels:
            compiled = sum(self.kernels.values())
            terminalreporter.write_line(
                f"{compiled:8.1f} s  for kernels that were not compiled yet"
            )
        for name, seconds in self.kernels.most_common(self.most):
            # More than once is for other types of arguments.
            how_often = f"{times} times " if (times := self.times_compiled[name]) > 1 else ""
            terminalreporter.write_line(f"{seconds:8.1f} s  {how_often}{name}")
