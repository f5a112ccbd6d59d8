"""Writers and the readers that came with them.

Round trips, run-together samples, COSMOS, and warnings.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from femu.records import GroundMotion, RecordWarning, synthetic
from femu.support.errors import FileError
from femu.units import g

HEADER = "PEER NGA\nSomewhere, 1/2/1999, Station, 90\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS= {}, DT= .0100 SEC\n"


def test_csv_is_read_back_equal(tmp_path: Path) -> None:
    motion = synthetic(4)
    motion.to_csv(tmp_path / "a.csv")
    found = GroundMotion.from_csv(tmp_path / "a.csv")
    assert np.array_equal(found.acceleration, motion.acceleration)
    assert found.dt == motion.dt


def test_at2_is_read_back_to_its_digits(tmp_path: Path) -> None:
    motion = synthetic(4, dt=0.005)
    motion.to_at2(tmp_path / "a.AT2")
    found = GroundMotion.from_at2(tmp_path / "a.AT2")
    assert found.dt == motion.dt
    assert found.name == motion.name
    np.testing.assert_allclose(found.acceleration, motion.acceleration, rtol=1e-7, atol=1e-12)


def test_files_that_cannot_be_written_are_file_errors(tmp_path: Path) -> None:
    for write in (synthetic(0).to_csv, synthetic(0).to_at2):
        with pytest.raises(FileError, match="cannot be written"):
            write(tmp_path / "no" / "such" / "folder")


@pytest.mark.filterwarnings("ignore::femu.records.RecordWarning")
def test_at2_samples_run_together(tmp_path: Path) -> None:
    path = tmp_path / "a.AT2"
    path.write_text(HEADER.format(5) + " .1000000E-01-.2000000E-01-.3000000E-01\n-0.04-.5\n")
    np.testing.assert_allclose(
        GroundMotion.from_at2(path).acceleration / g, [0.01, -0.02, -0.03, -0.04, -0.5]
    )


@pytest.mark.parametrize("word", ["1.251.30", "..", "-.5.2-.3", "1-2"])
def test_samples_that_cannot_be_told_apart_are_refused(tmp_path: Path, word: str) -> None:
    path = tmp_path / "a.AT2"
    path.write_text(HEADER.format(2) + f"0.1 {word}\n")
    with pytest.raises(FileError, match="line 5"):
        GroundMotion.from_at2(path)


def test_two_columns_with_blanks(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("# t a\n" + "".join(f"{0.02 * k:.2f}   {np.sin(k):.6f}\n" for k in range(100)))
    found = GroundMotion.from_columns(path, unit="m/s2")
    assert found.dt == pytest.approx(0.02, rel=1e-12)
    np.testing.assert_allclose(found.acceleration, np.sin(np.arange(100)), atol=1e-6)


def cosmos(
    count: int = 200, seconds: float = 4.0, step: float = 20.0, unit: str = "cm/sec2 (04)"
) -> str:
    reals = np.zeros(100)
    reals[61] = step
    lines = [
        "Corrected acceleration   (Format v01.20 with 3 text lines)",
        "Example Earthquake",
        "Station 7",
        " 100 Integer-header values follow on  10 lines, Format= (10I8)",
        *["       0" * 10] * 10,
        " 100 Real-header values follow on  20 lines, Format= (5F15.6)",
    ]
    lines += ["".join(f"{v:15.6f}" for v in reals[k : k + 5]) for k in range(0, 100, 5)]
    lines += [
        '   2 Comment line(s) follow, each starting with a "|":',
        "| a",
        "| b",
        f"  {count} acceleration pts, approx {seconds:g} secs, units={unit}, Format=(8F10.5)",
    ]
    samples = -100.0 - np.arange(200) / 10.0  # ten digits wide: the columns run together
    lines += ["".join(f"{v:10.5f}" for v in samples[k : k + 8]) for k in range(0, 200, 8)]
    return "\n".join([*lines, "End-of-data for Chan 1 acceleration"]) + "\n"


def test_cosmos(tmp_path: Path) -> None:
    path = tmp_path / "a.v2"
    path.write_text(cosmos())
    found = GroundMotion.from_cosmos(path)
    assert found.dt == pytest.approx(0.02, rel=1e-12)
    assert found.name == "Example Earthquake"
    np.testing.assert_allclose(found.acceleration, -1.0 - np.arange(200) / 1000.0, rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (cosmos(step=10.0), ["200 samples", "0.01 s"]),
        (cosmos(step=0.0), ["time step"]),
        (cosmos(unit="furlong"), ["furlong"]),
        (cosmos(count=208, seconds=4.16), ["line 65", "'End-of-dat'"]),
        ("", ["text lines"]),
        ("x\n", ["line 1"]),
        (cosmos().replace("Real-header", "Unreal"), ["real-header", "line 15"]),
        (cosmos().replace("5F15.6", "5F0.6"), ["Fortran format", "line 15"]),
        (cosmos(seconds=4.0).replace("approx 4", "approx 4.0.0"), ["acceleration points"]),
        (
            "Corrected acceleration (Format v01.20 with " + "9" * 5000 + " text lines)",
            ["text lines"],
        ),
    ],
)
def test_cosmos_that_contradicts_itself_is_refused(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    path = tmp_path / "a.v2"
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        GroundMotion.from_cosmos(path)
    assert [word for word in words if word not in str(caught.value)] == []


def smc(
    count: int = 100,
    rate: float = 200.0,
    title: str = "2 CORRECTED ACCELEROGRAM",
    problem: int = 0,
    comments: int = 2,
) -> str:
    integers = np.full(48, -32768)
    integers[15:18] = comments, count, problem
    reals = np.full(50, 1.7e38)
    reals[1] = rate
    lines = [title, "*", "1234", "1994 017 1231 Example Earthquake", *["*"] * 7]
    lines += ["".join(f"{v:10d}" for v in integers[k : k + 8]) for k in range(0, 48, 8)]
    lines += ["".join(f"{v:15.7E}" for v in reals[k : k + 5]) for k in range(0, 50, 5)]
    lines += ["| first", "| second"]
    samples = -10.0 - np.arange(100) / 10.0
    # one digit in the exponent fills ten columns: the numbers run together
    texts = [f"{v:.4E}".replace("E+0", "E+") for v in samples]
    return "\n".join([*lines, *("".join(texts[k : k + 8]) for k in range(0, 100, 8))]) + "\n"


@pytest.mark.filterwarnings("ignore:.*is the time step right")
def test_smc(tmp_path: Path) -> None:
    path = tmp_path / "a.smc"
    path.write_text(smc())
    found = GroundMotion.from_smc(path)
    assert found.dt == pytest.approx(0.005, rel=1e-12)
    assert found.name == "1994 017 1231 Example Earthquake"
    np.testing.assert_allclose(found.acceleration, -0.1 - np.arange(100) / 1000.0, rtol=1e-4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (smc(count=99), ["100 samples", "announces 99"]),
        (smc(rate=0.0), ["samples per second", "line 18"]),
        (smc(rate=1.7e38), ["samples per second"]),
        (smc(title="3 VELOCITY"), ["ACCELEROGRAM", "line 1"]),
        (smc(problem=1), ["problem"]),
        (smc(comments=3), ["comment lines", "line 30"]),
        (smc()[:400], ["ends within"]),
        ("", ["line 1"]),
        (smc(count=-32768), ["-32768"]),
        (smc().replace("-1.5000E+1", "-1.50x0E+1"), ["'-1.50x0E+1'", "line 36"]),
    ],
)
def test_smc_that_contradicts_itself_is_refused(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    path = tmp_path / "a.smc"
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        GroundMotion.from_smc(path)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("samples", "dt", "unit", "words"),
    [
        (np.full(3000, 300.0), 0.01, "g", "unit"),
        (np.full(3000, 1e-5), 0.01, "m/s2", "unit"),
        (np.ones(3000), 1.0, "m/s2", "time step"),
        (np.ones(30), 0.01, "m/s2", "time step"),
    ],
)
def test_what_looks_wrong_is_questioned(
    tmp_path: Path, samples: np.ndarray, dt: float, unit: str, words: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join(map(str, samples)))
    with pytest.warns(RecordWarning, match=words):
        GroundMotion.from_text(path, dt, unit)


def test_an_ordinary_record_raises_no_question() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = GroundMotion.el_centro()
    # Chopra, Dynamics of Structures, Appendix 6: a peak of 0.319 g, in steps of 0.02 s
    assert motion.dt == 0.02 and motion.pga == pytest.approx(0.319 * 9.80665, abs=0.0005 * 9.80665)
