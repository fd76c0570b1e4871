"""SPMF files, the two kinds of them: sequences and transactions.

In a sequence file ``-1`` ends an itemset and ``-2`` the sequence; a record unites the itemsets of
one sequence. In a transaction file each line is a record. Items are numbers, which lines such as
``@ITEM=1=apple`` at the top may give names to. Lines that begin with ``#`` or ``%`` are comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from withhold.data import Records, Source
from withhold.errors import InputError, OutputError, option
from withhold.formats.columns import Options
from withhold.formats.opening import Text
from withhold.formats.rows import Parsed, parsed_from_names

CONVERTED, ITEM = "@CONVERTED_FROM_TEXT", "@ITEM="
END_OF_SET, END_OF_SEQUENCE = "-1", "-2"
SEQUENCES, TRANSACTIONS = "sequences", "transactions"
NUMBER = re.compile(r"0|[1-9][0-9]*")
SAMPLE = 20


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of an SPMF file of either kind."""
    names: dict[str, str] = {}
    lines: list[tuple[int, list[str]]] = []
    named = text.data.startswith((CONVERTED.encode(), ITEM.encode()))
    for number, line in enumerate(text.lines(), start=1):
        if line.startswith(ITEM):
            _add_name(names, line, number, text.path)
        elif not line.startswith(("@", "#", "%")):
            lines.append((number, line.split()))
    is_sequences = not (named or names) or any(END_OF_SEQUENCE in tokens for _, tokens in lines)
    rows = list((_sequences if is_sequences else _transactions)(lines, text.path))
    if not rows:
        raise InputError("holds no records", path=text.path, remedy="give at least one record")
    _check_names(names, rows, text.path)
    return parsed_from_names(
        ([names.get(token, token) for token in row] for row in rows),
        variant=SEQUENCES if is_sequences else TRANSACTIONS,
    )


def looks_like_spmf(lines: list[str]) -> bool:
    """Whether some lines begin like an SPMF file, or all end like sequences."""
    if lines[0].startswith((CONVERTED, ITEM)):
        return True
    records = [line.split() for line in lines[:SAMPLE] if line.strip() and line[0] not in "#%@"]
    return bool(records) and all(row[-1] == END_OF_SEQUENCE for row in records)


def write_text(table: Records, form: Source) -> Iterator[str]:
    """The lines of an SPMF file, each with its end; names are numbered at the top."""
    occurring = [name for name, n in zip(table.vocabulary, table.supports, strict=True) if n]
    variant = written_variant(table, form)
    code_of = {name: name for name in occurring}
    if variant == TRANSACTIONS or not _all_numbers(occurring):
        code_of = {name: str(code) for code, name in enumerate(occurring, start=1)}
        yield CONVERTED + "\n"
        for name, code in code_of.items():
            if not name or any(letter in name for letter in "\n\r\0"):
                raise OutputError(
                    f"the item {name!r} cannot be written to an SPMF file. "
                    "To fix it: write .jsonl or .parquet instead."
                )
            yield f"{ITEM}{code}={name}\n"
    tokens = np.array([code_of.get(name, "") for name in table.vocabulary], dtype=object)
    for row in range(len(table)):
        codes = tokens[table.items[table.offsets[row] : table.offsets[row + 1]]].tolist()
        if variant == SEQUENCES:
            codes += [END_OF_SET, END_OF_SEQUENCE] if codes else [END_OF_SEQUENCE]
        yield " ".join(codes) + "\n"


def written_variant(table: Records, form: Source) -> str:
    """The kind of SPMF file: as the form says, else transactions where items have names."""
    if form.variant:
        return form.variant
    return SEQUENCES if _all_numbers(table.vocabulary) else TRANSACTIONS


def _all_numbers(names: Iterator[str] | list[str] | tuple[str, ...]) -> bool:
    return all(NUMBER.fullmatch(name) for name in names)


def _add_name(names: dict[str, str], line: str, number: int, path: str) -> None:
    """Take in a line that names an item."""
    code, equals, name = line.removeprefix(ITEM).partition("=")
    if code in (END_OF_SET, END_OF_SEQUENCE):
        return  # SPMF's own converter gives its separators a name too.
    if not equals or not name or not NUMBER.fullmatch(code) or code in names:
        raise InputError(
            "does not give one item its name",
            path=path,
            line=number,
            value=line,
            remedy="write @ITEM=number=name, once for each number",
        )
    names[code] = name


def _check_names(names: dict[str, str], rows: list[list[str]], path: str) -> None:
    """Refuse two numbers that stand for the same name, one of them perhaps for its own."""
    unnamed = {token for row in rows for token in row}.difference(names) if names else set()
    seen: set[str] = set(unnamed)
    for code, name in names.items():
        if name in seen:
            remedy = "give each number a name of its own"
            raise InputError(f"item {code} shares its name", path=path, value=name, remedy=remedy)
        seen.add(name)


def _sequences(lines: list[tuple[int, list[str]]], path: str) -> Iterator[list[str]]:
    """The records of a sequence file, wherever its lines end."""
    record: list[str] = []
    open_line: int | None = None
    for number, tokens in lines:
        for token in tokens:
            if token == END_OF_SEQUENCE:
                yield record
                record, open_line = [], None
                continue
            open_line = number
            if token != END_OF_SET:
                record.append(_checked(token, number, path))
    if open_line is not None:
        raise InputError(
            "the last sequence has no end",
            path=path,
            line=open_line,
            remedy="end each sequence with -2, or say " + option("format", "basket"),
        )


def _transactions(lines: list[tuple[int, list[str]]], path: str) -> Iterator[list[str]]:
    """The records of a transaction file, one a line."""
    for number, tokens in lines:
        yield [_checked(token, number, path) for token in tokens]


def _checked(token: str, number: int, path: str) -> str:
    """The item's number, if it is one."""
    if NUMBER.fullmatch(token):
        return token
    raise InputError(
        "an SPMF item is a number from 0 up",
        path=path,
        line=number,
        value=token,
        remedy=f"say {option('format', 'basket')} if the items are names",
    )
