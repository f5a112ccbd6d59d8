"""
04 Fibre and N–M sections
=========================

A comparison of two ways to model the interaction of axial force and moment in yielding.
"""

import matplotlib.pyplot as plt
import numpy as np

from femu import Model, plots
from femu.analyses import DisplacementControl, LoadControl, protocol
from femu.elements import ForceBeamColumn
from femu.materials import Bilinear, FibreSection, NMSection
from femu.model.moment_curvature import moment_curvature
from femu.units import GPa, MPa, kN, mm

E, fy, b = 206 * GPa, 280 * MPa, 0.02
size = {"depth": 250 * mm, "width": 250 * mm, "web": 9 * mm, "flange": 14 * mm}
nm = NMSection.h_shape(**size, E=E, fy=fy, b=b)
fibre = FibreSection.h_shape(**size, material=Bilinear(E=E, fy=fy, b=b))
sections = {"N–M": nm, "fibres": fibre}

# %%
# Moment–curvature under a fifth of the yield force. The N–M section yields all at once and the
# fibre section layer by layer; both reach the same moment.

curvature = np.linspace(0.0, 0.08, 200)
figure, ax = plt.subplots()
for name, section in sections.items():
    found = moment_curvature(section, curvature, axial=-0.2 * nm.yield_force)
    ax.plot(found.curvature, found.moment / kN, label=name)
    print(f"{name}: {found.moment[-1] / kN:.0f} kNm")
ax.set(xlabel="curvature (1/m)", ylabel="moment (kNm)")
ax.legend()

# %%
# A cantilever with each section, under axial load and a cyclic protocol.


def cantilever(section):
    model = Model("cantilever")
    model.node("foot", 0.0, 0.0, fixed=True)
    model.node("top", 0.0, 3.0)
    model.add(ForceBeamColumn("column", "foot", "top", section=section))
    model.pattern("axial")
    model.load("top", y=-0.2 * nm.yield_force, pattern="axial")
    model.pattern("push")
    model.load("top", x=1.0, pattern="push")
    return model


results = {}
path = protocol([0.02, 0.04, 0.06])
for name, section in sections.items():
    model = cantilever(section)
    axial = LoadControl(pattern="axial").run(model)
    results[name] = DisplacementControl("top", "x", path, step=1 * mm, pattern="push").run(
        model, start=axial.state
    )
    print(name, results[name].outcome)

# %%
# Force–displacement, and the path of axial force and moment at the base on the yield surface.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
for name, result in results.items():
    left.plot(1e3 * result.displacement("top", "x"), result.factor("push") / kN, label=name)
left.set(xlabel="displacement (mm)", ylabel="force (kN)")
left.legend()
plots.plot_element_interaction(results["N–M"], "column", "i", ax=right)
figure.tight_layout()
plt.show()
