"""Readers: what they accept, in which unit it comes out, and the one sentence with which they
refuse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from femu.records import GroundMotion
from femu.support.errors import FemuError, FileError, InputError
from femu.units import g

pytestmark = pytest.mark.filterwarnings("ignore::femu.records.RecordWarning")  # the files are short

NEW_HEADER = """PEER NGA STRONG MOTION DATABASE RECORD
Somewhere-01, 1/2/1999, Some Station, 90
ACCELERATION TIME SERIES IN UNITS OF G
NPTS=   5, DT=   .0050 SEC,
"""
OLD_HEADER = """PEER STRONG MOTION DATABASE RECORD
SOMEWHERE 01/02/99, SOME STATION, 090
ACCELERATION TIME HISTORY IN UNITS OF G
5    0.0050    NPTS, DT
"""
SAMPLES = "  .1000000E-01  -.2000000E-01   .3000000E-01\n  -.4000000E-01   .0000000E+00\n"


def written(folder: Path, text: str, name: str = "quake.AT2") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# --- AT2 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [NEW_HEADER, OLD_HEADER])
def test_at2_both_headers(tmp_path: Path, header: str) -> None:
    quake = GroundMotion.from_at2(written(tmp_path, header + SAMPLES))
    np.testing.assert_allclose(
        quake.acceleration, g * np.array([0.01, -0.02, 0.03, -0.04, 0.0]), rtol=1e-15
    )
    assert quake.dt == 0.005
    assert "station" in quake.name.lower()


def test_at2_other_unit_comes_out_in_si(tmp_path: Path) -> None:
    text = NEW_HEADER.replace("OF G", "OF CM/S2") + SAMPLES
    assert GroundMotion.from_at2(written(tmp_path, text)).pga == pytest.approx(0.0004, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (NEW_HEADER.replace("   5,", "   6,") + SAMPLES, ["holds 5 samples", "states 6", "line 4"]),
        (
            NEW_HEADER + SAMPLES.replace(".3000000E-01", "*****"),
            ["line 5", "'*****'", "not a number"],
        ),
        (NEW_HEADER + SAMPLES.replace(".0000000E+00", "NaN"), ["line 6", "'NaN'", "finite"]),
        (NEW_HEADER.replace("ACCELERATION", "VELOCITY") + SAMPLES, ["line 3", "VELOCITY"]),
        (NEW_HEADER.replace("OF G", "OF FURLONG/S2") + SAMPLES, ["line 3", "FURLONG"]),
        (
            NEW_HEADER.replace("NPTS=   5, DT=   .0050 SEC,", "5 samples") + SAMPLES,
            ["line 4", "NPTS"],
        ),
        (NEW_HEADER.replace(".0050", ".0000") + SAMPLES, ["line 4", "time step"]),
        (NEW_HEADER.replace("   5,", "9" * 5000 + ",") + SAMPLES, ["line 4", "NPTS"]),
        # many ways to part it
        (
            NEW_HEADER + SAMPLES.replace(".3000000E-01", "1.11" + ".11" * 400),
            ["line 5", "not a number"],
        ),
        ("one line\n", ["header of 4"]),
        ("", ["header of 4"]),
    ],
)
def test_at2_that_contradicts_itself_is_refused(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileError) as caught:
        GroundMotion.from_at2(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert [word for word in words if word not in message] == []
    assert "\n" not in message


# --- CSV ------------------------------------------------------------------------------------------

CSV = "time,acc (g)\n0,0\n0.02,0.1\n0.04,-0.2\n"


def test_csv_takes_the_unit_of_its_heading(tmp_path: Path) -> None:
    quake = GroundMotion.from_csv(written(tmp_path, CSV, "a.csv"))
    np.testing.assert_allclose(quake.acceleration, g * np.array([0.0, 0.1, -0.2]), rtol=1e-15)
    assert quake.dt == 0.02
    assert quake.name == "a"


@pytest.mark.parametrize(
    "spelling", ["m/s2", "m/s^2", "m/s²", "m/s/s", "M/S2", "m/sec2", " m / s**2 "]
)
def test_spellings_of_a_unit(tmp_path: Path, spelling: str) -> None:
    text = CSV.replace("acc (g)", "acc")
    assert GroundMotion.from_csv(written(tmp_path, text, "a.csv"), unit=spelling).pga == 0.2


def test_csv_without_heading_and_with_comments(tmp_path: Path) -> None:
    quake = GroundMotion.from_csv(
        written(tmp_path, "# station 7\n\n0,0\n0.5,3\n", "a.csv"), unit="gal"
    )
    assert quake.acceleration.tolist() == [0.0, 0.03]


def test_csv_that_starts_one_step_later_gets_a_zero_in_front(tmp_path: Path) -> None:
    quake = GroundMotion.from_csv(
        written(tmp_path, "0.02,1\n0.04,2\n0.06,3\n", "a.csv"), unit="m/s2"
    )
    assert quake.acceleration.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert quake.dt == pytest.approx(0.02, rel=1e-12)


def test_csv_times_may_be_rounded_to_their_last_digit(tmp_path: Path) -> None:
    """1/256 s printed with three digits.

    Every time is up to half a millisecond off, and the step is still right.
    """
    step = 1 / 256
    text = "".join(f"{i * step:.3f},{i % 3}\n" for i in range(2000))
    path = written(tmp_path, text, "a.csv")
    assert GroundMotion.from_csv(path, unit="m/s2").dt == pytest.approx(step, rel=2e-4)
    assert GroundMotion.from_csv(path, unit="m/s2", dt=step).dt == step


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        (CSV, {"unit": "m/s2"}, ["line 1", "'g'", "'m/s2'"]),
        (CSV, {"dt": 0.01}, ["line 3", "0.02", "0.01"]),
        (CSV + "0.08,0\n0.10,0\n", {}, ["line 4", "t = 0.04"]),
        (CSV.replace("-0.2", "gone"), {}, ["line 4", "'gone'"]),
        (CSV.replace("-0.2", "-0.2,7"), {}, ["line 4", "3 columns"]),
        ("time,acc (g)\n0,0\n", {}, ["1 samples", "at least two"]),
        ("", {"unit": "g"}, ["0 samples"]),
        ("0,0\n0,1\n0,2\n", {"unit": "g"}, ["line 3", "increase"]),
        ("5,0\n5.1,1\n5.2,2\n", {"unit": "g"}, ["line 1", "starts at t = 5"]),
    ],
)
def test_csv_that_contradicts_itself_is_refused(
    tmp_path: Path, text: str, arguments: dict[str, object], words: list[str]
) -> None:
    path = written(tmp_path, text, "a.csv")
    with pytest.raises(FileError) as caught:
        GroundMotion.from_csv(path, **arguments)  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.startswith(str(path))
    assert [word for word in words if word not in message] == []


def test_csv_without_a_unit_asks_for_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unit='g'"):
        GroundMotion.from_csv(written(tmp_path, "0,0\n1,1\n", "a.csv"))


# --- plain text -----------------------------------------------------------------------------------


def test_text_any_number_a_line(tmp_path: Path) -> None:
    quake = GroundMotion.from_text(
        written(tmp_path, "# g\n1 2 3\n\n4\n  5 # last\n", "a.rec"), dt=0.01, unit="g"
    )
    np.testing.assert_allclose(quake.acceleration / g, [1, 2, 3, 4, 5], rtol=1e-15)
    assert quake.dt == 0.01


@pytest.mark.parametrize(
    ("text", "words"), [("1\nx", ["line 2", "'x'"]), ("1", ["1 samples"]), ("", ["0 samples"])]
)
def test_bad_text_is_refused(tmp_path: Path, text: str, words: list[str]) -> None:
    with pytest.raises(FileError) as caught:
        GroundMotion.from_text(written(tmp_path, text, "a.rec"), dt=0.01, unit="g")
    assert [word for word in words if word not in str(caught.value)] == []


def test_unknown_unit_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'cm/s2'"):
        GroundMotion.from_text(written(tmp_path, "1 2", "a.rec"), dt=0.01, unit="parsec")


# --- any file -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "read",
    [
        GroundMotion.from_at2,
        GroundMotion.from_csv,
        lambda path: GroundMotion.from_text(path, dt=0.01, unit="g"),
    ],
)
def test_missing_folder_and_binary_files_are_file_errors(tmp_path: Path, read: object) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(bytes(range(256)))
    for path in (tmp_path / "absent", tmp_path, binary):
        with pytest.raises(FileError, match=path.name):
            read(path)  # type: ignore[operator]


def test_reader_errors_are_femu_errors(tmp_path: Path) -> None:
    with pytest.raises(FemuError):
        GroundMotion.from_at2(tmp_path / "absent")
