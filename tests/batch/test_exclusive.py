"""A batch file is never lost.

What is there is resumed or refused, and one process alone writes it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from batch_cases import Watch, motions, plan, suite

from femu.batch import IDA, Suite, Tracing, exclusive
from femu.experimental import Journal
from femu.support.errors import FileError

RACER = """
import sys
sys.path.insert(0, sys.argv[1])
from batch_cases import Watch, suite
from femu.support.errors import FileError

class Held(Watch):
    def start(self, total, done):
        print("computes", flush=True)
        sys.stdin.readline()

print("ready", flush=True)
sys.stdin.readline()
try:
    suite(1).run(sys.argv[2], workers=1, on="threads", progress=Held())
    print("finished", flush=True)
except FileError as error:
    print("refused", error, flush=True)
"""


def test_a_finished_batch_is_opened_and_nothing_is_computed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FEMU_QUIET", raising=False)
    ida = IDA(plan(), motions(2), Tracing(2.0, 20.0, runs=3))
    for batch, name in ((suite(2), "suite.h5"), (ida, "ida.h5")):
        path = tmp_path / name
        first = batch.run(path, workers=1, on="threads")
        content, inode = path.read_bytes(), path.stat().st_ino
        capsys.readouterr()
        again = batch.run(path, on="threads")
        assert capsys.readouterr().err.count("nothing computed") == 1
        assert (path.read_bytes(), path.stat().st_ino) == (content, inode)
        np.testing.assert_array_equal(again.largest_drift, first.largest_drift)
        with pytest.raises(FileError, match="already exists"):
            batch.run(path, on="threads", resume=False)
    assert ida.trace(tmp_path / "ida.h5").records


def test_overwrite_replaces_a_batch_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "suite.h5"
    suite(2).run(path, workers=1, on="threads")
    assert len(suite(1).run(path, workers=1, on="threads", overwrite=True)) == 3
    Journal(tmp_path / "journal.h5", {"e": 1}).close()
    (tmp_path / "notes.txt").write_text("notes")
    for name in ("journal.h5", "notes.txt"):
        content = (tmp_path / name).read_bytes()
        for options in ({}, {"overwrite": True}, {"resume": False}):
            with pytest.raises(FileError, match="not the file of a femu batch"):
                suite(1).run(tmp_path / name, workers=1, on="threads", **options)
        assert (tmp_path / name).read_bytes() == content
    assert sorted(p.name for p in tmp_path.iterdir()) == ["journal.h5", "notes.txt", "suite.h5"]


@pytest.mark.skipif(exclusive.locks is None, reason="the system has no such locks")
def test_a_batch_that_runs_is_refused_to_others(tmp_path: Path) -> None:
    path = tmp_path / "suite.h5"

    class Second(Watch):
        def start(self, total: int, done: int) -> None:
            for options in ({}, {"overwrite": True}):
                with pytest.raises(FileError, match="in use"):
                    suite(1).run(path, workers=1, on="threads", **options)

    assert len(suite(1).run(path, workers=1, on="threads", progress=Second())) == 3


@pytest.mark.slow
@pytest.mark.skipif(exclusive.locks is None, reason="the system has no such locks")
def test_of_two_that_begin_together_one_computes(tmp_path: Path) -> None:
    for k in range(4):
        path = tmp_path / f"{k}.h5"
        both = [
            subprocess.Popen(
                [sys.executable, "-c", RACER, str(Path(__file__).parent), str(path)],
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(2)
        ]
        for one in both:
            assert one.stdout.readline() == "ready\n"
        for one in both:
            one.stdin.write("\n")
            one.stdin.flush()
        said = [one.stdout.readline() for one in both]
        assert sorted(words.split()[0] for words in said) == ["computes", "refused"], said
        ends = [one.communicate("\n")[0] for one in both]
        assert ends[said.index("computes\n")] == "finished\n"
        assert path.stat().st_size > 0
        assert not list(tmp_path.glob(".*.new"))


def test_another_load_is_another_model(tmp_path: Path) -> None:
    from dataclasses import replace

    path, given = tmp_path / "suite.h5", suite(1)
    given.run(path, workers=1, on="threads")
    heavier = plan().model
    heavier.load("top", y=-1.0, pattern="gravity")
    with pytest.raises(FileError, match="other model"):
        Suite(replace(given.plan, model=heavier), given.records, given.scales).run(
            path, on="threads"
        )
