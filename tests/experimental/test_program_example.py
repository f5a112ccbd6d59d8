"""The specimen behind a program of docs/adding.

An interrupt in the terminal, and an answer with the wrong count.
"""

import importlib.util
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from femu.experimental import BadMessage, read_journal

PAGE = Path(__file__).parents[2] / "docs" / "adding" / "examples" / "program_specimen.py"
pytestmark = [
    pytest.mark.skipif(
        not PAGE.exists(), reason="the documentation is not part of an installed package"
    ),
    pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal"),
]
SLOW = """
import sys, time
for line in sys.stdin:
    d = float(line)
    print("asked", file=sys.stderr, flush=True)
    time.sleep(0.3)
    print(d, 1e5 * d, flush=True)
"""
TEST = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
sys.path[:0] = {folders!r}
from program_specimen import ProgramSpecimen
from stone import make
specimen = ProgramSpecimen([sys.executable, "-c", {program!r}], 1, [[1e5]])
try:
    make(specimen).run({journal!r})
except KeyboardInterrupt as stop:
    specimen.close()
    print(stop.result.outcome.name)
"""


def test_ctrl_c_does_not_end_the_program_that_is_waited_for(tmp_path):
    """A terminal sends it to all programs that run in it."""
    journal = str(tmp_path / "j.h5")
    folders = [str(PAGE.parent), *map(str, Path(__file__).parents[:2])]
    text = textwrap.dedent(TEST).format(folders=folders, program=SLOW, journal=journal)
    test = subprocess.Popen(
        [sys.executable, "-c", text],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for _ in range(2):
        assert test.stderr.readline() == "asked\n"
    os.killpg(test.pid, signal.SIGINT)
    said, _ = test.communicate(timeout=60.0)
    assert said == "STOPPED_BY_USER\n"
    record = read_journal(journal)
    assert len(record.command["e"]) == len(record.measured["e"]) == 2


def test_numbers_of_the_wrong_count_are_handed_on():
    spec = importlib.util.spec_from_file_location("program_specimen", PAGE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    specimen = module.ProgramSpecimen(
        [sys.executable, "-c", "input(); print(0.1, 5.0, 7.0)"], 1, [[1e5]]
    )
    with pytest.raises(
        BadMessage, match=r"3 numbers; 2 were expected: \[0.1, 5.0, 7.0\]"
    ) as caught:
        specimen.apply(np.array([0.1]), 0.01)
    assert caught.value.measurement.displacement.tolist() == [0.1]
    assert caught.value.measurement.force.tolist() == [5.0, 7.0]
    specimen.close()
