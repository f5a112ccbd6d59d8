"""A journal has one writer: nobody takes it over while its test runs."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from journalled import STEPS, make, same

from femu import FileError
from femu.experimental import Ending, Journal, read_journal
from femu.experimental.journal import lock
from femu.experimental.journal.lock import mark_as_used, taken_alone

pytestmark = pytest.mark.skipif(lock.locks is None, reason="the system has no such locks")


def test_a_running_test_is_not_resumed(tmp_path):
    """The other test would take the place of its file, and what is measured from then on would be
    in none."""
    make().run(tmp_path / "whole.h5")
    test, path, meets, goes_on = make(), tmp_path / "j.h5", threading.Event(), threading.Event()
    apply, ended = test.elements["device"].specimen.apply, []

    def waits(command, at):
        if at > 0.5 and not meets.is_set():
            meets.set()
            goes_on.wait(60.0)
        return apply(command, at)

    test.elements["device"].specimen.apply = waits
    running = threading.Thread(target=lambda: ended.append(test.run(path)))
    running.start()
    assert meets.wait(60.0)
    second = make()
    with pytest.raises(FileError, match="its test is still running"):
        second.resume(path)
    assert not second.sessions
    assert read_journal(path).steps > 0  # who only reads may
    goes_on.set()
    running.join(60.0)
    assert (ended[0].outcome, ended[0].steps) == (Ending.COMPLETE, STEPS)
    assert same(read_journal(tmp_path / "whole.h5"), read_journal(path))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["j.h5", "whole.h5"]
    assert make().resume(path).outcome is Ending.COMPLETE  # now it may be


def test_two_do_not_resume_at_once(tmp_path):
    path = tmp_path / "j.h5"
    Journal(path, {"e": 1}).close()
    with taken_alone(path):
        with pytest.raises(FileError, match="resumed elsewhere"), taken_alone(path):
            pass
        with pytest.raises(BlockingIOError):  # what takes its place is another file
            mark_as_used(str(path))
    with taken_alone(path):
        pass


def test_one_that_was_replaced_meanwhile_is_not_taken(tmp_path, monkeypatch):
    path, other = tmp_path / "j.h5", tmp_path / "other.h5"
    for p in (path, other):
        Journal(p, {"e": 1}).close()
    flock = lock.locks.flock

    def late(mark, how):
        os.replace(other, path)  # another one is done with it just now
        flock(mark, how)

    monkeypatch.setattr(lock.locks, "flock", late)
    with pytest.raises(FileError, match="in use"), taken_alone(path):
        pass


WRITER = """
import sys, time
from femu.experimental import Journal
journal = Journal(sys.argv[1], {"e": 1})
print("begun", flush=True)
time.sleep(60.0)
"""


def test_a_killed_writer_holds_nothing(tmp_path):
    path = tmp_path / "j.h5"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        try:
            assert writer.stdout.readline() == "begun\n"
            with pytest.raises(FileError, match="its test is still running"), taken_alone(path):
                pass
        finally:
            writer.kill()
    with taken_alone(path):
        pass


def test_a_journal_that_begins_waits_for_one_who_looks(tmp_path):
    """Without its mark the test would run, and anybody could take its journal over."""
    path = tmp_path / "j.h5"
    Journal(path, {"e": 1}).close()
    looks, found = threading.Event(), []

    def look():
        with taken_alone(path):
            looks.set()
            time.sleep(0.1)

    looker = threading.Thread(target=look)
    looker.start()
    assert looks.wait(60.0)
    mark = mark_as_used(str(path))
    looker.join(60.0)
    with mark, pytest.raises(FileError, match="in use"), taken_alone(path):
        found.append("taken")
    assert not found


def test_two_tests_do_not_begin_the_same_file(tmp_path, monkeypatch):
    path = tmp_path / "j.h5"
    first = Journal(path, {"e": 1})
    monkeypatch.setattr(os.path, "exists", lambda _: False)  # both have looked before either began
    with pytest.raises(FileError, match="cannot be written"):
        Journal(path, {"e": 1})
    monkeypatch.undo()
    first.close()
    assert read_journal(path).ending is Ending.COMPLETE


def test_a_system_without_locks(tmp_path, monkeypatch):
    path = tmp_path / "j.h5"
    monkeypatch.setattr(lock, "locks", None)
    journal = Journal(path, {"e": 1})
    one = np.ones(1)
    with taken_alone(path):  # refused if there are locks
        journal.command("e", 1, 0.1, one)
        journal.measured("e", 1, 0.1, one, 2.0 * one)
        journal.close()
    record = read_journal(path)
    assert record.ending is Ending.COMPLETE
    assert record.commands("e").tolist() == [[1.0]] and record.measurements("e")[1].tolist() == [
        [2.0]
    ]
