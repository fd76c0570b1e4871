"""The commands of withhold that the page runs and shows: what somebody would type, also as Python."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from withhold.options import Declared, options_of
from withhold.page.folder import Folder
from withhold.page.project import READING, Project
from withhold.publish.manifest import read_internal
from withhold.publish.publishing import internal_of

READERS = {"records": "read", "table": "read_table", "people": "read_people"}


def verb_words(
    verb: str, project: Project, *more: str, policy: Path | None = None
) -> tuple[str, ...]:
    """A verb about the project's file, by its policy."""
    data, chosen = near(project, project.data), near(project, policy or project.policy_path)
    return ("withhold", verb, data, "--policy", chosen, *more)


def verify_words(folder: Folder, release: str) -> list[str]:
    """The command that proves a release again, with what only its custodian has where that is needed."""
    words = ["withhold", "verify", not_an_option(release)]
    path = folder.path(release)
    internal = read_internal(internal_of(path)) or {}
    if internal.get("policy", {}).get("constraints"):
        original = path.with_name(Path(str(internal.get("input", {}).get("name", ""))).name)
        if original.is_file():
            words += ["--original", not_an_option(folder.name_of(original))]
            words += ["--policy", not_an_option(f"{release}.internal.json")]
    return words


def not_an_option(name: str) -> str:
    """A file name that is not taken for an option, even if it begins with a dash."""
    return f"./{name}" if name.startswith("-") else name


def near(project: Project, path: Path) -> str:
    """A path as it is typed in the folder."""
    root = project.folder.root
    return not_an_option(str(path.relative_to(root) if path.is_relative_to(root) else path))


def as_typed(words: Sequence[str]) -> str:
    """The command as a shell takes it."""
    return shlex.join(words)


def python_code(project: Project, output: str, *, report: bool) -> str | None:
    """Python that makes the same release; None where files are needed that only the command line reads."""
    method, policy = project.method, project.read()
    if method is None or any(each.spelling in policy for each in options_of(method.files).values()):
        return None
    reading = {key.replace("-", "_"): policy[key] for key in (*READING, "consent") if key in policy}
    for key, name in (("drop", "drop"), ("bin", "bins")):
        if key in policy:
            reading[name] = policy[key]
    model = {each.name: value for each, value in _given(project, method.parameters().values())}
    search = {each.name: value for each, value in _given(project, method.searches().values())}
    search["seed"] = policy["seed"]
    search |= {key: policy[key] for key in ("ids",) if key in policy}
    write: dict[str, Any] = {"mark": policy["mark"]} if "mark" in policy else {}
    write |= {"report": True} if report else {}
    return "\n".join(
        (
            "import withhold as wh",
            "",
            f"data = wh.{READERS[method.data]}({_call(near(project, project.data), reading)})",
            f"model = wh.{method.model.__name__}({_call(None, model)})",
            f"release = wh.anonymize(data, model, {_call(None, search)})",
            f"release.write({_call(output, write)})",
        )
    )


def _given(project: Project, options: Iterable[Declared]) -> Iterable[tuple[Declared, Any]]:
    policy = project.read()
    for each in options:
        if each.option.kind == "items" and each.spelling in policy:
            yield each, project.items()
        elif each.option.kind == "any" and policy.get(each.spelling) == "any":
            yield each, None
        elif each.spelling in policy:
            yield each, policy[each.spelling]


def _call(first: str | None, named: Mapping[str, Any]) -> str:
    parts = [] if first is None else [repr(first)]
    return ", ".join([*parts, *(f"{name}={value!r}" for name, value in named.items())])
