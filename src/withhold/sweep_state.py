"""The points of a sweep that are finished, in a file: one line each, appended whole.

The first line says what the sweep is about. A sweep resumes only if that is the same: the data as it was
read, everything that does not vary, and the version. A last line that was cut off is dropped.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from withhold.atomic.steps import append
from withhold.data import Evidence, Hierarchy, People, Records, Table, cell_plan, plan
from withhold.errors import OutputError, PolicyError
from withhold.escaping import json_text
from withhold.method import Model
from withhold.publish.publishing import save_text
from withhold.seeds import given_or_drawn
from withhold.shown import Drawn
from withhold.telling.facts import Fact, MeasureRequest

FILE = "points.jsonl"
DIFFERENCES = {
    "version": "it was made by another version of withhold",
    "input": "the input is not the same",
    "varied": "it varies something else",
    "fixed": "the model or the options are not the same",
    "seed": "the seed is not the same",
    "measures": "min-support or min-confidence is not the same",
}
"""The keys of the first line, and what the error says if one differs."""
FINGERPRINTS: Mapping[str, Callable[[Any], str]] = {
    Records.kind: plan.fingerprint,
    Table.kind: cell_plan.fingerprint,
    People.kind: lambda people: (
        cell_plan.fingerprint(people.attributes) + plan.fingerprint(people.items)
    ),
}
AGAIN = "choose another folder, or --force to start again"
Plain = str | int | float | bool | None


@dataclass(frozen=True)
class Case:
    """One cell of the grid: the varied values, and the model and options that follow from them."""

    values: Mapping[str, Plain]
    model: Model
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Point:
    """One cell of the grid, measured."""

    values: Mapping[str, Plain]
    facts: tuple[Fact, ...]
    """None if the point is impossible."""
    plotted: tuple[str, ...]
    seconds: float
    """The time to find the release and to prove it."""
    problem: str | None = None
    """Why there is no release."""

    def fact(self, path: str) -> Fact | None:
        """The fact at a path, if there is one."""
        return next((fact for fact in self.facts if fact.path == path), None)


@dataclass(frozen=True)
class Sweep(Drawn):
    """The whole grid, in the order of the request."""

    varied: tuple[str, ...]
    points: tuple[Point, ...]
    warnings: tuple[str, ...] = ()
    """Warnings about listed names that are missing from the data."""

    def __repr__(self) -> str:
        """What was varied, and over how many points; ``to_frame()`` has the numbers."""
        return f"<Sweep varied={','.join(self.varied)} points={len(self.points):,}>"

    @property
    def plotted(self) -> tuple[str, ...]:
        """The paths of the facts to draw, the loss first."""
        return next((point.plotted for point in self.points if point.plotted), ())


class State:
    """The finished points, in memory and, if there is a folder, on disk."""

    def __init__(self, path: Path | None, points: dict[str, Point], seed: int) -> None:
        self._path, self._points = path, points
        self.seed = seed
        """The seed of every point: given, found in the folder, or drawn."""

    @classmethod
    def open(
        cls,
        folder: Path | None,
        data: Any,
        evidence: Evidence,
        first: Case,
        request: MeasureRequest,
        *,
        force: bool,
    ) -> State:
        """The points of this sweep that the folder has; a folder with another sweep is refused."""
        given = first.options.get("seed")
        seed = given_or_drawn(given)
        if folder is None:
            return cls(None, {}, seed)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder} cannot be made: {error.strerror}") from error
        path = folder / FILE
        about = _about(data, evidence, first, request, seed)
        is_new = _is_empty(path)
        if not is_new and _first(path) is None:
            raise PolicyError(f"{path} is not the start of a sweep; choose another folder")
        if force or is_new:
            save_text(path, json_text(about, indent=None) + "\n", force=True)
            return cls(path, {}, seed)
        return cls(path, *_read(path, about, any_seed=given is None))

    def point(self, values: Mapping[str, Any]) -> Point | None:
        """The point at these values, if it is finished."""
        return self._points.get(_key(values))

    def keep(self, point: Point) -> None:
        """Add a point; on disk it is written completely or not at all."""
        self._points[_key(point.values)] = point
        if self._path is None:
            return
        try:
            append(self._path, (json_text(asdict(point), indent=None) + "\n").encode())
        except OSError as error:
            raise OutputError(f"{self._path} cannot be written: {error.strerror}") from error


def _about(
    data: Any, evidence: Evidence, first: Case, request: MeasureRequest, seed: int
) -> dict[str, Any]:
    from withhold import __version__

    fixed = {**first.model.parameters(), **first.options}
    if evidence.constraints is not None:
        fixed["constraints"] = evidence.constraints.digest()
    return {
        "version": __version__,
        # Not the file's digest: what was dropped, binned or left out without consent matters, too.
        "input": FINGERPRINTS[data.kind](data),
        "varied": list(first.values),
        "fixed": {
            name: _described(value)
            for name, value in sorted(fixed.items())
            if name not in first.values and name != "seed"
        },
        "seed": seed,
        "measures": [request.min_support, request.min_confidence],
    }


def _described(value: Any) -> str:
    """The value as a text that differs for different values; trees and files by their content."""
    if isinstance(value, Mapping):
        return str({str(name): _described(each) for name, each in sorted(value.items())})
    if isinstance(value, Hierarchy):
        pairs = zip(value.names, value.parents, strict=True)
        content = "\n".join(f"{name}\t{code}" for name, code in pairs).encode(
            "utf-8", "surrogatepass"
        )
    elif isinstance(value, str | os.PathLike) and os.path.isfile(value):
        content = Path(value).read_bytes()
    else:
        return str(value)
    return hashlib.sha256(content).hexdigest()


def has_sweep(folder: Path) -> bool:
    """Whether a sweep was begun in this folder; ``State.open`` refuses what only looks so."""
    return not _is_empty(folder / FILE)


def _is_empty(path: Path) -> bool:
    return not path.exists() or not path.stat().st_size


def _first(path: Path) -> dict[str, Any] | None:
    """What the file says its points are about; None if it is not the file of a sweep."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.readline())
    except ValueError:
        return None
    return found if isinstance(found, dict) and "varied" in found else None


def _read(path: Path, about: Mapping[str, Any], *, any_seed: bool) -> tuple[dict[str, Point], int]:
    """The points of a sweep, and its seed; one that is about something else is refused."""
    lines = path.read_text(encoding="utf-8").split("\n")
    there = json.loads(lines[0])
    for name, difference in DIFFERENCES.items():
        if there.get(name) != about[name] and not (name == "seed" and any_seed and "seed" in there):
            raise PolicyError(f"{path.parent} holds another sweep: {difference}; {AGAIN}")
    points = {}
    for line in lines[1:-1]:  # what follows the last line end was cut off
        values = json.loads(line)
        values["facts"] = tuple(Fact(**fact) for fact in values["facts"])
        values["plotted"] = tuple(values["plotted"])
        points[_key(values["values"])] = Point(**values)
    if lines[-1]:
        save_text(path, "\n".join(lines[:-1]) + "\n", force=True)
    return points, there["seed"]


def _key(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True)
