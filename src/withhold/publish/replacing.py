"""Which files may be replaced: with ``force`` those that withhold made, as long as they are as it made them.

A name that is mistyped can be that of anything, perhaps of somebody's only copy. So what stands there must be
described, byte by byte, by a manifest of withhold; an empty file holds nothing that could be lost.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from withhold.atomic import digest_of, refuse_links
from withhold.errors import OutputError, PolicyError, option
from withhold.formats.people_parts import PROPER, part_path
from withhold.publish.manifest import internal_path, manifest_path

IsOwn = Callable[[Path], bool]
"""Whether withhold made a file."""
LARGEST = 1 << 28
"""Bytes of a manifest; internal ones list what was withheld of each item."""
PAGE = b'<meta name="generator" content="withhold">'
HEAD = 1 << 12
"""Bytes within which a page says what made it."""


def check_folder(folder: Path) -> None:
    """Refuse a folder that does not exist."""
    if not folder.is_dir():
        raise OutputError(f"the folder {folder} does not exist; create it first")


def refuse_inputs(path: Path, inputs: Mapping[str, Iterable[Path]]) -> None:
    """Refuse a name that is that of an input; these are by what to call them."""
    for what, sources in inputs.items():
        if path.exists() and any(source.exists() and path.samefile(source) for source in sources):
            raise PolicyError(f"{path} is {what}; it is never overwritten")


def check_replaceable(path: Path, is_own: IsOwn, *, force: bool) -> None:
    """Refuse a name at which something stands that is not to be replaced."""
    if not os.path.lexists(path):
        return
    refuse_links(path)
    if not path.is_file():
        raise OutputError(f"{path} is not an ordinary file; choose another name")
    if path.stat().st_size and not is_own(path):
        raise PolicyError(
            f"{path} exists already, and is not as withhold wrote it, so it is never replaced; choose "
            "another name, or delete it yourself"
        )
    if not force:
        raise PolicyError(f"{path} exists already; use {option('force', True)} to replace it")


def own_files(path: Path, report: Path) -> IsOwn:
    """Which files of a release are those that its manifests describe."""
    record, internal = _described(manifest_path(path)), _described(internal_path(path))
    digests = {path: [_output(record).get("sha256"), _output(internal).get("sha256")]}
    files = _output(record).get("files")
    for each in files if isinstance(files, list) else ():
        part = each.get("part") if isinstance(each, dict) else None
        if isinstance(part, str) and PROPER.fullmatch(part):
            digests[part_path(path, part)] = [each.get("sha256")]

    def is_own(member: Path) -> bool:
        if member == manifest_path(path):
            return "manifest" in record and bool(_output(record))
        if member == internal_path(path):
            return "internal" in internal and bool(_output(internal))
        if member == report:
            return is_page(member)
        # No digest of a file that cannot be read is like none of a manifest that is not there.
        found = digest_of(member)
        return found is not None and found in digests.get(member, ())

    return is_own


def is_page(path: Path) -> bool:
    """Whether it is a page that withhold wrote."""
    with path.open("rb") as file:
        return PAGE in file.read(HEAD)


def whatever_it_is(path: Path) -> bool:
    """For names that only withhold uses, in folders of its own."""
    return True


def _described(path: Path) -> Mapping[str, Any]:
    """The object in a file of JSON; nothing if there is none that can be read."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _output(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a manifest says of the file that was published."""
    found = record.get("output")
    return found if isinstance(found, dict) else {}
