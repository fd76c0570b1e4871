"""Start and end of the page: a socket on loopback, one address with a token, and nothing left behind."""

from __future__ import annotations

import gc
import html
import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import uvicorn

from withhold.errors import PolicyError
from withhold.interruption import forget_request, stop_if_asked
from withhold.page.folder import Folder
from withhold.page.guard import Guard
from withhold.page.jobs import Queue
from withhold.page.routes import application
from withhold.page.site import Site

LOOPBACK = "127.0.0.1"
MOST_UPLOAD_BYTES = 1 << 30
POLL_SECONDS = 0.2


class Page:
    """A page that is being served; ``with Page(folder) as page`` serves it from a thread."""

    def __init__(
        self,
        folder: Path,
        *,
        first: str | None = None,
        port: int | None = None,
        most_upload_bytes: int = MOST_UPLOAD_BYTES,
    ) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind((LOOPBACK, port or 0))
        except (OSError, OverflowError) as error:
            self.socket.close()
            reason = getattr(error, "strerror", None) or error
            raise PolicyError(f"port {port} cannot be used: {reason}; try another --port") from None
        self.socket.listen()  # requests wait until the server is up
        self.port = self.socket.getsockname()[1]
        self.folder = Folder(folder)
        self.queue = Queue(self.folder.root, self.folder.private)
        self.site = Site(self.folder, self.queue, first, most_upload_bytes)
        self.site.warm_up()
        self.guard = Guard(
            application(self.site), port=self.port, most_upload_bytes=most_upload_bytes
        )
        config = uvicorn.Config(
            self.guard,
            log_level="error",
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=64 << 10,
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True
        )

    @property
    def address(self) -> str:
        """With the token, which works once."""
        return f"http://{LOOPBACK}:{self.port}/?token={quote(self.guard.token or '')}"

    def __enter__(self) -> Page:
        self.thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.site.is_closing = True
        self.server.should_exit = True
        self.thread.join(timeout=5)
        self.put_away()
        self.socket.close()

    def put_away(self) -> None:
        """Cancel all jobs and remove the private folder."""
        self.queue.close()
        self.folder.remove_private()

    def open_browser(self) -> None:
        """By a private file: other users of the machine can read the arguments of commands."""
        opener = self.folder.private / "open.html"
        address = html.escape(self.address)
        opener.write_text(
            f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">', "utf-8"
        )
        webbrowser.open(opener.as_uri())


def serve(
    folder: Path,
    *,
    first: str | None,
    port: int | None,
    browser: bool,
    started: Callable[[str, Callable[[], None]], None],
) -> None:
    """Serve the page until the user ends it."""
    with Page(folder, first=first, port=port) as page:
        # What was loaded stays: a collection that scans all of it would delay a request by 50 ms.
        gc.collect()
        gc.freeze()
        started(page.address, page.put_away)
        if browser:
            page.open_browser()
        try:
            while page.thread.is_alive():
                page.thread.join(POLL_SECONDS)
                stop_if_asked()
        except KeyboardInterrupt:
            forget_request()
