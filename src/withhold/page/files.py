"""Files that options name: each must be within the folder, or uploaded, wherever links lead."""

from __future__ import annotations

import os
from pathlib import Path

from withhold.data.column_lists import split_pairs
from withhold.errors import InputError, PolicyError
from withhold.page.folder import UPLOADED, outside
from withhold.page.project import Project
from withhold.page.words import WORDS


def check_files(project: Project, written: str) -> str:
    """What was written for an option that may name files, uploads by their paths; refused if outside."""
    if written.startswith(UPLOADED):
        return str(project.folder.file(written))
    for text in _parts(written):
        for base in (project.policy_path.parent, project.folder.root):
            path = (base / text).resolve() if "\0" not in text else None
            inside = path is not None and any(
                path.is_relative_to(top) for top in (project.folder.root, project.folder.uploads)
            )
            looks_like_path = (
                os.sep in text or ".." in Path(text).parts or os.path.lexists(base / text)
            )
            if not inside and looks_like_path:
                raise outside(text)
    return written


def file_beside(project: Project, written: str) -> Path:
    """The file that an option names, beside the policy or in the folder; refused if there is none."""
    places = (project.policy_path.parent / written, project.folder.root / written)
    found = next((path for path in places if path.is_file()), None)
    if found is None:
        raise InputError(WORDS["folder.missing"], path=Path(written))
    return found


def _parts(written: str) -> list[str]:
    """The whole text, and what is in it for each column."""
    try:
        pairs = split_pairs(written, "files") if "=" in written else {}
    except PolicyError:
        pairs = {}
    return [written, written.rpartition("=")[2], *pairs.values()]
