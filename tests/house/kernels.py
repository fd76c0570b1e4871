"""Finds the kernels that ordinary Python calls, by reading the source and importing nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
DECORATORS = {"kernel", "step", "routine", "maker"}


@dataclass(frozen=True, order=True)
class Kernel:
    """A function that is compiled, named by its module."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


def modules(source: Path = SOURCE) -> dict[str, ast.Module]:
    """Every module of the package by its dotted name, parsed."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return found


def is_kernel(node: ast.AST) -> bool:
    """Whether the node defines a kernel."""
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(decorator, ast.Name) and decorator.id in DECORATORS
        for decorator in node.decorator_list
    )


def all_kernels(trees: dict[str, ast.Module]) -> set[Kernel]:
    """Every kernel of the package."""
    return {
        Kernel(module, node.name)
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if is_kernel(node)
    }


@cache
def called_kernels(source: Path = SOURCE) -> set[Kernel]:
    """The kernels that some code outside a kernel mentions: calls, or hands on to be called.

    A kernel that only other kernels call is tested through them.
    """
    trees = modules(source)
    kernels = all_kernels(trees)
    called = set()
    for module, tree in trees.items():
        known = _visible_kernels(module, tree, kernels)
        called |= {known[name] for name in _mentioned(tree) if name in known}
    return called


def _visible_kernels(module: str, tree: ast.Module, kernels: set[Kernel]) -> dict[str, Kernel]:
    """The kernels that a module defines or imports, by the name that they have there.

    An imported module is followed too: ``fix.fix_roots`` is the kernel ``fix_roots`` of that module.
    """
    visible = {kernel.name: kernel for kernel in kernels if kernel.module == module}
    by_module: dict[str, list[Kernel]] = {}
    for kernel in kernels:
        by_module.setdefault(kernel.module, []).append(kernel)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                here = alias.asname or alias.name
                if Kernel(node.module or "", alias.name) in kernels:
                    visible[here] = Kernel(node.module or "", alias.name)
                for kernel in by_module.get(f"{node.module}.{alias.name}", []):
                    visible[f"{here}.{kernel.name}"] = kernel
        elif isinstance(node, ast.Import):
            for alias in node.names:
                for kernel in by_module.get(alias.name, []):
                    visible[f"{alias.asname or alias.name}.{kernel.name}"] = kernel
    return visible


def _mentioned(tree: ast.AST) -> Iterator[str]:
    """The names and dotted names that are used outside kernels and their steps."""
    for child in ast.iter_child_nodes(tree):
        if is_kernel(child):
            continue
        if isinstance(child, ast.Name | ast.Attribute):
            yield ast.unparse(child)
        yield from _mentioned(child)


def twins(directory: Path) -> dict[str, set[str]]:
    """The functions of each file of twins, by the file's name."""
    return {
        path.stem: {
            node.name
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef)
        }
        for path in sorted(directory.glob("plain_*.py"))
    }


def compared(path: Path) -> set[str]:
    """The names that a file of tests uses twice: a kernel ``f`` of the package, and ``plain_….f``."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    used = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    kernels: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("withhold."):
            for alias in node.names:
                here = alias.asname or alias.name
                kernels |= {alias.name} if here in used else set()
                kernels |= {
                    dotted[len(here) + 1 :] for dotted in used if dotted.startswith(f"{here}.")
                }
    return kernels & {
        dotted.split(".")[1] for dotted in used if dotted.startswith("plain_") and "." in dotted
    }


if __name__ == "__main__":
    for each in sorted(called_kernels()):
        print(each)
