"""
02 A pushover
=============

Push a two-storey frame to a drift of three per cent and find the members that yield.
"""

import matplotlib.pyplot as plt
import numpy as np

from femu import Model, UniformLoad, plots
from femu.analyses import LoadControl, Pushover
from femu.elements import ForceBeamColumn
from femu.materials import NMSection
from femu.units import GPa, MPa, kN, mm

column = NMSection.h_shape(
    depth=250 * mm, width=250 * mm, web=9 * mm, flange=14 * mm, E=206 * GPa, fy=280 * MPa, b=0.02
)
beam = NMSection.h_shape(
    depth=300 * mm, width=200 * mm, web=8 * mm, flange=12 * mm, E=206 * GPa, fy=280 * MPa, b=0.02
)
BAYS, STOREYS, WIDTH, HEIGHT = 2, 2, 6.0, 3.5

frame = Model("two storeys")
for level in range(STOREYS + 1):
    for line in range(BAYS + 1):
        frame.node((name := f"{level}{line}"), WIDTH * line, HEIGHT * level, fixed=level == 0)
        if level:
            frame.mass(name, (20e3, 20e3, 0.0))
            frame.add(ForceBeamColumn(f"column {name}", f"{level - 1}{line}", name, section=column))
    for line in range(BAYS if level else 0):
        frame.add(
            ForceBeamColumn(
                f"beam {level}{line}", f"{level}{line}", f"{level}{line + 1}", section=beam
            )
        )

# %%
# Apply gravity first, then lateral loads in an inverted triangle, scaled so that the roof moves in
# equal steps. The load may decrease while the displacement grows.

frame.pattern("gravity")
for name in [name for name in frame.elements if str(name).startswith("beam")]:
    frame.member_load(name, UniformLoad(y=-25 * kN), pattern="gravity")
frame.pattern("push")
for level in range(1, STOREYS + 1):
    frame.load(f"{level}0", x=level * kN, pattern="push")

gravity = LoadControl(pattern="gravity").run(frame)
roof = f"{STOREYS}0"
push = Pushover(roof, to=0.03 * STOREYS * HEIGHT, steps=120, pattern="push").run(
    frame, start=gravity.state
)
print(push.outcome)

shear = -push.base_shear()
drift = push.displacement(roof, "x") / (STOREYS * HEIGHT)
print(f"base shear {shear.max() / kN:.0f} kN at a drift of {100 * drift[-1]:.1f} %")

# %%
# Plastic rotations at the column bases show which columns yielded:

for line in range(BAYS + 1):
    print(
        f"column 1{line}: {1e3 * np.abs(push.plastic_rotation(f'column 1{line}', 'i')).max():.1f} "
        "mrad"
    )

# %%
# The pushover curve, and the bending moments at the end:

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), width_ratios=(2, 3))
left.plot(100 * drift, shear / kN)
left.set(xlabel="roof drift (%)", ylabel="base shear (kN)")
plots.plot_diagram(push, "moment", ax=right, units=plots.SI)
figure.tight_layout()
plt.show()
