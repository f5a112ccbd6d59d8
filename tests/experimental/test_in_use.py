"""A journal has one writer: nobody takes it over while its test runs."""

import os
import threading
import time

import pytest
from journalled import STEPS, make, same

from femu import FileError
from femu.experimental import Ending, Journal, in_use, read_journal
from femu.experimental.in_use import mark_as_used, taken_alone

pytestmark = pytest.mark.skipif(in_use.locks is None, reason="the system has no such locks")


def test_a_running_test_is_not_resumed(tmp_path):
    """The other test would take the place of its file, and what is measured from then on would be in none."""
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
    assert second.elements["device"].moves == 0
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
        mark = mark_as_used(str(path))
        assert mark is None  # what takes its place is another file
    with taken_alone(path):
        pass


def test_one_that_was_replaced_meanwhile_is_not_taken(tmp_path, monkeypatch):
    path, other = tmp_path / "j.h5", tmp_path / "other.h5"
    for p in (path, other):
        Journal(p, {"e": 1}).close()
    flock = in_use.locks.flock

    def late(mark, how):
        os.replace(other, path)  # another one is done with it just now
        flock(mark, how)

    monkeypatch.setattr(in_use.locks, "flock", late)
    with pytest.raises(FileError, match="in use"), taken_alone(path):
        pass


def test_a_killed_writer_holds_nothing(tmp_path):
    path = tmp_path / "j.h5"
    child = os.fork()
    if child == 0:
        Journal(path, {"e": 1})
        time.sleep(60.0)
        os._exit(1)
    try:
        deadline = time.monotonic() + 60.0
        used = False
        while not used and time.monotonic() < deadline:
            time.sleep(0.02)
            try:
                with taken_alone(path):
                    pass
            except FileError:
                used = path.stat().st_size > 0
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert used
    with taken_alone(path):
        pass


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
    monkeypatch.setattr(in_use, "locks", None)
    journal = Journal(path, {"e": 1})
    with taken_alone(path):
        journal.close()
