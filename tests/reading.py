"""Texts that tests write into a file and read as records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from withhold.data import Records
from withhold.errors import InputError
from withhold.formats import read


def in_file(name: str) -> tuple[Callable[..., Records], Callable[..., InputError]]:
    """Functions of a folder, a text and options: the records in a file of that name; why it is refused.

    The text is written as it is, line ends included.
    """

    def table_of(folder: Path, text: str, **options: str) -> Records:
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="")
        return read(path, **options)

    def refused(folder: Path, text: str, **options: str) -> InputError:
        with pytest.raises(InputError) as caught:
            table_of(folder, text, **options)
        return caught.value

    return table_of, refused
