"""The folder of a release by parts: its parts under their names, and a manifest that is written last.

Without ``manifest.json`` there is no release. ``parts.jsonl`` says which parts are proved, a line each, so
that a run that was killed can go on; it and ``internal.json`` stay with the custodian.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withhold.atomic.steps import append
from withhold.errors import InputError, OutputError, PolicyError
from withhold.escaping import json_text
from withhold.measure.occurrences import Removal
from withhold.method import Model
from withhold.parts.making import Done
from withhold.publish.earlier import IS_RELEASED
from withhold.publish.manifest import WARNING, check_form, form_from, manifest_path
from withhold.publish.publishing import save_text
from withhold.registry import model_from
from withhold.seeds import given_or_drawn

MANIFEST, INTERNAL, STATE, REPORT = OURS = (
    *("manifest.json", "internal.json"),
    *("parts.jsonl", "report.html"),
)
OWN_MANIFEST, OWN_INTERNAL = ".manifest.json", ".internal.json"
"""What follows a part's name in those of its own manifests, if it promises something on its own."""
WORK = ".part-work"
"""The private folder of a table's release by parts, gone when the run ends."""
FORMAT = 1
CONSECUTIVE = "consecutive"
"""How records come to their parts: in their order, so that neither order nor bounds reveal anything."""
DEALT = f"{CONSECUTIVE}; within a part by public items, where it is searched in pieces"
"""The same if each part is searched on its own; it is written in the original order, too."""
BY_PARTS = (
    "proved by parts: every part keeps the promise on its own, so all of them together do, too"
)


@dataclass(frozen=True)
class Totals:
    """What a release by parts lost, summed over its parts."""

    records: int
    total: int
    removed: int
    sensitive: int
    removed_sensitive: int
    records_emptied: int
    generalised: int

    @classmethod
    def of(cls, parts: Iterable[Done]) -> Totals:
        """The sums."""
        made = list(parts)
        removed = sum(part.removed for part in made)
        return cls(
            sum(part.records for part in made),
            sum(part.occurrences for part in made) + removed,
            removed,
            sum(part.sensitive for part in made),
            sum(part.removed_sensitive for part in made),
            sum(part.records_emptied for part in made),
            sum(part.generalised for part in made),
        )

    @property
    def share(self) -> float:
        """The share of all occurrences that was withheld."""
        return Removal(self.total, self.removed).share

    @property
    def sensitive_share(self) -> float:
        """The share of the sensitive occurrences that was withheld."""
        return Removal(self.sensitive, self.removed_sensitive).share

    def as_dict(self) -> dict[str, Any]:
        """The sums and shares as plain values."""
        return {**vars(self), "share": self.share, "sensitive_share": self.sensitive_share}


def released_inputs(files: Iterable[Path]) -> tuple[str, ...]:
    """A warning if a file that is read is a release, or a part of one."""
    for path in files:
        is_part = path.name.startswith("part-") and path.with_name(MANIFEST).is_file()
        if is_part or manifest_path(path).is_file():
            return (f"{path} {IS_RELEASED}",)
    return ()


def part_name(number: int, n_parts: int, extension: str) -> str:
    """The file of a part.

    >>> part_name(6, 120, ".dat")
    'part-0007.dat'
    """
    return f"part-{number + 1:0{max(len(str(n_parts)), 4)}}{extension}"


def begin(
    folder: Path, inputs: Sequence[Path], seed: int | None, *, force: bool, resume: bool
) -> tuple[int, dict[str, Done]]:
    """Make the folder, and find in it what an earlier run proved; refuse one that holds anything else.

    Returns the seed (the one given, else that of the run that is resumed, else a new one) and the parts by
    their keys.
    """
    if any(_is_inside(path, folder) for path in inputs):
        raise PolicyError(f"{folder} holds the input itself; choose another folder")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputError(f"{folder} is not a folder; name one, which may be new")
    try:
        folder.mkdir(parents=False, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror}") from error
    there = sorted(folder.iterdir())
    strange = [
        each
        for each in there
        if each.name not in OURS and not each.name.startswith(("part-", ".part-"))
    ]
    if strange:
        raise PolicyError(f"{folder} holds other files ({strange[0].name}); choose another folder")
    if there and not _is_own(folder):
        raise PolicyError(
            f"{folder} is not the folder of a release by parts, but holds files ({there[0].name}), which are "
            "never replaced; choose another folder"
        )
    if there and not (force or resume):
        raise PolicyError(
            f"{folder} is not empty; --resume goes on with what is there, --force replaces it"
        )
    remove_work(folder)
    earlier, known = _state(folder) if resume else (None, {})
    chosen = given_or_drawn(seed if seed is not None else earlier)
    # From here on there is no release until the new one is whole.
    for name in (MANIFEST, INTERNAL, REPORT):
        (folder / name).unlink(missing_ok=True)
    lines = [{"seed": chosen}, *(part.as_dict() for part in known.values())]
    text = "".join(json_text(line, indent=None) + "\n" for line in lines)
    save_text(folder / STATE, text, force=True)
    (folder / STATE).chmod(0o600)
    return chosen, known


def _is_own(folder: Path) -> bool:
    """Whether a release by parts was made here or begun; other programs write ``part-`` files, too."""
    try:
        record = json.loads((folder / MANIFEST).read_bytes())
        finished = isinstance(record, dict) and "parts_manifest" in record
    except (OSError, ValueError, RecursionError):
        finished = False
    return finished or (folder / WORK).exists() or _state(folder)[0] is not None


def remove_work(folder: Path) -> None:
    """Remove the work folder of this run, or of one that was killed: it holds what must not be published."""
    work = folder / WORK
    if work.is_symlink():
        raise OutputError(f"{work} is a link; remove it")
    shutil.rmtree(work, ignore_errors=True)
    if work.exists():
        raise OutputError(f"{work} holds original values and cannot be removed; remove it by hand")


def _state(folder: Path) -> tuple[int | None, dict[str, Done]]:
    """The seed of an earlier run, and the parts that it proved; a line that was cut off does not count."""
    path = folder / STATE
    seed, found = None, {}
    for line in (
        path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else ()
    ):
        try:
            values = json.loads(line)
            if set(values) == {"seed"}:
                seed = int(values["seed"])
            else:
                part = Done.from_dict(values)
                found[part.key] = part
        except (ValueError, TypeError, KeyError):
            continue
    return seed, found


def note(folder: Path, part: Done) -> None:
    """Remember a part that was proved."""
    append(folder / STATE, (json_text(part.as_dict(), indent=None) + "\n").encode())


def finish(
    folder: Path,
    parts: Sequence[Done],
    model: Model,
    internal: Mapping[str, Any],
    *,
    how: str = BY_PARTS,
    output: Mapping[str, Any] | None = None,
) -> Totals:
    """Remove what belongs to no part, then write the manifest: the moment at which there is a release.

    ``how`` says how all parts were proved; ``output`` how they are read if they have no manifests.
    """
    names = {part.name for part in parts}
    for path in folder.iterdir():
        base = path.name.removesuffix(OWN_MANIFEST).removesuffix(OWN_INTERNAL)
        if path.name.startswith("part-") and base not in names:
            path.unlink()
    totals = Totals.of(parts)
    kept = {"internal": FORMAT, "warning": WARNING, **internal, "loss": totals.as_dict()}
    save_text(folder / INTERNAL, json_text(kept) + "\n", force=True)
    (folder / INTERNAL).chmod(0o600)
    record = {
        "parts_manifest": FORMAT,
        "promise": model.promise(),
        "model": model.parameters(),
        "verdict": {"status": "HOLDS", "method": how},
        "records": totals.records,
        "dealt": DEALT if how == BY_PARTS else CONSECUTIVE,
        **({} if output is None else {"output": dict(output)}),
        "parts": [
            {
                "name": part.name,
                "sha256": part.sha256,
                "records": part.records,
                **({} if part.form is None else {"form": dict(part.form)}),
            }
            for part in parts
        ],
    }
    save_text(folder / MANIFEST, json_text(record) + "\n", force=True)
    return totals


@dataclass(frozen=True)
class Listed:
    """A part as the manifest of its folder lists it."""

    name: str
    sha256: str
    records: int
    form: Mapping[str, Any] | None = None
    """How it is read, if it has no manifest of its own."""


def read_folder(folder: Path) -> tuple[Model, list[Listed]]:
    """The model and the parts that a folder's manifest lists; none of it is taken on trust."""
    path = folder / MANIFEST
    remedy = "name a published file or the folder of a finished release; --resume finishes one"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["parts_manifest"] != FORMAT:
            raise InputError("is a manifest of another version", path=path, remedy=remedy)
        parts = [
            Listed(str(each["name"]), str(each["sha256"]), int(each["records"]), _form(each, path))
            for each in record["parts"]
        ]
        model = model_from(record["model"])
    except FileNotFoundError:
        raise InputError(
            "is a directory without manifest.json, so it is not a release",
            path=folder,
            remedy=remedy,
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path, remedy=remedy) from None
    except (ValueError, TypeError, LookupError, PolicyError, RecursionError) as error:
        raise InputError(
            f"is not the manifest of a release by parts ({error})", path=path, remedy=remedy
        ) from None
    names = [part.name for part in parts]
    odd = [name for name in names if Path(name).name != name or not name.startswith("part-")]
    if odd or len(set(names)) < len(names) or not names:
        raise InputError("lists parts that cannot be", path=path, value=str(odd), remedy=remedy)
    return model, parts


def _form(listed: Mapping[str, Any], path: Path) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = listed.get("form")
    if found is not None:
        check_form(found, "form", path)
    return found


def read_output(folder: Path) -> dict[str, Any]:
    """How the parts of a folder are read, as its manifest says for all of them."""
    path = folder / MANIFEST
    try:
        output = json.loads(path.read_text(encoding="utf-8"))["output"]
        form_from(output, path)
        return dict(output)
    except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        remedy = "copy or download the folder again"
        problem = f"does not say how its parts are read ({error})"
        raise InputError(problem, path=path, remedy=remedy) from None


def unlisted(folder: Path, parts: Iterable[Listed]) -> list[str]:
    """Files of the folder that look like parts and are not listed."""
    names = {part.name for part in parts}
    known = names | {name + end for name in names for end in (OWN_MANIFEST, OWN_INTERNAL)}
    return sorted(path.name for path in folder.iterdir() if path.name not in {*known, *OURS})


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except OSError:
        return False
