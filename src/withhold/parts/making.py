"""One part: read a slice, withhold, write a draft, read it back, prove, rename. Knows no engine.

What it takes and returns can be sent to another process or machine, where the same job gives the same bytes.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import withhold
from withhold import pipeline
from withhold.atomic.files import sha256_of
from withhold.by_parts import Choice, Settled
from withhold.data import Hierarchy, Records, Source
from withhold.data.identifying_items import FEWEST_OF_PART
from withhold.data.variants import related
from withhold.errors import InternalError, WithholdError
from withhold.escaping import json_text
from withhold.formats import read_opened
from withhold.formats.slices import Piece, how_to_read, open_slice
from withhold.given import check_items
from withhold.method import Model
from withhold.parts.failures import Failed, attempt
from withhold.publish.identifiers import KEEP
from withhold.publish.manifest import form_as_dict
from withhold.publish.publishing import publish, write_checked
from withhold.publish.recheck import verify_file
from withhold.publish.replacing import whatever_it_is
from withhold.registry import method_of, search_call
from withhold.release import AnyRelease


@dataclass(frozen=True)
class Job:
    """What makes a part."""

    number: int
    piece: Piece
    form: Source
    """Of the files that are read."""
    target: Path
    model: Model
    options: Mapping[str, Any]
    """How to withhold."""
    seed: int
    """Of the whole release; each part draws on its own."""
    ids: str
    threads: int | None = None
    known: Mapping[str, Done] | None = None
    """Parts that an earlier run proved, by their keys."""
    choice: Choice | None = None
    """What was chosen for all parts; None: each part is searched and proved on its own."""
    settled: Settled | None = None
    """What is the same in all parts, though each is searched and proved on its own."""

    @property
    def own_options(self) -> dict[str, Any]:
        """How this part is searched."""
        return {**self.options, **({} if self.settled is None else self.settled.options)}

    @property
    def promised(self) -> Model:
        """What the part keeps."""
        return self.model if self.settled is None else self.settled.model


@dataclass(frozen=True)
class Done:
    """A part that was proved and has its name."""

    number: int
    name: str
    key: str
    """A digest of all that determines the part."""
    sha256: str
    records: int
    occurrences: int
    """How many were published."""
    removed: int
    sensitive: int
    removed_sensitive: int
    records_emptied: int
    found: tuple[str, ...]
    """The listed items that occur in the slice, and what was probably meant by others."""
    checked: int
    seconds: float = 0.0
    """From reading to renaming; of a resumed part, to prove it again."""
    resumed: bool = False
    generalised: int = 0
    """Occurrences that were published as something more general."""
    form: Mapping[str, Any] | None = None
    """How the file is read, if the part has no manifest of its own."""
    pieces: int = 1
    """In how many pieces it was searched; its records were dealt to them by public items."""

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Done:
        """The part whose ``as_dict`` this is."""
        return cls(**{**values, "found": tuple(values["found"])})

    def as_dict(self) -> dict[str, Any]:
        """The part as plain values."""
        return asdict(replace(self, resumed=False)) | {"found": list(self.found)}


def make_part(job: Job) -> Done | Failed:
    """Make one part, or find that an earlier run did; errors that users can fix are returned, not raised."""
    began = time.perf_counter()
    made = attempt(job.number, job.piece, lambda: _make(job))
    return replace(made, seconds=time.perf_counter() - began)


def _make(job: Job) -> Done:
    opened = open_slice(job.piece, job.form)
    key = _key(job, opened.digest.hexdigest())
    known = (job.known or {}).get(key)
    if known is not None and _still_holds(job, known):
        return replace(known, resumed=True)
    original = _named_apart(read_opened(opened, **how_to_read(job.form)), job)
    named = search_call(job.model, job.options)[0].publish
    check_items(original, job.model, named, fewest=FEWEST_OF_PART)
    if job.choice is not None:
        return _write_chosen(job, key, original, job.choice)
    settled = job.settled
    before = original if settled is None else settled.choice.apply_to(original)
    # An item that is not in this part may be in another; that is checked for the whole release.
    release: AnyRelease = pipeline.draft(
        before,
        job.model,
        **job.own_options,
        ids=KEEP,
        seed=part_seed(job.seed, job.number),
        allow_unknown=True,
        items_checked=True,
        jobs=job.threads,
    )
    if settled is not None:
        if settled.final and release.loss.removed:
            raise InternalError(f"{job.piece} loses more than what was settled for all parts")
        release = _as_settled(release, original, settled)
    # The records have their new ids already, which no other part has.
    release = replace(release, ids=job.ids)
    published = publish(release, job.target, force=True, jobs=job.threads, is_own=whatever_it_is)
    loss: Any = release.loss
    listed = release.protected
    return Done(
        job.number,
        job.target.name,
        key,
        published.sha256,
        len(original),
        original.n_occurrences - loss.removed,
        loss.removed,
        *_of_sensitive(loss),
        _emptied(original, release.data),
        tuple(related(listed, original.occurring)),
        published.verdict.checked,
        generalised=getattr(loss, "generalised", 0),
        pieces=_pieces(release),
    )


def _as_settled(release: AnyRelease, original: Records, settled: Settled) -> AnyRelease:
    """The release as one of the original, before anything was settled for all parts."""
    model = settled.model
    loss = method_of(model).loss(original, release.data, model, release.protected, release.plan)
    return replace(release, original=original, model=model, loss=loss)


def _pieces(release: AnyRelease) -> int:
    """In how many pieces a part was searched."""
    pieces = release.options.get("parts")
    return pieces if isinstance(pieces, int) else 1


def _of_sensitive(loss: Any) -> tuple[int, int]:
    """Sensitive occurrences, and how many of them went; 0 if the model has none."""
    return getattr(loss, "total_sensitive", 0), getattr(loss, "removed_sensitive", 0)


def _emptied(original: Records, published: Any) -> int:
    """Records that held something and hold nothing now."""
    return int(((original.lengths > 0) & (published.lengths == 0)).sum())


def _write_chosen(job: Job, key: str, original: Records, choice: Choice) -> Done:
    """Write what was chosen for all parts and read it back; it is proved when all parts are there."""
    began = time.perf_counter()
    chosen: Any = choice
    published = choice.apply_to(original)
    written = write_checked(published, job.target, original.source)
    loss: Any = method_of(job.model).loss(
        original, published, job.model, job.model.sensitive, chosen
    )
    return Done(
        job.number,
        job.target.name,
        key,
        written.sha256,
        len(original),
        original.n_occurrences - loss.removed,
        loss.removed,
        *_of_sensitive(loss),
        _emptied(original, published),
        tuple(related(job.model.sensitive, original.occurring)),
        0,
        time.perf_counter() - began,
        generalised=getattr(loss, "generalised", 0),
        form=form_as_dict(written),
    )


def _still_holds(job: Job, known: Done) -> bool:
    """Whether a part of an earlier run is as it was, and is proved again: others may have written there."""
    if not job.target.exists() or sha256_of(job.target) != known.sha256:
        return False
    if job.choice is not None:
        # All parts are counted again before anything is published.
        return known.form is not None
    try:
        found = verify_file(job.target, model=job.promised, allow_unknown=True, jobs=job.threads)
    except WithholdError:
        return False
    same = (len(found.table), found.verdict.checked) == (known.records, known.checked)
    return same and found.verdict.status.may_be_published


def part_seed(seed: int, number: int) -> int:
    """The seed of one part: others for other parts, and for other seeds of the whole.

    >>> part_seed(1, 0) == part_seed(1, 0), part_seed(1, 0) == part_seed(1, 1)
    (True, False)
    """
    digest = hashlib.sha256(f"{seed} {number}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def _key(job: Job, digest: str) -> str:
    """A digest of all that determines the bytes of the part, so that nothing stale has the same."""
    form = {name: str(value) for name, value in how_to_read(job.form).items()}
    # A hierarchy is part of the choice, which says what it is.
    given = {n: v for n, v in job.own_options.items() if not isinstance(v, Hierarchy)}
    options = {name: str(v) if isinstance(v, Path) else v for name, v in given.items()}
    made_of = [withhold.__version__, digest, form, job.model.parameters(), options]
    made_of.append(_digests(job.own_options))
    chosen = job.choice if job.settled is None else job.settled.choice
    choice = None if chosen is None else dict(chosen.as_dict())
    told = json_text([*made_of, choice, job.ids, job.seed, job.number, job.target.name])
    return hashlib.sha256(told.encode()).hexdigest()


def _digests(options: Mapping[str, Any]) -> dict[str, str]:
    """Of the files that options name, such as a hierarchy: another content makes another part."""
    named = {name: str(value) for name, value in options.items() if isinstance(value, str | Path)}
    return {name: sha256_of(Path(value)) for name, value in named.items() if Path(value).is_file()}


def _named_apart(records: Records, job: Job) -> Records:
    """The records with ids that no other part has, unless their own are kept."""
    if job.ids == KEEP or (records.record_ids is None and records.index is None):
        return records
    numbers = tuple(f"{job.number + 1}-{row}" for row in range(1, len(records) + 1))
    return replace(records, record_ids=numbers, index=None)
