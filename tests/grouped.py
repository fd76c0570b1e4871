"""Releases whose items are published as groups, and manifests that say something else of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NO_GROUPS = [
    {"beer": ["ale"], "tea": ["ale"]},
    {"beer": "ale"},
    {"beer": []},
    {"beer": 5},
    {"ale": ["ale", "stout"]},
    [],
]
"""What no manifest can say of the groups of anything."""


def write_shop(rows: list[list[str]], tree: str) -> None:
    """Baskets, and what their items can be published as."""
    Path("baskets.dat").write_text("".join(" ".join(row) + "\n" for row in rows))
    Path("tree.csv").write_text(tree)


def state_groups(groups: Any, of: str = "out.dat") -> None:
    """Have the manifest of the release say that these are its groups."""
    where = Path(f"{of}.manifest.json")
    manifest = json.loads(where.read_text())
    manifest["model"]["groups"] = groups
    where.write_text(json.dumps(manifest))
