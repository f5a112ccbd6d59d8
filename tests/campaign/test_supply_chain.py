"""Nothing that was received or read is run.

Floors and answers of the package index are read rightly.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.campaign.audit import (
    NoAnswer,
    Package,
    by_project_page,
    fetch,
    read_page,
    read_pip_audit,
    summary,
)
from tests.campaign.supply_chain import AUDITED, calls, calls_in, dangerous, needless
from tests.campaign.versions import EXTRA_TESTS, ROOT, SMOKE_TESTS, floor, floors, requirements

# --- calls ---


def test_no_pickle_eval_or_exec_on_data() -> None:
    assert dangerous() == []
    assert needless() == []
    # the search finds those that are there
    assert any(name == "pickle.loads" for _, _, name in calls())


@pytest.mark.parametrize(
    "text",
    [
        "import pickle\npickle.loads(b'')",
        "import pickle as p\np.load(f)",
        "from pickle import loads\nloads(b'')",
        "from pickle import loads as read\nread(b'')",
        "eval('1')",
        "exec(text)",
        "import builtins\nbuiltins.eval('1')",
        "import numpy as np\nnp.load(f, allow_pickle=True)",
        "import numpy\nnumpy.load(f, allow_pickle=yes)",
        "import subprocess as s\ns.run(words, shell=True)",
        "from os import system\nsystem('ls')",
        "import marshal\nmarshal.loads(b'')",
        "from multiprocessing.connection import Client\nClient(('', 1))",
        "from pickle import *",
        "import tarfile\ntarfile.open(f)",
        "import importlib\nimportlib.import_module(name)",
        "from importlib.util import spec_from_file_location as s\ns('a', f)",
        "import multiprocessing as m\nm.Pipe()",
        "import ctypes\nctypes.CDLL(path)",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', code])",
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-m', 'femu'])",
    ],
)
def test_the_search_sees_through_names(text: str) -> None:
    assert calls_in(text)


def test_what_is_harmless_is_not_found() -> None:
    assert (
        calls_in(
            "import numpy as np, json, re, importlib\nnp.load(f, "
            "allow_pickle=False)\njson.loads(t)\nre.compile('a')\n"
            "importlib.import_module('femu.materials')"
        )
        == []
    )


# --- versions ---


def test_dependencies_and_extras_have_an_oldest_version() -> None:
    assert len(requirements()) == 8
    for extra in (None, *AUDITED):
        assert all(floor(line) for line in requirements(extra))
    assert {"numpy==1.26", "numba==0.61.2", "filterpy==2.0.0"} <= set(floors())


@pytest.mark.parametrize(
    ("line", "oldest"),
    [
        ("numpy>=1.26", "numpy==1.26"),
        ("numba>=0.61.2,<0.69", "numba==0.61.2"),
        ("numba<0.69,>=0.61.2", "numba==0.61.2"),
        ("Tomli >= 2.0; python_version < '3.11'", "tomli==2.0; python_version < '3.11'"),
        ("dask[array]>=2024.1", "dask==2024.1"),
    ],
)
def test_the_floor_of_a_requirement(line: str, oldest: str) -> None:
    assert floor(line) == oldest


def test_a_requirement_without_a_floor_is_refused() -> None:
    with pytest.raises(ValueError, match="no oldest version"):
        floor("numpy<3")


def test_the_tests_that_other_versions_run_are_there() -> None:
    for name in (*SMOKE_TESTS, *EXTRA_TESTS):
        path, _, function = name.partition("::")
        assert (ROOT / path).exists(), name
        assert not function or f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), name


# --- known vulnerabilities ---


def page(**changed: Any) -> bytes:
    content = {
        "info": {"name": "Some_Package", "version": "2.1"},
        "vulnerabilities": [],
        "releases": {},
    }
    return json.dumps({**content, **changed}).encode()


def test_the_newest_release_is_clean_or_vulnerable() -> None:
    asked = []

    def get(url: str) -> bytes:
        asked.append(url)
        return page()

    clean = by_project_page("some-package", "2.1.0", get)
    assert asked == ["https://pypi.org/pypi/some-package/json"]
    assert (
        clean.by
        and not clean.known
        and clean.statement == "some-package 2.1.0 clean (project page)"
    )
    listed = [{"id": "PYSEC-2026-1"}, {"id": "GHSA-xxxx", "withdrawn": "2026-01-01T00:00:00Z"}]
    known = by_project_page("some-package", "2.1", lambda _: page(vulnerabilities=listed))
    assert known.known == ("PYSEC-2026-1",)


def test_an_older_release_is_not_asked() -> None:
    package = by_project_page("some-package", "2.0", lambda _: page())
    assert (
        not package.by
        and package.statement == "some-package 2.0 not asked: the page shows 2.1 only"
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not found",
        b"[]",
        b"[" * 100_000,
        b"\xff\xfe",
        page(info=None),
        page(info={}),
        page(vulnerabilities=None),
        page(vulnerabilities=["PYSEC-2026-1"]),
        page(vulnerabilities=[{}]),
        page(vulnerabilities=[{"id": 7}]),
        page(vulnerabilities=[{"id": "\x1b[2J"}]),
        page(info={"name": "other", "version": "2.1"}),
        page(info={"name": "some-package", "version": 2.1}),
        page(info={"name": "some-package", "version": "new"}),
    ],
)
def test_a_page_of_another_form_is_no_answer(content: bytes) -> None:
    with pytest.raises(NoAnswer):
        read_page(content, "some-package")
    assert not by_project_page("some-package", "2.1", lambda _: content).by


def test_what_pip_audit_prints() -> None:
    reported = json.dumps(
        {
            "dependencies": [
                {"name": "Clean_One", "version": "1.0", "vulns": []},
                {"name": "absent", "skip_reason": "not found on PyPI"},
                {
                    "name": "old",
                    "version": "0.1",
                    "vulns": [{"id": "PYSEC-2020-1", "fix_versions": ["0.2"]}],
                },
            ],
            "fixes": [],
        }
    )
    found = read_pip_audit(reported)
    assert set(found) == {"clean-one", "old"}
    assert found["old"].known == ("PYSEC-2020-1",) and not found["clean-one"].known
    for other in ("", "ERROR: no network", "[]", "{}", '{"dependencies": [{"name": "x"}]}'):
        assert read_pip_audit(other) == {}


def test_the_summary_counts_who_was_asked() -> None:
    by_tool, by_page = Package("a", "1", "pip-audit"), Package("b", "2", "project page")
    not_asked = Package("c", "3", why="held back")
    assert summary([by_tool, by_page, not_asked]) == (
        "no known vulnerabilities; asked 2 of 3 packages, 1 by pip-audit and 1 by the page of "
        "their project; not asked 1: c 3 (held back)"
    )
    known = Package("a", "1", "pip-audit", ("PYSEC-1",))
    assert summary([known, by_page]).startswith("a 1 vulnerable: PYSEC-1 (pip-audit); asked 2")
    assert summary([not_asked]).startswith("NOT DONE; asked 0 of 1")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/absent":
                self.send_error(404)
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"x" * 1000)
            if self.path == "/silent":
                self.wfile.flush()
                time.sleep(2.0)

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_address[1]}"
        served.shutdown()


def test_pages_are_fetched_with_limits(server: str) -> None:
    assert fetch(f"{server}/page") == b"x" * 1000
    with pytest.raises(NoAnswer, match="larger than 999 bytes"):
        fetch(f"{server}/page", largest=999)
    with pytest.raises(NoAnswer, match="404"):
        fetch(f"{server}/absent")
    with pytest.raises(NoAnswer, match="no page"):
        fetch(f"{server}/silent", patience=0.3)
    with pytest.raises(NoAnswer, match="no page"):
        fetch("http://127.0.0.1:9/nobody", patience=5.0)
