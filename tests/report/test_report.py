"""Reports hold everything they show, say what the numbers say, and name what they cannot draw."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import h5py
import numpy as np
import pytest
from batch_cases import motions, plan, suite
from click.testing import CliRunner
from example_frames import QUAKE, cantilever, portal

from femu import GroundMotion, Model, Result, Save, plots, report
from femu.analyses import HybridTest, LoadControl, Newmark, Pushover, Transient
from femu.batch import IDA, Tracing
from femu.cli.main import main
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.experimental import EmulatedSpecimen, ExperimentalBeamColumn, Sensors, read_journal
from femu.experimental.hybrid_result import HybridResult
from femu.materials import Bilinear, ElasticSection, FibreSection, NMSection
from femu.report.of_result import _numbers
from femu.report.page import Page
from femu.support.errors import FileError, InputError
from femu.updating import ModelUpdater, Unknown

# it is not meant to be
pytestmark = pytest.mark.filterwarnings("ignore:pattern 'gravity' of .* is never applied")
COLUMN = NMSection.h_shape(
    depth=0.25, width=0.25, web=0.006, flange=0.012, E=206e9, fy=280e6, b=0.03
)


class Reader(HTMLParser):
    """Text, headings and images of a page; fails where tags do not close in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[str] = []
        self.images: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        assert self.open == []
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.images.append(dict(attrs)["src"] or "")
        if tag not in ("img", "meta", "link", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" not in self.open and "style" not in self.open:
            self.words.append(data)
            if self.open and self.open[-1] == "h2":
                self.headings.append(data)


def read(path: Path) -> Reader:
    page = path.read_text(encoding="utf-8")
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!data:|#)""", page), (
        "nothing comes from elsewhere"
    )
    assert "@import" not in page and "url(" not in page
    return Reader(page)


@pytest.fixture
def blank(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are drawn but not written: for tests of the words."""
    monkeypatch.setattr("femu.report.page.picture", lambda ax: 'src="data:,"')


@pytest.fixture(scope="module")
def shaken() -> Result:
    model = portal()
    weight = LoadControl(pattern="gravity").run(model)
    return Transient(Newmark(), dt=0.02).run(model, QUAKE, start=weight.state, duration=4.0)


def test_report_of_a_result_file(shaken: Result, tmp_path: Path) -> None:
    shaken.save(tmp_path / "r.h5")
    path = report.write(tmp_path / "r.h5", units=plots.SI)
    assert path == tmp_path / "r.html"
    page = read(path)
    assert page.headings == [
        "Summary",
        "Model",
        "Response",
        "Forces",
        "Hysteresis",
        "Energy",
        "Warnings and relaxations",
        "Environment",
    ]
    peak = shaken.displacement("C", "x")
    assert f"{abs(1e3 * peak[np.abs(peak).argmax()]):.3g}" in page.text
    assert "The analysis reached its end." in page.text
    assert "Rayleigh damping of 2 % in mode 1" in page.text
    assert "ForceBeamColumn" in page.text and "left, right" in page.text
    assert "not recorded" not in page.text, "the file holds the versions it was computed with"
    assert len(page.images) >= 12 and all(src.startswith("data:image/") for src in page.images)
    assert page.text.count("Figure") == len(page.images)


def test_report_of_a_result_in_memory_and_of_a_pushover(blank: None, tmp_path: Path) -> None:
    result = Pushover("C", to=0.05, steps=30, pattern="push").run(portal())
    page = read(report.write(result, tmp_path / "p.html"))
    assert "Load factor of pattern push" in page.text
    assert "in the units of the model" in page.text
    with pytest.raises(InputError, match="path"):
        report.write(result)


def test_fibres_are_told_by_their_range_and_their_laws_by_their_numbers() -> None:
    section = FibreSection.rectangle(0.3, 0.5, Bilinear(E=2e11, fy=3e8, b=0.01), fibres=4)
    assert _numbers(section) == [
        "material.y = −0.188 … 0.188 (4 numbers)",
        "material.area = 0.0375 (4 numbers)",
        "material.E = 2·10¹¹",
        "material.fy = 3·10⁸",
        "material.b = 0.01",
    ]


def test_report_without_forces_energy_and_reactions(blank: None, tmp_path: Path) -> None:
    sparse = Save(
        forces=False,
        energy=False,
        reactions=False,
        displacement=["C"],
        velocity=False,
        acceleration=False,
    )
    result = Transient(Newmark(), dt=0.02).run(portal(), QUAKE, duration=1.0, save=sparse)
    page = read(report.write(result, tmp_path / "s.html"))
    assert (
        "Energy" not in page.headings
        and "Hysteresis" not in page.headings
        and "Response" in page.headings
    )


def test_relaxations_and_findings_are_told(blank: None, tmp_path: Path) -> None:
    model = cantilever(mass=1e3)
    model.node("loose", 5.0, 5.0)
    result = LoadControl().run(_loaded(model))
    assert isinstance(result, Result)
    reported = Result(
        result.kind,
        result.model,
        result.outcome,
        result.message,
        result.arrays,
        result.index,
        [{"step": 3, "time": 0.5, "what": "half the step", "iterations": 40}],
    )
    page = read(report.write(reported, tmp_path / "w.html"))
    assert "half the step" in page.text and "Steps that did not converge by themselves" in page.text
    assert "loose" in page.text.split("Warnings and relaxations")[-1]


def _loaded(model: Model) -> Model:
    model.load("B", x=1e3)
    return model


def frame() -> Model:
    model = Model("one bay")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 6.0, 0.0, fixed=True)
    for name, x in (("C", 0.0), ("D", 6.0)):
        model.node(name, x, 3.6, mass=(30e3, 30e3, 20e3))
    specimen = EmulatedSpecimen(
        ForceBeamColumn("s", "i", "j", section=COLUMN),
        length=3.6,
        sensors=Sensors(force_noise=200.0),
    )
    model.add(ExperimentalBeamColumn("left", "A", "C", specimen=specimen))
    model.add(ForceBeamColumn("right", "B", "D", section=COLUMN))
    model.add(
        ElasticBeamColumn(
            "beam", "C", "D", section=ElasticSection(E=206e9, A=6.456e-3, I=1.10103e-4)
        )
    )
    return model


@pytest.fixture(scope="module")
def tested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the result, the journal and the updater's history of a short hybrid test."""
    folder = tmp_path_factory.mktemp("test")
    updater = ModelUpdater(
        "left",
        ForceBeamColumn("twin", "i", "j", section=COLUMN),
        length=3.6,
        members=["right"],
        parameters={"section.plastic_moment": Unknown(lower=170e3, upper=249e3)},
    )
    result = HybridTest(
        frame(), GroundMotion.el_centro(), dt=0.01, duration=3.0, updater=updater
    ).run(folder / "journal.h5")
    result.save(folder / "result.h5")
    updater.history.save(folder / "history.h5")
    return folder


def test_report_of_a_hybrid_test_by_command(blank: None, tested: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke(
        main,
        [
            "report",
            str(tested / "result.h5"),
            "--si",
            "--output",
            str(tmp_path / "o.html"),
            "--updating",
            str(tested / "history.h5"),
        ],
    )
    assert run.exit_code == 0, run.output
    page = read(tmp_path / "o.html")
    assert {"Specimens", "Step times", "Updated parameters", "Consistency", "Energy"} <= set(
        page.headings
    )
    assert "1.7·10⁵ to 2.49·10⁵" in page.text, "bounds"
    assert "section.plastic_moment" in page.text and "Experimental energy error" in page.text
    assert "commanded and measured displacement" in page.text


def test_energies_of_a_hybrid_test(tested: Path) -> None:
    """Hysteretic and strain energy are kept apart, and the parts still add up to the input."""
    ax = plots.plot_energies(HybridResult.load(tested / "result.h5"))
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["input", "kinetic", "damped", "strain", "hysteretic"]
    top = max(float(area.get_paths()[0].vertices[:, 1].max()) for area in ax.collections)
    assert top == pytest.approx(float(np.asarray(ax.get_lines()[0].get_ydata()).max()), rel=1e-3)


def test_report_of_a_journal(blank: None, tested: Path) -> None:
    page = read(report.write(tested / "journal.h5", tested / "journal.html"))
    assert page.headings[:3] == ["Summary", "Model", "Specimens"]
    assert "Updated parameters" in page.headings and "right.section.plastic_moment" in page.text
    record = read_journal(tested / "journal.h5")
    assert f"{record.steps} of {record.steps}" in page.text.replace("\u202f", " ")


def test_report_of_a_journal_that_was_cut_off(blank: None, tested: Path, tmp_path: Path) -> None:
    """A journal without an ending, as a killed test leaves it."""
    (tmp_path / "cut.h5").write_bytes((tested / "journal.h5").read_bytes())
    with h5py.File(tmp_path / "cut.h5", "r+", libver="latest") as file:
        file["ending"][:] = 0
    assert "not ended" in read(report.write(tmp_path / "cut.h5")).text


def test_report_and_pictures_of_a_batch(blank: None, tmp_path: Path) -> None:
    found = suite(2, (2.0, 4.0), 4.0).run(tmp_path / "b.h5", workers=1, on="threads")
    page = read(report.write(tmp_path / "b.h5"))
    assert page.headings == ["Summary", "Drifts", "Failures and warnings", "Environment"]
    assert (
        "No run failed." in page.text
        and f"{100 * float(found.largest_drift.max()):.3g}" in page.text
    )
    run = CliRunner().invoke(main, ["plot", str(tmp_path / "b.h5"), "drifts"])
    assert run.exit_code == 0, run.output
    assert "incremental" in CliRunner().invoke(main, ["plot", str(tmp_path / "b.h5"), "ida"]).output


def test_report_of_an_incremental_dynamic_analysis(blank: None, tmp_path: Path) -> None:
    IDA(plan(), motions(3, 4.0), Tracing(2.0, 20.0, runs=3)).trace(
        tmp_path / "i.h5", workers=1, on="threads"
    )
    page = read(report.write(tmp_path / "i.h5"))
    assert (
        "Incremental dynamic analysis" in page.headings
        and "a flat line marks collapse" in page.text
    )
    assert CliRunner().invoke(main, ["plot", str(tmp_path / "i.h5"), "ida"]).exit_code == 0


def test_what_cannot_be_drawn_is_named() -> None:
    page = Page("report", "title <script>", "lead")

    def fails():  # type: ignore[no-untyped-def]
        raise InputError("plot", "x", 1, "cannot be drawn")

    assert page.figure(fails, "A picture.") is False
    assert page.problems == ["A picture: plot: x = 1 cannot be drawn."]
    assert "<script>" not in page.html()


def test_wrong_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.h5").write_text("no")
    with pytest.raises(FileError, match="HDF5"):
        report.write(tmp_path / "a.h5")
    with pytest.raises(FileError, match="does not exist"):
        report.write(tmp_path / "b.h5")
    with h5py.File(tmp_path / "c.h5", "w") as file:
        file.attrs["format"] = "other 1"
    with pytest.raises(FileError, match="other 1"):
        report.write(tmp_path / "c.h5")
    with pytest.raises(InputError, match="source"):
        report.page_of(3)


# --- the commands ---


@pytest.mark.parametrize(
    "kind",
    [
        "model",
        "modes",
        "deformed",
        "moment",
        "shear",
        "axial",
        "history",
        "loop",
        "interaction",
        "energy",
        "timing",
    ],
)
def test_plot_command_on_a_result(kind: str, tested: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke(
        main, ["plot", str(tested / "result.h5"), kind, "--output", str(tmp_path / "p.svg")]
    )
    assert run.exit_code == 0, run.output
    assert (tmp_path / "p.svg").stat().st_size > 5000


@pytest.mark.parametrize(
    "file, kind",
    [
        ("journal", "timing"),
        ("journal", "parameters"),
        ("journal", "loop"),
        ("journal", "history"),
        ("history", "parameters"),
        ("history", "innovation"),
        ("history", "consistency"),
    ],
)
def test_plot_command_on_journals_and_histories(
    file: str, kind: str, tested: Path, tmp_path: Path
) -> None:
    run = CliRunner().invoke(
        main, ["plot", str(tested / f"{file}.h5"), kind, "--output", str(tmp_path / "p.png")]
    )
    assert run.exit_code == 0, run.output
    wrong = CliRunner().invoke(main, ["plot", str(tested / f"{file}.h5"), "ida"])
    assert wrong.exit_code == 2 and "kinds" in wrong.output


def test_plot_command_on_toml_and_scripts(tmp_path: Path) -> None:
    portal().to_toml(tmp_path / "m.toml")
    assert (
        CliRunner()
        .invoke(main, ["plot", str(tmp_path / "m.toml"), "model", "--local-axes"])
        .exit_code
        == 0
    )
    assert (tmp_path / "m-model.png").exists()
    script = tmp_path / "s.py"
    script.write_text(
        "from femu import Model\nfrom femu.analyses import LoadControl\n"
        f"model = Model.from_toml({str(tmp_path / 'm.toml')!r})\nanalysis = "
        "LoadControl(pattern='gravity')\n"
    )
    for kind, end in (("modes", "png"), ("moment", "png")):
        run = CliRunner().invoke(main, ["plot", str(script), kind])
        assert run.exit_code == 0, run.output
        assert (tmp_path / f"s-{kind}.{end}").exists()
    assert CliRunner().invoke(main, ["plot", str(script), "history", "--node", "Z"]).exit_code == 2


def test_animation_command(tested: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke(
        main, ["plot", str(tested / "result.h5"), "animation", "--output", str(tmp_path / "a.html")]
    )
    assert run.exit_code == 0, run.output


@pytest.mark.usefixtures("blank")
def test_every_component_of_a_ground_motion_is_shown(tmp_path: Path) -> None:
    """Ground and response in both directions.

    Of a frame in the plane along and up, of a column in space along both axes.
    """
    plane = portal()
    start = LoadControl(pattern="gravity").run(plane).state
    found = Transient(Newmark(), dt=0.02).run(
        plane, {"x": QUAKE, "y": QUAKE.scaled(factor=0.5)}, start=start, duration=1.0
    )
    text = read(report.write(found, tmp_path / "plane.html")).text
    for words in (
        "Acceleration of the ground in x",
        "Acceleration of the ground in y",
        "in x.",
        "Sum of the reactions in y",
        "Sum of the reactions in x",
    ):
        assert words in text
    assert re.search(r"Displacement of node \w+ in x", text) and re.search(
        r"Displacement of node "
        r"\w+ in y",
        text,
    )
    assert re.search(r"peak displacement, node \w+, y", text)
    column = Model("column", dimensions=3)
    column.node("foot", 0.0, 0.0, 0.0, fixed=True)
    column.node("top", 0.0, 0.0, 3.0, mass=1e4)
    column.add(
        ElasticBeamColumn(
            "c",
            "foot",
            "top",
            section=ElasticSection(E=2e11, A=1e-2, I=1e-4, Iy=1e-4, G=8e10, J=1e-4),
        )
    )
    found = Transient(Newmark(), dt=0.02).run(
        column, {"x": QUAKE, "y": QUAKE.scaled(factor=0.1)}, duration=1.0
    )
    text = read(report.write(found, tmp_path / "space.html")).text
    for words in (
        "Displacement of node top in x",
        "Displacement of node top in y",
        "Sum of the reactions in y",
    ):
        assert words in text
    assert "Displacement of node top in z" not in text


@pytest.mark.usefixtures("blank")
def test_the_report_of_a_batch_knows_its_versions_and_date(tmp_path: Path) -> None:
    found = suite(1, (1.0,), 4.0).run(tmp_path / "batch.h5", workers=1, on="threads")
    known = found.environment
    assert {"femu", "numpy", "numba", "Python", "date"} <= set(known)
    text = read(report.write(found.path, tmp_path / "batch.html")).text
    assert "not recorded" not in text
    for value in known.values():
        assert text.count(value) >= 1
    with h5py.File(found.path, "r+") as file:  # as an earlier version wrote it
        del file.attrs["environment"], file.attrs["checksum"]
    text = read(report.write(found.path, tmp_path / "batch.html")).text
    assert "not recorded" in text and known["date"][:10] in text
