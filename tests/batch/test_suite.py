"""Suites: what they run, that results do not depend on who runs them, and that nothing stops them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
import pytest
from batch_cases import Watch, motions, plan, resident, suite, tower
from ctrl_c import stopped_by_ctrl_c
from scipy.stats import theilslopes

from femu import FailedAnalysis
from femu.analyses import Limit, LoadControl, Transient
from femu.batch import BatchResult, ModelSource, Plan, RecordFile, RunOutcome, Suite, worker_pool
from femu.results.save import Save
from femu.support.errors import FileError, InputError

# failures are what is tested here
pytestmark = [
    pytest.mark.filterwarnings("ignore::femu.FailedAnalysis"),
    pytest.mark.filterwarnings("ignore:pattern 'gravity' of .* is never applied"),
]

without_times = pytest.mark.skipif(
    h5py.version.version_tuple[:2] < (3, 16), reason="h5py writes the time of day into files"
)

CASES = Path(__file__).with_name("batch_cases.py")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> BatchResult:
    return suite().run(tmp_path_factory.mktemp("suite") / "one.h5", workers=1, on="threads")


def test_a_row_is_what_a_single_analysis_gives(undisturbed: BatchResult) -> None:
    program = tower().compile()
    start = LoadControl(pattern="gravity", steps=2).run(program).state
    quake = motions(4)[2].scaled(pga=6.0)
    limits = (Limit("middle", "x", 0.35, "foot"), Limit("top", "x", 0.35, "middle"))
    result = Transient(dt=0.01, limits=limits).run(program, quake, start=start, save=Save())
    row = 2 * 3 + 2
    assert undisturbed["run_record"][row] == 2
    assert undisturbed["scale"][row] == 6.0
    assert undisturbed["peak_drift"][row].tolist() == [
        np.abs(result.drift("foot", "middle")).max(),
        np.abs(result.drift("middle", "top")).max(),
    ]
    assert undisturbed["residual_drift"][row, 0] == abs(result.drift("foot", "middle")[-1])
    assert undisturbed["base_shear"][row] == np.abs(result.base_shear()).max()
    absolute = result.acceleration("top", "x") + quake.at(result.time)
    assert undisturbed["peak_acceleration"][row, 1] == pytest.approx(
        np.abs(absolute).max(), rel=1e-12
    )
    assert undisturbed["pga"][row] == pytest.approx(6.0, rel=1e-12)
    assert undisturbed["sa"][row] == pytest.approx(quake.sa(1.0), rel=1e-12)
    assert undisturbed["iterations"][row] == result.iterations.sum()


@without_times
@pytest.mark.parametrize(
    ("workers", "on"), [(2, "threads"), (8, "threads"), (1, "processes"), (2, "processes")]
)
def test_same_bytes_whoever_runs_it(
    tmp_path: Path, undisturbed: BatchResult, workers: int, on: str
) -> None:
    found = suite().run(tmp_path / "other.h5", workers=workers, on=on)
    assert found.path.read_bytes() == undisturbed.path.read_bytes()
    assert found.counts() == {RunOutcome.COMPLETE: 12}


def test_an_executor_may_be_handed_in(tmp_path: Path, undisturbed: BatchResult) -> None:
    with ThreadPoolExecutor(2) as pool:
        found = suite().run(tmp_path / "other.h5", on=pool)
    assert found.path.read_bytes() == undisturbed.path.read_bytes()


@without_times
@pytest.mark.slow
def test_same_bytes_on_a_dask_cluster_of_two_processes(
    tmp_path: Path, undisturbed: BatchResult
) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            local_directory=str(tmp_path),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = suite().run(tmp_path / "other.h5", on=client)
    assert found.path.read_bytes() == undisturbed.path.read_bytes()


def test_resume_does_nothing_twice(tmp_path: Path, undisturbed: BatchResult) -> None:
    path = tmp_path / "resumed.h5"

    class Interrupt(Watch):
        def advance(self, done: int, failures: int) -> None:
            super().advance(done, failures)
            if done == 5:
                raise KeyboardInterrupt

    stopped = stopped_by_ctrl_c(suite().run, path, workers=1, on="threads", progress=Interrupt())
    assert stopped.stopped
    assert stopped.counts()[RunOutcome.COMPLETE] == 5
    watch = Watch()
    found = suite().run(path, workers=2, on="threads", resume=True, progress=watch)
    assert (watch.total, watch.done_before, watch.done, watch.failures) == (12, 5, 12, 0)
    assert watch.finished
    assert found.path.read_bytes() == undisturbed.path.read_bytes()
    again = Watch()
    suite().run(path, workers=2, on="threads", resume=True, progress=again)
    assert (again.done_before, again.done) == (12, -1)  # nothing left to do


def test_resume_refuses_another_batch(tmp_path: Path, undisturbed: BatchResult) -> None:
    path = tmp_path / "other.h5"
    path.write_bytes(undisturbed.path.read_bytes())
    for other, words in (
        (suite(scales=(1.0, 3.0, 7.0)), "other scales"),
        (suite(3), "number of records is 4 there and 3"),
        (
            Suite(plan(rest=1.0), motions(4), scales=(1.0, 3.0, 6.0)),
            "batch: rest is 0.0 there and 1.0 here. C",
        ),
    ):
        with pytest.raises(FileError, match=words):
            other.run(path, workers=1, on="threads")
    assert path.read_bytes() == undisturbed.path.read_bytes()


def test_a_killed_worker_is_replaced(
    tmp_path: Path, undisturbed: BatchResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, killed = [0], [0]
    ask = worker_pool.ProcessHand._ask

    def disturbed(self: worker_pool.ProcessHand, job: object) -> object:
        asked[0] += 1
        if asked[0] == 4:
            pid = self.start().pid
            threading.Timer(0.01, lambda: os.kill(pid, signal.SIGKILL)).start()
            time.sleep(0.02)
            killed[0] += 1
        return ask(self, job)  # type: ignore[arg-type]

    monkeypatch.setattr(worker_pool.ProcessHand, "_ask", disturbed)
    found = suite().run(tmp_path / "other.h5", workers=2)
    assert killed[0] == 1
    assert found.path.read_bytes() == undisturbed.path.read_bytes()


def test_a_job_that_kills_its_worker_is_an_outcome(tmp_path: Path) -> None:
    """The model of this file kills every process but this one."""
    source = tmp_path / "deadly.py"
    source.write_text(
        f"import os, sys\nsys.path.insert(0, {str(CASES.parent)!r})\nfrom "
        "batch_cases import tower\n"
        f"def model():\n    return tower() if os.getpid() == {os.getpid()} else "
        "os._exit(9)\n"
    )
    deadly = Suite(Plan(ModelSource(f"{source}:model")), motions(1))
    found = deadly.run(tmp_path / "deadly.h5", workers=1)
    assert found.counts() == {RunOutcome.WORKER_DIED: 1}
    assert "died" in found.failures()[0]


@pytest.mark.slow
def test_kill_of_the_parent_leaves_a_file_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "killed.h5"
    process = subprocess.Popen([sys.executable, str(CASES), str(path)])
    began, done = time.monotonic(), 0
    while done < 5 and time.monotonic() - began < 60.0 and process.poll() is None:
        time.sleep(0.02)
        if path.exists():
            with contextlib.suppress(FileError):  # it is just being made
                done = int(np.count_nonzero(BatchResult.load(path)["outcome"]))
    process.kill()
    process.wait()
    left = BatchResult.load(path)
    finished = int(np.count_nonzero(left["outcome"]))
    assert 5 <= finished < len(left)
    watch = Watch()
    big = suite(20, duration=30.0)
    resumed = big.run(path, workers=2, on="threads", resume=True, progress=watch)
    assert watch.done_before == finished
    fresh = big.run(tmp_path / "fresh.h5", workers=2, on="threads")
    assert resumed.path.read_bytes() == fresh.path.read_bytes()


def test_bad_records_are_outcomes_and_the_rest_goes_on(tmp_path: Path) -> None:
    header = "PEER\nname\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS= {}, DT= .01 SEC\n"
    bad = {
        "count": (header.format(6) + "0.1 0.2 0.3\n", "line 4"),
        "text": (header.format(3) + "0.1 x 0.3\n", "line 5"),
        "nan": (header.format(3) + "0.1 nan 0.3\n", "line 5"),
        "header": ("0.1 0.2\n" * 9, "line 3"),
        "empty": ("", "header"),
    }
    for name, (text, _) in bad.items():
        (tmp_path / f"{name}.AT2").write_text(text)
    (tmp_path / "folder.AT2").mkdir()
    bad["folder"] = ("", "folder.AT2")
    records = [RecordFile(tmp_path / f"{name}.AT2") for name in bad]
    found = Suite(plan(), [*records, *motions(1)], scales=[2.0]).run(
        tmp_path / "bad.h5", workers=2, on="threads"
    )
    assert found.counts() == {RunOutcome.COMPLETE: 1, RunOutcome.RECORD_REFUSED: len(bad)}
    for message, (name, (_, words)) in zip(found.messages, bad.items(), strict=False):
        assert f"{name}.AT2" in message
        assert words in message
        assert message.count("\n") == 0
    assert np.isnan(found["peak_drift"][:-1]).all()


def test_failed_runs_are_one_warning_at_the_users_line(tmp_path: Path) -> None:
    bad = [RecordFile(tmp_path / f"{name}.AT2") for name in ("absent", "missing")]
    with pytest.warns(
        FailedAnalysis, match=r"^2 of 3 runs of the batch of 'tower' failed; absent"
    ) as caught:
        found = Suite(plan(), [*bad, *motions(1)]).run(tmp_path / "bad.h5", workers=1, on="threads")
    assert [w.filename for w in caught] == [__file__]
    assert len(found.failures()) == 2


def test_drift_limit_and_time_limit_are_outcomes_of_their_own(tmp_path: Path) -> None:
    found = Suite(plan(drift_limit=0.01), motions(1), scales=[0.1, 30.0]).run(
        tmp_path / "a.h5", workers=1, on="threads"
    )
    assert found.outcomes == [RunOutcome.COMPLETE, RunOutcome.LIMIT_REACHED]
    assert found["peak_drift"][1].max() >= 0.01
    assert np.isnan(found["residual_drift"][1]).all()
    late = Suite(plan(time_limit=1e-9), motions(1)).run(tmp_path / "b.h5", workers=1, on="threads")
    assert late.outcomes == [RunOutcome.TIME_LIMIT]
    assert np.isnan(late["peak_drift"]).all()


def test_the_iteration_limit_is_an_outcome_of_its_own_with_the_same_bits_each_time(
    tmp_path: Path,
) -> None:
    found = [
        Suite(plan(iteration_limit=300), motions(2)).run(
            tmp_path / f"{k}.h5", workers=k, on="threads"
        )
        for k in (1, 2)
    ]
    for one in found:
        assert one.outcomes == [RunOutcome.ITERATION_LIMIT] * 2
    assert np.array_equal(found[0]["peak_drift"], found[1]["peak_drift"], equal_nan=True)


def test_parameter_sets_change_the_model(tmp_path: Path) -> None:
    sets = [{}, {"*.section.moment.fy": 0.6e5}, {"*.section.moment.fy": -1.0}, {"no such": 1.0}]
    found = Suite(plan(), motions(1), scales=[3.0], parameter_sets=sets).run(
        tmp_path / "a.h5", workers=2, on="threads"
    )
    assert found.outcomes[:2] == [RunOutcome.COMPLETE] * 2
    assert found.outcomes[2:] == [RunOutcome.INPUT_REFUSED] * 2
    assert "fy" in found.messages[2]
    assert found["base_shear"][1] < 0.8 * found["base_shear"][0]
    table = found.to_pandas()
    assert table["*.section.moment.fy"].tolist()[1] == 0.6e5
    assert np.isnan(table["*.section.moment.fy"][0])


def test_table_and_dataset(undisturbed: BatchResult) -> None:
    table = undisturbed.to_pandas()
    assert len(table) == 12
    assert table["record"][3] == "synthetic 1"
    assert table["largest_drift"].tolist() == undisturbed.largest_drift.tolist()
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with xarray.open_dataset(undisturbed.path, engine="h5netcdf") as data:
        assert data["peak_drift"].dims == ("run", "storey")
        np.testing.assert_array_equal(data["peak_drift"].values, undisturbed["peak_drift"])
        assert "complete" in data["outcome"].attrs["flag_meanings"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_memory_stays_flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[worker_pool.ProcessHand] = []
    start = worker_pool.ProcessHand.__init__

    def remembered(self: worker_pool.ProcessHand, *arguments: object) -> None:
        started.append(self)
        start(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(worker_pool.ProcessHand, "__init__", remembered)
    seen: dict[int, list[int]] = {}

    class Weigh(Watch):
        def advance(self, done: int, failures: int) -> None:
            if done >= 150 and done % 10 == 0:
                seen[done] = [
                    resident(os.getpid()),
                    *(resident(hand.pid) for hand in started if hand.pid),
                ]

    many = Suite(plan(), motions(101, 4.0), scales=(0.5, 1.0, 2.0, 3.0, 4.0))
    many.run(tmp_path / "many.h5", workers=2, progress=Weigh())
    # A leak of one history of a run (400 steps of 18 numbers, 58 kB) is a slope of 29 kB a run in
    # each of the two workers. An allocator grows in a few large steps, whatever the runs do: the
    # median of the slopes between all pairs does not see them.
    runs = np.array(sorted(seen))
    for process in np.array([seen[k] for k in runs]).T:
        slope = theilslopes(process, runs).slope
        assert slope < 12.0, f"{slope:.1f} kB a run"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Suite(plan(), []), "records"),
        (lambda: Suite(plan(), ["a.AT2"]), "records"),
        (lambda: Suite(plan(), motions(1), scales=[]), "scales"),
        (lambda: Suite(plan(), motions(1), scales=[-1.0]), "above 0"),
        (lambda: Suite(plan(), motions(1), parameter_sets=[]), "parameter_sets"),
        (lambda: plan(drift_limit=0.0), "drift_limit"),
        (lambda: Plan("model"), "model"),
        (lambda: Plan(tower(), scale_by="pgv"), "scale_by"),
        (lambda: RecordFile("a.txt"), "unit"),
        (lambda: RecordFile("a.txt", unit="g"), "dt"),
        (lambda: RecordFile("a.txt", kind="xls"), "kind"),
        (lambda: ModelSource("nothing").build(), "function"),
        (lambda: ModelSource("femu.batch.example:no").build(), "'no'"),
        (lambda: ModelSource("femu.units:g").build(), "function"),
    ],
)
def test_bad_input_is_refused(make: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()  # type: ignore[operator]


def test_bad_hands_and_storeys_are_refused(tmp_path: Path) -> None:
    for options in ({"workers": 0}, {"on": "fingers"}):
        with pytest.raises(InputError):
            suite().run(tmp_path / "a.h5", **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="storeys"):
        Suite(plan(storeys=("top", "foot")), motions(1)).run(tmp_path / "a.h5", on="threads")
    assert not (tmp_path / "a.h5").exists()
    with pytest.raises(FileError):
        suite().run(tmp_path / "no" / "folder.h5", workers=1, on="threads")
