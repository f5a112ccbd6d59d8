"""
09 A reinforced concrete frame
==============================

A frame of fibre sections with three storeys and two bays: gravity, a pushover, three earthquakes, a
report, and a comparison with openseespy.
"""

import matplotlib.pyplot as plt
import numpy as np

from femu import GroundMotion, Model, UniformLoad, plots, report
from femu.analyses import LoadControl, Newmark, Pushover, Transient, eigen
from femu.elements import ForceBeamColumn
from femu.materials import FibreSection, KentParkConcrete, MenegottoPinto
from femu.records import synthetic
from femu.units import GPa, MPa, g, kN, mm

# %%
# Concrete inside the stirrups, concrete outside, and bars: OpenSees' ``Concrete01`` and
# ``Steel02``. All concrete parameters are positive. :doc:`/from-opensees` lists the class for each
# material of OpenSees.

core = KentParkConcrete(fc=34 * MPa, peak_strain=0.004, fcu=21 * MPa, crushing_strain=0.014)
cover = KentParkConcrete(fc=28 * MPa, peak_strain=0.002, fcu=5 * MPa, crushing_strain=0.006)
steel = MenegottoPinto(E=200 * GPa, fy=420 * MPa, b=0.01)
bar = 314 * mm**2

# %%
# Bars are given by their height above the axis and their area, or as ``top`` and ``bottom`` areas
# at the depth of the cover. Sections of other shapes are defined by points,
# ``FibreSection.from_points([(y, area, material), ...])``.

column = FibreSection.reinforced_concrete(
    400 * mm,
    400 * mm,
    40 * mm,
    core=core,
    unconfined=cover,
    steel=steel,
    bars=[(-0.15, 3 * bar), (0.0, 2 * bar), (0.15, 3 * bar)],
)
beam = FibreSection.reinforced_concrete(
    300 * mm,
    500 * mm,
    40 * mm,
    core=core,
    unconfined=cover,
    steel=steel,
    top=4 * bar,
    bottom=3 * bar,
)

frame = Model("concrete frame")
for level in range(4):
    for line in range(3):
        frame.node(
            (name := f"{level}{line}"),
            5.0 * line,
            3.2 * level,
            fixed=level == 0,
            mass=(20e3, 20e3, 0.0) if level else None,
        )
        if level:
            frame.add(
                ForceBeamColumn(
                    f"column {name}", f"{level - 1}{line}", name, section=column, geometry="p-delta"
                )
            )
    for line in range(2 if level else 0):
        frame.add(
            ForceBeamColumn(
                f"beam {level}{line}", f"{level}{line}", f"{level}{line + 1}", section=beam
            )
        )
        frame.member_load(f"beam {level}{line}", UniformLoad(y=-25 * kN), "gravity")
    if level:
        frame.load(f"{level}0", x=level * kN, pattern="push")
frame.rayleigh(ratio=0.03, modes=(1, 2))

# %%
# Gravity cracks the beams. The following analyses start from this state: periods, a pushover to 4 %
# of the height, and earthquakes.

gravity = LoadControl(pattern="gravity", steps=10).run(frame)
print("periods:", eigen(frame, 3, state=gravity.state).periods)
push = Pushover("30", to=0.04 * 9.6, steps=60, pattern="push").run(frame, start=gravity.state)
print(push.outcome, f"base shear {np.abs(push.base_shear()).max() / kN:.0f} kN")

# %%
# Records are read with ``GroundMotion.from_at2("RSN6.AT2")``, ``from_csv``, ``from_cosmos``,
# ``from_smc``, or from a column of numbers with ``from_text("quake.txt", dt=0.01, unit="g")``. Here
# El Centro and two synthetic records are used.

quakes = {
    "El Centro": GroundMotion.el_centro(),
    "synthetic 1": synthetic(1),
    "synthetic 2": synthetic(2),
}
results = {}
for name, quake in quakes.items():
    results[name] = Transient(Newmark(), dt=0.01).run(
        frame, quake.scaled(pga=0.5 * g), duration=12.0, start=gravity.state
    )
    print(
        f"{name}: {results[name].outcome} first storey "
        f"{100 * np.abs(results[name].drift('00', '10')).max():.2f} % drift"
    )

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
left.plot(1e3 * push.displacement("30", "x"), np.abs(push.base_shear()) / kN)
left.set(xlabel="roof displacement (mm)", ylabel="base shear (kN)")
for name, result in results.items():
    right.plot(result.time, 1e3 * result.displacement("30", "x"), label=name)
right.set(xlabel="time (s)", ylabel="roof displacement (mm)")
right.legend()
figure.tight_layout()

# %%
# One file is enough for a report with the model, forces, hysteresis loops and energy.
# ``femu report`` does the same.

results["El Centro"].save("concrete.h5")
print("written:", report.write("concrete.h5", units=plots.SI))
plt.show()

# %%
# Comparison with openseespy: ``femu crossvalidate SCRIPT`` compares every number of a script that
# defines ``model`` (here ``frame``), ``analysis`` and ``motion``. Each analysis of a list continues
# from the previous one::
#
#     model = frame
#     analysis = [LoadControl(pattern="gravity", steps=10), Transient(Newmark(), dt=0.01)]
#     motion = quakes["El Centro"].scaled(pga=0.5 * g)
#
# For this frame no number differs by more than 1e-9 of the peak of its kind.
# ``frame.to_opensees("concrete_opensees.py")`` writes the openseespy script.
