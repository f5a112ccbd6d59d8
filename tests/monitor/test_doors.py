"""Who may see the page of a test, and what names and damaged journals do to it."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from journal_writer import Writer

pytest.importorskip("bokeh")
from bokeh.document import Document
from tornado.httpclient import AsyncHTTPClient

from femu.monitor import Watch, doors
from femu.monitor.doors import Doors, is_local
from femu.monitor.page import Page, plain, serve

UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}
Ask = Callable[..., Awaitable[Any]]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    writer = Writer(tmp_path / "test.h5")
    writer("steps", 1, 5)
    writer("close", "COMPLETE", "")
    return tmp_path / "test.h5"


def asked(path: Path, questions: Callable[[Any, Ask], Awaitable[None]], address: str) -> None:
    """Ask a server of the page over HTTP."""

    async def go() -> None:
        server = serve(str(path), address=address)

        async def ask(where: str = "/", **headers: str) -> Any:
            url = f"http://127.0.0.1:{server.port}{where}"
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return await AsyncHTTPClient().fetch(url, headers=named, raise_error=False)

        try:
            await questions(server, ask)
        finally:
            server.stop()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Bokeh and Tornado
        asyncio.run(go())


def test_a_page_is_not_given_to_a_web_site_whose_name_leads_here(journal: Path) -> None:
    async def questions(server: Any, ask: Ask) -> None:
        for host in (f"127.0.0.1:{server.port}", f"localhost:{server.port}"):
            assert (await ask(Host=host)).code == 200
        for host in (f"evil.example:{server.port}", "evil.example", f"127.0.0.1:{server.port + 1}"):
            for where in ("/", "/autoload.js?bokeh-autoload-element=1", "/metadata"):
                assert (await ask(where, Host=host)).code == 403
        other = {**UPGRADE, "Origin": f"http://evil.example:{server.port}"}
        assert (await ask("/ws", **other)).code == 403

    asked(journal, questions, "127.0.0.1")


def test_beyond_this_computer_the_page_needs_its_token(journal: Path) -> None:
    async def questions(server: Any, ask: Ask) -> None:
        token = server.url.rpartition("=")[2]
        assert len(token) > 20
        assert (await ask()).code == 403
        assert (await ask("/?token=wrong")).code == 403
        given = await ask(f"/?token={token}", Host="laboratory.example")
        assert given.code == 200
        cookie = given.headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
        assert (await ask(Cookie=cookie.partition(";")[0])).code == 200

    asked(journal, questions, "0.0.0.0")


def test_the_number_of_pages_has_a_bound(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "MOST_PAGES", 3)

    async def questions(server: Any, ask: Ask) -> None:
        assert [(await ask()).code for _ in range(5)] == [200, 200, 200, 503, 503]

    asked(journal, questions, "127.0.0.1")


def test_addresses_of_this_computer_need_no_token() -> None:
    assert all(map(is_local, ("127.0.0.1", "127.3.2.1", "localhost", "::1")))
    assert not any(map(is_local, ("0.0.0.0", "192.168.0.7", "laboratory", "::")))
    assert Doors("127.0.0.1", 1).token == "" and Doors("0.0.0.0", 1).token


def test_a_name_is_no_mathematics(journal: Path) -> None:
    page = Page(Watch(journal), Document())
    assert page.heading.disable_math and page.alarms.disable_math
    link = r"$$\href{javascript:alert(1)}{x}$$ \[y\] \(z\)"
    assert not any(sign in plain(link) for sign in ("$$", r"\[", r"\("))
    assert plain("a plain name, 5 $") == "a plain name, 5 $"


def test_a_journal_that_becomes_damaged_is_said_on_the_page(journal: Path) -> None:
    page = Page(Watch(journal), Document())
    assert "cannot be read" not in page.alarms.text
    journal.write_bytes(b"\x89HDF\r\n\x1a\n" + b"nothing" * 500)
    for _ in range(3):
        page._answered()  # the browser has drawn what was sent
        page.tick()
    assert "The journal cannot be read" in page.alarms.text
    page = Page(Watch(journal), Document())  # opened when it is damaged already
    page.tick()
    page.tick()
    assert "journal cannot be read" in page.heading.text
