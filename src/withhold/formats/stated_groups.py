"""What a stated policy requires of a release whose items may be published as groups, under any such model.

In: the stated model, the hierarchy if the policy has one, the published records, and the model of the
manifest. Out: the model under groups. With a hierarchy they are its nodes that occur in the file, whatever
the manifest says; without one they are those of the manifest, so that the promise says what is proved.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Protocol, Self, TypeVar

from withhold.data import Hierarchy, Records
from withhold.data.groups import Groups
from withhold.errors import UndecidedError
from withhold.formats.hierarchy import read_hierarchy
from withhold.formats.item_trees import is_built


class GroupModel(Protocol):
    """A model whose items may be published as groups."""

    @property
    def groups(self) -> Groups | None:
        """What public items are published as; None: each as itself."""
        ...

    @property
    def sensitive(self) -> frozenset[str]:
        """Items that are never in a group."""
        ...

    def under(self, groups: Groups) -> Self:
        """The same model under these groups."""
        ...


Grouped = TypeVar("Grouped", bound=GroupModel)


def with_stated_groups(
    model: Grouped, hierarchy: str | None, published: Records, offered: Grouped | None
) -> Grouped:
    """The model under the groups of the file; the check finds items that are none of these."""
    of_manifest = None if offered is None else offered.groups
    if hierarchy is None:
        return model if of_manifest is None else model.under(of_manifest)
    if not is_built(hierarchy):
        tree = read_hierarchy(os.fspath(hierarchy))
        return model.under(groups_shown(tree, published.occurring, model.sensitive))
    if of_manifest is None:
        raise UndecidedError(
            f"the hierarchy {hierarchy} was built from the original, and no manifest says which groups it "
            "has; name a file that has the hierarchy"
        )
    return model.under(of_manifest)


def groups_shown(tree: Hierarchy, items: Iterable[str], sensitive: frozenset[str]) -> Groups:
    """The nodes that are published, each with its public leaves; none that is below another.

    >>> tree = Hierarchy.from_edges([("tea", "drinks"), ("beer", "drinks"), ("drinks", "*"), ("pill", "*")])
    >>> groups_shown(tree, ("drinks", "pill", "tea"), frozenset({"pill"})).as_dict()
    {'drinks': ['beer', 'tea']}
    """
    nodes = sorted(tree.code(name) for name in items if name in tree and name not in sensitive)
    found: dict[str, list[str]] = {}
    end = 0
    for node in nodes:
        if node < end:
            continue
        name, end = tree.names[node], int(tree.ends[node])
        # A node of sensitive items alone is not a group: it would reveal one of them.
        if public := [leaf for leaf in tree.leaves_under(name) if leaf not in sensitive]:
            found[name] = public
    return Groups.of(found)
