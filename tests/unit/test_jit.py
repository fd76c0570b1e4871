"""Compiled code in the cache: what two processes compile side by side has different names."""

from __future__ import annotations

import subprocess
import sys

NAME = """
import numpy as np
from withhold.counting.jit import kernel

def double(values):
    return values * 2

# What returns an array has constants of its own, which go by the name.
compiled = kernel(double)
compiled(np.arange(3))
((_, found),) = compiled._dispatcher.overloads.items()
print(found.environment.env_name)
"""


def test_kernels__have_other_names_in_every_process(tmp_path, monkeypatch):
    names = set()
    for process in ("one", "two"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / process))
        script = tmp_path / "script.py"
        script.write_text(NAME)
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, check=True
        )
        names.add(done.stdout)
    assert len(names) == 2
