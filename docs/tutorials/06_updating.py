"""
06 Updating during a test
=========================

The right column is of the same type as the left one in the laboratory, and its parameters are not
known well. Measurements on the left column calibrate the right one, step by step. The frame is that
of Wu, Chen, Xu and Zeng (2015).
"""

import matplotlib.pyplot as plt
import numpy as np

from femu import HybridTest, plots
from femu.analyses import Newmark, Transient
from femu.studies import one_bay_frame as study
from femu.updating import ModelUpdater

# %%
# The twin of the specimen starts from a wrong guess. Three parameters are unknown, each with
# bounds: the yield force (N), the plastic moment (N m) and the hardening ratio of its section.

for name, unknown in study.unknowns().items():
    print(f"{name}: starts at {unknown.start:g}, between {unknown.lower:g} and {unknown.upper:g}")

updater = ModelUpdater(
    "left", study.twin(), study.unknowns(), members=["right"], length=study.HEIGHT
)

# %%
# The same test without and with updating, and the exact answer:

quake = study.ground_motion()
truth = Transient(Newmark(), dt=study.DT).run(study.frame(), quake)
fixed = HybridTest(study.frame(study.specimen(1), study.INITIAL), quake, dt=study.DT).run()
updated = HybridTest(
    study.frame(study.specimen(1), study.INITIAL), quake, dt=study.DT, updater=updater
).run()


def error(result):
    found, exact = (r.displacement("C", "x") for r in (result, truth))
    return 100 * np.std(found - exact) / np.std(exact)


print(
    f"displacement error: {error(fixed):.1f} % with the initial guess, {error(updated):.2f} % with "
    "updating"
)
for (name, value), true in zip(updater.values.items(), study.TRUE, strict=True):
    print(f"{name}: {value:.4g} +- {2 * updater.std[name]:.2g}, true {true:.4g}")

# %%
# The history of the estimates, with two standard deviations:

history = updater.history
shown = (("yield force", "kN", 1e3), ("plastic moment", "kN m", 1e3), ("hardening ratio", "", 1.0))
figure, axes = plt.subplots(3, 1, figsize=(7, 7), sharex=True)
for k, (ax, (name, unit, size)) in enumerate(zip(axes, shown, strict=True)):
    plots.plot_parameter(
        history.time,
        history.values[:, k] / size,
        history.std[:, k] / size,
        ax=ax,
        truth=study.TRUE[k] / size,
        name=name,
        unit=unit,
    )
    ax.label_outer()
figure.tight_layout()
plt.show()
