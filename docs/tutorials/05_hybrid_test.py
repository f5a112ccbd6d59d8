"""
05 A hybrid test with an emulated specimen
==========================================

The left column of a frame is in the laboratory. Here another femu element replaces it, with noise
on the measurements.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from femu import GroundMotion, HybridTest, Model, plots
from femu.analyses import Newmark, Transient
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.experimental import (
    EigenvectorTangent,
    EmulatedSpecimen,
    ExperimentalBeamColumn,
    Limits,
    Sensors,
)
from femu.materials import ElasticSection, NMSection
from femu.units import GPa, MPa, kN, mm

column = NMSection.h_shape(
    depth=250 * mm, width=250 * mm, web=6 * mm, flange=12 * mm, E=206 * GPa, fy=280 * MPa, b=0.03
)


def frame(left):
    model = Model("one bay")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 6.0, 0.0, fixed=True)
    model.node("C", 0.0, 3.6, mass=(30e3, 30e3, 20e3))
    model.node("D", 6.0, 3.6, mass=(30e3, 30e3, 20e3))
    model.add(left)
    model.add(ForceBeamColumn("right", "B", "D", section=column))
    model.add(
        ElasticBeamColumn(
            "beam", "C", "D", section=ElasticSection(E=206 * GPa, A=6.456e-3, I=1.101e-4)
        )
    )
    model.rayleigh(ratio=0.02, modes=(1, 2))
    return model


# %%
# One line defines the specimen, another the element that represents it. Limits are checked before
# every command: a command beyond them is never sent.

specimen = EmulatedSpecimen(
    ForceBeamColumn("specimen", "i", "j", section=column),
    length=3.6,
    sensors=Sensors(displacement_noise=2e-6, force_noise=200.0),
    seed=1,
)
limits = Limits(displacement=0.1, force=5e6)
hybrid = frame(
    ExperimentalBeamColumn("left", "A", "C", specimen=specimen, limits=limits, damped=True)
)

# %%
# Run the test. Every command and measurement is written to the journal at once. ``femu resume``
# continues the test from it, ``femu replay`` repeats the test, and ``femu monitor`` shows it live.

quake = GroundMotion.el_centro().scaled(pga=2.2)
Path("hybrid.h5").unlink(missing_ok=True)
test = HybridTest(
    hybrid,
    quake,
    dt=0.01,
    duration=10.0,
    tangents={"left": EigenvectorTangent(displacement_noise=2e-6, force_noise=200.0)},
)
result = test.run("hybrid.h5")
print(result.outcome)
iterations = result.of_step("iterations")[1:].mean()
print(
    f"{100 * result.converged.mean():.1f} % of the steps converged, in {iterations:.1f} "
    f"iterations; the tangent was updated in {100 * result.updated('left').mean():.0f} %"
)
print(f"experimental energy error: {100 * result.experimental_error:.3f} % of the input")

# %%
# For comparison, the same frame with a numerical left column:

pure = Transient(Newmark(), dt=0.01).run(
    frame(ForceBeamColumn("left", "A", "C", section=column)), quake, duration=10.0
)
difference = result.displacement("C", "x") - pure.displacement("C", "x")
print(
    "difference from the numerical frame: "
    f"{100 * np.std(difference) / np.std(pure.displacement('C', 'x')):.2f} % rms"
)

# %%
# Response of the specimen:

displacement, force = result.measured("left")
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
left.plot(result.time, 1e3 * result.displacement("C", "x"), label="hybrid")
left.plot(pure.time, 1e3 * pure.displacement("C", "x"), "--", label="numerical")
left.set(xlabel="time (s)", ylabel="displacement (mm)")
left.legend()
plots.plot_loop(1e3 * displacement[:, 1], force[:, 1] / kN, ax=right)
right.set(xlabel="rotation at the base (mrad)", ylabel="moment (kNm)")
figure.tight_layout()
plt.show()
