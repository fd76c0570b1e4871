"""Releases of the same file, or that are the input: together they can reveal what none does alone.

Only the internal manifests of one folder are looked at, a bounded number of bounded size, so that it takes no
time. That none is found does not mean that there is none elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from withhold.data import Source
from withhold.errors import InputError
from withhold.publish.manifest import internal_path, manifest_path, read_internal, read_manifest
from withhold.wording import counted

MOST, LARGEST, SHOWN = 100, 1 << 22, 3
"""So many manifests are looked at, of so many bytes each, and so many releases are named."""
IS_RELEASED = "is itself a release; start from the original, and publish only one"
ENDING = internal_path(Path("x")).name.removeprefix("x")


def other_releases(path: Path, source: Source) -> tuple[str, ...]:
    """Warnings if the input is itself a release, or the folder of a new one has others of it."""
    return released_input(source.path, source.sha256) + earlier_releases(path, source.sha256)


def earlier_releases(path: Path, sha256: str | None) -> tuple[str, ...]:
    """A warning if other releases of the input with this digest stand in the folder of a new one."""
    found = [] if sha256 is None else list(_released(path, sha256))
    if not found:
        return ()
    more = f" and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
    is_, it = ("is", "a release") if len(found) == 1 else ("are", counted(len(found), "release"))
    return (
        f"there {is_} already {it} of this file: {', '.join(found[:SHOWN])}{more}; releases of one file "
        "can be joined, so publish only one",
    )


def released_input(path: Path, sha256: str) -> tuple[str, ...]:
    """A warning if the input with this digest is what a manifest beside it describes."""
    try:
        record = read_manifest(manifest_path(path))
    except InputError:
        return ()
    return (f"{path.name} {IS_RELEASED}",) if record["output"]["sha256"] == sha256 else ()


def _released(path: Path, sha256: str) -> Iterator[str]:
    """The names of the files in the folder that were made from this input, without the new one's."""
    for internal in islice(_manifests(path), MOST):
        name = internal.name.removesuffix(ENDING)
        record = read_internal(internal) if _mentions(internal, sha256) else None
        if record is not None and record["input"].get("sha256") == sha256:
            yield name


def _mentions(internal: Path, sha256: str) -> bool:
    """Whether a manifest has this digest somewhere, which takes less time to see than to parse it."""
    try:
        return internal.stat().st_size <= LARGEST and sha256.encode() in internal.read_bytes()
    except OSError:
        return False


def _manifests(path: Path) -> Iterable[Path]:
    """The internal manifests beside files, without that of this one."""
    try:
        there = sorted(path.parent.glob(f"*{ENDING}"))
    except OSError:  # a folder whose names nobody may list can be written to
        return
    for each in there:
        released = each.with_name(each.name.removesuffix(ENDING))
        if released.name != path.name and each.is_file() and released.is_file():
            yield each
