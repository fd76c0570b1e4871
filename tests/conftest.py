"""Settings for the whole suite: hypothesis without deadlines, the real data where it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Kernels compile on first use, and tests share two cores: a deadline would measure the machine.
# derandomize: the same examples on every machine.
settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("house")


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
