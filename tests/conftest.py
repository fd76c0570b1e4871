"""Settings for the whole suite: hypothesis without deadlines, each kernel compiled once, the real data."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from hypothesis import HealthCheck, settings
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from typer.main import get_command

from processor_times import ProcessorTimes

try:
    import fcntl
except ImportError:  # Windows: kernels are compiled as often as workers need them
    fcntl = None  # type: ignore[assignment]

# Kernels compile on first use, and tests share two cores: a deadline would measure the machine.
# derandomize: the same examples on every machine.
settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("house")

# Nobody pulls the plug while tests run, and thousands of small files would wait for the disk.
os.fsync = lambda handle: None

compile_or_load = Dispatcher.compile


def compile_once(kernel: Any, signature: Any) -> Any:
    """Compile a kernel while no other worker does: whoever comes second finds it in the cache.

    Kernels wait for those that they call and never for their callers, so no two workers wait for each other.
    """
    directory = kernel._cache.cache_path
    if directory is None or kernel._compiling_counter:
        return compile_or_load(kernel, signature)
    with global_compiler_lock, open(Path(directory) / f"{kernel.__name__}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return compile_or_load(kernel, signature)


if "PYTEST_XDIST_WORKER" in os.environ and fcntl is not None:
    Dispatcher.compile = compile_once


@cache
def built(app: typer.Typer, n_verbs: int) -> Any:
    return get_command(app)


def built_once(app: typer.Typer) -> Any:
    """The verbs with their options, which a runner would build again for every command."""
    groups = [app, *(group.typer_instance for group in app.registered_groups)]
    return built(app, sum(len(each.registered_commands) for each in groups))


typer.testing._get_command = built_once


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--times", type=int, help="list so many files, tests and compiled kernels by processor time"
    )


def pytest_configure(config: pytest.Config) -> None:
    if most := config.getoption("--times"):
        config.pluginmanager.register(ProcessorTimes(most))


def data_directory() -> Path:
    """Where the real data sets are, if they are anywhere."""
    default = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("WITHHOLD_DATA", default))


@pytest.fixture(scope="session")
def real_data() -> Path:
    directory = data_directory()
    if not (directory / "retail.dat.gz").exists():
        pytest.skip(f"the real data sets are not in {directory}; set WITHHOLD_DATA")
    return directory
