"""The job that reads a file for the page, in a process: ``python -m withhold.page.preparing REQUEST``.

In: a request as JSON: what to read, how, and where to lay it out. Out: what was found, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from withhold.errors import AssumedWarning, WithholdError, on_the_command_line
from withhold.page.notes import as_on_page
from withhold.page.words import WORDS

OF_TABLES = ("separator", "encoding", "sheet", "decimal", "tidy", "consent")
OF_RECORDS = ("format", "separator", "record_column", "item_column", "encoding", "sheet", "tidy")
OF_PEOPLE = (
    *("items", "record_column", "item_column", "person_column", "separator", "encoding", "sheet"),
    *("decimal", "tidy"),
)
OF_ORIGINAL = ("items", "person_column", "consent", "tidy")
SUGGESTED = 200
"""At most this many items are proposed as sensitive."""


def main(request: dict[str, Any]) -> dict[str, Any]:
    """Read, lay out, and tell."""
    into = Path(request["into"])
    if "published" in request:
        return _lay_out_release(request, into)
    path = Path(request["data"])
    with warnings.catch_warnings():
        # What would be assumed in other readings is not assumed in the one that is shown.
        warnings.simplefilter("ignore", AssumedWarning)
        kind = request["kind"] or guess_kind(path)
    with telling_assumptions(path.parent) as notes:
        data, found = _read(path, kind, request["reading"])
    from withhold.page.lookup import store

    items = data.items if kind == "people" else data
    if skipped := getattr(items, "skipped_rows", 0):
        words = WORDS["data.skipped.one" if skipped == 1 else "data.skipped.several"]
        notes.append(words.format(n=f"{skipped:,}"))
    about = found | {"kind": kind, "notes": [as_on_page(note) for note in notes]}
    store(data, into, about)
    return about


@contextmanager
def telling_assumptions(folder: Path) -> Iterator[list[str]]:
    """What is assumed about files in this block, each once; printed as notes if reading fails."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AssumedWarning)
        try:
            yield notes
        finally:
            said = [
                str(each.message) for each in caught if issubclass(each.category, AssumedWarning)
            ]
            notes += dict.fromkeys(f"{text.replace(f'{folder}{os.sep}', '')}." for text in said)
            if sys.exc_info()[0] is not None:
                print(*notes, sep="\n", end="\n" * bool(notes), file=sys.stderr)


def guess_kind(path: Path) -> str:
    """A table if it looks like one, else records; people are always said to be people."""
    from withhold.formats import read, read_table

    try:
        table = read_table(path)
    except WithholdError:
        return "records"
    if len(table.names) < 3:
        return "records"
    try:
        records = read(path)
    except WithholdError:
        return "table"
    form = records.source.format if records.source is not None else ""
    # Comma separated lines are baskets to some and a table to others: a table has a few values a column.
    return "table" if form == "basket" and len(table) > len(table.names) else "records"


def _read(path: Path, kind: str, reading: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The data, and what their profile says."""
    from withhold.data.profile import profile, profile_people, profile_table
    from withhold.formats import read, read_people, read_table
    from withhold.report.json import (
        people_profile_as_dict,
        profile_as_dict,
        table_profile_as_dict,
    )

    chosen = {name.replace("-", "_"): value for name, value in reading.items()}
    more: dict[str, Any] = {"skip_missing_ids": True} if chosen.get("skip_missing_ids") else {}
    if kind == "table":
        table = read_table(path, **{name: chosen[name] for name in OF_TABLES if name in chosen})
        return table, {"profile": table_profile_as_dict(profile_table(table)), "suggested": []}
    if kind == "people":
        of_people = {name: chosen[name] for name in OF_PEOPLE if name in chosen}
        people = read_people(path, allow_unknown=True, **of_people, **more)
        both = people_profile_as_dict(profile_people(people))
        return people, {"profile": both, "suggested": _suggested(people.items)}
    records = read(path, **{name: chosen[name] for name in OF_RECORDS if name in chosen}, **more)
    return records, {"profile": profile_as_dict(profile(records)), "suggested": _suggested(records)}


def _suggested(records: Any) -> list[dict[str, Any]]:
    from withhold.data.suggesting import suggest_sensitive

    return [each.as_dict() for each in suggest_sensitive(records)[:SUGGESTED]]


def _lay_out_release(request: dict[str, Any], into: Path) -> dict[str, Any]:
    """A release and its original, prepared as it was then, row by row."""
    from withhold.candidates import candidate, with_originals
    from withhold.page.lookup import store, store_changes

    chosen = {name.replace("-", "_"): value for name, value in request["reading"].items()}
    if request["kind"] != "records":
        chosen.pop("format", None)
    # What is said of the other files of people, and of consent, is about the original alone.
    of_original = {name: chosen.pop(name) for name in OF_ORIGINAL if name in chosen}
    with telling_assumptions(Path(request["data"]).parent):
        release = candidate(Path(request["published"]), reading=dict(chosen))
        (release,) = with_originals(request["data"], [release], **chosen, **of_original)
    store(release.original, into / "before", {})
    store(release.data, into / "after", {})
    store_changes(into / "before", into / "after")
    return {"rows": len(release.original)}


if __name__ == "__main__":
    try:
        with on_the_command_line():
            print(json.dumps(main(json.loads(sys.argv[1]))))
    except WithholdError as error:
        for line in error.lines:
            print(line, file=sys.stderr)
        sys.exit(error.exit_code)
