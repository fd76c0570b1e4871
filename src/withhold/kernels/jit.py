"""The one place that knows how kernels are compiled and where compiled code is kept.

numba's cache does not notice when a kernel that another kernel calls is edited, so the cache directory
is named after a hash of all kernel sources: an edit, an upgrade or another switch gets a new directory.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import config


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on first use, without the interpreter lock, cached for this user."""
    # The directory is numba's global setting and is read while decorating; a caller who uses numba
    # for other things gets their own setting back.
    theirs = config.CACHE_DIR
    config.CACHE_DIR = str(cache_directory())
    try:
        compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True)(function)
    finally:
        config.CACHE_DIR = theirs
    return compiled


@cache
def cache_directory() -> Path:
    """The directory of this version's compiled kernels; created if need be."""
    directory = _user_cache() / f"kernels-{_fingerprint()}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except OSError:
        # Nowhere to keep them: a private directory for this process. Not a fixed name in a place that
        # others can write to, since loading compiled code from there would be running theirs.
        return Path(tempfile.mkdtemp(prefix="withhold-kernels-"))


def is_cold() -> bool:
    """Whether the kernels still have to be compiled on this machine, which takes some seconds."""
    return not config.DISABLE_JIT and not any(cache_directory().rglob("*.nbi"))


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    for switch in (numba.__version__, sys.version, config.BOUNDSCHECK):
        digest.update(str(switch).encode())
    return digest.hexdigest()[:16]


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "withhold"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "withhold"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "withhold"
