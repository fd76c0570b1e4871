"""Where the time of the suite goes: ``pytest --times 30`` adds up the processor time of each file.

Processor time, with that of finished child processes, is about the same on a busy machine; time on the clock
is not.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest

SECONDS = "processor seconds"


def spent() -> float:
    """Seconds of this process and of the children that it waited for."""
    return sum(os.times()[:4])


class ProcessorTimes:
    """Notes what each test takes, in the worker that runs it, and adds it up where the results arrive."""

    def __init__(self, most: int) -> None:
        self.most, self.mark = most, spent()
        self.tests: Counter[str] = Counter()

    def pytest_collection_finish(self) -> None:
        self.mark = spent()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Any:
        report = yield
        before, self.mark = self.mark, spent()
        report.user_properties.append((SECONDS, self.mark - before))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.tests[report.nodeid] += dict(report.user_properties)[SECONDS]

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
