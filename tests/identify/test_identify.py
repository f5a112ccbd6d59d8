"""Identification of specimens whose parameters are known.

Three ways, what they leave, and what is said of them.
"""

from __future__ import annotations

import json
import os
import runpy
from pathlib import Path

import h5py
import numpy as np
import pytest

from femu import AnalysisError, InputError
from femu.benchmarks.identification import SPECIMENS, cases, forces_of, link
from femu.benchmarks.identification import errors as errors_of_cases
from femu.identify import Identification, Recording, compare, identify
from femu.identify.least_squares import polish
from femu.identify.smoothing import smooth
from femu.identify.twin_response import Path as TwinPath
from femu.materials import Bilinear, Elastic
from femu.updating import ModelUpdater, Unknown, UpdatingHistory

LINK, COUPON, COLUMN = SPECIMENS.values()
MEASURED = Path(os.environ.get("FEMU_SPECIMENS", "")) / "steel_coupon" / "example_2.csv"
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "steel_coupon.py"


@pytest.fixture(scope="module")
def of_link() -> Identification:
    return LINK.identified(0.05, 35.0, 0.8)


@pytest.fixture(scope="module")
def of_coupon() -> Identification:
    return COUPON.identified(180e3, 300.0, 0.01, 0.925)


def errors(found: Identification, truth: dict[str, float]) -> dict[str, np.ndarray]:
    """Relative errors of each way."""
    return {
        way.name: np.array([way.values[n] / x - 1.0 for n, x in truth.items()])
        for way in found.ways
    }


def within_three_sigma(found: Identification, truth: dict[str, float]) -> bool:
    return all(
        abs(way.values[n] - x) < 3.0 * way.std[n]
        for way in found.ways[1:]
        for n, x in truth.items()
    )


def test_link_is_found_by_all_three_ways(of_link):
    assert all(np.abs(e).max() < 0.02 for e in errors(of_link, LINK.truth).values())
    assert within_three_sigma(of_link, LINK.truth)
    assert of_link.agree and of_link.in_class
    assert (
        "The three methods agree" in of_link.report()
        and "it can be the specimen" in of_link.report()
    )


def test_unexplained_share_is_the_noise_where_the_twin_is_the_specimen(of_link):
    force = of_link.recording.forces
    assert of_link.unexplained == pytest.approx(1.0 / np.sqrt(np.mean(force**2)), rel=0.06)
    assert of_link.model_error < 0.5 * of_link.unexplained


def test_coupon_is_found_over_the_whole_record_and_the_report_says_that_the_filter_is_off(
    of_coupon,
):
    found = errors(of_coupon, COUPON.truth)
    assert np.abs(found["smoothed"]).max() < 0.02 and np.abs(found["least squares"]).max() < 0.02
    assert within_three_sigma(of_coupon, COUPON.truth)
    assert of_coupon.in_class
    # a branch of this law holds the parameters of the past, which a filter cannot take back
    assert np.abs(found["forward"]).max() > 0.2
    assert not of_coupon.agree and "the forward filter alone is off" in of_coupon.report()


def test_column_with_axial_force():
    found = COLUMN.identified(1700.0, 240.0, 0.03)
    assert np.abs(errors(found, COLUMN.truth)["forward"]).max() < 0.05
    assert np.abs(errors(found, COLUMN.truth)["smoothed"]).max() < 0.005
    assert np.abs(errors(found, COLUMN.truth)["least squares"]).max() < 0.005
    assert within_three_sigma(found, COLUMN.truth) and found.in_class


@pytest.mark.parametrize(
    "specimen", SPECIMENS.values(), ids=[name.split()[0] for name in SPECIMENS]
)
def test_random_starts(specimen):
    found = cases(specimen, 3)
    for way in (1, 2):
        largest, covered = errors_of_cases(specimen, found, way)
        assert largest.max() < 0.05 and covered > 0.6
    assert all(one.in_class for one in found)


def test_bilinear_twin_of_the_coupon_is_outside_its_class_and_explains_less(of_coupon):
    found = identify(
        COUPON.recording(),
        Bilinear(E=180e3, fy=300.0, b=0.01),
        {
            "E": Unknown(lower=150e3, upper=250e3),
            "fy": Unknown(lower=200.0, upper=500.0),
            "b": Unknown(),
        },
    )
    assert not found.in_class and "outside its model class" in found.report()
    words = compare({"bilinear": found, "steel": of_coupon}).split("\n")
    assert words[0].startswith("steel explains most") and words[1].startswith(
        "bilinear explains less"
    )


def test_linear_twin_has_the_closed_form():
    rng = np.random.default_rng(3)
    d = rng.standard_normal((400, 1))
    y = 100.0 * d + 2.0 * rng.standard_normal(d.shape)
    found = identify(
        Recording(d, y),
        Elastic(80.0),
        {"E*": Unknown(lower=10.0, upper=300.0, std=60.0)},
        force_noise=2.0,
        mode="pure",
    )
    slope = float((d * y).sum() / (d**2).sum())
    left = y - slope * d
    assert found.least_squares.values["E*"] == pytest.approx(slope, rel=1e-8)
    white = float(np.sqrt(np.mean(left**2) / (d**2).sum()))
    # the variance of the slope, but for the factor of correlated neighbours, which is near 1 for
    # noise
    assert white <= found.least_squares.std["E*"] < 1.3 * white
    precision = (d**2).sum() / max(np.mean(left**2), 4.0) + 1.0 / 60.0**2
    mean = (slope * (precision - 1.0 / 60.0**2) + 80.0 / 60.0**2) / precision
    assert found.smoothed.values["E*"] == pytest.approx(mean, rel=1e-6)


def test_what_the_record_does_not_tell():
    t = np.linspace(0.0, 1.0, 300)
    d = 0.5 * np.sin(20.0 * t)[:, None]  # never yields
    y = 50.0 * d + 0.1 * np.random.default_rng(0).standard_normal(d.shape)
    found = identify(
        Recording(d, y, t),
        Bilinear(E=40.0, fy=100.0, b=0.05),
        {"E": Unknown(lower=20.0, upper=90.0), "fy": Unknown(lower=60.0, upper=160.0)},
    )
    assert found.values["E"] == pytest.approx(50.0, rel=5e-3)
    assert found.identified()["E"] > 0.99 and found.identified()["fy"] < 0.1
    assert "fy" in found.report() and "hardly identifiable" in found.report()


def test_missing_samples_change_little(of_link):
    whole = of_link.recording
    d, f = whole.displacements.copy(), whole.forces.copy()
    f[50:700:7] = np.nan
    d[120:140] = np.nan  # a gap while the specimen moves on
    f[120:140] = np.nan
    found = identify(Recording(d, f, whole.time), link(0.05, 35.0, 0.8), LINK.unknowns)
    assert found.recording.missing == np.isnan(f).any(axis=1).sum()
    assert np.abs(errors(found, LINK.truth)["smoothed"]).max() < 0.03
    assert np.isnan(found.forces()[130]).all() and np.isfinite(found.forces()[150]).all()


def test_twin_has_the_best_values_and_its_forces(of_link):
    np.testing.assert_allclose(
        [of_link.updater.twin.parameters[n] for n in LINK.truth], list(of_link.values.values())
    )
    np.testing.assert_allclose(
        of_link.forces(),
        forces_of(link(**of_link.values), of_link.recording.displacements),
        atol=1e-9,
    )


def test_files(of_link, tmp_path):
    of_link.save(tmp_path / "a.json")
    reported = json.loads((tmp_path / "a.json").read_text())
    assert (
        reported["ways"]["least squares"]["values"] == of_link.least_squares.values
        and reported["agree"] is True
    )
    of_link.save(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert "alpha" in page and "<img" in page and of_link.sentences()[-1] in page
    of_link.save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        np.testing.assert_array_equal(file["force"][()], of_link.recording.forces)
        assert len(UpdatingHistory.get(file["forward"], tmp_path / "a.h5")) == len(
            of_link.recording
        )
    with pytest.raises(InputError, match="must end in"):
        of_link.save(tmp_path / "a.txt")


def test_card_and_picture(of_link):
    assert "beta" in of_link._repr_html_() and "least squares" in of_link._repr_html_()
    assert len(of_link.plot()) == 2 + len(LINK.unknowns)


def test_wrong_input():
    with pytest.raises(InputError, match="must be a Recording"):
        identify(np.zeros((5, 1)), Elastic(1.0), ["E"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="channels"):
        identify(Recording(np.ones((5, 2)), np.ones((5, 2))), Elastic(1.0), ["E"])


class _Deaf(TwinPath):
    """A path whose twin has no answer beyond a stiffness."""

    def all_forces(self, values):
        if values[0] > 60.0:
            raise AnalysisError("no answer")
        return super().all_forces(values)


def test_values_for_which_the_twin_has_no_answer_are_stepped_back_from():
    d = np.random.default_rng(5).standard_normal((200, 1))
    updater = ModelUpdater("s", Elastic(20.0), {"E*": Unknown(lower=1.0, upper=300.0)}, mode="pure")
    path = _Deaf(updater, Recording(d, 50.0 * d), np.array([1e-3]))
    assert smooth(path, updater.unknowns, np.array([20.0])).mean[0] == pytest.approx(50.0, rel=1e-4)
    assert polish(path, updater.unknowns, np.array([20.0])).mean[0] == pytest.approx(50.0, rel=1e-6)


def test_page_of_the_documentation_runs(capsys):
    page = (Path(__file__).parents[2] / "docs" / "identification.md").read_text(encoding="utf-8")
    exec(page.split("```python\n")[1].split("```")[0], {})
    said = capsys.readouterr().out
    assert "fy = 3" in said and "can be the specimen" in said


@pytest.mark.skipif(
    not MEASURED.is_file(), reason="FEMU_SPECIMENS names no folder of measured specimens"
)
@pytest.mark.parametrize("number", ["1", "2"])
def test_measured_coupon(number, monkeypatch):
    monkeypatch.setenv("FEMU_COUPON", number)
    defined = runpy.run_path(str(EXAMPLE))
    found = {name: identify(defined["recording"], *case) for name, case in defined["cases"].items()}
    steel_twin, bilinear = found["Menegotto-Pinto"], found["Bilinear"]
    assert steel_twin.unexplained < {"1": 0.08, "2": 0.055}[number]
    assert bilinear.unexplained > {"1": 0.12, "2": 0.18}[number]
    assert not bilinear.in_class and "Bilinear explains less" in compare(found)
    assert not steel_twin.differing(steel_twin.smoothed, steel_twin.least_squares)
    assert 300.0 < steel_twin.values["fy"] < 360.0
