"""Columns as people type them: comma-separated names, with double quotes around a name that contains a comma.

In: a text such as ``age,"income, yearly"`` or ``zip=zip.csv``. Out: names, or names with their values; and
back into a text that is read in the same way.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping

from withhold.errors import PolicyError

QUOTED = r'"((?:[^"]|"")*)"'
PAIR = re.compile(rf'\s*(?:{QUOTED}|([^"=,][^=,]*?))\s*=\s*(?:{QUOTED}|([^",][^,]*?))\s*(?:,|$)')
MORE = re.compile(r"\s*(-?[\d.]+)\s*(?:,|$)")
"""A number that belongs to the value before it, as in ``age=edges:18,40,zip=prefix``."""
WHOLE = re.compile(rf"\s*{QUOTED}\s*(?:,|$)")


def split_columns(text: str, what: str = "the list of columns") -> tuple[str, ...]:
    """The names in a list; an empty list is an error."""
    try:
        cells = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error as error:
        raise PolicyError(
            f"{what} cannot be read ({error}): {text!r}; write a name that holds a comma in double "
            "quotes, as in 'age,\"income, yearly\"', and a quote in such a name twice"
        ) from None
    names = tuple(dict.fromkeys(cell.strip() for cell in cells if cell.strip()))
    if not names:
        raise PolicyError(f"{what} is empty; name at least one column, or leave the option out")
    return names


def join_columns(names: Iterable[str]) -> str:
    """The list as it can be typed."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(list(names))
    return line.getvalue()


def unquoted(name: str) -> str:
    """A single name, without the quotes around it if there are any."""
    found = re.fullmatch(rf"\s*{QUOTED}\s*", name)
    return name.strip() if found is None else found[1].replace('""', '"')


def split_pairs(text: str, what: str) -> dict[str, str]:
    """The value given for each column, from ``COLUMN=VALUE,COLUMN=VALUE``."""
    pairs: dict[str, str] = {}
    place = 0
    while place < len(text):
        if pairs and (more := MORE.match(text, place)):
            last = next(reversed(pairs))
            pairs[last] += f",{more[1]}"
            place = more.end()
            continue
        name, value, place = _pair(text, place, what)
        if name in pairs:
            raise PolicyError(f"{what}: column {name!r} is named twice; name it once")
        pairs[name] = value
    return pairs


def join_pairs(pairs: Mapping[str, str]) -> str:
    """The value given for each column, as it can be typed."""
    return ",".join(f"{typed(name)}={typed(value)}" for name, value in pairs.items())


def typed(word: str) -> str:
    """The word, in quotes if it would be read as several."""
    return '"' + word.replace('"', '""') + '"' if set(word) & set(',="') else word


def _pair(text: str, place: int, what: str) -> tuple[str, str, int]:
    wrong = PolicyError(
        f"{what} are written as COLUMN=FILE,COLUMN=FILE, not {text[place:]!r}; a name that holds a "
        "comma or = must be in double quotes"
    )
    if found := PAIR.match(text, place):
        quoted, plain, quoted_value, plain_value = found.groups()
        name = plain if quoted is None else quoted.replace('""', '"')
        value = plain_value if quoted_value is None else quoted_value.replace('""', '"')
    elif found := WHOLE.match(text, place):
        # The whole pair in quotes, as a spreadsheet would write it.
        name, _, value = found[1].replace('""', '"').rpartition("=")
    else:
        raise wrong
    if not name or not value:
        raise wrong
    return name.strip(), value.strip(), found.end()
