"""The house keeps its own rules: sizes, cycles, and what public signatures say."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from kernels import modules

import withhold

ROOT = Path(__file__).parents[2]
MOST_LINES, MOST_ARGUMENTS, MOST_KERNEL_LINES = 350, 8, 120


def compiled(tree: ast.Module) -> list[ast.FunctionDef]:
    """The functions of a module that are compiled, whole or as a step of others."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and {"kernel", "step", "routine", "maker"}
        & {ast.unparse(decorator) for decorator in node.decorator_list}
    ]


def test_modules__fit_on_a_few_screens():
    for path in (ROOT / "src").rglob("*.py"):
        length = len(path.read_text(encoding="utf-8").splitlines())
        assert length <= MOST_LINES, f"{path} has {length} lines"


def test_kernels__can_be_read():
    for module, tree in modules().items():
        for function in compiled(tree):
            n_lines = (function.end_lineno or 0) - function.lineno + 1
            n_arguments = len(function.args.args)
            assert n_lines <= MOST_KERNEL_LINES, f"{module}.{function.name}: {n_lines} lines"
            assert n_arguments <= MOST_ARGUMENTS, (
                f"{module}.{function.name}: {n_arguments} arguments"
            )


def imports_of(tree: ast.Module, known: Collection[str]) -> set[str]:
    """The modules that a module imports from at any time, but for type checking only."""
    found = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("withhold"):
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                found.add(inside if inside in known else node.module or "")
        waiting += ast.iter_child_nodes(node)
    return found


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The modules that reach themselves again, in groups that reach each other."""
    reached: dict[str, set[str]] = {}
    for module in graph:
        seen: set[str] = set()
        waiting = [module]
        while waiting:
            for each in graph[waiting.pop()] - seen:
                seen.add(each)
                waiting.append(each)
        reached[module] = seen
    circular = [module for module in graph if module in reached[module]]
    groups = {
        frozenset(
            other for other in circular if other in reached[module] and module in reached[other]
        )
        for module in circular
    }
    return sorted(sorted(group) for group in groups)


def test_imports__make_no_circle_not_even_late():
    trees = modules()
    # The package itself names everything that is public, and imports it when it is asked for.
    graph = {
        name: {each for each in imports_of(tree, trees) if each not in ("withhold", name)}
        for name, tree in trees.items()
    }
    assert cycles(graph) == []


def test_stub__says_what_the_methods_declare():
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make_stub.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run make docs: {done.stderr}"


def signatures() -> dict[str, str]:
    """Every annotation of a public function, and of the methods and fields of a public class, as text."""
    found = {}
    for name in withhold.__all__:
        value = getattr(withhold, name)
        members = {name: value}
        if inspect.isclass(value):
            members = {f"{name}.{key}": each for key, each in vars(value).items() if key[0] != "_"}
            members[f"{name}.__init__"] = value.__init__
            found |= {f"{name}.{key}": str(kind) for key, kind in value.__annotations__.items()}
        for key, member in members.items():
            function = inspect.unwrap(
                getattr(member, "fget", None) or getattr(member, "__func__", member)
            )
            for part, kind in getattr(function, "__annotations__", {}).items():
                found[f"{key}({part})"] = str(kind)
    return found


def test_public_signatures__say_what_they_take_and_return():
    vague = {place: kind for place, kind in signatures().items() if re.search(r"\bAny\b", kind)}
    assert vague == {}


def test_shares__are_written_alike_everywhere():
    """71.7%, never with a blank, on the pages, in the examples, and in every text of the program."""
    spaced = re.compile(r"\d[ \u00a0\u202f]%(?![\w(])")
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in (
            ROOT / "README.md",
            *(ROOT / "docs").rglob("*"),
            *(ROOT / "examples").rglob("*"),
        )
        if path.suffix in (".md", ".in", ".json", ".ipynb", ".py", ".svg")
    }
    package = ROOT / "src" / "withhold"
    texts |= {path: path.read_text(encoding="utf-8") for path in package.rglob("*.json")}
    texts |= {path: "\n".join(said_in(path)) for path in package.rglob("*.py")}
    found = [f"{path}: {hit}" for path, text in texts.items() for hit in spaced.findall(text)]
    assert len(texts) > 400
    assert found == []


def said_in(path: Path) -> Iterator[str]:
    """The texts of a module; a 0 stands for what a text fills in."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values
            )


def test_shares__with_a_blank_would_be_seen(tmp_path):
    (tmp_path / "a.py").write_text('f"{share:.1f} % of all"\n')
    assert "0 % of all" in list(said_in(tmp_path / "a.py"))
