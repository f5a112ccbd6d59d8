"""Who may see the page.

A web site can have its own name lead to this computer ("DNS rebinding"), and the browser then lets
it read what it finds there. So a request must name an address of the page as its host. Beyond this
computer a token is needed too: it is part of the printed address, and a cookie from then on.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from bokeh.server.auth_provider import AuthProvider
from tornado.web import HTTPError

COOKIE, ARGUMENT = "femu_monitor", "token"
MOST_PAGES = 32  # each keeps what it shows in memory
LOCAL = ("127.0.0.1", "localhost", "[::1]")


def is_local(address: str) -> bool:
    """Whether only this computer can reach an address."""
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return address == "localhost"


class Doors(AuthProvider):
    """Lets requests in: to the right host, with the token where one is needed."""

    def __init__(self, address: str, port: int) -> None:
        shown = f"[{address}]" if ":" in address else address
        self.hosts = {f"{name}:{port}".lower() for name in (*LOCAL, shown)}
        self.token = "" if is_local(address) else secrets.token_urlsafe(16)
        # with a token the name by which others reach this computer may be any; Bokeh knows no IPv6
        any_of_them = bool(self.token) or "[" in shown
        self.origins = ["*"] if any_of_them else sorted(h for h in self.hosts if "[" not in h)
        self.pages: Callable[[], int] = int
        super().__init__()

    @property
    def get_user(self) -> Callable[[Any], str]:
        return self._admitted

    @property
    def get_user_async(self) -> None:
        return None

    @property
    def login_url(self) -> str:
        return "/"  # never used: whoever is not let in gets an error

    @property
    def get_login_url(self) -> None:
        return None

    @property
    def login_handler(self) -> None:
        return None

    @property
    def logout_url(self) -> None:
        return None

    @property
    def logout_handler(self) -> None:
        return None

    def _admitted(self, handler: Any) -> str:
        """The name of whoever sends a request; an error of HTTP for others."""
        origin = handler.request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc.lower() != handler.request.host.lower():
            raise HTTPError(403, "the request comes from the page of another site")
        if not self.token:
            if handler.request.host.lower() not in self.hosts:
                raise HTTPError(403, "the host of the request is not that of this page")
        else:
            given = handler.get_argument(ARGUMENT, None) or handler.get_cookie(COOKIE, "")
            if not hmac.compare_digest(given.encode(), self.token.encode()):
                raise HTTPError(403, "the token of this page is missing or wrong")
            if handler.get_argument(ARGUMENT, None) is not None:
                handler.set_cookie(COOKIE, self.token, httponly=True, samesite="Strict")
        if self.pages() >= MOST_PAGES and "ws" not in handler.request.path.rsplit("/", 1)[-1]:
            raise HTTPError(503, f"{MOST_PAGES} pages are open already")
        return "operator"
