"""Who may talk to the page: one browser, from this machine, with the cookie that the token was exchanged for.

Every request passes here before anything else sees it. A page of another site cannot ask (Origin,
Sec-Fetch-Site), a name that was bound to this machine's address cannot (Host), and another user of the
machine, who can reach the port, has neither the token nor the cookie.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from withhold.page.words import WORDS

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not no-referrer, with which browsers send "Origin: null" with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every answer, unless it has a stricter one of its own."""
METHODS = ("GET", "HEAD", "POST")
OURS = ("same-origin", "none")
"""What ``Sec-Fetch-Site`` says of our own pages, and of addresses that somebody typed."""
MOST_FORM_BYTES = 4 << 20
"""The largest form; uploads have a limit of their own."""
UPLOAD = "/upload"


class Guard:
    """The application behind all checks."""

    def __init__(self, app: Any, *, port: int, most_upload_bytes: int) -> None:
        self.app = app
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        # Cookies are shared by all ports of a host: another server's must not be overwritten.
        self.cookie = f"withhold-{port}"
        self.token: str | None = secrets.token_urlsafe(32)
        self.session = secrets.token_urlsafe(32)
        self.most_upload_bytes = most_upload_bytes

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
        elif not self._is_known(headers):
            await self._exchange(scope, send)
        elif scope["path"] == "/" and b"token=" in scope["query_string"]:
            await _answer(send, 303, "", (("location", "/"),))  # a bookmark of the first address
        else:
            await self.app(scope, self._limited(scope, receive), _with_headers(send))

    def _refusal(self, scope: Any, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if host not in self.hosts:
            return 421, WORDS["guard.host"]
        if scope["method"] not in METHODS:
            return 405, WORDS["guard.method"]
        origin = headers.get("origin")
        # Browsers send it with every form; a request without it is not from one.
        if origin != f"http://{host}" and (origin is not None or scope["method"] == "POST"):
            return 403, WORDS["guard.origin"]
        # The one address that may be opened from elsewhere carries the token.
        exchanged = scope["path"] == "/" and b"token=" in scope["query_string"]
        if headers.get("sec-fetch-site", "none") not in OURS and not exchanged:
            return 403, WORDS["guard.origin"]
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._most(scope):
            return 413, WORDS["guard.large"]
        return None

    def _most(self, scope: Any) -> int:
        return self.most_upload_bytes if scope["path"] == UPLOAD else MOST_FORM_BYTES

    def _is_known(self, headers: dict[str, str]) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self.cookie)
        return found is not None and _equal(found.value, self.session)

    async def _exchange(self, scope: Any, send: Any) -> None:
        """The cookie for the token, once."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] != "/" or self.token is None or not _equal(given, self.token):
            await _answer(send, 403, WORDS["guard.token"])
            return
        self.token = None
        cookie = f"{self.cookie}={self.session}; Path=/; HttpOnly; SameSite=Strict"
        # Not a redirect: a browser that came from elsewhere would not send a strict cookie along.
        page = (
            '<!doctype html><title>withhold</title><meta http-equiv="refresh" content="0; url=/">'
        )
        await _answer(send, 200, page, (("set-cookie", cookie),), "text/html")

    def _limited(self, scope: Any, receive: Any) -> Any:
        """The body, cut off at the limit, whatever its headers said."""
        seen, most = 0, self._most(scope)

        async def limited() -> Any:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            return {"type": "http.disconnect"} if seen > most else message

        return limited


def _equal(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _with_headers(send: Any) -> Any:
    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *((n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in given),
            ]
        await send(message)

    return sending


async def _answer(
    send: Any, status: int, text: str, more: Any = (), kind: str = "text/plain"
) -> None:
    headers = {**HEADERS, "content-type": f"{kind}; charset=utf-8"}
    pairs = [(n.encode(), v.encode()) for n, v in (*headers.items(), *more)]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": text.encode()})
