"""
03 Earthquake response and energy balance
=========================================

Run a two-storey frame under El Centro and check the energy balance.
"""

import matplotlib.pyplot as plt
import numpy as np

from femu import GroundMotion, Model
from femu.analyses import HHT, Newmark, Transient
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.materials import ElasticSection, NMSection
from femu.units import GPa, MPa, g, mm

column = NMSection.h_shape(
    depth=250 * mm, width=250 * mm, web=9 * mm, flange=14 * mm, E=206 * GPa, fy=280 * MPa, b=0.02
)
beam = ElasticSection(E=206 * GPa, A=7e-3, I=1.2e-4)

frame = Model("two storeys")
for level in range(3):
    for line in range(2):
        frame.node(
            f"{level}{line}",
            6.0 * line,
            3.5 * level,
            fixed=level == 0,
            mass=(30e3, 30e3, 1e3) if level else None,
        )
        if level:
            frame.add(
                ForceBeamColumn(
                    f"column {level}{line}", f"{level - 1}{line}", f"{level}{line}", section=column
                )
            )
    if level:
        frame.add(ElasticBeamColumn(f"beam {level}", f"{level}0", f"{level}1", section=beam))
frame.rayleigh(ratio=0.02, modes=(1, 2))

# %%
# El Centro 1940 NS is included in femu. Other records are read from PEER, COSMOS, SMC, CSV or text
# files.

quake = GroundMotion.el_centro().scaled(pga=0.6 * g)
print(quake)

result = Transient(Newmark(), dt=0.01).run(frame, quake)
print(result.outcome)
drift = np.abs(result.drift("00", "10")).max()
print(f"first storey: {100 * drift:.2f} % drift")

# %%
# The ground motion puts energy in; kinetic energy, damping and the members take it up. The
# difference at the end is the integration error.

figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for name in ("input", "kinetic", "damping", "absorbed"):
    ax.plot(result.time, result.energy(name) / 1e3, label=name)
ax.set(xlabel="time (s)", ylabel="energy (kJ)")
ax.legend()
print(f"energy error: {100 * result.energy_error:.1e} % of the input")

# %%
# To change the integrator, change one argument. HHT-α damps spurious high frequencies:

other = Transient(HHT(0.9), dt=0.01).run(frame, quake)
difference = other.displacement("20", "x") - result.displacement("20", "x")
print(
    "HHT differs by "
    f"{100 * np.abs(difference).max() / np.abs(result.displacement('20', 'x')).max():.1f} % of the "
    "peak"
)

# %%
# The result is saved, together with its model, to a file that xarray and h5py can read.

result.save("earthquake.h5")
plt.show()
