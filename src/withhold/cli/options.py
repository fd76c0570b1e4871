"""The verbs' own options: their help texts by name, and the groups that several verbs share.

A parameter of a verb is an option of its name, type and default. One whose type is a group (a dataclass)
stands for the options that are its fields, and ``given`` for the options of every method.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer

from withhold.cli.completing import VALUES, completed
from withhold.cli.policy import load_policy
from withhold.formats.forms import FORMATS

HELP = {
    "data": "The file to read; - for standard input.",
    "anonymize.data": "The file to read; - for standard input; or a folder or a pattern of files "
    "('shop/*.parquet').",
    "format": f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}; detected if not given.",
    "separator": "Separator between the items of a basket file.",
    "record_column": "Column that names the record (long files).",
    "item_column": "Column that holds the item or items.",
    "encoding": "Encoding of DATA, such as cp1252 or utf-16; detected if not given.",
    "sheet": "Sheet of a spreadsheet: its name, or its number from 1.",
    "decimal": "comma, if the numbers of a table are written as 1.234,5; else point.",
    "safe_csv": "Whether the release was written with --safe-csv; if not given, both readings must agree.",
    "anonymize.safe_csv": "Quote CSV cells that a spreadsheet would run as formulas.",
    "tidy": "One spelling for values that differ in case, spaces or punctuation only: COLUMN=case,spaces. "
    "May be repeated.",
    "consent": "Who agreed: a file of record ids or row numbers, or a 0/1 column; others are left out.",
    "skip_missing_ids": "Leave out rows without a record id, and count them, instead of stopping.",
    "allow_unknown": "Accept lists, spellings and ids that look like mistakes.",
    "policy": "TOML file with these options as keys, or the internal manifest of a release.",
    "anonymize.output": "Where to publish (by parts: a folder); its extension chooses the format.",
    "sweep.output": "Folder for the table, the plot and a page. An interrupted sweep resumes there.",
    "force": "Replace an existing output that withhold wrote and nobody changed.",
    "demo.force": "Replace the files of an earlier demo.",
    "hierarchy suggest.force": "Replace an existing hierarchy, but no other file.",
    "sweep.force": "Start again, whatever the folder holds.",
    "engine": "memory (default for a file), stream (default for folders: part by part) or dask (on a "
    "cluster).",
    "part_records": "About how many records are read, searched and proved together (default: a "
    "million under rho, else 250,000).",
    "workers": "Processes that work on the parts (default 1).",
    "scheduler": "Address of a Dask scheduler, tcp://HOST:PORT; a local cluster if not given.",
    "resume": "Go on with an interrupted release by parts.",
    "report": "Also write a report, OUTPUT.report.html.",
    "edition": "Edition of the report: internal (default), or external (without items).",
    "ids": "Record ids in the release: renumber (from 1), or keep (may identify people).",
    "seed": "Random seed.",
    "anonymize.seed": "Random seed; drawn from the system if not given. Noted in OUTPUT.internal.json, "
    "never in what is published.",
    "sweep.seed": "Random seed of all points; drawn from the system if not given, and kept in the folder.",
    "jobs": "Threads; all cores if not given.",
    "advise.limit_seconds": "Seconds after which nothing more is measured.",
    "advise.sensitive": "Items that nobody should be able to infer; proposed from a list of health terms "
    "if not given.",
    "quasi_identifiers": "Of a table or people: columns that somebody may know; all if not given.",
    "drop": "[table, people] Columns to leave out, such as names.",
    "bin": "[table, people] Coarser values: age=5 (width), age=18,65 (edges), income=quantiles:10, "
    "born=year. May be repeated.",
    "limit_seconds": "Time limit in seconds; the verdict is then UNDECIDED.",
    "as_json": "Print one JSON object and nothing else.",
    "describe": "What codes mean: a file with a column of codes and one of descriptions, or CODE=DESCRIPTION "
    "(two columns of the data).",
    "quiet": "No progress and no notes.",
    "anonymize.quiet": "No progress and no notes; of the release only the verdict and the file.",
    "vary": "An option and its values, e.g. rho=0.3,0.5,0.7; several make a grid.",
    "min_support": "Minimum support of itemsets and rules, e.g. 20 or 0.05% (default: 0.05%, at least 5).",
    "min_confidence": "Minimum confidence of rules.",
    "verify.published": "The published file, or the folder of a release by parts.",
    "manifest": "Its manifest; PUBLISHED.manifest.json if not given.",
    "verify.original": "[personal-rho] File that the release was made from. Reading options apply to it.",
    "compare.original": "The original file.",
    "compare.published": "One or several releases of it.",
    "sensitive": "Items to count apart; if not given, those that a manifest names.",
    "compare.hierarchy": "The hierarchy by which releases were generalised: a file, prefix or fan-out:10.",
    "queries": "Random count queries to ask of the original and of each release.",
    "compare.seed": "Random seed of the queries.",
    "html": "Also write an HTML page.",
    "inspect.hierarchy": "Hierarchy to draw; with DATA, check that it has every item.",
    "column": "The column of the table.",
    "by": "How to build it: width:5, quantiles:8, edges:18,40,65, dates, prefix, prefix:1,3 or "
    "frequency:0.01; chosen by the values if not given.",
    "hierarchy suggest.separator": "The separator between the cells of a CSV file.",
    "hierarchy suggest.output": "Also write it to this file, as ARX's CSV.",
    "people": "DATA has persons with attributes and items.",
    "items": "[people] The items of the persons in the original, one per row: FILE or NAME=FILE, may be "
    "repeated. If not given: as in the internal manifest.",
    "advise.items": "The persons' items, one per row: FILE or NAME=FILE. May be repeated.",
    "inspect.items": "The persons' items, one per row: FILE or NAME=FILE. May be repeated.",
    "person_column": "[people] Column with the persons' ids, if named otherwise in the items.",
    "dates": "[people] How dates of items were published: month, year, decade or 5y. If not given: as in "
    "the internal manifest.",
    "advise.dates": "Publish dates of items, as asthma@2015-2019: by month, year, decade or 5y.",
    "inspect.dates": "Show dates of items, as asthma@2015-2019: by month, year, decade or 5y.",
    "date_column": "[people] Column of the items that holds their dates.",
    "suggest_sensitive": "Print items that might be sensitive (health terms, ICD-10 codes), one per line; a "
    "proposal, never applied.",
    "top": "How many of the most frequent items to show.",
    "table": "DATA is a table with named columns, not records of items.",
    "baskets": "How many baskets to invent.",
    "demo.people": "A hospital's patients and their diagnoses instead of baskets.",
    "persons": "How many patients to invent.",
    "rho": "The largest confidence allowed.",
    "folder": "Where to put the example's files.",
    "topic": "Page to show, such as formats or tables; all pages if not given.",
    "page.file": "The file to begin with.",
    "page.folder": "Folder to work in; nothing else is read or written. Default: that of FILE, else the "
    "current one.",
    "port": "The port on this machine; a free one if not given.",
    "no_browser": "Only print the address.",
}
"""By the option's name, or by the verb's and its own where verbs differ."""
ARGUMENTS = (
    "data",
    "page.file",
    "topic",
    "verify.published",
    "compare.original",
    "compare.published",
    "hierarchy suggest.column",
)
"""The help texts of positional arguments."""
SPELT = {"as_json": ("--json",), "quiet": ("--quiet", "-q"), "output": ("--output", "-o")}
LEAST = {
    "port": 1,
    "seed": 0,
    "jobs": 1,
    "part_records": 1,
    "workers": 1,
    "limit_seconds": 0.0,
    "top": 1,
    "baskets": 1,
    "persons": 5,
    "queries": 1,
}
READING = ("format", "separator", "record_column", "item_column", "encoding", "sheet", "decimal")
"""How the bytes of a file are to be understood."""
OF_PEOPLE = ("items", "person_column", "dates", "date_column")
"""How the files of people are read."""
OF_RELEASES = READING[:4]
"""Options that can apply to a release, which is written in UTF-8 and is not a spreadsheet."""


@dataclass(frozen=True)
class Reading:
    """How a file is to be read; what is not given is detected."""

    format: str | None = None
    separator: str | None = None
    record_column: str | None = None
    item_column: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    decimal: str | None = None

    def reading(self) -> dict[str, Any]:
        """The given options, as ``read`` takes them."""
        named = {name: getattr(self, name) for name in READING}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True)
class Input(Reading):
    """How the data are to be read, and whose records are left out."""

    tidy: list[str] | None = None
    consent: str | None = None
    skip_missing_ids: bool = False


@dataclass(frozen=True)
class Kind:
    """Whether the data are records, a table or people, and for people, where their items are."""

    table: bool = False
    people: bool = False
    items: list[str] | None = None
    person_column: str | None = None
    dates: str | None = None
    date_column: str | None = None

    def of_people(self) -> dict[str, Any]:
        """The options that only people have."""
        return {name: getattr(self, name) for name in OF_PEOPLE}


@dataclass(frozen=True)
class Scale:
    """Whether data are released in memory or by parts, and who works on the parts."""

    engine: str | None = None
    part_records: int | None = None
    workers: int | None = None
    scheduler: str | None = None
    resume: bool = False


@dataclass(frozen=True)
class ReleaseInput(Reading):
    """How a release and its original are to be read."""

    safe_csv: bool | None = None
    tidy: list[str] | None = None
    consent: str | None = None
    skip_missing_ids: bool = False


@dataclass(frozen=True)
class CheckRun:
    """How a check is run."""

    jobs: int | None = None
    limit_seconds: float | None = None


@dataclass(frozen=True)
class Output:
    """How results are shown."""

    as_json: bool = False
    quiet: bool = False
    describe: str | None = None


def spread(
    verb: Callable[..., None], name: str, of_methods: Mapping[str, Any]
) -> tuple[list[inspect.Parameter], Callable[[dict[str, Any]], dict[str, Any]]]:
    """The options of a verb as typer takes them, and a function from their values to the verb's arguments."""
    hints = get_type_hints(verb)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    for parameter in inspect.signature(verb).parameters.values():
        kind: Any = hints[parameter.name]
        if parameter.name == "given":
            groups["given"] = _only_given, list(of_methods)
            parameters += [
                parameter.replace(name=each, default=None, annotation=hint)
                for each, hint in of_methods.items()
            ]
        elif is_dataclass(kind):
            groups[parameter.name] = kind, [each.name for each in fields(kind)]  # type: ignore[assignment]
            of_group = get_type_hints(kind)
            parameters += [
                _declared(name, parameter.replace(name=each.name, default=each.default), of_group)
                for each in fields(kind)
            ]
        else:
            parameters.append(_declared(name, parameter, hints))

    def collect(values: dict[str, Any]) -> dict[str, Any]:
        rest = dict(values)
        made = {
            group: make(**{each: rest.pop(each) for each in names})
            for group, (make, names) in groups.items()
        }
        return rest | made

    return parameters, collect


def _declared(
    verb: str, parameter: inspect.Parameter, hints: Mapping[str, Any]
) -> inspect.Parameter:
    """The parameter as typer needs it."""
    name, kind = parameter.name, hints[parameter.name]
    if kind is typer.Context:
        return parameter.replace(annotation=kind)
    own = f"{verb}.{name}"
    info_options: dict[str, Any] = {"help": HELP.get(own) or HELP[name], "min": LEAST.get(name)}
    if parameter.default in (None, parameter.empty):
        info_options["show_default"] = False
    if name in VALUES:
        info_options["autocompletion"] = completed(VALUES[name])
    if name == "policy":
        info_options |= {"callback": load_policy, "is_eager": True}
    if own in ARGUMENTS or name in ARGUMENTS:
        info = typer.Argument(metavar=name.upper(), **info_options)
    else:
        switch = (f"--{name.replace('_', '-')}",) if kind is bool else ()
        info = typer.Option(*SPELT.get(name, switch), **info_options)
    return parameter.replace(annotation=Annotated[kind, info])


def _only_given(**typed: Any) -> dict[str, Any]:
    return {name: value for name, value in typed.items() if value not in (None, [])}
