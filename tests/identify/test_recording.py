"""Recordings: columns of files, journals, what is missing and what is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from femu import FileError, GroundMotion, HybridTest, InputError, Model
from femu.cli import main
from femu.experimental import EmulatedSpecimen, ExperimentalLink
from femu.identify import Recording, identify
from femu.materials import Bilinear
from femu.updating import Unknown

TABLE = "time,strain,stress\n0,0,0\n1,0.5,10\n2,,20\n3,1.5,nan\n\n4,2.0,40\n5,2.5,45\n"


def test_columns_with_missing_cells(tmp_path):
    (tmp_path / "a.csv").write_text(TABLE)
    r = Recording.read(
        tmp_path / "a.csv", "strain", "stress", "time", displacement_factor=1e-2, force_unit="MPa"
    )
    np.testing.assert_allclose(r.displacements[:, 0], [0.0, 0.005, np.nan, 0.015, 0.02, 0.025])
    np.testing.assert_allclose(r.forces[:, 0], [0.0, 10.0, 20.0, np.nan, 40.0, 45.0])
    assert (
        list(r.time) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        and r.missing == 2
        and r.force_unit == "MPa"
        and r.name == "a.csv"
    )
    assert len(r.between(1)) == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time,strain,stress\n0,0,0\n1,x,1\n2,1,1\n3,1,1\n", "line 3: 'x' is not a number"),
        ("time,strain,stress\n0,0,0\n1,0,1\n2,1\n3,1,1\n", "line 4: has 2 cells"),
        ("time,strain,stress\n0,0,0\n1,0,1\n0.5,1,1\n3,1,1\n", "line 4: goes back in time"),
        ("time,strain,stress\n0,0,0\n,0,1\n", "line 3: has no time"),
        ("time,strain,stress\n0,0,0\n1,0,inf\n", "line 3: 'inf' is not finite"),
        ("time,eps,stress\n0,0,0\n", "line 1: must have one column 'strain'"),
        ("time,strain,stress\n0,0,0\n", "too few"),
        ("", "is empty"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path, text, words):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(FileError, match=words) as error:
        Recording.read(tmp_path / "bad.csv", "strain", "stress", "time")
    assert "bad.csv" in str(error.value)


def test_no_file(tmp_path):
    with pytest.raises(FileError, match="cannot be read"):
        Recording.read(tmp_path / "none.csv", "a", "b")


@pytest.mark.parametrize(
    ("d", "f", "t"),
    [
        (np.ones((5, 2)), np.ones((5, 1)), None),
        (np.ones(5), np.full(5, np.nan), None),
        (np.ones(5), np.ones(5), [0, 1, 2, 1, 3]),
        (np.ones(5), [1, 2, np.inf, 3, 4], None),
        ("a", "b", None),
        (np.ones(2), np.ones(2), None),
    ],
)
def test_wrong_arrays(d, f, t):
    with pytest.raises(InputError, match="Recording"):
        Recording(d, f, t)


def test_journal_of_a_hybrid_test(tmp_path):
    """The specimen of a hybrid test is identified from the journal alone."""
    truth = Bilinear(E=40.0, fy=2.0, b=0.05)
    model = Model("one mass")
    model.node(0, 0.0, 0.0, fixed=True)
    model.node(1, 1.0, 0.0, mass=(1.0, 0.0, 0.0), fixed=("y", "rz"))
    model.add(ExperimentalLink("spring", 0, 1, specimen=EmulatedSpecimen(truth)))
    quake = GroundMotion("sine", 0.01, [2.0 * np.sin(0.06 * k) for k in range(400)])
    assert HybridTest(model, quake, dt=0.01).run(tmp_path / "t.h5").outcome.ok
    r = Recording.from_journal(tmp_path / "t.h5", "spring")
    assert r.channels == 1 and len(r) >= 399
    found = identify(
        r,
        Bilinear(E=30.0, fy=1.5, b=0.1),
        {"E": Unknown(), "fy": Unknown(), "b": Unknown(lower=0.0, upper=0.3)},
    )
    for name, value in (("E", 40.0), ("fy", 2.0), ("b", 0.05)):
        assert found.least_squares.values[name] == pytest.approx(value, rel=1e-3)
    with pytest.raises(FileError, match="holds no element 'x'; it has 'spring'"):
        Recording.from_journal(tmp_path / "t.h5", "x")


SCRIPT = """
import numpy as np
from femu.identify import Recording
from femu.materials import Elastic
d = np.sin(np.arange(100.0))
recording = Recording(d, 3.0 * d + 0.01 * np.cos(7.0 * np.arange(100.0)), name="sine")
twin, unknowns = Elastic(2.0), ["E*"]
options = {"mode": "pure"}
"""


def test_command(tmp_path):
    (tmp_path / "a.py").write_text(SCRIPT)
    run = CliRunner().invoke(
        main, ["identify", str(tmp_path / "a.py"), "--json", "--save", str(tmp_path / "a.json")]
    )
    assert run.exit_code == 0, run.output
    rows = {row["name"]: row["value"] for row in json.loads(run.output)["rows"]}
    assert rows["E*, least squares"] == pytest.approx(3.0, rel=1e-3)
    assert json.loads((tmp_path / "a.json").read_text())["twin"]
    (tmp_path / "b.py").write_text("twin = 1\n")
    assert (
        "must define recording and unknowns"
        in CliRunner().invoke(main, ["identify", str(tmp_path / "b.py")]).output
    )


def test_a_twin_that_cannot_be_the_specimen_is_in_the_exit_code(tmp_path):
    """The force is that of a dashpot, a quarter of a period before the displacement, and the twin a
    spring."""
    wrong = SCRIPT.replace("np.arange(100.0)", "0.1 * np.arange(400)").replace(
        "3.0 * d +", "3.0 * np.gradient(d, 0.1) +"
    )
    (tmp_path / "a.py").write_text(wrong)
    run = CliRunner().invoke(main, ["identify", str(tmp_path / "a.py")])
    assert run.exit_code == 1, run.output
    assert "outside its model class" in run.output
