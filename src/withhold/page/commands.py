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

WISHES = "constraints"
"""The file of who wants what protected."""
READERS = {"records": "read", "table": "read_table", "people": "read_people"}


def verb_words(
    verb: str, project: Project, *more: str, policy: Path | None = None
) -> tuple[str, ...]:
    """A verb about the project's file, by its policy."""
    data, chosen = near(project, project.data), near(project, policy or project.policy_path)
    return ("withhold", verb, data, "--policy", chosen, *more)


def verify_words(folder: Folder, release: str) -> list[str]:
    """The command that proves a release again, with what only its custodian has if that is needed."""
    words = ["withhold", "verify", not_an_option(release)]
    path = folder.path(release)
    internal = {} if path.is_dir() else read_internal(internal_of(path)) or {}
    if internal.get("policy", {}).get("constraints"):
        original = path.with_name(Path(str(internal.get("input", {}).get("name", ""))).name)
        if original.is_file():
            words += ["--original", not_an_option(folder.name_of(original))]
            words += ["--policy", not_an_option(f"{release}.internal.json")]
    return words


def compare_words(folder: Folder, original: Path, releases: Sequence[str]) -> list[str]:
    """The command that measures releases against their original, read as it was then."""
    internal = read_internal(internal_of(folder.path(releases[0]))) or {}
    policy = internal.get("policy", {})
    # A path of its own for an upload, whose folder is not the one that commands run in.
    shown = original.relative_to(folder.root) if original.is_relative_to(folder.root) else original
    words = ["withhold", "compare", not_an_option(str(shown)), *map(not_an_option, releases)]
    for key in (*READING, "consent"):
        value = policy.get(key, policy.get(key.replace("-", "_")))
        for each in value if isinstance(value, list) else [value]:
            named = folder.root / str(each).rpartition("=")[2]
            if not each or (named.exists() and not folder.holds(named)):
                continue
            words += [f"--{key}"] if each is True else [f"--{key}", str(each)]
    return words


def original_of(folder: Folder, release: str) -> Path | None:
    """The file that a release was made from, if it is still beside it, in the folder or among the uploads."""
    path = folder.path(release)
    internal = {} if path.is_dir() else read_internal(internal_of(path)) or {}
    named = internal.get("input", {}).get("name")
    if not isinstance(named, str) or not Path(named).name:
        return None
    places = (path.parent, folder.root, folder.uploads)
    found = (place / Path(named).name for place in places)
    return next((each for each in found if each.is_file() and folder.holds(each)), None)


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
    """Python that makes the same release; None if no model was chosen."""
    method, policy = project.method, project.read()
    if method is None:
        return None
    reading = {key.replace("-", "_"): policy[key] for key in (*READING, "consent") if key in policy}
    for key, name in (("drop", "drop"), ("bin", "bins")):
        if key in policy:
            reading[name] = policy[key]
    model = dict(_given(project, method.parameters().values()))
    search = dict(_given(project, method.searches().values()))
    files = dict(_given(project, options_of(method.files).values()))
    write: dict[str, Any] = {"mark": policy["mark"]} if "mark" in policy else {}
    write |= {"report": True} if report else {}
    lines = [
        f"data = wh.{READERS[method.data]}({_call(near(project, project.data), reading)})",
        f"model = wh.{method.model.__name__}({_call(None, model)})",
    ]
    imports = ["import withhold as wh"]
    if WISHES in files:
        imports += ["from withhold.formats.constraints import read_constraints"]
        imports += ["from withhold.formats.hierarchy import read_hierarchy"] * (
            "hierarchy" in files
        )
        lines.append(_wishes_code(files))
        search["constraints"] = Name("wishes")
    elif project.model().needs:
        search |= files
    elif report:
        write |= files
    search["seed"] = policy["seed"]
    search |= {key: policy[key] for key in ("ids",) if key in policy}
    lines.append(f"release = wh.anonymize(data, model, {_call(None, search)})")
    lines.append(f"release.write({_call(output, write)})")
    return "\n".join((*imports, "", *lines))


class Name(str):
    """A name in code, which is not quoted there."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _wishes_code(files: Mapping[str, Any]) -> str:
    """Who wants what protected, read with the data that it is about."""
    tree = f", hierarchy=read_hierarchy({files['hierarchy']!r})" if "hierarchy" in files else ""
    for_all = f".and_for_all({files['sensitive']!r})" if "sensitive" in files else ""
    return f"wishes = read_constraints({files[WISHES]!r}, data{tree}){for_all}"


def _given(project: Project, options: Iterable[Declared]) -> Iterable[tuple[str, Any]]:
    """What the policy says of these options, under their names in Python."""
    policy = project.read()
    for each in options:
        if each.spelling not in policy:
            continue
        value = policy[each.spelling]
        if each.option.kind == "items":
            value = project.items()
        elif each.option.kind == "any":
            value = None if value == "any" else int(value)
        elif each.option.kind == "file":
            value = _file(project, value)
        elif each.option.kind == "files":
            several = value if isinstance(value, list) else [value]
            value = [_file(project, text) for text in several]
            value = value if len(value) > 1 else value[0]
        yield each.name, value


def _file(project: Project, written: str) -> str:
    """A file that the policy names, as it is typed in the folder; also ``NAME=FILE``."""
    name, equals, path = written.rpartition("=")
    found = project.policy_path.parent / path
    return f"{name}{equals}{near(project, found)}" if found.is_file() else written


def _call(first: str | None, named: Mapping[str, Any]) -> str:
    parts = [] if first is None else [repr(first)]
    return ", ".join([*parts, *(f"{name}={value!r}" for name, value in named.items())])
