"""Columns that others may know of a person: they stop a release until somebody gives them a role.

In: a table, its columns without a role, the quasi-identifiers and k. Out: for each column that may be a
quasi-identifier by its name or by counting, why. Counting knows no meaning, so it asks what a column could
do if somebody knew it: is a value shared by fewer than k rows, does a row stand alone that shares its
quasi-identifiers with k - 1 others? A category of a few values, such as a class label, is not examined.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from withhold.data.grouping import Groups, group_rows, groups_of
from withhold.data.identifying import FEWEST, SHARE, column_words, too_many
from withhold.data.table import Column, Table
from withhold.wording import counted

FEW = 20
"""Columns that make at least one row in this many unique are reported as singling people out."""
TOGETHER = 10
"""Combinations of columns shared by more rows than this, on average, reveal little about anybody."""
KNOWN = re.compile(
    r"\b(ages?|aged|birth|birthdate|birthday|birthyear|birthplace|born|dob|yob|sex|gender|race|ethnic|ethnicity"
    r"|religion|nationality|citizenship|language|marital|married|zip|zipcode|postcode|postal|plz|city|town"
    r"|village|municipality|county|district|region|province|country|residence|neighbou?rhood|suburb|borough"
    r"|canton|parish|hometown|occupation|job|profession|employer|workplace|workclass|school|education|degree"
    r"|alter|geburt|geburts(datum|jahr|ort|tag)|geschlecht|beruf|wohnort|stadt|gemeinde|bundesland|bildung"
    r"|familienstand|nationalität|staatsangehörigkeit|konfession|arbeitgeber|sexe|naissance|ville|commune"
    r"|m[eé]tier|nationalité|edad|sexo|nacimiento|ciudad|municipio|ocupaci[oó]n|profesi[oó]n|et[aà]|sesso"
    r"|nascita|comune|professione"
    # Who lives with whom, and how they are related.
    r"|relationship|kinship|spouse|verwandtschaft(sgrad|sverhältnis)?|beziehung(sstatus)?|zivilstand"
    r"|personenstand|verheiratet|parent[eé]|[eé]tat civil|matrimoniale?|mariée?|parentesco|parentela"
    r"|estado civil|stato civile|casad[oa]|coniugat[oa]|sposat[oa]|situation familiale|nucleo familiare"
    r"|agregado familiar)\b"
    # As one word among others these may mean something else.
    r"|^((home )?state|land|ort|place|area|pays|pa[ií]s)$"
    r"|^(family|household)( (size|status|type|role|position|members?|composition|situation|relation))+$"
    r"|^((number|no) of |n )?(family|households?|children|kids|siblings|relatives?"
    r"|familie|haushalt(sgröße|styp)?|kinder(zahl)?|famille|m[eé]nage|foyer|enfants|familia|hogar|hijos|famiglia|figli|fam[ií]lia|filhos)$"
)
YEAR = re.compile(r"(1[89]|20)\d{2}")


def likely_known(
    table: Table,
    names: Sequence[str],
    quasi_identifiers: Iterable[str],
    k: int,
    *,
    fewest: int = FEWEST,
) -> dict[str, str]:
    """Why each of these columns may be known of a person, if that is likely or would matter.

    Nothing is counted in fewer rows than ``fewest``.
    """
    least = max(k, 2)
    columns = _told_apart(table, names)
    found = known_alone(table, names, k, fewest=fewest)
    if len(table) < fewest:
        return found
    if len(found) == len(columns):
        return found
    known = groups_of(table, tuple(quasi_identifiers))
    for column in columns:
        own = group_rows([column.codes], len(table))
        is_category = not too_many(len(own), len(table))
        if column.name not in found and not is_category and (alone := _unique(own, known, least)):
            found[column.name] = f"{alone}, known with the quasi-identifiers"
    left = [column for column in columns if column.name not in found]
    own = group_rows([column.codes for column in left], len(table))
    # Two categories together are still one, unless few rows share each of its values.
    few_share = len(left) > 1 and len(own) * TOGETHER >= len(table)
    if few_share and (alone := _unique(own, known, least)):
        together = f"{alone}, known with the quasi-identifiers and the other columns without a role"
        found |= {column.name: together for column in left}
    return found


def known_alone(
    table: Table, names: Iterable[str], k: int, *, fewest: int = FEWEST
) -> dict[str, str]:
    """Why each of these columns may be known by its name, or singles people out whatever else is known."""
    return {
        each.name: reason
        for each in _told_apart(table, names)
        if (reason := _named(each) or (_rare(each, max(k, 2)) if len(table) >= fewest else ""))
    }


def is_known_by_name(name: str) -> bool:
    """Whether a column of this name holds what neighbours, colleagues or registers know of a person.

    >>> is_known_by_name("maritalStatus"), is_known_by_name("state"), is_known_by_name("order state")
    (True, True, False)
    """
    return KNOWN.search(column_words(name)) is not None


def _told_apart(table: Table, names: Iterable[str]) -> list[Column]:
    """The columns with several values: one for all says nothing about anybody."""
    columns = [table.column(name) for name in names]
    return [column for column in columns if np.count_nonzero(column.counts) > 1]


def _named(column: Column) -> str:
    """What a column is called, or holds, that people know of each other."""
    if is_known_by_name(column.name):
        return "has the name of something that others may know of a person"
    values = [value for value in column.values if value]
    years = sum(bool(YEAR.fullmatch(value.strip())) for value in values)
    is_years = years and years >= SHARE * len(values)
    return "holds years" if is_years and too_many(len(values), len(column.codes)) else ""


def _rare(column: Column, least: int) -> str:
    """How many rows have a value that too few share; a blank is nothing that somebody knows."""
    pairs = zip(column.values, column.counts.tolist(), strict=True)
    counts = [count for value, count in pairs if value]
    rows = sum(count for count in counts if count < least)
    if not rows or sum(counts) < FEWEST:
        return ""
    return f"has values that fewer than {least:,} rows share, in {counted(rows, 'row')}"


def _unique(own: Groups, known: Groups, least: int) -> str:
    """How many rows are unique by some columns, or by those and the quasi-identifiers; nothing if few."""
    n_rows = len(known.of_row)
    both = group_rows([known.of_row.astype(np.int32), own.of_row.astype(np.int32)], n_rows)
    # A group of one row that shares its quasi-identifiers with enough others.
    before = known.sizes[known.of_row[both.first_rows]]
    among_others = int(((both.sizes == 1) & (before >= least)).sum())
    unique = max(among_others, int((own.sizes == 1).sum()))
    return f"makes {unique:,} of {n_rows:,} rows unique" if unique * FEW >= n_rows else ""
