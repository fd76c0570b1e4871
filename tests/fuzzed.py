"""Files that are wrong in every way: small good ones of each format, with bytes changed from a seed."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from collections.abc import Callable, Iterator
from datetime import date

import polars as pl
import xlsxwriter

PIECES = (
    b"\0", b"\r", b"\n", b"\r\n", b'"', b'""', b",", b";", b"\t", b"|", b" ", b"'", b"[", b"]", b"{", b"}",
    b"[[[[", b"NaN", b"null", b"1e999", b"-2", b"-1", b"=1+1", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff",
    b"\xff\xfe\0\0", b"\xe9", b"\xc3", b"\xed\xa0\x80", b"\\ud800", b"\x1f\x8b", b"PK\x03\x04", b"PAR1",
    b"BZh", b"9" * 40, b"a" * 300, "\u00a0".encode(), "\u2028".encode(), "e\u0301".encode(),
    "\u00e9".encode(), b"0,5", b"1.234,5", b"@ITEM=1=", b'<c r="ZZ9"/>',
    b'<!DOCTYPE x [<!ENTITY a "b">]>&a;', b"</row>", b"&#0;", b't="s"', b's="99"',
)  # fmt: skip
"""What has a meaning in some format."""


def _spreadsheet() -> bytes:
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True}) as book:
        sheet = book.add_worksheet("visits")
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, ["record", "item", "day", "cost", "seen"])
        for row, name in enumerate(("asthma", "flu", "Zoë", ""), start=1):
            sheet.write_row(row, 0, [row // 2, name])
            sheet.write_datetime(row, 2, date(2024, 1, row), day)
            sheet.write_number(row, 3, row / 4)
            sheet.write_boolean(row, 4, row > 2)
    return made.getvalue()


def open_document() -> bytes:
    """A spreadsheet as LibreOffice writes it, of the fewest parts."""
    cells = "".join(
        f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>"
        for row in (("record", "item"), (1, "asthma"), (1, "flu"), (2, "Zoë"))
    )
    content = (
        '<?xml version="1.0" encoding="UTF-8"?><office:document-content '
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
        f'<table:table table:name="visits">{cells}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?><manifest:manifest '
        'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"></manifest:manifest>'
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
    return made.getvalue()


def _ods_cell(value: object) -> str:
    kind = f'float" office:value="{value}' if isinstance(value, int) else "string"
    return (
        f'<table:table-cell office:value-type="{kind}"><text:p>{value}</text:p></table:table-cell>'
    )


def _parquet(frame: pl.DataFrame) -> bytes:
    made = io.BytesIO()
    frame.write_parquet(made)
    return made.getvalue()


LONG = b'record,item,ok\n1,asthma,1\n1,flu,1\n2,"a, b",0\n3,,1\n'
GOOD: dict[str, bytes] = {
    "basket": b"beer bread condom\ncoffee fruits\n\nbeer condom\n",
    "quoted": b'"whole milk",beer\n"a, ""b""",tea\n',
    "long": LONG,
    "one-hot": b"id,bread,beer\na,1,0\nb,0,1\nc,1,1\n",
    "list": b'order_id,items\n1,"bread,beer"\n2,coffee\n3,\n',
    "jsonl": b'{"record": "a", "items": ["bread", 1]}\n{"record": "b", "items": []}\n',
    "spmf": b"@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=bread\n1 -1 2 -1 -2\n2 -1 -2\n",
    "table": b'age;income;city\n31;1.234,5;Bonn\n47;0,5;"Paris; Texas"\n;;\n',
    "western": "name,Straße\nZoë,Müllerweg\nJosé,Allée\n".encode("cp1252"),
    "utf-16": LONG.decode().encode("utf-16"),
    "gzip": gzip.compress(LONG, mtime=0),
    "parquet": _parquet(pl.DataFrame({"record": [1, 1, 2], "item": ["a", "b", None]})),
    "parquet lists": _parquet(pl.DataFrame({"id": ["a", "b"], "items": [["x", "y"], []]})),
    "xlsx": _spreadsheet(),
    "ods": open_document(),
}
"""A small good file of each format."""


def mutants(format: str, count: int, seed: int = 0) -> Iterator[bytes]:
    """So many files that were good of this format once, always the same ones."""
    good = GOOD[format]
    change: Callable[[bytes, random.Random], bytes] = (
        _mutated_parts if good[:2] == b"PK" else _mutated
    )
    for number in range(count):
        yield change(good, random.Random(f"{seed} {format} {number}"))


def _mutated(data: bytes, draw: random.Random) -> bytes:
    """The bytes with one to six changes."""
    for _ in range(draw.randint(1, 6)):
        start = draw.randrange(len(data) + 1)
        end = min(len(data), start + draw.choice((0, 0, 1, 1, 2, 8, 64)))
        piece = draw.choice((*PIECES, bytes([draw.randrange(256)]), data[start:end] * 2, b""))
        data = draw.choice(
            (data[:start] + piece + data[end:], data[:start] + piece + data[end:], data[:start])
        )
    return data


def _mutated_parts(data: bytes, draw: random.Random) -> bytes:
    """An archive with changes inside one of its parts, or one time in four in its own bytes."""
    if draw.random() < 0.25:
        return _mutated(data, draw)
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        names = old.namelist()
        sheets = [
            name for name in names if "sheet" in name or "content" in name or "Strings" in name
        ]
        wrong = draw.choice(sheets if draw.random() < 0.6 else names)
        for name in names:
            part = old.read(name)
            new.writestr(name, _mutated(part, draw) if name == wrong else part)
    return made.getvalue()
