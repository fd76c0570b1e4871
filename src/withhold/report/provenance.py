"""The last sections of every report: how the release was made, by its manifests, and what is not promised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withhold.describing import described
from withhold.method import Method
from withhold.telling.sections import Listing, Paragraph, Section

ABOUT_FILES = (
    "name",
    "sha256",
    "format",
    "records",
    "rows",
    "persons",
    "occurrences",
    "without_consent",
)
COUNTS = ("records", "rows", "persons", "occurrences", "without_consent")
IDS = {"renumber": "records are renumbered", "keep": "the records' own, as in the original"}
LISTED = 40
"""How many entries of a long list are shown; the manifest has them all."""
EVERY_RELEASE = (
    (
        "One release for each table",
        "Two releases of the same people can be joined, and what one withholds the other "
        "may show. The same applies to the original in somebody else's hands.",
    ),
    (
        "One record for each person",
        "The promise counts records. Somebody who knows that several records belong to one person can "
        "put them together.",
    ),
    (
        "Knowing how the program works",
        "It withholds as little as it can, and that is public. Somebody who knows the seed, or how much was "
        "withheld, may work backwards from the release.",
    ),
    (
        "Other ways to infer",
        "Classifiers combine many weak hints, some people know what a person does not have, and "
        "some look for records that match in part. The promise is about none of these.",
    ),
    (
        "Not differential privacy",
        "No noise is added. One record more or less can change the release visibly.",
    ),
)
"""What no release promises, for the page that people sign; the long version is docs/promise.md."""


def limits_section(method: Method) -> Section:
    """What is not promised: first what is specific to the method."""
    rows = (*method.limits, *EVERY_RELEASE)
    listing = Listing("", ("what", "why"), rows, for_strangers=True)
    return Section("limits", "What is not promised", (listing,))


def provenance_section(
    manifest: Mapping[str, Any], internal: Mapping[str, Any] | None = None
) -> Section:
    """How the release was made; without the internal manifest nothing about the original."""
    output = _about(manifest["output"]) | {"record ids": IDS[manifest["ids"]]}
    # Of the model's parameters, strangers see only numbers: they contain no list of names.
    model = {name: value for name, value in manifest["model"].items() if _is_number(value)}
    tables = {"The model": {"model": manifest["model"]["model"]} | model, "The release": output}
    if internal is not None:
        seconds = {f"seconds to {step}": took for step, took in internal["seconds"].items()}
        tables = {
            "The model": manifest["model"] | internal["sample"],
            "The release": output,
            "The original": _about(internal["input"]),
            "The search": {**internal["options"], **seconds},
            "Versions": internal["versions"],
        }
    rows = {
        caption: tuple(
            (name.replace("_", " "), f"{value:,}" if name in COUNTS else _text(value))
            for name, value in values.items()
        )
        for caption, values in tables.items()
    }
    parts = (
        Listing(caption, ("", ""), each, for_strangers=internal is None)
        for caption, each in rows.items()
    )
    story = [] if internal is None else [Paragraph(_in_words(manifest, internal))]
    return Section("made", "How it was made", (*story, *parts))


def _in_words(manifest: Mapping[str, Any], internal: Mapping[str, Any]) -> str:
    """What was done, one step after the other."""
    original, release = internal["input"], manifest["output"]
    amount = next((f"{original[n]:,} {n}" for n in COUNTS if original.get(n) is not None), "data")
    left_out = original.get("without_consent")
    consent = f" {left_out:,} without consent were left out first." if left_out else ""
    name = original.get("name") or "memory"
    output = release["name"] or "the release"
    return (
        f"withhold {internal['versions']['withhold']} read {amount} from {name}.{consent} It looked for as "
        f"little as possible to withhold so that the promise holds (model {manifest['model']['model']}, seed "
        f"{internal['seed']}), wrote {output}, read it back, and proved the promise again from what it had "
        "read. Only then did the file get its name. With the same file, options and seed, everybody gets the "
        "same release."
    )


def _about(file: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: file[name] for name in ABOUT_FILES if file.get(name) not in (None, "")}
    items = {f"sha256 of {each['part']}": each["sha256"] for each in file.get("files", ())}
    return found | items


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value.replace(".", "", 1).replace("/", "", 1).isdigit()
    return isinstance(value, bool | int | float)


def _text(value: Any) -> str:
    if value is None or value in ("", [], (), {}):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        more = f" … and {len(value) - LISTED:,} more" if len(value) > LISTED else ""
        return ", ".join(described(str(entry)) for entry in value[:LISTED]) + more
    return str(value)
