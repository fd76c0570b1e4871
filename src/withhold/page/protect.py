"""The second step: the items that nobody may infer, and what becomes of each column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from withhold.errors import InputError
from withhold.options import Declared
from withhold.page.commands import WISHES
from withhold.page.files import check_files, file_beside
from withhold.page.forms import check_model, fields_of, filled_in
from withhold.page.lookup import Lookup
from withhold.page.problem import NONE, Mistake, Problem, about
from withhold.page.project import Project, first_method
from withhold.page.site import Site, go_to
from withhold.page.words import WORDS
from withhold.registry import all_methods, own_name

FOUND = 40
"""How many items are shown at once."""
ROLES = {
    "known": "quasi-identifiers",
    "sensitive": "sensitive-column",
    "label": "label",
    "publish": "publish",
    "drop": "drop",
}
"""What can become of a column, and the key that says so."""
OF_COLUMNS = ("bin", "l")


def show(site: Site, given: Mapping[str, Any], problem: Problem = NONE) -> Response:
    """What was chosen so far."""
    project = site.project(given)
    lookup, job = site.prepared(project)
    if project.method is None or (lookup is None and (job is None or job.is_over)):
        return go_to("data", project)  # which says why there is nothing to choose from
    policy = project.read()
    takes = {each.spelling for each in project.method.all_options().values()}
    return site.show_step(
        "protect",
        project,
        problem,
        job,
        lookup=lookup,
        chosen=_chosen(project, lookup),
        found=[] if lookup is None else _found(project, lookup, ""),
        asked="",
        roles=[role for role, key in ROLES.items() if key in takes],
        role_of=_role_of(policy),
        profile=_columns(lookup),
        tree=site.trees.get(project.name, ""),
        branches=_branches(site, project, lookup),
        fields=fields_of(_beside_roles(project), policy),
        policy=policy,
        wishes=project.kind == "records",
        files=site.folder.data_files(),
    )


def items(site: Site, given: Mapping[str, Any]) -> Response:
    """The items that a search finds, to be ticked."""
    project = site.project(given)
    lookup = _ready(site, project)
    asked = given.get("q", "")
    return site.render("items", project=project, found=_found(project, lookup, asked), asked=asked)


def tick(site: Site, given: Mapping[str, Any]) -> Response:
    """Add an item, or take it out; the new sum."""
    project = site.project(given)
    lookup = _ready(site, project)
    names = set(project.items())
    item = given.get("item", "")
    names = names | {item} if given.get("on") else names - {item}
    project.list_items(names)
    return site.render("chosen", project=project, chosen=_chosen(project, lookup))


def save_list(site: Site, given: Mapping[str, Any]) -> Response:
    """Add a pasted list, a branch or the proposal; or start again."""
    project = site.project(given)
    lookup = _ready(site, project)
    names = set(project.items())
    match given.get("do"):
        case "paste":
            pasted = {line.strip() for line in given.get("list", "").splitlines() if line.strip()}
            if not pasted:
                raise Mistake(WORDS["protect.empty_paste"], field="list")
            names |= pasted
        case "branch":
            names |= set(_leaves(site, project, lookup, given.get("branch", "")))
        case "suggested":
            names |= {each["item"] for each in lookup.about["suggested"]}
        case "hierarchy":
            written = given.get("hierarchy", "").strip()
            with about("hierarchy"):
                tree = check_files(project, written) if written else ""
                _tree(project, tree)
            site.trees[project.name] = tree
        case "known":
            names &= lookup.code_of.keys()
        case "keep":
            project.change({"allow-unknown": True})
        case "clear":
            names = set()
            project.change({"allow-unknown": None})
    project.list_items(names)
    return go_to("protect", project)


def save_roles(site: Site, given: Mapping[str, Any]) -> Response:
    """What becomes of each column."""
    project = site.project(given)
    lookup = _ready(site, project)
    changes: dict[str, Any] = {key: [] for key in ROLES.values()}
    for number, column in enumerate(lookup.about["columns"]):
        role = given.get(f"role-{number}", "")
        if role in ROLES:
            changes[ROLES[role]].append(column)
        if len(changes["label"]) > 1:
            raise Mistake(WORDS["protect.one_label"], field=f"role-{number}")
    changes["label"] = next(iter(changes["label"]), None)
    typed = filled_in(_beside_roles(project), given)
    check_model(project, changes | typed)
    project.change(changes | typed)
    return go_to("protect", project)


def save_people(site: Site, given: Mapping[str, Any]) -> Response:
    """Who agreed, and who wants what protected."""
    project = site.project(given)
    changes: dict[str, Any] = {"consent": given.get("consent", "").strip() or None}
    wishes = given.get(WISHES, "").strip()
    if changes["consent"]:
        with about("consent"):
            changes["consent"] = _consent(site, project, changes["consent"])
    if wishes:
        owner = next(m for m in all_methods().values() if WISHES in m.takes())
        with about(WISHES):
            changes |= {"model": own_name(owner), WISHES: check_files(project, wishes)}
            file_beside(project, wishes)
    elif project.method is not None and WISHES in project.method.takes():
        changes |= {"model": own_name(first_method("records"))}
    project.change(changes)
    return go_to("protect", project)


def _consent(site: Site, project: Project, written: str) -> str:
    """A file, or a column if the columns are known."""
    written = check_files(project, written)
    lookup, _ = site.prepared(project)
    columns = [] if lookup is None else lookup.about["columns"]
    is_name = not columns and "." not in written  # a column of a file whose columns are not shown
    if written not in columns and not is_name:
        file_beside(project, written)
    return written


def _beside_roles(project: Project) -> list[Declared]:
    """The options of the model that are about single columns."""
    assert project.method is not None
    return [each for each in project.method.takes().values() if each.name in OF_COLUMNS]


def _ready(site: Site, project: Project) -> Lookup:
    lookup, _ = site.prepared(project)
    if lookup is None:
        raise InputError(WORDS["data.wait"])
    return lookup


def _chosen(project: Project, lookup: Lookup | None) -> dict[str, Any]:
    """The list, how many records hold one of its items, and what of it the data do not have."""
    names = project.items()
    if lookup is None or not lookup.about["has_items"]:
        return {"names": names, "records": None, "of": None, "unknown": [], "keep": False}
    unknown = [name for name in names if name not in lookup.code_of]
    records = lookup.count_with(names) if names else 0
    return {
        "names": names,
        "records": records,
        "of": len(lookup),
        "unknown": [(name, lookup.meant_by(unknown).get(name)) for name in unknown],
        "keep": bool(project.read().get("allow-unknown")),
    }


def _found(project: Project, lookup: Lookup, asked: str) -> list[tuple[str, int, bool]]:
    ticked = set(project.items())
    return [(name, count, name in ticked) for name, count in lookup.find_items(asked, FOUND)]


def _role_of(policy: Mapping[str, Any]) -> dict[str, str]:
    """The role of each column that has one."""
    found: dict[str, str] = {}
    for role, key in ROLES.items():
        given = policy.get(key, [])
        found |= dict.fromkeys([given] if isinstance(given, str) else given, role)
    return found


def _columns(lookup: Lookup | None) -> list[dict[str, Any]]:
    if lookup is None or not lookup.about["columns"]:
        return []
    profile = lookup.about["profile"]
    found: list[dict[str, Any]] = profile.get("persons", profile)["columns"]
    return found


def _tree(project: Project, written: str) -> Any:
    """The hierarchy that was named, or None."""
    from withhold.formats.hierarchy import read_hierarchy

    return read_hierarchy(file_beside(project, written)) if written else None


def _branches(site: Site, project: Project, lookup: Lookup | None) -> list[tuple[str, int]]:
    """The inner nodes of the hierarchy that was named, with the number of items below each."""
    tree = None if lookup is None else _tree(project, site.trees.get(project.name, ""))
    if tree is None:
        return []
    inner = (name for name in tree.names if not tree.is_leaf(name))
    return [(name, len(tree.leaves_under(name))) for name in inner]


def _leaves(site: Site, project: Project, lookup: Lookup, branch: str) -> list[str]:
    tree = _tree(project, site.trees.get(project.name, ""))
    if tree is None or branch not in tree.names:
        raise Mistake(WORDS["protect.no_branch"], field="branch")
    return [name for name in tree.leaves_under(branch) if name in lookup.code_of]
