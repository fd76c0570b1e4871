"""Where compiled code is cached; needed before anything that compiles is imported."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_cache() -> Path:
    """This user's folder of compiled code."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "withhold"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "withhold"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "withhold"
