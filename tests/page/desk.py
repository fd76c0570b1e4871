"""A page that is being served, and a plain client for it, for tests without a browser."""

from __future__ import annotations

import http.client
import time
from dataclasses import dataclass, field
from urllib.parse import urlencode

from withhold.page.serving import Page


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Client:
    """What a browser does, and what it would never do."""

    page: Page
    cookie: str = ""
    sent: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body=None, **headers: str | None) -> Answer:
        host = f"127.0.0.1:{self.page.port}"
        all_headers = {"Host": host, "Cookie": self.cookie or None}
        if method == "POST":
            all_headers["Origin"] = f"http://{host}"
        all_headers |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.page.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in all_headers.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None and "Content_Length" not in headers:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        found = Answer(
            answer.status,
            {k.lower(): v for k, v in answer.getheaders()},
            answer.read().decode("utf-8", "replace"),
        )
        connection.close()
        return found

    def enter(self) -> Answer:
        """Exchange the token for the cookie."""
        answer = self.ask("GET", self.page.address.partition(str(self.page.port))[2])
        self.cookie = answer.headers.get("set-cookie", "").partition(";")[0]
        return answer

    def get(self, path: str, **query: str) -> Answer:
        return self.ask("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, **form: object) -> Answer:
        body = urlencode({name.replace("__", "-"): v for name, v in form.items()}, doseq=True)
        kind = "application/x-www-form-urlencoded"
        return self.ask("POST", path, body.encode(), Content_Type=kind)

    def settle(self, seconds: float = 240) -> None:
        """Wait until every job is over."""
        until = time.monotonic() + seconds
        while any(not job.is_over for job in list(self.page.queue.jobs.values())):
            assert time.monotonic() < until, "a job hangs"
            time.sleep(0.05)
