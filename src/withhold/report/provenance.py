"""The section on how the release was made: parameters, files, options, versions. All from the manifests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withhold.telling.sections import Listing, Part, Section

ABOUT_FILES = ("name", "sha256", "format", "records", "rows", "occurrences", "without_consent")
COUNTS = ("records", "rows", "occurrences", "without_consent")
IDS = {"renumber": "records are numbered anew", "keep": "the records' own, as in the original"}
LISTED = 40
"""Of a long list so many entries are shown; the manifest has them all."""


def provenance_section(
    manifest: Mapping[str, Any], internal: Mapping[str, Any] | None = None
) -> Section:
    """How the release was made; without the internal manifest only what tells nothing about the original."""
    parts: list[Part] = []
    output = _only(manifest["output"], ABOUT_FILES) | {"record ids": IDS[manifest["ids"]]}
    if internal is not None:
        parts.append(_listing("The model", manifest["model"] | internal["sample"]))
        parts.append(_listing("The release", output))
        parts.append(_listing("The original", _only(internal["input"], ABOUT_FILES)))
        parts.append(_listing("The search", {**internal["options"], **_seconds(internal)}))
        parts.append(_listing("Versions", internal["versions"]))
    else:
        parts.append(_listing("The model", _numbers(manifest["model"]), for_strangers=True))
        parts.append(_listing("The release", output, for_strangers=True))
    return Section("made", "How it was made", tuple(parts))


def _only(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: values[name] for name in names if values.get(name) not in (None, "")}


def _seconds(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {f"seconds to {step}": seconds for step, seconds in manifest["seconds"].items()}


def _numbers(model: Mapping[str, Any]) -> dict[str, Any]:
    """The model's name and those of its parameters that are numbers: no list can hide in them."""
    return {
        name: value
        for name, value in model.items()
        if name == "model" or isinstance(value, bool | int | float) or _is_number(value)
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, str) and value.replace(".", "", 1).replace("/", "", 1).isdigit()


def _listing(caption: str, values: Mapping[str, Any], *, for_strangers: bool = False) -> Listing:
    rows = tuple(
        (name.replace("_", " "), f"{value:,}" if name in COUNTS else _text(value))
        for name, value in values.items()
    )
    return Listing(caption, ("", ""), rows, for_strangers=for_strangers)


def _text(value: Any) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        more = f" … and {len(value) - LISTED:,} more" if len(value) > LISTED else ""
        return ", ".join(str(entry) for entry in value[:LISTED]) + more
    return str(value)
