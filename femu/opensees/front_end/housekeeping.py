"""Commands about the process and its clocks: their answers where there are any, else no effect."""

from __future__ import annotations

import platform
import time

from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.table import command

GROUP = "housekeeping"
_began = time.process_time()


def _without_effect(name: str, form: str, summary: str) -> None:
    @command(name, GROUP, form, f"{summary} Accepted without effect.")
    def run(reader: Reader) -> None:
        reader.read(form)


for _name, _form, _summary in (
    ("domainChange", "", "Say that the domain has changed."),
    ("updateElementDomain", "", "Let elements look at the domain again."),
    ("setMaxOpenFiles", "maxFiles:i", "Number of files that may be open."),
    ("setStartNodeTag", "tag:i", "Tag from which meshes number their nodes."),
    ("setNumThreads", "num:i", "Number of threads."),
    ("barrier", "", "Wait for the other processes."),
    ("start", "", "Start the clock."),
    ("stop", "", "Stop the clock."),
):
    _without_effect(_name, _form, _summary)


@command("getPID", GROUP, "", "Number of this process: 0.")
def get_pid(reader: Reader) -> int:
    return 0


@command("getNP", GROUP, "", "Number of processes: 1.")
def get_np(reader: Reader) -> int:
    return 1


@command("getNumThreads", GROUP, "", "Number of threads: 1.")
def get_num_threads(reader: Reader) -> int:
    return 1


@command("pyversion", GROUP, "", "Version of Python.")
def pyversion(reader: Reader) -> str:
    return platform.python_version()


@command("totalCPU", GROUP, "", "Seconds of processor time since the start.")
def total_cpu(reader: Reader) -> float:
    return time.process_time() - _began
