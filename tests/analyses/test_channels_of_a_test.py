"""Displacements and forces, rotations and moments.

One name and one unit in result, tables, report, plots, monitor.
"""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bokeh.document import Document
from click.testing import CliRunner

from femu import GroundMotion, Model, plots, report
from femu.analyses import HybridTest
from femu.cli.main import main
from femu.cli.plot import Wanted, _draw_journal
from femu.elements import ElasticBeamColumn
from femu.experimental import (
    CompensatedSpecimen,
    EmulatedSpecimen,
    ExperimentalElement,
    Limits,
    LimitTripped,
    PolynomialCompensation,
    Scaled,
    SpecimenSession,
    read_journal,
)
from femu.experimental.hybrid_result import HybridResult
from femu.experimental.journal.journal import HEAD
from femu.materials import Elastic, ElasticSection
from femu.monitor.page import Page
from femu.monitor.watch import Watch
from femu.report.csv_table import tables_of
from femu.report.page import text as shown
from femu.updating.history import UpdatingHistory

K, KR = 4e5, 3e6  # N/m, N m/rad
STEPS = 200
OLD = Path(__file__).parents[1] / "experimental" / "journals" / "complete.h5.gz"
WANTED = Wanted(plots.AS_MODEL, None, "x", None, "i", "z", None, None, 3, False)


def hybrid(path: Path, **options: Any) -> HybridResult:
    """A cantilever whose tip is held by a spring and a rotational spring, both of them specimens."""
    model = Model("two kinds")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 0.0, 3.0, mass=(2e4, 2e4, 1e3))
    model.add(
        ElasticBeamColumn("column", "A", "B", section=ElasticSection(E=2.1e11, A=4e-3, I=2e-5))
    )
    model.add(
        ExperimentalElement(
            "tip",
            [("B", "x"), ("B", "rz")],
            specimen=EmulatedSpecimen([Elastic(K), Elastic(KR)]),
            limits=Limits(displacement=(0.5, 0.4), force=1e9),
            **options,
        )
    )
    return HybridTest(model, GroundMotion.el_centro(), dt=0.02, duration=STEPS * 0.02).run(path)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> tuple[HybridResult, Path]:
    path = tmp_path_factory.mktemp("channels") / "j.h5"
    return hybrid(path), path


def test_peaks_of_forces_and_of_moments_are_separate(result: tuple[HybridResult, Path]) -> None:
    """Elastic springs: each peak is the stiffness times that of its own displacement."""
    found = result[0].peaks("tip")
    assert list(found) == ["displacement", "rotation", "force", "moment"]
    assert found["force"] == pytest.approx(K * found["displacement"], rel=1e-12)
    assert found["moment"] == pytest.approx(KR * found["rotation"], rel=1e-12)
    assert found["moment"] > found["force"]  # mixed, the moment would be the peak of both


def test_columns_of_the_result_and_of_the_journal(
    result: tuple[HybridResult, Path], tmp_path: Path
) -> None:
    made, path = result
    columns = made.columns()
    for a, (moved, pushed) in enumerate(
        (("displacement x", "force x"), ("rotation rz", "moment rz"))
    ):
        assert np.array_equal(columns[f"tip measured {moved}"], made.measured("tip")[0][:, a])
        assert np.array_equal(columns[f"tip measured {pushed}"], made.measured("tip")[1][:, a])
        assert np.array_equal(columns[f"tip {pushed}"], made.converged_response("tip")[1][:, a])
    table = tables_of(path)["tip"]
    assert list(table) == [
        "step",
        "time",
        "command x",
        "command rz",
        "displacement x",
        "rotation rz",
        "force x",
        "moment rz",
        "clock",
    ]
    made.save(tmp_path / "r.h5")
    again = HybridResult.load(tmp_path / "r.h5")
    assert again.channels("tip") == ("x", "rz") and again == made
    older = HybridResult(
        **{**vars(again), "index": {k: v for k, v in again.index.items() if k != "channels"}}
    )
    assert older.channels("tip") == ("1", "2") and "tip measured force 2" in older.columns()


def test_reports(result: tuple[HybridResult, Path], tmp_path: Path) -> None:
    made, path = result
    made.save(tmp_path / "r.h5")
    text = Path(report.write(path, tmp_path / "j.html")).read_text(encoding="utf-8")
    for fact in (
        "peak displacement of tip",
        "peak rotation of tip",
        "peak force of tip",
        "peak moment of tip",
        "Tracking of tip, displacements.",
        "Tracking of tip, rotations.",
        "peak error (rad)",
        "commanded and measured rotation rz",
        "measured moment rz over its rotation",
        "tip: displacement x 0.5, rotation rz 0.4, force or moment 1e+09",
    ):
        assert fact in text, fact
    in_units = Path(report.write(tmp_path / "r.h5", tmp_path / "r.html", units=plots.SI)).read_text(
        encoding="utf-8"
    )
    for head in (
        "peak moment (kN m)",
        "peak force (kN)",
        "peak command (mm)",
        "peak command (rad)",
    ):
        assert head in in_units, head
    moment = shown(made.peaks("tip")["moment"] / 1e3)
    assert f"<b>{moment}&#8239;kN m</b><span>peak moment of tip" in in_units


def test_pictures_and_monitor(result: tuple[HybridResult, Path], tmp_path: Path) -> None:
    path = result[1]
    for kind in ("loop", "history"):
        done = CliRunner().invoke(
            main, ["plot", str(path), kind, "--output", str(tmp_path / f"{kind}.svg")]
        )
        assert done.exit_code == 0, done.output
    record = read_journal(path)
    ax = _draw_journal(record, "loop", WANTED)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("displacement x of tip", "force x")
    # only the rotation moves
    record.measured["tip"][:, HEAD] = record.command["tip"][:, HEAD] = 0.0
    ax = _draw_journal(record, "loop", WANTED)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rotation rz of tip (rad)", "moment rz")
    assert _draw_journal(record, "history", WANTED).get_ylabel() == "rotation rz of tip (rad)"
    watch = Watch(path)
    while watch.refresh():
        pass
    labels = [label for label, _, _ in watch.shares()]
    assert labels == ["tip x: displacement", "tip rz: rotation", "tip x: force", "tip rz: moment"]
    page = Page(watch, Document())
    assert page.actuator.options == ["x", "rz"]
    assert page.loop.xaxis.axis_label == "displacement" and page.loop.yaxis.axis_label == "force"
    page.actuator.value = "rz"
    assert page.loop.xaxis.axis_label == "rotation (rad)" == page.tracking.yaxis.axis_label
    assert (
        page.loop.yaxis.axis_label == "moment" and page.loop.title.text == "moment against rotation"
    )


def test_a_rotation_that_the_setup_scales_is_not_in_radians(tmp_path: Path) -> None:
    hybrid(tmp_path / "j.h5", setup=Scaled(2, displacement=[1.0, 1e3], force=[1.0, 1e-3]))
    assert read_journal(tmp_path / "j.h5").about["channels"] == {"tip": ["x", "rz (scaled)"]}
    text = Path(report.write(tmp_path / "j.h5", tmp_path / "j.html")).read_text(encoding="utf-8")
    assert "Tracking of tip, rotations." in text and "rad)" not in text


def test_a_journal_without_names_opens_with_numbers(tmp_path: Path) -> None:
    path = tmp_path / "old.h5"
    path.write_bytes(gzip.decompress(OLD.read_bytes()))
    assert "channels" not in read_journal(path).about
    for name, table in tables_of(path).items():
        assert list(table)[2:] == ["command 1", "displacement 1", "force 1", "clock"], name
    text = Path(report.write(path, tmp_path / "j.html")).read_text(encoding="utf-8")
    assert (
        "peak force of" in text
        and "moment" not in text.split("<footer>")[0].split("Model as TOML")[0]
    )
    watch = Watch(path)
    watch.refresh()
    assert Page(watch, Document()).actuator.options == ["1"]


def test_innovations_of_moments_are_named(tmp_path: Path) -> None:
    table = np.zeros((3, 6 + 5 * 2 + 3))
    known = UpdatingHistory(("k",), 2, table, ((0.0, 1.0),), ("x", "rz"))
    known.save(tmp_path / "h.h5")
    assert UpdatingHistory.load(tmp_path / "h.h5").force_names == ("force x", "moment rz")
    assert UpdatingHistory(("k",), 2, table, ((0.0, 1.0),)).force_names == ("force 1", "force 2")


def test_a_compensated_specimen_names_the_actuators_of_the_test() -> None:
    specimen = CompensatedSpecimen(
        EmulatedSpecimen(Elastic(K)), PolynomialCompensation(0.0), 0.01, Limits(displacement=1e-9)
    )
    element = ExperimentalElement("tip", [("B", "x")], specimen=specimen)
    session = SpecimenSession(element)
    session.begin(0.01)
    with pytest.raises(
        LimitTripped,
        match=r"limit of actuator x of ExperimentalElement\('tip'\) "
        r"tripped",
    ):
        session.exchange(np.array([0.1]), 0.01)
