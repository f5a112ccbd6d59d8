"""
08 A batch of earthquakes, and a fragility
==========================================

Many records on one frame, each at growing intensity, until it collapses.
"""

from pathlib import Path

from femu.analyses import LoadControl, Newmark, Transient
from femu.batch import IDA, ModelSource, Plan, Tracing, fit_curves, plots
from femu.records import synthetic
from femu.units import g

# %%
# The frame is described in a module, so that other processes can build it too. Records here are synthetic; ``RecordFile`` names
# files, which are read when a run needs them.

plan = Plan(ModelSource("femu.batch.example:frame"), Transient(Newmark(), dt=0.01), LoadControl(pattern="gravity"),
            scale_by="sa", period=0.92, drift_limit=0.10)
records = [synthetic(seed, duration=12.0, rise=2.0, strong=6.0) for seed in range(4)]

# %%
# Incremental dynamic analysis: each record is scaled up until the drift limit, then the gaps are filled. Results go to the file
# as they come; a batch that is interrupted goes on where it was.

Path("ida.h5").unlink(missing_ok=True)
curves = IDA(plan, records, Tracing(first=0.3 * g, step=0.6 * g, runs=6)).trace("ida.h5", on="threads")
fragility = fit_curves(curves)
print(f"median collapse at {fragility.median / g:.2f} g, dispersion {fragility.dispersion:.2f}")

# %%
# The curves with their fractiles:

ax = plots.plot_ida(curves)

# %%
# And the probability of collapse:

ax = plots.plot_fragility(fragility, curves)
