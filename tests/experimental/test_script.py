"""A script that is read for its description begins no test."""

import os
import textwrap

import pytest
from click.testing import CliRunner
from test_exchange import Stone, make

from femu import FileError, InputError
from femu.cli.main import main
from femu.experimental import read_journal
from femu.experimental.script import read_test

HEAD = f"""
import sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
from test_exchange import Stone, make
class Reported(Stone):
    def apply(self, command, time):
        open("moved", "a").close()
        return super().apply(command, time)
"""


@pytest.mark.parametrize(
    "body",
    [
        "test = make(Reported())\ntest.run()",
        "test = make(Reported())\ntest.run('other.h5')",
        "test = make(Reported())\ntest.resume('j.h5')",
        "def test():\n    made = make(Reported())\n    made.run()\n    return made",
        "import threading\ntest = make(Reported())\nt = "
        "threading.Thread(target=test.run)\nt.start()\nt.join()",
    ],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_specimen_is_not_moved_by_reading_its_script(tmp_path, monkeypatch, body):
    monkeypatch.chdir(tmp_path)
    make(Stone()).run("j.h5")
    (tmp_path / "script.py").write_text(textwrap.dedent(HEAD) + body + "\n")
    if "threading" in body:
        read_test("script.py")
    else:
        with pytest.raises(InputError, match=r"script\.py.*must not begin a test.*__name__"):
            read_test("script.py")
        for command in ("replay", "resume"):
            done = CliRunner().invoke(main, [command, "j.h5", "script.py"])
            assert done.exit_code != 0
    assert not (tmp_path / "moved").exists() and not (tmp_path / "other.h5").exists()


def test_afterwards_tests_run_as_before(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.py").write_text("1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        read_test("wrong.py")
    (tmp_path / "none.py").write_text("")
    with pytest.raises(FileError, match="does not define"):
        read_test("none.py")
    (tmp_path / "script.py").write_text(
        HEAD + "test = make(Reported())\nif __name__ == '__main__':\n    test.run()\n"
    )
    test = read_test("script.py")
    assert test.run("j.h5").outcome.ok
    done = CliRunner().invoke(main, ["replay", "j.h5", "script.py"])
    assert done.exit_code == 0 and len(read_journal("j.h5").command["e"]) == 30
