"""``withhold page``: the road in a browser, on this machine only."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from withhold.cli import interrupts
from withhold.cli.app import verb
from withhold.cli.console import note, say
from withhold.data.names import nearest
from withhold.errors import PolicyError

NEEDED = "the page needs more packages; install them with: {} -m pip install 'withhold[page]'"


@verb("page", example="withhold page baskets.dat")
def page(
    *,
    file: Path | None = None,
    folder: Path | None = None,
    port: int | None = None,
    no_browser: bool = False,
) -> None:
    """Open a local page that leads from a file to a proved release.

    It needs more packages: pip install 'withhold[page]'.

    It is served to this machine alone, and nothing leaves it. The address holds a token that works once;
    Ctrl-C ends the page and its jobs.
    """
    if file is not None and file.is_dir():
        raise PolicyError(f"{file} is a folder; open the page in it with --folder {file}")
    if file is not None and not file.is_file():
        beside = [each.name for each in file.parent.iterdir()] if file.parent.is_dir() else []
        near = nearest(file.name, beside)
        raise PolicyError(f"{file} does not exist" + (f"; did you mean {near!r}?" if near else ""))
    if folder is not None and not folder.is_dir():
        raise PolicyError(f"{folder} is not a folder")
    where = (folder or (file.parent if file is not None else Path())).resolve()
    first = None
    if file is not None:
        if not file.resolve().is_relative_to(where):
            raise PolicyError(f"{file} is not in {where}; leave --folder out, or name its folder")
        first = file.resolve().relative_to(where).as_posix()
    try:
        from withhold.page.serving import serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("withhold"):
            raise
        raise PolicyError(NEEDED.format(shlex.quote(sys.executable))) from error

    def started(address: str, put_away: Callable[[], None]) -> None:
        interrupts.before_ending.append(put_away)
        say(address)
        note(f"the address works once, in one browser; the page works in {where}; Ctrl-C ends it")

    serve(where, first=first, port=port, browser=not no_browser, started=started)
