"""
01 A portal frame
=================

Define a frame, check it, load it, and read the result.
"""

import matplotlib.pyplot as plt

# imports
from femu import Model, UniformLoad, plots
from femu.analyses import LoadControl, eigen
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.materials import ElasticSection, NMSection
from femu.units import GPa, MPa, kN, mm

# the model
column = NMSection.h_shape(
    depth=250 * mm, width=250 * mm, web=6 * mm, flange=12 * mm, E=206 * GPa, fy=280 * MPa, b=0.03
)
beam = ElasticSection(E=206 * GPa, A=6.456e-3, I=1.101e-4)

frame = Model("portal")
frame.node("A", 0.0, 0.0, fixed=True)
frame.node("B", 6.0, 0.0, fixed=True)
frame.node("C", 0.0, 3.6, mass=(30e3, 30e3, 20e3))
frame.node("D", 6.0, 3.6, mass=(30e3, 30e3, 20e3))
frame.add(ForceBeamColumn("left", "A", "C", section=column))
frame.add(ForceBeamColumn("right", "B", "D", section=column))
frame.add(ElasticBeamColumn("beam", "C", "D", section=beam))

# %%
# ``check`` reports suspicious input; here it finds none. It would report a mechanism, an
# unconnected node or a mass in the wrong unit.

for finding in frame.check():
    print(finding)

# %%
# Loads belong to patterns. Here they are gravity on the beam and a lateral load at the left corner:

# the loads
frame.pattern("gravity")
frame.member_load("beam", UniformLoad(y=-20 * kN), pattern="gravity")
frame.pattern("push")
frame.load("C", x=1 * kN, pattern="push")

# %%
# A static analysis applies a pattern in steps. Its result contains the final state, from which the
# next analysis continues.

# the analysis
gravity = LoadControl(pattern="gravity").run(frame)
pushed = LoadControl(100.0, steps=20, pattern="push").run(frame, start=gravity.state)
print(pushed.outcome)
print(f"the corner moves {1e3 * pushed.displacement('C', 'x')[-1]:.1f} mm under 100 kN")

# %%
# Member forces in local axes (N, V and M at both ends), in N and N m, and the support reactions:

print(pushed.force("left")[-1].round())
print(
    f"reactions: {pushed.reaction('A', 'x')[-1] / kN:.1f} and "
    f"{pushed.reaction('B', 'x')[-1] / kN:.1f} kN"
)

# %%
# Periods of the frame under gravity:

modes = eigen(frame, 2, state=gravity.state)
print("periods:", modes.periods.round(3), "s")

# %%
# A plot of the frame, in kilonewtons and metres:

figure, ax = plt.subplots(figsize=(7, 5))
plots.plot_model(frame, ax=ax, units=plots.SI)
plt.show()
