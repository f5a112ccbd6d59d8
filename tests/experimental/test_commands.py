"""`femu serve`, `femu resume`, `femu replay` and the files they read."""

import os
import re
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from ctrl_c import stopped_by_ctrl_c
from journalled import STEPS, make, same

from femu import FileError
from femu.cli import main
from femu.experimental import BadMessage, RemoteApplication, read_description, read_journal

SPECIMEN = """
[specimen]
length = 3.0
seed = 2
[specimen.of]
type = "ForceBeamColumn"
points = 4
[specimen.of.section]
type = "UncoupledSection"
axial = {type = "Elastic", E = 2.0e9}
moment = {type = "Bilinear", E = 2.0e7, fy = 2.0e5, b = 0.01}
[actuator]
delay = 0.01
[sensors]
force_noise = 10.0
[limits]
displacement = [0.01, 0.05, 0.05]
[server]
port = 0
"""
SCRIPT = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from journalled import make
test = make()
"""


def written(path, text):
    path.write_text(text)
    return str(path)


def test_description(tmp_path):
    described = read_description(written(tmp_path / "s.toml", SPECIMEN))
    assert described.specimen.size == 3
    assert described.specimen.actuator.delay == 0.01
    assert described.limits.displacement == (0.01, 0.05, 0.05)
    assert described.server == {"port": 0}
    two = read_description(
        written(
            tmp_path / "two.toml",
            '[[specimen.of]]\ntype = "Elastic"\nE = '
            "2.0\n"
            '[[specimen.of]]\ntype = "Elastic"\nE = 3.0\n',
        )
    )
    assert np.diag(two.specimen.initial_stiffness()).tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    "text, word",
    [
        ("[specimen", "cannot be read"),
        ("[specimen]\nseed = 1", "specimen.of"),
        ("[rig]\na = 1", "rig"),
        ('[specimen.of]\ntype = "Steel99"', "Steel99"),
        ('[specimen.of]\ntype = "Elastic"', "argument"),
        ('[specimen.of]\ntype = "Elastic"\nE = -1.0', "E"),
        ("[specimen.of]\nE = 1.0", "type"),
        ('[specimen.of]\ntype = "Elastic"\nE = 1.0\n[server]\nport = "x"', "port"),
        ('[specimen.of]\ntype = "Elastic"\nE = 1.0\n[actuator]\nspeed = 1', "speed"),
        ('limits = 3\n[specimen.of]\ntype = "Elastic"\nE = 1.0', "table"),
        ('server = 3\n[specimen.of]\ntype = "Elastic"\nE = 1.0', "table"),
        ('[specimen.of]\ntype = "__builtins__"', "__builtins__"),
    ],
)
def test_wrong_descriptions_are_explained(tmp_path, text, word):
    with pytest.raises(FileError, match=word):
        read_description(written(tmp_path / "s.toml", text))
    result = CliRunner().invoke(main, ["serve", str(tmp_path / "s.toml")])
    assert result.exit_code == 3
    assert "Traceback" not in result.output


def hear_interrupts():
    """A process started from a shell's background ignores Ctrl-C, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(tmp_path, *options):
    """`femu serve` in a process of its own, and the port it says it waits on."""
    file = written(tmp_path / "s.toml", SPECIMEN)
    process = subprocess.Popen(
        [sys.executable, "-c", "from femu.cli import main; main()", "serve", file, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=hear_interrupts,
    )
    guard = threading.Timer(90.0, process.kill)
    guard.start()
    lines = []
    for line in process.stdout:
        lines.append(line)
        found = re.search(
            r"waiting for a client on 127.0.0.1, port (\d+) \((TCP|UDP), "
            r"application, 3 actuators\)",
            line,
        )
        if found:
            return process, int(found[1]), guard
    raise AssertionError("".join(lines))


def test_serve_hosts_a_specimen(tmp_path):
    process, port, guard = start(tmp_path, "--journal", str(tmp_path / "j.h5"))
    remote = RemoteApplication(3, port, element=True, silence=30.0)
    assert remote.initial_stiffness()[0, 0] == pytest.approx(2e9 / 3.0)
    remote.apply(np.array([1e-5, 1e-4, 0.0]), 0.01)
    remote.commit(0.01)
    remote.close()
    out = process.communicate(timeout=60)[0]
    guard.cancel()
    assert process.returncode == 0, out
    assert "1 moves, 1 committed steps" in out
    assert len(read_journal(tmp_path / "j.h5").measured["specimen"]) == 1


@pytest.mark.parametrize("what", ["gone", "limit", "interrupted"])
def test_serve_says_what_went_wrong_without_a_traceback(tmp_path, what):
    process, port, guard = start(tmp_path, "--silence", "20")
    remote = RemoteApplication(3, port, silence=30.0)
    remote.open()
    if what == "limit":
        remote.apply(np.zeros(3), 0.0)
        with pytest.raises(BadMessage):
            remote.apply(np.array([0.5, 0.0, 0.0]), 0.01)
        remote.close()
    elif what == "gone":
        remote._connected.close()
    else:
        remote.apply(np.zeros(3), 0.0)
        process.send_signal(signal.SIGINT)
    out = process.communicate(timeout=60)[0]
    guard.cancel()
    assert process.returncode == (130 if what == "interrupted" else 3), out
    said = {
        "gone": "closed the connection",
        "limit": "limit of actuator 1 of the specimen",
        "interrupted": "stopped by the user",
    }
    assert said[what] in out
    assert "Traceback" not in out


def test_resume_and_replay(tmp_path):
    make().run(tmp_path / "whole.h5")
    test = make()
    specimen = test.elements["device"].specimen
    specimen.apply = lambda c, t, f=specimen.apply: (
        f(c, t) if t < 0.7 else (_ for _ in ()).throw(KeyboardInterrupt)
    )
    stopped_by_ctrl_c(test.run, tmp_path / "j.h5")
    script = written(tmp_path / "script.py", SCRIPT)
    result = CliRunner().invoke(main, ["resume", str(tmp_path / "j.h5"), script])
    assert result.exit_code == 0, result.output
    assert "69 committed steps; continuing" in result.output
    assert f"{STEPS} steps are committed" in result.output
    assert same(read_journal(tmp_path / "whole.h5"), read_journal(tmp_path / "j.h5"))
    result = CliRunner().invoke(main, ["replay", str(tmp_path / "j.h5"), script])
    assert result.exit_code == 0, result.output
    assert f"all {STEPS} commands" in result.output
    other = written(
        tmp_path / "other.py", SCRIPT + 'test.program.parameters["upper.x.E"] *= 1.001\n'
    )
    result = CliRunner().invoke(main, ["replay", str(tmp_path / "j.h5"), other])
    assert result.exit_code == 1
    assert re.search(r"device: step \d+ ", result.output)
    result = CliRunner().invoke(main, ["resume", str(tmp_path / "j.h5"), other])
    assert result.exit_code == 3
    assert "upper.x.E" in result.output


@pytest.mark.parametrize(
    "fault, code, ending",
    [("raise KeyboardInterrupt", 130, "STOPPED_BY_USER"), ("return None", 3, "BAD_MEASUREMENT")],
)
def test_a_resumed_test_that_ends_early_is_in_the_exit_code(tmp_path, fault, code, ending):
    """Its journal is whole, and resumed once more it comes to its end."""
    test = make()
    specimen = test.elements["device"].specimen
    specimen.apply = lambda c, t, f=specimen.apply: (
        f(c, t) if t < 0.7 else (_ for _ in ()).throw(KeyboardInterrupt)
    )
    stopped_by_ctrl_c(test.run, tmp_path / "j.h5")
    faulty = written(
        tmp_path / "faulty.py",
        SCRIPT
        + f"""
specimen = test.elements["device"].specimen
apply = specimen.apply
def until(command, time):
    if time > 1.0:
        {fault}
    return apply(command, time)
specimen.apply = until
""",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the command says itself how it ended
        result = CliRunner().invoke(main, ["resume", str(tmp_path / "j.h5"), faulty])
    assert result.exit_code == code, result.output
    assert f"100 of {STEPS} steps were done, to t = 1." in result.output
    record = read_journal(tmp_path / "j.h5")
    assert (record.ending.name, record.steps) == (ending, 100)
    assert make().resume(tmp_path / "j.h5").outcome.ok


def test_scripts_that_define_no_test(tmp_path):
    make().run(tmp_path / "j.h5")
    for text in ("x = 1", "test = 3", "def test(:"):
        result = CliRunner().invoke(
            main, ["replay", str(tmp_path / "j.h5"), written(tmp_path / "s.py", text)]
        )
        assert result.exit_code == 3
        assert "s.py" in result.output
