"""Records read part by part: files of a folder, slices of a large file, or the parts of a release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from withhold.counting.threads import Progress, quiet
from withhold.data import Records
from withhold.formats import read, read_back
from withhold.formats.frame_slices import is_lazy
from withhold.formats.slices import read_slice
from withhold.interruption import stop_if_asked
from withhold.method import Model
from withhold.parts.folder import MANIFEST, Listed, read_folder
from withhold.parts.planning import Data, check_data, plan
from withhold.publish.manifest import form_from, read_manifest
from withhold.publish.publishing import located, manifest_of


@dataclass(frozen=True)
class Parts:
    """Records of which one part at a time is in memory."""

    name: str
    n_parts: int
    read_part: Callable[[int], Records]
    model: Model | None = None
    """What a release promises; None: nothing is known of it."""

    def __len__(self) -> int:
        return self.n_parts

    def __iter__(self) -> Iterator[Records]:
        """Each part, read when it is its turn."""
        return map(self.read_part, range(self.n_parts))

    def told(self, what: str, progress: Progress = quiet) -> Iterator[Records]:
        """Each part, with progress."""
        for number, records in enumerate(self):
            stop_if_asked()
            progress(f"{what}: part {number + 1} of {self.n_parts}", number, self.n_parts)
            yield records


def open_parts(
    data: Data, *, part_records: int | None = None, reading: Mapping[str, Any] | None = None
) -> Parts:
    """The records that a folder, a pattern, a file or a frame holds; of a release the parts that it lists.

    ``reading`` says how files are to be understood; a release has manifests that do.
    """
    check_data(data)
    path = Path("the original") if is_lazy(data) else Path(data)
    if path.is_dir() and (path / MANIFEST).exists():
        model, listed = read_folder(path)
        return Parts(path.name, len(listed), lambda n: read_released(path, listed[n]), model)
    form, pieces, _ = plan(data, part_records=part_records, reading=reading)
    return Parts(path.name, len(pieces), lambda n: read_slice(pieces[n], form))


def read_released(folder: Path, part: Listed) -> Records:
    """A part of a release, read as its manifest says; proving it is for ``verify``."""
    path = folder / part.name
    form, where = part.form, manifest_of(path)
    if form is None and where.exists():
        form = read_manifest(where)["output"]
    if form is None:
        return read(path)
    found = read_back(path, located(form_from(form, path)))
    assert isinstance(found, Records)
    return found


def rows_together(
    one: Iterable[Records], other: Iterable[Records]
) -> Iterator[tuple[Records, Records]]:
    """Pieces of both with equally many rows, however each is cut; when one ends, the rest of the other."""
    sides = [iter(one), iter(other)]
    waiting: list[Records | None] = [None, None]
    while True:
        for side, pieces in enumerate(sides):
            found = waiting[side]
            while found is None or not len(found):
                found = next(pieces, None)
                if found is None:
                    break
            waiting[side] = found
        first, second = waiting
        if first is None or second is None:
            break
        n = min(len(first), len(second))
        yield rows_of(first, 0, n), rows_of(second, 0, n)
        waiting = [rows_of(each, n, len(each)) for each in (first, second)]
    for side, pieces in enumerate(sides):
        rest = [] if waiting[side] is None else [waiting[side]]
        for records in (*rest, *pieces):
            assert records is not None
            alone = (records, Records.from_lists([]))
            yield alone if side == 0 else alone[::-1]


def rows_of(records: Records, first: int, last: int) -> Records:
    """Some consecutive rows, without their ids."""
    if (first, last) == (0, len(records)):
        return records
    offsets = records.offsets[first : last + 1]
    items = records.items[offsets[0] : offsets[-1]]
    return replace(records, offsets=offsets - offsets[0], items=items, record_ids=None, index=None)
