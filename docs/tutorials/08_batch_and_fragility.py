"""
08 A batch of earthquakes, and a fragility
==========================================

Many records on one frame, each at growing intensity, until it collapses.
"""

from pathlib import Path

import matplotlib.pyplot as plt

from femu.analyses import LoadControl, Newmark, Transient
from femu.batch import IDA, ModelSource, Plan, Tracing, fit_curves, plots
from femu.records import synthetic
from femu.units import g

# %%
# The frame is described in a module, so that other processes can build it too. Records here are synthetic; ``RecordFile`` names
# files, which are read when a run needs them.

plan = Plan(ModelSource("femu.batch.example:frame"), Transient(Newmark(), dt=0.01), LoadControl(pattern="gravity"),
            scale_by="sa", period=0.92, drift_limit=0.10)
records = [synthetic(seed, duration=12.0, rise=2.0, strong=6.0) for seed in range(8)]

# %%
# Incremental dynamic analysis: each record is scaled up until the drift limit is passed, then the gaps are filled. A step that
# grows gets every record to its collapse within the ten runs it has; records that never collapse would leave the dispersion
# untold. Results go to the file as they come; a batch that is interrupted goes on where it was.

Path("ida.h5").unlink(missing_ok=True)
curves = IDA(plan, records, Tracing(first=0.5 * g, step=0.5 * g, growth=0.25 * g, runs=10)).trace("ida.h5", on="threads")
fragility = fit_curves(curves)
print(f"half of the records collapse below {fragility.median / g:.2f} g of spectral acceleration; "
      f"dispersion {fragility.dispersion:.2f}")

# %%
# The curves with their fractiles:

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
plots.plot_ida(curves, ax)

# %%
# And the probability of collapse. Eight records are few: the band says so.

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
plots.plot_fragility(fragility, curves, ax)
plt.show()
