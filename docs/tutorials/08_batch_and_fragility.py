"""
08 A batch of earthquakes and a fragility curve
===============================================

Run many records on one frame, each at increasing intensity, until it collapses.
"""

import matplotlib.pyplot as plt

from femu.analyses import LoadControl, Newmark, Transient
from femu.batch import IDA, ModelSource, Plan, Tracing, fit_curves, plots
from femu.records import synthetic
from femu.units import g

# %%
# The frame is defined in a module, so that other processes can build it too. The records here are
# synthetic; ``RecordFile`` names a file, which is read when a run needs it.

plan = Plan(
    ModelSource("femu.batch.example:frame"),
    Transient(Newmark(), dt=0.01),
    LoadControl(pattern="gravity"),
    scale_by="sa",
    period=0.92,
    drift_limit=0.10,
)
records = [synthetic(seed, duration=12.0, rise=2.0, strong=6.0) for seed in range(8)]

# %%
# Incremental dynamic analysis: each record is scaled up until the drift limit is exceeded, then the
# gaps are filled. With growing steps every record reaches collapse within its ten runs; records
# that never collapse would leave the dispersion undetermined. Results are written to the file as
# they are computed. Run the script again to resume an interrupted batch; a finished batch is only
# opened. A file with other contents is refused; ``overwrite=True`` starts over.

curves = IDA(plan, records, Tracing(first=0.5 * g, step=0.5 * g, growth=0.25 * g, runs=10)).trace(
    "ida.h5", on="threads"
)
fragility = fit_curves(curves)
print(
    f"half of the records collapse below {fragility.median / g:.2f} g of spectral acceleration; "
    f"dispersion {fragility.dispersion:.2f}"
)

# %%
# The IDA curves with their fractiles:

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
plots.plot_ida(curves, ax)

# %%
# The probability of collapse. Eight records are few, so the band is wide.

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
plots.plot_fragility(fragility, curves, ax)
plt.show()
