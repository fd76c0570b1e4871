"""Every verb with every model, every kind of input and every way out, in Python and on the command line.

The same data come in by every door, so every door must lead to the same audit, release, loss and file. A new
model, input or output joins by one entry in ``MODELS``, ``INPUTS`` or ``OUTPUTS``.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import asking
import withhold as wh
from tables import example_share
from typed import run
from withhold import sweeping
from withhold.advising import candidates, persons
from withhold.formats import FORMATS, write
from withhold.formats.forms import TRAITS
from withhold.parts.reporting import report_parts
from withhold.publish.recheck import verify_file
from withhold.registry import ROOMS as KNOWN_MODELS
from withhold.registry import method_of, search_call
from withhold.report import figures
from withhold.report.html import report_html
from withhold.report.json import audit_as_dict, release_as_dict

RECORDS, TABLE, PEOPLE = "records", "table", "people"
ROWS = [
    ["E10", "I10", "J45"],
    ["E10", "E11", "J45"],
    ["E11", "I10"],
    ["E10", "I10", "J45"],
    ["J45", "I25"],
    ["E11", "I25", "J44"],
    ["E11", "I10", "J44"],
    ["E10", "J45"],
    ["I10", "J44"],
    ["E11", "I25"],
]
TREE = "".join(f"{item};{item[0]};*\n" for item in sorted({i for row in ROWS for i in row}))
CONSTRAINTS = {0: ["J45"], 1: ["E10", "J45"], 5: ["J44"]}
SURVEY = {
    "age": [30, 30, 31, 31, 40, 40, 41, 41, 30, 40],
    "city": list("ababababbb"),
    "sick": ["flu", "cold", "flu", "flu", "cold", "flu", "cold", "cold", "flu", "cold"],
}
QUASI = ["age", "city"]
SEED = 3


@dataclass(frozen=True)
class Model:
    """One model as Python and the command line ask for it."""

    name: str
    data: str
    make: Callable[[Any], Any]
    """From the data as they were read, since constraints name their rows."""
    typed: tuple[str, ...]
    vary: tuple[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    search: tuple[str, ...] = ()
    to_verify: tuple[str, ...] = ()
    """What the command line needs to prove the file again, beside the file."""
    outcome: str = "HOLDS"
    known: dict[str, Any] = field(default_factory=dict)
    """What an audit must be told, too."""


def personal(**more: Any) -> Callable[[Any], Any]:
    return lambda table: asking.personal("0.4", wh.Constraints.of(CONSTRAINTS, table), **more)


PERSONAL = ("--model", "personal-rho", "--rho", "0.4", "--constraints", "wishes.csv")
SAMPLED = {"epsilon": "0.2", "delta": "0.2", "max_known": 2}
TYPED_SAMPLED = ("--epsilon", "0.2", "--delta", "0.2", "--max-known", "2")
K_ANONYMITY = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", ",".join(QUASI))
PERSONS = ("--model", "people", "--k", "2", "--quasi-identifiers", ",".join(QUASI))
BUCKETS = ("--model", "buckets", "--k", "2")
RHO = Model(
    "rho",
    RECORDS,
    lambda _: wh.RhoUncertainty("0.4", ["J45", "J44"]),
    ("--rho", "0.4", "--sensitive", "J45,J44"),
    ("rho", "0.4"),
)
ALIKE = Model("k-anonymity", TABLE, lambda _: wh.KAnonymity(2, QUASI), K_ANONYMITY, ("k", 2))
DIVERSE = Model(
    "k-anonymity with l",
    TABLE,
    lambda _: wh.KAnonymity(2, QUASI, label="sick", l=2),
    (*K_ANONYMITY, "--label", "sick", "--l", "2"),
    ("k", 2),
)
MODELS = [
    RHO,
    Model(
        "rho keeping counts",
        RECORDS,
        lambda _: wh.RhoUncertainty("0.5", ["J45", "J44"]),
        ("--rho", "0.5", "--sensitive", "J45,J44"),
        ("rho", "0.5"),
        {"keep": "counts"},
        ("--keep", "counts"),
    ),
    replace(
        RHO,
        name="rho with groups",
        options={"hierarchy": "tree.csv", "cut": "1"},
        search=("--hierarchy", "tree.csv", "--cut", "1"),
    ),
    replace(
        RHO,
        name="rho keeping sensitive items, polished",
        options={"keep": "sensitive", "polish_moves": 50},
        search=("--keep", "sensitive", "--polish-moves", "50"),
    ),
    Model(
        "personal-rho",
        RECORDS,
        personal(),
        PERSONAL,
        ("rho", "0.4"),
        to_verify=("--constraints", "wishes.csv"),
    ),
    Model(
        "personal-rho sampled",
        RECORDS,
        personal(**SAMPLED),
        (*PERSONAL, *TYPED_SAMPLED),
        ("rho", "0.4"),
        to_verify=("--constraints", "wishes.csv"),
        outcome="CONFIRMED",
    ),
    Model(
        "coherence",
        RECORDS,
        lambda _: wh.Coherence("0.6", 2, 2, ["J45", "J44"]),
        ("--model", "coherence", "--h", "0.6", "--k", "2", "--p", "2", "--private", "J45,J44"),
        ("k", 2),
    ),
    Model(
        "km",
        RECORDS,
        lambda _: wh.KmAnonymity(2, 2),
        ("--model", "km", "--k", "2", "--m", "2"),
        ("k", 2),
    ),
    Model(
        "km with groups",
        RECORDS,
        lambda _: wh.KmAnonymity(3, 2),
        ("--model", "km", "--k", "3", "--m", "2"),
        ("k", 3),
        {"hierarchy": "tree.csv"},
        ("--hierarchy", "tree.csv"),
    ),
    ALIKE,
    DIVERSE,
    Model(
        "k-anonymity of several sensitive columns",
        TABLE,
        lambda _: wh.KAnonymity(
            2,
            ["city"],
            l="entropy:1.5",
            t="0.02",
            beta=2,
            sensitive_column=["sick", "age"],
            ordered=["age"],
        ),
        (
            *("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "city"),
            *("--l", "entropy:1.5", "--t", "0.02", "--beta", "2"),
            *("--sensitive-column", "sick,age", "--ordered", "age"),
        ),
        ("t", "0.02"),
        {"publish": ["age"]},
        ("--publish", "age"),
    ),
    Model(
        "k-anonymity with wildcards",
        TABLE,
        lambda _: wh.KAnonymity(2, ["age", "city", "sick"], missing="wildcard"),
        (
            *("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "age,city,sick"),
            *("--missing", "wildcard"),
        ),
        ("missing", "wildcard"),
    ),
    replace(
        DIVERSE,
        name="k-anonymity, polished, with a raised bound",
        options={"polish_moves": 20, "bound_rounds": 5},
        search=("--polish-moves", "20", "--bound-rounds", "5"),
    ),
    replace(
        DIVERSE,
        name="k-anonymity in blocks",
        options={"block_rows": 4},
        search=("--block-rows", "4"),
    ),
    Model(
        "k-anonymity with presence",
        TABLE,
        lambda _: wh.KAnonymity(2, QUASI, presence="0.3,0.8"),
        (*K_ANONYMITY, "--presence", "0.3,0.8", "--population", "all.csv"),
        ("k", 2),
        {"population": "all.csv"},
        to_verify=("--population", "all.csv"),
        known={"population": "all.csv"},
    ),
    replace(
        ALIKE,
        name="k-anonymity with hierarchies",
        options={"hierarchy": "age=edges:31,41,city=frequency:0.5"},
        search=("--hierarchy", "age=edges:31,41,city=frequency:0.5"),
    ),
    replace(
        ALIKE,
        name="k-anonymity with ranges and sets",
        options={"cells": "sets"},
        search=("--cells", "sets"),
    ),
    Model(
        "people",
        PEOPLE,
        lambda _: wh.PeopleUncertainty(
            "0.4", ["J45", "J44"], k=2, quasi_identifiers=QUASI, max_known=1
        ),
        (*PERSONS, "--rho", "0.4", "--sensitive", "J45,J44", "--max-known", "1"),
        ("rho", "0.4"),
    ),
    Model(
        "people with km",
        PEOPLE,
        lambda _: wh.PeopleUncertainty(
            "0.4", ["J45", "J44"], k=2, quasi_identifiers=QUASI, max_known=1, km=2
        ),
        (*PERSONS, "--rho", "0.4", "--sensitive", "J45,J44", "--max-known", "1", "--km", "2"),
        ("rho", "0.4"),
    ),
    Model(
        "people with a sensitive column and hierarchies",
        PEOPLE,
        lambda _: wh.PeopleUncertainty(
            "0.6", ["J45"], k=2, quasi_identifiers=QUASI, sensitive_column=["sick"]
        ),
        (*PERSONS, "--rho", "0.6", "--sensitive", "J45,", "--sensitive-column", "sick"),
        ("rho", "0.6"),
        {"hierarchy": "age=edges:31,41"},
        ("--hierarchy", "age=edges:31,41"),
    ),
    Model(
        "buckets",
        RECORDS,
        lambda _: wh.Buckets(2),
        BUCKETS,
        ("k", 2),
        {"hierarchy": "tree.csv"},
        ("--hierarchy", "tree.csv"),
    ),
    Model(
        "buckets filled by hash",
        RECORDS,
        lambda _: wh.Buckets(2),
        BUCKETS,
        ("k", 2),
        {"hierarchy": "tree.csv", "fill": "hash"},
        ("--hierarchy", "tree.csv", "--fill", "hash"),
    ),
    Model(
        "apart",
        RECORDS,
        lambda _: wh.SensitiveApart("0.4", ["J45", "J44"]),
        ("--model", "apart", "--rho", "0.4", "--sensitive", "J45,J44"),
        ("rho", "0.4"),
    ),
    Model(
        "apart, of people",
        PEOPLE,
        lambda _: wh.PeopleApart("0.4", ["J45", "J44"], quasi_identifiers=QUASI),
        (
            *("--model", "apart", "--rho", "0.4", "--sensitive", "J45,J44"),
            *("--quasi-identifiers", ",".join(QUASI)),
        ),
        ("rho", "0.4"),
    ),
    Model(
        "apart, of people with a sensitive column",
        PEOPLE,
        lambda _: wh.PeopleApart(
            "0.6", ["J45"], quasi_identifiers=QUASI, sensitive_column=["sick"]
        ),
        (
            *("--model", "apart", "--rho", "0.6", "--sensitive", "J45,"),
            *("--quasi-identifiers", ",".join(QUASI), "--sensitive-column", "sick"),
        ),
        ("rho", "0.6"),
    ),
]


def long_frame(name: str = "r{:02}", start: int = 0) -> pl.DataFrame:
    pairs = [(name.format(n), item) for n, row in enumerate(ROWS, start) for item in row]
    return pl.DataFrame(pairs, schema=["record", "item"], orient="row")


def one_hot_frame() -> pl.DataFrame:
    items = sorted({item for row in ROWS for item in row})
    return pl.DataFrame({item: [int(item in row) for row in ROWS] for item in items})


def in_file(name: str, format: str) -> Callable[[], Path]:
    def make() -> Path:
        write(wh.Records.from_lists(ROWS), Path(name), format=format)
        return Path(name)

    return make


def table_file(name: str) -> Callable[[], Path]:
    def make() -> Path:
        frame, path = pl.DataFrame(SURVEY), Path(name)
        if name.endswith(".parquet"):
            frame.write_parquet(path)
        elif name.endswith(".jsonl"):
            frame.write_ndjson(path)
        else:
            text = frame.write_csv(separator="\t" if ".tsv" in name else ",")
            path.write_bytes(PACK[path.suffix](text.encode()))
        return path

    return make


def utf_16_file(frame: pl.DataFrame) -> Path:
    (path := Path("in.csv")).write_bytes(frame.write_csv().encode("utf-16"))
    return path


def excel_file(frame: pl.DataFrame) -> Path:
    frame.write_excel(path := Path("in.xlsx"))
    return path


class Stream:
    """What a database hands over: nothing but the protocol of Arrow."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


def with_items() -> pl.DataFrame:
    return pl.DataFrame(SURVEY).with_columns(items=pl.Series(ROWS))


def one_file_of_people(name: str) -> Callable[[], Path]:
    def make() -> Path:
        path, frame = Path(name), with_items()
        if name.endswith(".parquet"):
            frame.write_parquet(path)
        elif name.endswith(".jsonl"):
            frame.write_ndjson(path)
        else:
            frame.with_columns(pl.col("items").list.join(";")).write_csv(path)
        return path

    return make


def files_of_people(ending: str, *others: str) -> Callable[[], Path]:
    """A file of persons, and files of items beside it, in which ``APART`` finds them."""

    def make() -> Path:
        ids = [f"r{n:02}" for n in range(len(ROWS))]
        persons = pl.DataFrame({"record": ids, **SURVEY})
        for name, frame in {"persons": persons, **dict.fromkeys(others, long_frame())}.items():
            path = Path(f"{name}{ending}")
            if ending == ".parquet":
                frame.write_parquet(path)
            else:
                text = frame.write_csv(separator="\t" if ".tsv" in ending else ",")
                path.write_bytes(PACK[path.suffix](text.encode()))
        return Path(f"persons{ending}")

    return make


def people_in_memory() -> Any:
    texts = {name: [str(cell) for cell in cells] for name, cells in SURVEY.items()}
    return wh.People(wh.Table.from_columns(texts), wh.Records.from_lists(ROWS))


def dated_people() -> Any:
    """Some of them with dates: if all had them, nothing sensitive would be left to prove anything of."""
    dates = [[f"{item}@2019" for item in row] if n % 5 == 1 else [] for n, row in enumerate(ROWS)]
    rows = [[*row, *more] for row, more in zip(ROWS, dates, strict=True)]
    return replace(people_in_memory(), items=wh.Records.from_lists(rows))


def _gzip(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data)


def _zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.compress(data)


PACK = {".gz": _gzip, ".zst": _zstd, ".csv": bytes, ".tsv": bytes}
EXTENSION = {name: TRAITS[name].extensions[0] for name in FORMATS if TRAITS[name].extensions}
"""Of the formats that have one of their own."""
INPUTS: dict[str, dict[str, Callable[[], Any]]] = {
    RECORDS: {
        "basket file": in_file("in.dat", "basket"),
        "basket file with commas": in_file("in.csv", "basket"),
        "packed basket file": in_file("in.dat.gz", "basket"),
        "long file": in_file("in.csv", "long"),
        "long file with tabs, packed": in_file("in.tsv.zst", "long"),
        "long parquet file": in_file("long.parquet", "long"),
        "one-hot file": in_file("in.csv", "one-hot"),
        "one-hot parquet file": in_file("one-hot.parquet", "one-hot"),
        "list parquet file": in_file("list.parquet", "list"),
        **{f"{name} file": in_file(f"in{end}", name) for name, end in EXTENSION.items()},
        "long file in UTF-16": lambda: utf_16_file(long_frame("{}", 1)),
        "long file of Excel": lambda: excel_file(long_frame("{}", 1)),
        "Arrow stream": lambda: Stream(long_frame()),
        "lists": lambda: ROWS,
        "generator of sets": lambda: [frozenset(row) for row in ROWS],
        "polars": long_frame,
        "polars, lazy": lambda: long_frame().lazy(),
        "pandas": lambda: long_frame().to_pandas(),
        "pyarrow": lambda: long_frame().to_arrow(),
        "polars of lists": lambda: pl.DataFrame({"items": ROWS}),
        "pandas one-hot": lambda: one_hot_frame().to_pandas(),
        "Records": lambda: wh.Records.from_lists(ROWS),
    },
    TABLE: {
        "csv file": table_file("in.csv"),
        "tsv file": table_file("in.tsv"),
        "csv file, gzip": table_file("in.csv.gz"),
        "csv file, zstd": table_file("in.csv.zst"),
        "jsonl file": table_file("in.jsonl"),
        "parquet file": table_file("in.parquet"),
        "csv file in UTF-16": lambda: utf_16_file(pl.DataFrame(SURVEY)),
        "file of Excel": lambda: excel_file(pl.DataFrame(SURVEY)),
        "Arrow stream": lambda: Stream(pl.DataFrame(SURVEY)),
        "polars": lambda: pl.DataFrame(SURVEY),
        "polars, lazy": lambda: pl.LazyFrame(SURVEY),
        "pandas": lambda: pl.DataFrame(SURVEY).to_pandas(),
        "pyarrow": lambda: pl.DataFrame(SURVEY).to_arrow(),
        "dict of columns": lambda: wh.Table.from_columns(
            {name: [str(cell) for cell in cells] for name, cells in SURVEY.items()}
        ),
    },
}
INPUTS[PEOPLE] = {
    "csv file of each": files_of_people(".csv", "codes"),
    "csv file of each, gzip": files_of_people(".csv.gz", "codes"),
    "tsv file of each": files_of_people(".tsv", "codes"),
    "parquet file of each": files_of_people(".parquet", "codes"),
    "csv file with a column of items": one_file_of_people("in.csv"),
    "jsonl file": one_file_of_people("in.jsonl"),
    "parquet file": one_file_of_people("in.parquet"),
    "polars": with_items,
    "pandas": lambda: with_items().to_pandas(),
    "pyarrow": lambda: with_items().to_arrow(),
    "People": people_in_memory,
}
APART = {
    "csv file of each": "codes.csv",
    "csv file of each, gzip": "codes.csv.gz",
    "tsv file of each": "codes.tsv",
    "parquet file of each": "codes.parquet",
}
"""The file of items, where it is one of its own."""
OUTPUTS: dict[str, list[tuple[str, str | None]]] = {
    RECORDS: [
        ("out.dat", "basket"),
        ("out.csv", "basket"),
        ("out.dat.gz", "basket"),
        ("out.csv.zst", "long"),
        ("out.tsv", "long"),
        ("long.parquet", "long"),
        ("one-hot.csv", "one-hot"),
        ("one-hot.parquet", "one-hot"),
        ("list.parquet", "list"),
        *((f"out{end}", name) for name, end in EXTENSION.items()),
    ],
    TABLE: [
        (name, None)
        for name in ("out.csv", "out.tsv", "out.csv.gz", "out.csv.zst", "out.jsonl", "out.parquet")
    ],
}
OUTPUTS[PEOPLE] = OUTPUTS[TABLE]
EVERY = [
    pytest.param(model, name, id=f"{model.name}-{name}")
    for model in MODELS
    for name in INPUTS[model.data]
]
FILES = [cell for cell in EVERY if " file" in f" {cell.values[1]}" or "file " in cell.values[1]]
# Where tests take a share of their examples, so does the matrix of its cells.
ONE_IN = min(4, round(1 / example_share()))
WAYS_OUT = 3


def diagonal(model: Model, name: str, one_in: int) -> tuple[int, int]:
    """The number of the diagonal that the cell is on, divided by ``one_in``, and what remains.

    Every model and every input of a kind of data is on diagonals of which nothing remains.
    """
    models = [other for other in MODELS if other.data == model.data]
    at = models.index(model) + list(INPUTS[model.data]).index(name)
    return divmod(at, min(one_in, len(models)))


def share(cells: list[Any], one_in: int) -> list[Any]:
    """One in so many of the cells; every model and every input is in some."""
    return [cell for cell in cells if diagonal(*cell.values, one_in)[1] == 0]


def ways_out(model: Model, name: str, one_in: int = ONE_IN) -> list[tuple[str, str | None]]:
    """Some of the outputs, so that over one in so many of the cells every model meets every one."""
    ways, first = OUTPUTS[model.data], diagonal(model, name, one_in)[0]
    return [ways[(first + n * len(ways) // WAYS_OUT) % len(ways)] for n in range(WAYS_OUT)]


CROSS = share(EVERY, ONE_IN)
BY_PARTS = share(FILES, ONE_IN)
TYPED, SWEPT = share(FILES, max(3, ONE_IN)), share(EVERY, len(MODELS))


draw = figures._written
DRAWN: dict[str, str] = {}


def drawn_once(plot: Any, width: float, name: str) -> str:
    """The figure of this name, drawn the first time only: drawing takes longer than all the rest."""
    if plot.name not in DRAWN:
        DRAWN[plot.name] = draw(plot, width, name)
    return DRAWN[plot.name]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)
    monkeypatch.setattr(figures, "_written", drawn_once)
    (tmp_path / "tree.csv").write_text(TREE)
    pl.concat([pl.DataFrame(SURVEY)] * 2).write_csv(tmp_path / "all.csv")
    lines = [f"{row + 1},{item}" for row, items in CONSTRAINTS.items() for item in items]
    (tmp_path / "wishes.csv").write_text("\n".join(["record,item", *lines, ""]))
    return tmp_path


READ = {RECORDS: wh.read, TABLE: wh.read_table, PEOPLE: wh.read_people}
LISTS = {RECORDS: "lists", TABLE: "dict of columns", PEOPLE: "People"}
"""Plain values in memory."""


def read(data: Any, model: Model) -> Any:
    return READ[model.data](data)


def given(model: Model, name: str) -> Any:
    """The data as Python gets them: people in several files have to be read first."""
    data = INPUTS[model.data][name]()
    return wh.read_people(data, APART[name]) if name in APART else data


def cells(data: Any) -> list[Any]:
    """What is in the data, whatever they are called and whoever coded them."""
    if isinstance(data, wh.People):
        return [*data.attributes.rows(), *data.items.to_lists()]
    return data.rows() if isinstance(data, wh.Table) else data.to_lists()


@dataclass(frozen=True)
class Reference:
    """What everybody must find, from plain values in memory."""

    audit: Any
    release: Any
    loss: Any
    facts: Any


@cache
def _reference(number: int) -> Reference:
    model = MODELS[number]
    data = INPUTS[model.data][LISTS[model.data]]()
    table = read(data, model)
    asked = model.make(table)
    release = asking.anonymize(table, asked, seed=SEED, jobs=1, **model.options)
    found = (
        asking.audit(table, asked, seed=SEED, jobs=1, samples=50) if model.data != TABLE else None
    )
    if found is None:
        found = asking.audit(table, asked, seed=SEED, jobs=1, **model.known)
    return Reference(
        audit_of(found), cells(release.data), release.loss.as_dict(), facts_of(table, release)
    )


def reference(model: Model) -> Reference:
    return _reference(MODELS.index(model))


def audit_of(found: Any) -> dict[str, Any]:
    """An audit as JSON has it, but for how long it took and how far threads got before one broke it."""
    plain = json.loads(json.dumps(audit_as_dict(found)))
    plain["check"].pop("seconds")
    plain["check"].pop("checked")
    return {name: value for name, value in plain.items() if name != "seconds"}


def facts_of(original: Any, release: Any) -> dict[str, Any]:
    (compared,) = wh.compare(original, release, min_support=2, jobs=1).releases
    return {fact.path: pytest.approx(fact.value, nan_ok=True) for fact in compared.measured.facts}


def test_lists__hold_every_model_and_format():
    assert {model.make(wh.read(ROWS)).name for model in MODELS} == set(KNOWN_MODELS)
    made = {make().suffix and name for name, make in INPUTS[RECORDS].items() if "file" in name}
    assert len(made) == sum("file" in name for name in INPUTS[RECORDS])
    assert {format for _, format in OUTPUTS[RECORDS]} == set(FORMATS)
    assert {name.split()[0] for name in INPUTS[RECORDS] if "file" in name} >= set(FORMATS)


@pytest.mark.parametrize("one_in", [1, 2, 3, 4])
def test_ways_out__every_model_meets_every_one(one_in):
    met = {
        (model.name, way) for model, name in taken(one_in) for way in ways_out(model, name, one_in)
    }
    assert met == {(model.name, way) for model in MODELS for way in OUTPUTS[model.data]}


def test_ways_out__every_input_meets_every_one():
    met = {(model.data, name, way) for model, name in taken(1) for way in ways_out(model, name, 1)}
    assert met == {
        (data, name, way) for data in INPUTS for name in INPUTS[data] for way in OUTPUTS[data]
    }


def taken(one_in: int) -> list[tuple[Model, str]]:
    return [cell.values for cell in share(EVERY, one_in)]


@pytest.mark.parametrize(
    ("cells", "kept"), [(EVERY, CROSS), (FILES, BY_PARTS), (FILES, TYPED), (EVERY, SWEPT)]
)
def test_share__every_model_and_every_input_is_in_some_cell(cells, kept):
    assert {cell.values[0].name for cell in kept} == {model.name for model in MODELS}
    met = {(cell.values[0].data, cell.values[1]) for cell in kept}
    assert met == {(cell.values[0].data, cell.values[1]) for cell in cells}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_reference__is_a_real_case(model):
    expected = reference(model)
    assert expected.audit["verdict"] == "BROKEN", "there is something to withhold"
    assert expected.release != cells(read(INPUTS[model.data]["polars"](), model))


@pytest.mark.parametrize(("model", "name"), CROSS)
def test_python__every_input_leads_to_the_same_release(model, name):
    data, expected = given(model, name), reference(model)
    table = read(data, model)
    asked = model.make(table)
    samples = {"samples": 50} if model.data != TABLE else {}
    assert (
        audit_of(asking.audit(data, asked, seed=SEED, jobs=1, **samples, **model.known))
        == expected.audit
    )
    if hasattr(asked, "of"):
        asked = asked.of(table)
    assert asking.verify(data, asked, jobs=1).status is wh.Status.BROKEN
    release = asking.anonymize(data, asked, seed=SEED, jobs=1, **model.options)
    assert release.verdict.status.value == model.outcome
    assert cells(release.data) == expected.release
    assert release.loss.as_dict() == expected.loss
    assert asking.verify_release(release, jobs=1).status.value == model.outcome
    assert cells(wh.apply(release.plan, table)) == expected.release
    assert facts_of(data, release) == expected.facts


@pytest.mark.parametrize(("model", "name"), CROSS)
def test_python__every_way_out_is_the_same_release(model, name, folder):
    data, expected = given(model, name), reference(model)
    table = read(data, model)
    release = asking.anonymize(data, model.make(table), seed=SEED, jobs=1, **model.options)
    for file, format in ways_out(model, name):
        published = release.write(folder / f"way-{file}", format=format, jobs=1)
        again = verify_file(published.path, gather=lambda _: release.evidence, jobs=1)
        assert again.same_bytes, file
        assert again.verdict.status.value == model.outcome, file
        assert cells(again.table) == expected.release, file
        manifest = json.loads(published.manifest.read_text())
        assert manifest["model"]["model"] == release.model.name
        internal = json.loads(published.internal.read_text())
        assert internal["loss"] == json.loads(json.dumps(expected.loss))
        plain = json.loads(json.dumps(release_as_dict(release, published)))
        assert plain["verdict"] == manifest["verdict"]["status"] == model.outcome
        assert plain["loss"] == internal["loss"]
    for frame in (release.data.to_polars(), release.data.to_pandas(), release.data.to_arrow()):
        if model.data == PEOPLE:
            people = [tuple(row[-len(SURVEY) - 1 :]) for row in rows_of(frame)]
            rows = [tuple(map(_text, row[:-1])) for row in people]
            assert [*rows, *(list(row[-1]) for row in people)] == expected.release
        elif model.data == RECORDS:
            assert cells(wh.read(frame)) == expected.release
        else:
            back = [tuple(_text(cell) for cell in row) for row in rows_of(frame)]
            assert back == [tuple(_text(cell) for cell in row) for row in expected.release]


@pytest.mark.parametrize(
    ("model", "way"),
    [
        pytest.param(model, way, id=f"{model.name}-{way[0]}")
        for model in MODELS
        for way in OUTPUTS[PEOPLE]
        if model.data == PEOPLE
    ],
)
def test_python__dates_of_items_go_every_way(model, way):
    people, asked = dated_people(), model.make(None)
    release = asking.anonymize(people, asked, seed=SEED, jobs=1, **model.options)
    assert any("@2019" in name for name in release.data.vocabulary)
    assert wh.audit(release.data, asked, jobs=1, samples=50).verdict
    wh.compare(people, release)
    assert verify_file(release.write(way[0]).path).verdict


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    import narwhals as nw

    return nw.from_native(frame, eager_only=True).rows()


def _text(cell: Any) -> str | None:
    if pd.isna(cell):
        return None
    return str(int(cell)) if isinstance(cell, float) else str(cell)


@pytest.mark.parametrize(("model", "name"), SWEPT)
def test_python__sweep_and_sweep_on(model, name, folder, monkeypatch):
    data, expected = given(model, name), reference(model)
    asked = model.make(read(data, model))
    parameter, value = model.vary
    options = {"vary": {parameter: [value]}, "seed": SEED, "min_support": 2, **model.options}
    (alone,) = asking.sweep(data, asked, jobs=1, **options).points
    (kept,) = asking.sweep(data, asked, folder=folder / "sweep", jobs=1, **options).points
    assert {fact.path: fact.value for fact in alone.facts} == {
        fact.path: fact.value for fact in kept.facts
    }
    loss = expected.facts[alone.facts[0].path]
    assert alone.facts[0].value == loss

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("what is finished is not done again")

    monkeypatch.setattr(sweeping, "proved_draft", never)
    assert asking.sweep(data, asked, folder=folder / "sweep", jobs=1, **options).points == (kept,)


@pytest.mark.parametrize("edition", ["internal", "external"])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_python__report(model, edition, folder):
    expected = reference(model)
    data = INPUTS[model.data]["polars"]()
    asked = model.make(read(data, model))
    release = asking.anonymize(data, asked, seed=SEED, jobs=1, **model.options)
    name, format = OUTPUTS[model.data][0]
    published = release.write(name, format=format, report=True, edition=edition)
    page = published.report.read_text()
    assert page.startswith("<!doctype html>")
    assert page.count("</section>") == page.count("<section") > 1
    assert model.outcome in page
    content = release.report(edition=edition)
    assert {section.name for section in content.sections} <= {
        section.name for section in published.content.sections
    }
    assert model.outcome in report_html(content)
    assert release.loss.as_dict() == expected.loss


# The command line ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "name"), [each for each in BY_PARTS if each.values[0].data == RECORDS]
)
def test_command_line__by_parts_or_refused_with_a_reason(model, name, folder):
    asked = [INPUTS[RECORDS][name](), *model.typed, *model.search, "--seed", SEED, "-o", "parts"]
    made = run("anonymize", *asked, "--engine", "stream", "--part-records", 5, "--quiet")
    if made.exit_code == 0:
        # Of ten records all that is sensitive may have gone.
        proved = run("verify", "parts", "--allow-unknown")
        assert (proved.exit_code, "HOLDS" in proved.output) == (0, True), proved.output
        return
    told = " ".join(made.output.split())
    if name == "long file of Excel":
        assert (made.exit_code, "are read, not written" in told) in ((3, True), (2, False)), told
        return
    assert model.name not in ("rho", "km", "coherence", "buckets"), told
    assert (made.exit_code, "cannot be released by parts: " in told) == (2, True), told
    assert not Path("parts/manifest.json").exists()


@pytest.mark.parametrize(("model", "name"), TYPED)
def test_command_line__every_verb(model, name, folder):
    file, expected = INPUTS[model.data][name](), reference(model)
    items = ["--items", APART[name]] if name in APART else []
    typed = [*model.typed, *items, "--jobs", 1, "--quiet"]
    how = {TABLE: ["--table"], PEOPLE: ["--people"]}.get(model.data, [])
    seen = run("inspect", file, *how, *items, "--json")
    assert seen.exit_code == 0, seen.output
    told = json.loads(seen.stdout)
    told = told["persons"] if model.data == PEOPLE else told
    assert told["records" if model.data == RECORDS else "rows"] == 10

    samples = ["--samples", 50] if model.data != TABLE else []
    found = run("audit", file, *typed, *samples, "--seed", SEED, "--json")
    assert found.exit_code == 1, found.output
    told = json.loads(found.stdout)
    assert told.pop("seconds_waited")["all"] >= 0
    assert (told["verdict"], told["check"]["witness"]) == (
        "BROKEN",
        expected.audit["check"]["witness"],
    )
    # Warnings name options as they are typed.
    apart = dict.fromkeys(("check", "seconds", "model", "warnings"), 0)
    assert {**told, **apart} == {**expected.audit, **apart}

    suffix = "".join(file.suffixes).replace(".xlsx", ".csv")  # a spreadsheet is only read
    made = run(
        "anonymize", file, *typed, *model.search, "--seed", SEED, "-o", f"out{suffix}", "--json"
    )
    assert made.exit_code == 0, made.output
    released = json.loads(made.stdout)
    assert released["verdict"] == model.outcome
    assert released["loss"] == json.loads(json.dumps(expected.loss))

    original = ["--original", file] if "--constraints" in model.to_verify else []
    needs = [*original, *model.to_verify]
    proved = run("verify", f"out{suffix}", *needs, "--json")
    assert proved.exit_code == 0, proved.output
    assert json.loads(proved.stdout)["verdict"] == model.outcome

    has_tree = model.data == RECORDS and "hierarchy" in model.options
    tree = ["--hierarchy", "tree.csv"] if has_tree else []
    side = run("compare", file, f"out{suffix}", *tree, "--min-support", 2, "--json")
    assert side.exit_code == 0, side.output
    (column,) = json.loads(side.stdout)["releases"]
    assert column["facts"]

    parameter, value = model.vary
    kept = [*model.typed, *items]
    place = kept.index(f"--{parameter}")
    del kept[place : place + 2]
    command = ("sweep", file, *kept, *model.search, "--vary", f"{parameter}={value}")
    command = (*command, "--seed", SEED, "--min-support", 2, "-q", "--jobs", 1, "--json")
    swept = run(*command, "-o", "sweep")
    assert swept.exit_code == 0, swept.output
    alone = json.loads(run(*command).stdout)
    again = json.loads(run(*command, "-o", "sweep").stdout)
    whole = json.loads(swept.stdout)
    assert again == whole
    for sweeping_found in (alone, whole):
        for point in sweeping_found["points"]:
            point.pop("seconds")
    assert alone == whole


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
@pytest.mark.parametrize(
    "model", [each for each in MODELS if each.data == PEOPLE], ids=lambda model: model.name
)
def test_command_line__every_verb_with_dates(model, ending, folder, monkeypatch):
    monkeypatch.setattr(persons, "KNOWN_ITEMS", (1,))
    file = files_of_people(ending)()
    # Some of them with dates: if all had them, nothing sensitive would be left.
    rows = long_frame().with_columns(
        START=pl.when(pl.col("record").is_in(["r01", "r06"])).then(pl.lit("2019-03-01"))
    )
    if ending == ".parquet":
        rows.write_parquet("codes.parquet")
    else:
        rows.write_csv(f"codes{ending}", separator="\t" if ending == ".tsv" else ",")
    (folder / "meaning.csv").write_text("code,text\nJ45,Asthma\n")
    dates = ["--items", f"codes{ending}", "--dates", "decade", "--date-column", "START"]
    typed = [*model.typed, *dates, "--describe", "meaning.csv", "--jobs", 1, "--quiet"]
    told = "J45@2010-2019"
    seen = run("inspect", file, *dates, "--describe", "meaning.csv", "--top", 99)
    assert (seen.exit_code, f"Asthma ({told})" in seen.output) == (0, True), seen.output
    found = run("audit", file, *typed, "--seed", SEED, "--samples", 50, "--json")
    assert found.exit_code == 1, found.output
    assert "dates" in json.loads(found.stdout)["promise"]

    out, common = f"out{ending}", [*model.search, "--seed", SEED]
    made = run("anonymize", file, *typed, *common, "-o", out, "--json", "--report")
    assert made.exit_code == 0, made.output
    promise = json.loads(Path(f"{out}.manifest.json").read_text())["promise"]
    assert json.loads(made.stdout)["promise"] == promise
    left = wh.read_people(out, f"out.codes{ending}").vocabulary
    # With km, none of so few dates is left.
    assert (
        ("dates" in promise)
        == any("@2010-2019" in name for name in left)
        == (model.name != "people with km")
    )
    stated = [] if model.search else [*model.typed, "--mark", ""]
    # A policy whose items are all withheld could as well be misspelt.
    allowed = [] if any(name.startswith("J45") for name in left) else ["--allow-unknown"]
    for how in ([], ["--policy", f"{out}.internal.json", "--mark", ""], stated):
        proved = run("verify", out, *how, *(allowed if how else []), "--json")
        assert proved.exit_code == 0, proved.output
        assert json.loads(proved.stdout)["promise"] == promise
    refused = run("verify", out, "--dates", "decade")
    assert (refused.exit_code, "says how an original is read" in refused.output) == (2, True)
    for more in ([], dates):
        side = run("compare", file, out, *more, "--min-support", 2, "--json")
        assert side.exit_code == 0, side.output
        assert json.loads(side.stdout)["releases"][0]["facts"]
    again = run("anonymize", file, "--policy", f"{out}.internal.json", "-q", "-o", f"again{ending}")
    assert again.exit_code == 0, again.output
    assert Path(f"again{ending}").read_bytes() == Path(out).read_bytes()

    parameter, value = model.vary
    kept = [*typed]
    place = kept.index(f"--{parameter}")
    del kept[place : place + 2]
    vary = ["--vary", f"{parameter}={value}", "--min-support", 2]
    swept = run("sweep", file, *kept, *common, *vary, "--json", "-o", "sweep")
    assert swept.exit_code == 0, swept.output
    assert json.loads(swept.stdout)["points"][0]["facts"]
    asked = ["--sensitive=J45,", "--quasi-identifiers=age,city", "--json"]
    advised = run("advise", file, *dates, *asked)
    assert advised.exit_code == 0, advised.output
    assert all(
        "--dates decade" in each["command"] for each in json.loads(advised.stdout)["choices"]
    )
    streamed = run("anonymize", file, *typed, *common, "--engine", "stream", "-o", "parts")
    assert (streamed.exit_code, "by parts" in streamed.output) == (2, True), streamed.output
    assert not Path("parts").exists()


NOT_BY_PARTS = ("wildcards", "polished", "presence", "hierarchies", "ranges and sets")
"""Of models of tables: those that take all rows at once."""


@pytest.mark.parametrize(("model", "name"), [c for c in BY_PARTS if c.values[0].data == TABLE])
def test_command_line__tables_by_parts(model, name, folder):
    file = INPUTS[TABLE][name]()
    search = [word for word in model.search if word not in ("--publish", "age")]
    typed = [*model.typed, *search, "--engine", "stream", "--part-records", 3, "--json"]
    typed += ["--publish", "all"]  # which in three rows by chance tell another column
    typed += ["--report"]
    made = run("anonymize", file, *typed, "--seed", SEED, "-o", "parts")
    if any(word in model.name for word in NOT_BY_PARTS):
        assert made.exit_code == 2, made.output
        assert "cannot be released by parts" in made.output or "is for" in made.output
        return
    assert made.exit_code == 0, made.output
    told = json.loads(made.stdout.splitlines()[-1])
    assert (told["verdict"]["status"], told["loss"]["records"]) == ("HOLDS", 10)
    proved = run("verify", "parts", "--json")
    assert proved.exit_code == 0, proved.output
    assert json.loads(proved.stdout)["verdict"]["status"] == "HOLDS"
    assert "What sums over parts leave out" in Path("parts/report.html").read_text()
    audited = run("audit", "par[t]s/part-*", *model.typed, "--publish", "all", "--json")
    whole = run("audit", "parts", *model.typed, "--publish", "all", "--json")
    assert (whole.exit_code, json.loads(whole.stdout)["rows"]) == (0, 10), whole.output
    assert json.loads(audited.stdout)["rows"] == 10, audited.output


def typed_as_found(data: str, *, shout: bool) -> Path:
    """A file of the data in lower case, or with some of it in capitals."""
    spell = [str.upper if shout and n % 3 else str.lower for n in range(len(ROWS))]
    if data == RECORDS:
        path = Path("shouted.dat" if shout else "plain.dat")
        lines = [" ".join(map(change, row)) for change, row in zip(spell, ROWS, strict=True)]
        path.write_text("\n".join(lines) + "\n")
        return path
    path = Path("shouted.csv" if shout else "plain.csv")
    cities = [change(city) for change, city in zip(spell, SURVEY["city"], strict=True)]
    frame = pl.DataFrame({**SURVEY, "city": cities})
    if data == PEOPLE:
        cells = [";".join(map(change, row)) for change, row in zip(spell, ROWS, strict=True)]
        frame = frame.with_columns(items=pl.Series(cells))
    frame.write_csv(path)
    return path


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_tidied__is_the_release_of_tidy_data(model, folder):
    (folder / "tree.csv").write_text(TREE.lower())
    written = {RECORDS: ["items=case"], TABLE: ["all=case"], PEOPLE: ["all=case", "items=case"]}
    tidy = [word for each in written[model.data] for word in ("--tidy", each)]
    shouted, plain = (typed_as_found(model.data, shout=shout) for shout in (True, False))
    ending = plain.suffix
    # Lists, wishes and the population are in capitals here, and are tidied as the data are.
    common = [*model.search, "--seed", SEED, "--jobs", 1]
    made = run("anonymize", shouted, *model.typed, *common, *tidy, "-o", f"out{ending}")
    assert made.exit_code == 0, made.output
    wishes = (folder / "wishes.csv").read_text().lower()
    proof = next(line for line in made.output.splitlines() if "to prove it again" in line)
    proved = run(*shlex.split(proof.partition("withhold ")[2].removeprefix("withhold ")))
    assert proved.exit_code == 0, proved.output
    (folder / "wishes.csv").write_text(wishes)
    lower = [word.lower() for word in model.typed]
    meant = run("anonymize", plain, *lower, *common, "-q", "-o", f"meant{ending}")
    assert meant.exit_code == 0, meant.output
    assert Path(f"out{ending}").read_bytes() == Path(f"meant{ending}").read_bytes()
    tree = (
        ["--hierarchy", "tree.csv"]
        if model.data == RECORDS and "hierarchy" in model.options
        else []
    )
    sides = [
        json.loads(run("compare", before, after, *tree, "--min-support", 2, "--json").stdout)
        for before, after in ((shouted, f"out{ending}"), (plain, f"meant{ending}"))
    ]
    assert sides[0]["releases"][0]["facts"] == sides[1]["releases"][0]["facts"]


INPUTS_OF_ADVICE = [(data, name) for data in INPUTS for name in INPUTS[data]]
ADVICE: dict[str, tuple[dict[str, Any], list[str]]] = {
    RECORDS: ({"sensitive": ["J45"]}, ["--sensitive=J45,"]),
    TABLE: ({"quasi_identifiers": QUASI}, ["--table", "--quasi-identifiers=age,city"]),
}
ADVICE[PEOPLE] = (
    ADVICE[RECORDS][0] | ADVICE[TABLE][0],
    ["--people", "--sensitive=J45,", "--quasi-identifiers=age,city"],
)


@pytest.mark.parametrize(("data", "name"), INPUTS_OF_ADVICE)
def test_advise__is_the_same_for_every_input(data, name, monkeypatch):
    monkeypatch.setattr(candidates, "RHO", (("0.5", 2),))
    monkeypatch.setattr(candidates, "KM", ((2, 2),))
    made, (asked, typed) = INPUTS[data][name](), ADVICE[data]
    items = {"items": APART[name]} if name in APART else {}
    read_it = {RECORDS: lambda each: each}.get(data, READ[data])
    found = wh.advise(read_it(made, **items), **asked)
    plain = wh.advise(read_it(INPUTS[data][LISTS[data]]()), **asked)
    assert found.choices
    assert [(c.knows, c.promise, c.cost, c.problem) for c in found.choices] == [
        (c.knows, c.promise, c.cost, c.problem) for c in plain.choices
    ]
    if isinstance(made, Path):
        shown = run(
            "advise", made, *typed, *(f"--items={each}" for each in items.values()), "--json"
        )
        assert shown.exit_code == 0, shown.output
        told = [choice["cost"] for choice in json.loads(shown.stdout)["choices"]]
        assert told == [choice.cost for choice in plain.choices]


@pytest.mark.parametrize(
    "model",
    [pytest.param(each, id=each.name) for each in MODELS if each.data == RECORDS],
)
def test_python__a_folder_is_released_or_refused(model, tmp_path):
    """Every verb of parts, and every model: done, proved and measured, or refused with the reason."""
    table = read(INPUTS[RECORDS][LISTS[RECORDS]](), model)
    asked, folder, out = model.make(table), tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for name in ("a.dat", "b.dat"):
        write(table, folder / name)
    how = {"seed": SEED, "jobs": 1, "allow_unknown": True}
    by_parts, options = method_of(asked).by_parts, model.options
    if by_parts.refused(asked, search_call(asked, options)[0], options):
        with pytest.raises(wh.WithholdError, match="by parts"):
            wh.anonymize_parts(folder, asked, out, **how, **options)
        assert not out.exists()
    else:
        made = wh.anonymize_parts(folder, asked, out, **how, **options)
        assert wh.verify_parts(out).verdict
        if asked.name == "buckets":
            with pytest.raises(wh.WithholdError, match="with other names"):
                wh.compare_parts(folder, out)
            (found,) = wh.compare_parts(folder, out, hierarchy=options["hierarchy"]).releases
            assert found.measured.fact("items_withheld").value == made.totals.removed
            assert found.measured.fact("items_generalised").value == made.totals.generalised
        else:
            (found,) = wh.compare_parts(folder, out).releases
            assert found.measured.fact("occurrences.all.removed").value == made.totals.removed
        assert wh.audit_parts(out, made.model, samples=10, **how).verdict.status is wh.Status.HOLDS
        page = report_html(report_parts(made, folder, jobs=1))
        assert "What sums over parts leave out" in page
    adds_up = by_parts.audited or by_parts.counts is not None
    if adds_up and not by_parts.refused(asked, search_call(asked, {})[0], {}):
        audited = wh.audit_parts(folder, asked, samples=10, **how)
        assert audited.records == 2 * len(table)
        if by_parts.counts is not None:
            twice = wh.read([*table.to_lists(), *table.to_lists()])
            whole = wh.audit(twice, asked, samples=10, **how)
            assert audited.counts == whole.counts
            assert audited.exposed_records == whole.exposed_records
        assert audited.verdict.status is not wh.Status.HOLDS or asked.name != "rho"
    else:
        with pytest.raises(wh.WithholdError, match="by parts"):
            wh.audit_parts(folder, asked, samples=10, **how)
