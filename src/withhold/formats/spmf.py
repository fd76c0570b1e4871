"""SPMF files of both kinds: sequences and transactions.

In a sequence file ``-1`` ends an itemset and ``-2`` the sequence; a record is the union of the itemsets
of one sequence. In a transaction file each line is a record. Items are numbers, to which lines such as
``@ITEM=1=apple`` at the top may give names. Lines that begin with ``#`` or ``%`` are comments.
Only blanks separate; a separator that was named is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from withhold.data import Records, Source
from withhold.errors import option
from withhold.formats.columns import Options
from withhold.formats.forms import unwritable
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
            _add_name(names, line, number, text)
        elif not line.startswith(("@", "#", "%")):
            lines.append((number, line.split()))
    is_sequences = not (named or names) or any(END_OF_SEQUENCE in tokens for _, tokens in lines)
    if is_sequences:
        rows = list(_sequences(lines, text))
    else:
        rows = [[_checked(token, number, text) for token in tokens] for number, tokens in lines]
    if not rows:
        raise text.error("holds no records", "give at least one record")
    _check_names(names, rows, text)
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


def write_text(records: Records, form: Source) -> Iterator[str]:
    """The lines of an SPMF file, each with its end; names are numbered at the top."""
    occurring = records.occurring
    variant = written_variant(records, form)
    code_of = {name: name for name in occurring}
    if variant == TRANSACTIONS or not _all_numbers(occurring):
        code_of = {name: str(code) for code, name in enumerate(occurring, start=1)}
        yield CONVERTED + "\n"
        for name, code in code_of.items():
            if not name or any(letter in name for letter in "\n\r\0"):
                raise unwritable(f"the item {name!r}", "an SPMF file")
            yield f"{ITEM}{code}={name}\n"
    tokens = np.array([code_of.get(name, "") for name in records.vocabulary], dtype=object)
    for row in range(len(records)):
        codes = tokens[records.items[records.offsets[row] : records.offsets[row + 1]]].tolist()
        if variant == SEQUENCES:
            codes += [END_OF_SET, END_OF_SEQUENCE] if codes else [END_OF_SEQUENCE]
        yield " ".join(codes) + "\n"


def written_variant(records: Records, form: Source) -> str:
    """The kind of SPMF file: as the form says, else transactions if items have names."""
    numbers = SEQUENCES if _all_numbers(records.vocabulary) else TRANSACTIONS
    return form.variant or numbers


def _all_numbers(names: Iterable[str]) -> bool:
    return all(NUMBER.fullmatch(name) for name in names)


def _add_name(names: dict[str, str], line: str, number: int, text: Text) -> None:
    """Take in a line that names an item."""
    code, equals, name = line.removeprefix(ITEM).partition("=")
    if code in (END_OF_SET, END_OF_SEQUENCE):
        return  # SPMF's own converter gives its separators a name too.
    if not equals or not name or not NUMBER.fullmatch(code) or code in names:
        remedy = "write @ITEM=number=name, once for each number"
        raise text.error("does not give one item its name", remedy, line=number, value=line)
    names[code] = name


def _check_names(names: dict[str, str], rows: list[list[str]], text: Text) -> None:
    """Refuse two numbers with the same name; the name may be one of the numbers."""
    seen = {token for row in rows for token in row}.difference(names) if names else set()
    for code, name in names.items():
        if name in seen:
            remedy = "give each number a name of its own"
            raise text.error(f"item {code} shares its name", remedy, value=name)
        seen.add(name)


def _sequences(lines: list[tuple[int, list[str]]], text: Text) -> Iterator[list[str]]:
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
                record.append(_checked(token, number, text))
    if open_line is not None:
        remedy = f"end each sequence with -2, or say {option('format', 'basket')}"
        raise text.error("the last sequence has no end", remedy, line=open_line)


def _checked(token: str, number: int, text: Text) -> str:
    """The item's number, if it is one."""
    if NUMBER.fullmatch(token):
        return token
    remedy = f"say {option('format', 'basket')} if the items are names"
    raise text.error("an SPMF item is a number from 0 up", remedy, line=number, value=token)
