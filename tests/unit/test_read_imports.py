"""Reading a text file costs no data-frame library at start-up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = ("polars", "narwhals", "pandas", "pyarrow", "numba", "zstandard")
SCRIPT = """
import sys
from withhold.formats import read, write
read(sys.argv[1])
print(*[name for name in sys.argv[2].split() if name in sys.modules])
"""


def test_a_basket_file_is_read_without_any_frame_library(tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_text("1 2\n3\n")
    command = [sys.executable, "-c", SCRIPT, str(path), " ".join(HEAVY)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
