"""The page in a real browser: new points while a test runs, over its end and its restart."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from journal_writer import Writer

pytest.importorskip("bokeh")
webdriver = pytest.importorskip("selenium.webdriver")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs Chromium and its driver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1360,1100",
)
PATIENCE = 30.0
POINTS = "return Bokeh.documents[0].get_model_by_name('tracking').data.t.length"
RENEWALS = (
    "return ['renewal', 'answer'].map(name => Bokeh.documents[0].get_model_by_name(name).value)"
)
TEXT = "return Bokeh.documents[0].get_model_by_name('{}').text"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


def test_a_page_that_still_draws_is_sent_nothing(tmp_path: Path) -> None:
    from bokeh.document import Document

    from femu.monitor import Watch
    from femu.monitor.page import Page

    writer = Writer(tmp_path / "test.h5")
    writer("steps", 1, 20)
    page = Page(Watch(tmp_path / "test.h5"), Document())
    assert len(page.tracking_data.data["t"]) == 19
    writer("steps", 20, 30)
    page.tick()
    assert len(page.tracking_data.data["t"]) == 19 and page.watch.steps == 29, "read, not sent"
    page._answered()
    page.tick()
    assert len(page.tracking_data.data["t"]) == 29
    writer("close", "COMPLETE", "")


def until(what: Callable[[], Any], wanted: Callable[[Any], bool]) -> Any:
    """Ask until the answer is as wanted; the last answer either way."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            answer = what()
        except Exception as problem:  # the page may not be there yet
            answer = problem
        if (not isinstance(answer, Exception) and wanted(answer)) or time.monotonic() > deadline:
            return answer
        time.sleep(0.1)


def test_the_page_follows_a_test_over_its_end_and_its_restart(tmp_path: Path, browser: Any) -> None:
    path = tmp_path / "test.h5"
    writer = Writer(path)
    writer("steps", 1, 20)
    command = [
        sys.executable,
        "-c",
        "from femu.cli import main; main()",
        "monitor",
        str(path),
        "--port",
        "0",
        "--no-open",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as monitor:
        try:
            assert monitor.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+/", monitor.stdout.readline())
            assert found is not None
            browser.get(found.group())

            def points() -> int:
                return int(browser.execute_script(POINTS))

            def words(name: str) -> str:
                return str(browser.execute_script(TEXT.format(name)))

            def goes_on() -> bool:
                # on a busy machine a row may be seconds old
                return "running" in words("heading") or "silent" in words("heading")

            assert until(points, lambda n: n == 19) == 19
            assert goes_on()
            writer("steps", 20, 96)
            assert until(points, lambda n: n == 95) == 95
            assert "of its limit 10" in words("alarms")
            sent, drawn = until(
                lambda: browser.execute_script(RENEWALS),
                lambda reported: reported[0] == reported[1],
            )
            assert sent == drawn >= 2, "the page reports what it has drawn"
            toggle = "Bokeh.documents[0].get_model_by_name('pause').active = {}"
            browser.execute_script(toggle.format("true"))
            time.sleep(1.0)
            writer("steps", 96, 100)
            time.sleep(1.0)
            assert points() == 95
            browser.execute_script(toggle.format("false"))
            assert until(points, lambda n: n == 99) == 99
            writer("close", "SPECIMEN_LIMIT", "The command would pass 10 mm.")
            assert "stopped" in until(lambda: words("heading"), lambda text: "stopped" in text)
            assert "would pass 10 mm" in words("alarms")
            again = Writer(path)
            again("steps", 1, 6)
            assert until(points, lambda n: n == 5) == 5
            assert goes_on()
            again("close", "COMPLETE", "")
            assert "finished" in until(lambda: words("heading"), lambda text: "finished" in text)
            log = browser.get_log("browser")
            severe = [
                entry
                for entry in log
                if entry["level"] == "SEVERE" and "favicon" not in entry["message"]
            ]
            assert severe == []
        finally:
            monitor.terminate()
