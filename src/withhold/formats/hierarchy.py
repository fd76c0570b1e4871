"""Reading a hierarchy: four notations for a tree, recognised by content.

- ``arx``: no header, the leaf first and the root last, usually with ``;`` between them (ARX's CSV).
- ``edges``: one child and its parent per line; a header may say which is which.
- ``levels``: a header, then the leaf first and the most general level last, or the other way round if
  the header says so. A root is added above if the most general level has several values.
- ``amnesia``: Amnesia's text, lines of ``parent has child child …``.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path

from withhold.arguments import checked
from withhold.data.hierarchy import Hierarchy
from withhold.data.tree_building import ROOT, Edge, build_tree, path_edges
from withhold.errors import InputError, PolicyError
from withhold.formats.cells import BLANKS
from withhold.formats.columns import ITEM_NAMES, plain
from withhold.formats.opening import Text, open_bytes
from withhold.formats.texts import text_of
from withhold.wording import counted

SEPARATORS = (";", ",", "\t", "|")
PARENT_NAMES = frozenset({"parent", "parentid", "isa", "above"})
LEAF_NAMES = ITEM_NAMES | {"leaf", "value", "child"}
LEVEL_NAMES = ("level", "category", "group", "department", "class", "chapter", "root")
REMEDY = "give ARX's CSV, child,parent edges, level columns with a header, or Amnesia's text"

Rows = list[tuple[int, list[str]]]
"""The lines that are not blank: their number, and their cells without the blanks around them."""


@checked
def read_hierarchy(path: str | os.PathLike[str], *, format: str | None = None) -> Hierarchy:
    """The tree in a file.

    Parameters
    ----------
    path
        The file: ARX's CSV, edges of child and parent, level columns with a header, or Amnesia's text.
    format
        ``arx``, ``edges``, ``levels`` or ``amnesia``; found by content where it is not given.

    Returns
    -------
    Hierarchy
        The tree.

    Raises
    ------
    InputError
        With the file, the line and the remedy, if the file holds no tree.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = (file := Path(folder) / "drinks.csv").write_text("beer;drinks;*\\ntea;drinks;*\\n")
    ...     read_hierarchy(file).leaves_under("drinks")
    ('beer', 'tea')
    """
    if format is not None and format not in READERS:
        raise PolicyError(f"unknown hierarchy format {format!r}; known: {', '.join(READERS)}")
    opened = open_bytes(Path(path))
    if opened.is_parquet:
        raise InputError("is a parquet file, not a hierarchy", path=opened.label, remedy=REMEDY)
    text = text_of(opened)
    return READERS[format or hierarchy_format(text)](text)


def hierarchy_format(text: Text) -> str:
    """The notation in which this tree is written."""
    lines = [line.strip(BLANKS) for line in text.lines() if line.strip(BLANKS)]
    if lines and (lines[0] in ("distinct", "range") or all(" has " in line for line in lines)):
        return "amnesia"
    rows = _rows(text)
    header = rows[0][1]
    if len(header) == 2 and sum(plain(cell) in PARENT_NAMES for cell in header) == 1:
        return "edges"
    one_root = len({cells[-1] for _, cells in rows}) == 1
    # A line that has the same root as all others, whatever its name, is not a header.
    if _is_header(header) and (len(rows) == 1 or not one_root):
        return "levels"
    if one_root:
        return "arx"
    if len(header) == 2 and {cells[0] for _, cells in rows} & {cells[1] for _, cells in rows}:
        return "edges"
    raise text.error(
        "hierarchy format not recognised: the lines do not end in one root, and there is no header "
        "such as child,parent or item,level2,level1",
        REMEDY,
    )


def _read_arx(text: Text) -> Hierarchy:
    edges = [edge for line, cells in _rows(text) for edge in path_edges(cells, line)]
    return Hierarchy(*build_tree(edges, path=text.path))


def _read_edges(text: Text) -> Hierarchy:
    rows = _rows(text)
    first = [plain(cell) for cell in rows[0][1]]
    has_header = any(cell in PARENT_NAMES for cell in first)
    child, parent = (1, 0) if has_header and first[0] in PARENT_NAMES else (0, 1)
    edges = []
    for line, cells in rows[has_header:]:
        if len(cells) != 2:
            problem = f"has {counted(len(cells), 'cell')} where an edge has two"
            raise text.error(problem, REMEDY, line=line)
        edges.append(Edge((cells[child], 0), (cells[parent], 0), line))
    return Hierarchy(*build_tree(edges, path=text.path))


def _read_levels(text: Text) -> Hierarchy:
    (_, header), *rows = _rows(text)
    if plain(header[-1]) in LEAF_NAMES and plain(header[0]) not in LEAF_NAMES:
        header, rows = header[::-1], [(line, cells[::-1]) for line, cells in rows]
    needs_root = len({cells[-1] for _, cells in rows}) != 1
    top = len(header) - 1 + needs_root
    edges = [
        edge
        for line, cells in rows
        for edge in path_edges([*cells, ROOT] if needs_root else cells, line)
    ]
    levels = {top - place: name for place, name in enumerate(header)}
    return Hierarchy(*build_tree(edges, path=text.path, levels=levels))


def _read_amnesia(text: Text) -> Hierarchy:
    edges = []
    in_header = True
    for line, content in enumerate(text.lines(), start=1):
        words = content.split()
        if in_header and words and words[0] in ("distinct", "name", "type", "height"):
            continue
        if words == ["range"]:
            remedy = "export it as a hierarchy of distinct values"
            raise text.error("is an Amnesia hierarchy of ranges", remedy, line=line)
        if not words:
            continue
        in_header = False
        if len(words) < 3 or words[1] != "has":
            remedy = "write: parent has child child …, without blanks in a name"
            problem = "not a line of an Amnesia hierarchy"
            raise text.error(problem, remedy, line=line, value=content)
        edges += [Edge((child, 0), (words[0], 0), line) for child in words[2:]]
    return Hierarchy(*build_tree(edges, path=text.path))


READERS: dict[str, Callable[[Text], Hierarchy]] = {
    "arx": _read_arx,
    "edges": _read_edges,
    "levels": _read_levels,
    "amnesia": _read_amnesia,
}


def _is_header(cells: list[str]) -> bool:
    """Whether a first line says what the columns are: the leaf at one end, or levels by name."""
    names = [plain(cell) for cell in cells]
    levels = [name for name in names if name.rstrip("0123456789") in LEVEL_NAMES]
    return names[0] in LEAF_NAMES or names[-1] in LEAF_NAMES or len(levels) >= len(cells) - 1


def _rows(text: Text) -> Rows:
    """The cells of every line, which all have equally many."""
    lines = [(number, line) for number, line in enumerate(text.lines(), start=1) if line.strip()]
    if not lines:
        raise text.error("holds no line of a hierarchy", REMEDY)
    number, first = lines[0]
    separator = next((mark for mark in SEPARATORS if mark in first), None)
    if separator is None:
        problem = "not a hierarchy: its first line is a single cell"
        raise text.error(problem, REMEDY, line=number, value=first)
    rows: Rows = []
    for number, line in lines:
        try:
            reader = csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
            cells = [cell.strip(BLANKS) for cell in next(reader)]
        except csv.Error as error:
            problem = f"has quotes that cannot be understood: {error}"
            remedy = 'close each quoted name on its line, and write a quote inside it as ""'
            raise text.error(problem, remedy, line=number) from None
        if rows and len(cells) != len(rows[0][1]):
            first_has = f"where the first line has {len(rows[0][1])}"
            remedy = f"complete the line; if this is not a hierarchy, {REMEDY}"
            problem = f"has {counted(len(cells), 'cell')} {first_has}"
            raise text.error(problem, remedy, line=number)
        rows.append((number, cells))
    return rows
