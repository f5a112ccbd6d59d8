"""Late steps: the result, the report of the journal, the picture and the monitor give one number."""

import json

import h5py
import matplotlib.pyplot as plt
import pytest
from hybrid_models import CHAIN, hybrid, laws

from femu import GroundMotion, Outcome
from femu.analyses import HybridTest, Pace
from femu.experimental import EmulatedSpecimen, read_journal
from femu.experimental.errors import PeerLost
from femu.experimental.journal.reader import HEAD_DIGEST
from femu.experimental.late_steps import MARK, late_in_journal
from femu.files.hdf5 import put_text, text
from femu.monitor.watch import Watch
from femu.report.of_test import report_of_journal

RATE, STEPS = 100.0, 60
LATE = {3, 10, 11, 40}  # steps that are made late


class Clock:
    """A clock that moves when it is looked at, slept on or moved."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1e-7
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class Slow(EmulatedSpecimen):
    """Takes two and a half periods in the late steps, and fails once in the step ``fails``."""

    def __init__(self, clock, late=LATE, fails=0):
        super().__init__(laws(False), coordinates=CHAIN)
        self.clock, self.late, self.fails = clock, late, fails

    def apply(self, command, time):
        step = round(time / 0.01)
        if step == self.fails:
            self.fails = 0
            raise PeerLost("The pump failed.")
        if step in self.late:
            self.clock.now += 2.5 / RATE
        return super().apply(command, time)


def slow_test(**options):
    clock = Clock()
    return HybridTest(
        hybrid(specimen=Slow(clock, **options)),
        GroundMotion.el_centro(),
        dt=0.01,
        duration=0.01 * STEPS,
        pace=Pace(RATE, clock=clock, sleep=clock.sleep),
    )


def everywhere(result, path):
    """The number of late steps by the result, its column, the journal and the monitor.

    The report and the alarm say it too.
    """
    record, watch = read_journal(path), Watch(path)
    watch.refresh()
    said = f"{result.pace.overruns} of {result.steps} steps late"
    page = report_of_journal(record).html()
    plt.close("all")
    assert said in page and any(said in alarm for alarm in watch.alarms())
    return (
        result.pace.overruns,
        result.of_step("overrun").sum(),
        late_in_journal(record.about, record.record),
        watch.late,
    )


def test_late_steps_have_one_number(tmp_path):
    path = tmp_path / "a.h5"
    result = slow_test().run(path)
    assert result.outcome is Outcome.COMPLETE
    assert set(result.of_step("overrun").nonzero()[0]) == LATE
    assert everywhere(result, path) == (4, 4, 4, 4)


# 41: whether step 40 was late was known, and its next step not committed
@pytest.mark.parametrize("fails", [41, 42, 50])
@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_a_resumed_test_has_the_late_steps_of_all_its_parts(tmp_path, fails):
    path = tmp_path / "a.h5"
    test = slow_test(fails=fails)
    first = test.run(path)
    expected = 3 if fails == 41 else 4
    assert first.steps == fails - 1
    assert everywhere(first, path) == (expected,) * 4
    assert everywhere(test.resume(path), path) == (expected,) * 4


@pytest.mark.filterwarnings("ignore::femu.FailedAnalysis")
def test_late_steps_of_an_older_journal_are_unknown(tmp_path):
    path = tmp_path / "a.h5"
    test = slow_test(fails=30)
    test.run(path)
    with h5py.File(path, "r+") as file:  # as earlier versions wrote it
        about = json.loads(text(file, "about", path))
        del about[MARK]
        put_text(file, "about", json.dumps(about))
        del file.attrs[HEAD_DIGEST]  # which they did not write either
    record, watch = read_journal(path), Watch(path)
    watch.refresh()
    assert MARK not in record.about
    assert late_in_journal(record.about, record.record) is watch.late is None
    assert "late steps unknown" in report_of_journal(record).html()
    assert any("late steps of its journal are unknown" in alarm for alarm in watch.alarms())
    result = test.resume(path)
    assert (result.pace.steps, result.pace.overruns) == (STEPS - 29, 1)  # step 40
    assert "Steps 1 to 29 are not counted" in str(result.pace)
    record = read_journal(path)
    assert late_in_journal(record.about, record.record) is None
    plt.close("all")
