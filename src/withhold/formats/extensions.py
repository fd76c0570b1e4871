"""Which names a release may have: those whose extension says what will be in the file.

In: a name, and the input's. Out: its extension and packing, or ``OutputError`` with the nearest name that
can be written. Nobody wants text in a file that calls itself a spreadsheet.
"""

from __future__ import annotations

from pathlib import Path

from withhold.data.names import nearest
from withhold.errors import OutputError

PACKED = {".gz": "gz", ".zst": "zst"}
TEXT = frozenset((".dat", ".txt", ".basket", ".csv", ".tsv", ".jsonl", ".ndjson", ".spmf"))
FOR_RECORDS = (
    ".dat", ".txt", ".basket", ".csv", ".tsv", ".jsonl", ".ndjson", ".spmf", ".parquet"
)  # fmt: skip
FOR_TABLES = (".csv", ".tsv", ".txt", ".dat", ".jsonl", ".ndjson", ".parquet")
SPREADSHEETS = frozenset((".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"))
PACKERS = frozenset((".zip", ".bz2", ".xz", ".7z", ".rar", ".lz4", ".br", ".z"))
INSTEAD = {
    ".json": ".jsonl",
    ".pq": ".parquet",
    ".feather": ".parquet",
    ".arrow": ".parquet",
    ".ipc": ".parquet",
    ".orc": ".parquet",
    ".avro": ".parquet",
    ".tab": ".tsv",
}
"""For some that are not written, the nearest that is."""


def split_name(name: str) -> tuple[str, str]:
    """The extension, in lower case, and the packing that the name says."""
    path = Path(name)
    compression = PACKED.get(path.suffix.lower(), "")
    return (path.with_suffix("") if compression else path).suffix.lower(), compression


def check_extension(name: str, own: str | None = None, *, table: bool = False) -> None:
    """Refuse a name whose extension promises what would not be in the file.

    ``own`` is the name of the input, if that is text: an output may have the same extension.
    """
    known = FOR_TABLES if table else FOR_RECORDS
    extension, compression = split_name(name)
    if not extension or extension in known or (own and split_name(own)[0] == extension):
        return
    packing = f".{compression}" if compression else ""
    stem = Path(name.removesuffix(packing) if packing else name).stem
    if extension in SPREADSHEETS:
        raise OutputError(
            f"{name}: spreadsheets ({extension}) are not written yet. To fix it: write {stem}.csv{packing} "
            f"or {stem}.parquet{packing}."
        )
    if extension in PACKERS:
        raise OutputError(
            f"{name}: files are packed with gzip or zstd, not as {extension}. To fix it: name it "
            f"{stem}.gz or {stem}.zst."
        )
    meant = INSTEAD.get(extension) or nearest(extension, known) or ".csv"
    raise OutputError(
        f"{name}: files with the extension {extension} are not written, only {', '.join(known)}, each "
        f"perhaps with .gz or .zst after it. To fix it: name it {stem}{meant}{packing}."
    )
