"""Cyclic test of a structural steel coupon, identified with two twins.

Run it with ``femu identify docs/examples/steel_coupon.py``. FEMU_SPECIMENS is the folder with
``steel_coupon/example_1.csv`` and ``example_2.csv`` of RESSPyLab (MIT licence): true strain and
true stress in MPa. FEMU_COUPON selects the file: 1 (the default), cycles of ±2 %, or 2, a random
history without the samples before the loading and after the first hold.
"""

import os
from pathlib import Path

from femu.identify import Recording
from femu.materials import Bilinear, MenegottoPinto
from femu.updating import Unknown

number = os.environ.get("FEMU_COUPON", "1")
recording = Recording.read(
    Path(os.environ.get("FEMU_SPECIMENS", ".")) / "steel_coupon" / f"example_{number}.csv",
    "e_true",
    "Sigma_true",
    force_unit="MPa",
)
if number == "2":
    recording = recording.between(100, 850)

modulus, yielding = Unknown(lower=150e3, upper=250e3), Unknown(lower=200.0, upper=500.0)
cases = {
    "Menegotto-Pinto": (
        MenegottoPinto(E=200e3, fy=350.0, b=0.01, R0=20.0, cR1=0.925, cR2=0.15, a1=0.02, a3=0.02),
        {
            "E": modulus,
            "fy": yielding,
            "b": Unknown(lower=0.001, upper=0.05),
            "cR1": Unknown(lower=0.8, upper=0.98),
            "a1": Unknown(lower=0.0, upper=0.1),
            "a3": Unknown(lower=0.0, upper=0.1),
        },
    ),
    "Bilinear": (
        Bilinear(E=200e3, fy=350.0, b=0.01),
        {"E": modulus, "fy": yielding, "b": Unknown(lower=0.001, upper=0.1)},
    ),
}
