"""Every kernel that ordinary Python calls has a twin of its name, and a test that compares the two."""

from __future__ import annotations

import ast
from collections import Counter

from kernels import ROOT, Kernel, called_kernels, compared, twins

TWINS = ROOT / "tests" / "twins"
MISSING = {
    "count_moles": "stops to ask for room; ``mole_counts`` goes on with it, and is compared with the twin",
    "count_nuggets": "stops to ask for room; ``mole_counts`` goes on with it, and is compared with the twin",
    "survey_moles": "stops to ask for room; ``mole_survey`` goes on with it, and is compared with the twin",
    "fix_roots": "one pass of ``antecedent_fix``, whose function is compared with the twin of all passes",
    "treat_pairs": "one pass of ``closed_fix``, whose functions are compared with the twin of all passes",
}
"""Kernels that no test calls beside a twin, and why. Only ever shorter: a new kernel comes with its twin."""


def names_with_twin() -> set[str]:
    """Names that a file of twins defines, and that some test compares with the kernel."""
    defined = set().union(*twins(TWINS).values())
    tested = set().union(*(compared(path) for path in TWINS.glob("test_*.py")))
    return defined & tested


def test_kernels__called_from_python_have_a_twin():
    done = names_with_twin()
    without = {kernel for kernel in called_kernels() if kernel.name not in done}
    assert {kernel.name for kernel in without} <= MISSING.keys(), sorted(map(str, without))


def test_missing__names_only_kernels_without_a_twin():
    called = {kernel.name for kernel in called_kernels()}
    assert called >= MISSING.keys(), f"not called from Python: {sorted(MISSING.keys() - called)}"
    done = MISSING.keys() & names_with_twin()
    assert not done, f"these have a twin by now: {sorted(done)}"


def test_kernels__called_from_python_have_different_names():
    names = Counter(kernel.name for kernel in called_kernels())
    assert {name for name, number in names.items() if number > 1} == set()


def test_twins__import_nothing_of_the_package():
    for path in TWINS.glob("plain_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("withhold"), path
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith("withhold") for alias in node.names), path


def test_called_kernels__are_found_by_any_name(tmp_path):
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "loops.py").write_text(
        "\n".join(f"@kernel\ndef {name}(x): ..." for name in ("a", "b", "c", "d", "inner"))
        + "\n@kernel\ndef outer(x): return inner(x)\n"
    )
    (package / "use.py").write_text(
        "from shop import loops\nfrom shop.loops import a, b as bee, d\n"
        "def ordinary(x): return run(a, bee(x), loops.c)\n"
        "@kernel\ndef here(x): return d(x)\n"
        "STEPS = {'here': here}\n"
    )
    expected = {Kernel("shop.loops", name) for name in "abc"} | {Kernel("shop.use", "here")}
    assert called_kernels(tmp_path) == expected


def test_compared__needs_the_kernel_and_its_twin(tmp_path):
    tests = tmp_path / "test_it.py"
    tests.write_text(
        "from twins import plain_it\nfrom withhold import it\nfrom withhold.it import a, b\n"
        "from withhold.deep import other\n"
        "assert a(1) == plain_it.a(1)\nassert b(1)\nassert plain_it.c(1)\n"
        "assert other.d(1) == plain_it.d(1)\n"
    )
    assert compared(tests) == {"a", "d"}
