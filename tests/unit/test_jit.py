"""Where compiled kernels are kept: an edit of a kernel reaches every module that uses it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from withhold.kernels import jit

FOLDER = Path(jit.__file__).parent
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def imported_kernels(module: str) -> set[str]:
    """The kernel modules that a module imports, as Python itself reads them."""
    found = set()
    for node in ast.walk(ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("withhold.kernels"):
            name = (node.module or "").removeprefix("withhold.kernels").removeprefix(".")
            found |= {name} if name else {alias.name for alias in node.names}
        if isinstance(node, ast.Import):
            found |= {
                alias.name.removeprefix("withhold.kernels.")
                for alias in node.names
                if alias.name.startswith("withhold.kernels.")
            }
    return found


@pytest.mark.parametrize("module", MODULES)
def test_sources__hold_every_kernel_module_that_is_imported(module):
    reached, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += imported_kernels(name)
    assert {source.stem for source in jit._sources(module)} == reached


def test_before_compiling__speaks_once_and_only_for_what_is_not_cached(tmp_path):
    script = (
        "from withhold.kernels import jit\n"
        "from withhold.kernels.arrays import sort_ascending\n"
        "import numpy as np\n"
        "jit.before_compiling(lambda: print('compiling'))\n"
        "sort_ascending(np.arange(3, dtype=np.int32), 3)\n"
        "sort_ascending(np.arange(3, dtype=np.int64), 3)\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert said == ["compiling\n", ""]
