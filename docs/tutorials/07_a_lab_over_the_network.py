"""
07 A laboratory over the network
================================

A server hosts the specimen, and the model connects to its address. A laboratory that runs ``femu
serve``, OpenFresco or its own controller (:doc:`/lab-controller`) is connected in the same way.
"""

import threading

import matplotlib.pyplot as plt
import numpy as np

from femu import GroundMotion, HybridTest, Model, plots
from femu.analyses import Newmark, Transient
from femu.elements import ZeroLength
from femu.experimental import EmulatedSpecimen, ExperimentalLink, Limits, RemoteSite, SpecimenServer
from femu.materials import BoucWen

isolator = BoucWen(k=2e6, alpha=0.1, beta=20.0, gamma=20.0, n=1.0)

# %%
# The laboratory side. On the command line this is ``femu serve isolator.toml``. By default it
# accepts connections only from this computer. It checks its own limits.

server = SpecimenServer(
    EmulatedSpecimen(isolator), protocol="site", limits=Limits(displacement=0.5)
)
lab = threading.Thread(target=server.serve)
lab.start()

# %%
# The model side: a mass on an isolator that is in the laboratory.


def structure(link):
    model = Model("isolated mass")
    model.node("ground", 0.0, 0.0, fixed=True)
    model.node("mass", 0.0, 0.0, fixed=("y", "rz"), mass=(30e3, 0.0, 0.0))
    model.add(link)
    return model


remote = RemoteSite(1, server.port, stiffness=[[2e6]])
limits = Limits(displacement=0.4, velocity=4.0, force=1e6)
hybrid = structure(
    ExperimentalLink("isolator", "ground", "mass", ("x",), specimen=remote, limits=limits)
)
quake = GroundMotion.el_centro()
result = HybridTest(hybrid, quake, dt=0.01, duration=8.0).run()
remote.close()
lab.join()
print(result.outcome)

# %%
# The same structure with a numerical isolator:

numerical = structure(ZeroLength("isolator", "ground", "mass", {"x": isolator}))
pure = Transient(Newmark(), dt=0.01).run(numerical, quake, duration=8.0)
difference = result.displacement("mass", "x") - pure.displacement("mass", "x")
print(
    "difference: "
    f"{100 * np.abs(difference).max() / np.abs(pure.displacement('mass', 'x')).max():.2f} % of the "
    "peak"
)

# %%
# The measurements received over the network:

displacement, force = result.measured("isolator")
figure, ax = plt.subplots(figsize=(5, 4))
plots.plot_loop(
    1e3 * displacement[:, 0],
    force[:, 0] / 1e3,
    ax,
    x="measured displacement (mm)",
    y="measured force (kN)",
)
figure.tight_layout()
plt.show()
