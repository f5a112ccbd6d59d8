"""Faults in a hybrid test: each is held or survived, no acknowledged sample is lost, and the
resumed test is the whole one.

The faults are by what fails: `fault_network`, `fault_disk`, `fault_measurement` and
`fault_process`.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from pathlib import Path

from tests.campaign import rig
from tests.campaign.fate import Fate, Fault
from tests.campaign.fault_disk import DISK_FAULTS, small_disk
from tests.campaign.fault_measurement import MEASUREMENT_FAULTS
from tests.campaign.fault_network import NETWORK_FAULTS
from tests.campaign.fault_process import process_faults
from tests.campaign.tally import Tally

QUICK, FULL = 3, 20  # trials of a fault that comes at a random instant


def faults(trials: int) -> dict[str, Fault]:
    """All faults by name."""
    return {**NETWORK_FAULTS, **DISK_FAULTS, **MEASUREMENT_FAULTS, **process_faults(trials)}


FAULTS = faults(QUICK)
WITH_UPDATER = {name for name in FAULTS if "updater" in name} - {"updater fails"}
LINUX_ONLY = {
    *process_faults(QUICK),
    *(name for name in FAULTS if any(word in name for word in ("disk", "folder", "journal"))),
}
SLOW = {
    *WITH_UPDATER,
    "peer killed",
    "peer stopped for longer than the limit of silence",
    # they start processes
    "numerical side killed away from its laboratory",
    "numerical side killed while it is resumed",
    # as SIGTERM
    "terminal of the numerical side lost (SIGHUP)",
    "numerical side interrupted (Ctrl-C)",
    "an answer delayed beyond the limit of silence",
    "UDP: answers in another order",
    "disk of the laboratory full",
    "clock jumps ahead",
    "force outlier in the first step",
    "force outlier in the last step",
    "stopped in the last step",
}


def meet(name: str, fault: Fault | None = None) -> Fate:
    """One fault; a hang is a fate too."""
    found: list[Fate] = []

    def go() -> None:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found.append((fault or FAULTS[name])(Path(folder)))
            except Exception as problem:
                found.append(Fate(f"{type(problem).__name__}: {problem}", False, 0, None))

    thread = threading.Thread(target=go, daemon=True)
    thread.start()
    thread.join(10 * rig.PATIENCE)
    return found[0] if found else Fate("hung", False, 0, None)


def run(quick: bool) -> Tally:
    tally = Tally()
    for name, fault in faults(QUICK if quick else FULL).items():
        if name in LINUX_ONLY and sys.platform != "linux":
            continue
        fate = meet(name, fault)
        tally.faults += 1
        tally.survived += fate.ok
        tally.lost += fate.lost
        tally.steps += fate.steps
        tally.lines.append((name, str(fate)))
        if not fate.ok:
            tally.failures.append(f"{name}: {fate}")
    return tally


__all__ = ["FAULTS", "LINUX_ONLY", "SLOW", "faults", "meet", "run", "small_disk"]
