"""`femu bench NAME`: speed of femu against its peers, in one run."""

from __future__ import annotations

from femu.cli.study import study_command

BENCHMARKS: dict[str, str] = {
    "batch": "femu.benchmarks.batch:run",
    "filters": "femu.benchmarks.filters:run",
    "frames": "femu.benchmarks.frames:run",
    "hybrid": "femu.benchmarks.hybrid:run",
    "identification": "femu.benchmarks.identification:run",
    "network": "femu.benchmarks.network:run",
    "opensees": "femu.benchmarks.opensees:run",
    "real-time": "femu.benchmarks.real_time:run",
    "scale": "femu.benchmarks.scale:run",
    "stability": "femu.benchmarks.stability:run",
    "tangents": "femu.benchmarks.tangents:run",
    "updating": "femu.benchmarks.updating:run",
}

command = study_command(
    "bench", BENCHMARKS, "Measure the speed of femu against its peers, in one run."
)
