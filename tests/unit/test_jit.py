"""Where compiled kernels are kept: an edit of a kernel reaches every module that uses it."""

from __future__ import annotations

import ast
import gc
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core import config

from withhold.counting import jit

PACKAGE = Path(jit.__file__).parents[1]


def module_name(path: Path) -> str:
    return ".".join(("withhold", *path.relative_to(PACKAGE).with_suffix("").parts))


MODULES = {
    module_name(path): path
    for path in PACKAGE.rglob("*.py")
    if "\n@kernel\n" in path.read_text(encoding="utf-8")
}


def imported_modules(path: Path) -> set[str]:
    """The modules of the package that a module imports, as Python itself reads them."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {
        name
        for name in found
        if PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py").is_file()
    }


@pytest.mark.parametrize("module", sorted(MODULES))
def test_sources__hold_every_module_that_can_change_a_kernel(module):
    reached, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += imported_modules(MODULES[name]) if name in MODULES else ()
    assert reached <= {module_name(source) for source in jit._sources(module)}


def test_before_compiling__speaks_once_and_only_for_what_is_not_cached(tmp_path):
    script = (
        "from withhold.counting import jit\n"
        "from withhold.counting.arrays import sort_ascending\n"
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


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("thresholds", [(700, 10, 10), (0, 5, 5)])
def test_garbage__is_collected_rarely_while_compiling_and_then_as_before(thresholds):
    seen, before = [], gc.get_threshold()

    def same(number):
        return number

    @numba.extending.overload(same)
    def compiled(number):
        seen.append(gc.get_threshold())
        return same

    gc.set_threshold(*thresholds)
    try:
        assert numba.njit(lambda number: same(number))(1) == 1
        assert seen[0] == ((50_000, 20, 50) if thresholds[0] else thresholds)
        assert gc.get_threshold() == thresholds
    finally:
        gc.set_threshold(*before)
