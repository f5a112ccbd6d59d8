"""How the page of `femu monitor` holds out next to a running test: its processor time, memory,
traffic and answers.

``python tests/monitor/measure.py JOURNAL [--minutes 60] [--every 3] [--json FILE] [--picture
FILE]`` attaches a monitor and a headless Chromium to the journal of a test that runs, looks at both
now and then, and prints a line for each look:

- processor time of the monitor, in percent of one core;
- memory of the monitor and of the page's own process, and what the page's scripts hold of it;
- traffic from the monitor to the page;
- age of the newest point on the page: from the stamp of its row in the journal to the moment it is
  read off the page;
- answer: time in which the page runs a script and draws two frames; longest: the longest task since
  the look before.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from femu.experimental.journal.journal import TAIL, read_ending, rows_of
from femu.files.hdf5 import opened

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1360,1100",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
)
SAMPLES = 20  # ages and answers of a look
TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
BEFORE = """
window.measured = {bytes: 0, frames: 0, longest: 0};
window.WebSocket = class extends window.WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener('message', e => {
      window.measured.bytes += e.data.byteLength || e.data.size || e.data.length || 0; window.measured.frames += 1; });
  }
};
new PerformanceObserver(list => { for (const task of list.getEntries())
  window.measured.longest = Math.max(window.measured.longest, task.duration); }).observe({entryTypes: ['longtask']});
"""
NEWEST = """const t = Bokeh.documents[0].get_model_by_name('tracking').data.t;
return [t.length, t[t.length - 1], Date.now() / 1000]"""
TAKE = "const m = window.measured, reported = [m.bytes, m.frames, m.longest]; m.bytes = m.frames = m.longest = 0; return reported"
FRAMES = """const done = arguments[0], began = performance.now();
requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)))"""
COLUMNS = (
    "minute",
    "test time (s)",
    "monitor CPU (%)",
    "monitor (MB)",
    "page (MB)",
    "scripts (MB)",
    "traffic (kB/s)",
    "age median (s)",
    "age most (s)",
    "answer median (ms)",
    "answer most (ms)",
    "longest (ms)",
    "points",
)


def processor(pid: int) -> float:
    """Seconds of processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def megabytes(pid: int) -> float:
    """Memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES / 2**20


def renderer(driver: int) -> int:
    """The process of Chromium that draws the page.

    The largest renderer among the children of its driver.
    """
    family, found = [driver], {}
    for pid in family:
        for task in Path(f"/proc/{pid}/task").iterdir():
            family += [int(child) for child in (task / "children").read_text().split()]
        if b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes():
            found[pid] = megabytes(pid)
    return max(found, key=lambda pid: found[pid]) if found else 0


def stamp(journal: str, time_of_test: float) -> float:
    """Wall clock of the row of a time, in the first element's measurements."""
    with opened(journal, "a journal") as file:
        data = rows_of(file, "elements/0/measured", journal)
        low, high = 0, len(data)
        while low < high:
            middle = (low + high) // 2
            row = data[middle]
            if np.isnan(row[-1]) or row[1] >= time_of_test - 1e-9:
                high = middle
            else:
                low = middle + 1
        return float(data[low][-TAIL])


def ended(journal: str) -> bool:
    """Whether the test has an ending."""
    with opened(journal, "a journal") as file:
        return read_ending(file, journal) is not None


def look(
    driver: Any, journal: str, monitor: int, page: int, before: tuple[float, float], began: float
) -> dict[str, float]:
    """One line of the table."""
    used, now = processor(monitor), time.monotonic()
    ages, answers, newest, points = [], [], 0.0, 0
    for _ in range(SAMPLES):
        points, newest, clock = driver.execute_script(NEWEST)
        ages.append(clock - stamp(journal, newest))
        answers.append(float(driver.execute_async_script(FRAMES)))
        time.sleep(0.13)
    sent, _, longest = driver.execute_script(TAKE)
    heap = driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"] / 2**20
    values = (
        (now - began) / 60.0,
        newest,
        100.0 * (used - before[0]) / (now - before[1]),
        megabytes(monitor),
        megabytes(page) if page else float("nan"),
        heap,
        sent / 1e3 / (time.monotonic() - before[1]),
        np.median(ages),
        max(ages),
        np.median(answers),
        max(answers),
        longest,
        points,
    )
    return dict(zip(COLUMNS, (round(float(v), 3) for v in values), strict=True))


def main() -> None:
    """Measure until the test ends or the time is over."""
    ask = argparse.ArgumentParser()
    ask.add_argument("journal")
    ask.add_argument("--minutes", type=float, default=60.0)
    ask.add_argument("--every", type=float, default=3.0)
    ask.add_argument("--json", type=Path)
    ask.add_argument("--picture", type=Path)
    reported = ask.parse_args()
    command = [
        sys.executable,
        "-c",
        "from femu.cli import main; main()",
        "monitor",
        reported.journal,
        "--port",
        "0",
        "--no-open",
    ]
    rows: list[dict[str, float]] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as monitor:
        assert monitor.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", monitor.stdout.readline())
        assert found is not None
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or "chromium"
        for flag in FLAGS:
            options.add_argument(flag)
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        try:
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": BEFORE})
            driver.get(found.group())
            time.sleep(10.0)
            page = renderer(driver.service.process.pid)
            began = time.monotonic()
            print("  ".join(COLUMNS), flush=True)
            while time.monotonic() - began < 60.0 * reported.minutes and not ended(
                reported.journal
            ):
                before = processor(monitor.pid), time.monotonic()
                driver.execute_script(TAKE)
                time.sleep(60.0 * reported.every - 5.0)
                rows.append(look(driver, reported.journal, monitor.pid, page, before, began))
                print("  ".join(f"{v:g}" for v in rows[-1].values()), flush=True)
                if reported.json:
                    reported.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
                if reported.picture:
                    driver.save_screenshot(str(reported.picture))
        finally:
            driver.quit()
            monitor.terminate()


if __name__ == "__main__":
    main()
