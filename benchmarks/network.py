"""``femu bench network``: round trip between a client and a server of femu on loopback.

The server hosts an emulated specimen in a process of its own. A round trip is what a step of a test
needs: the command goes out, the specimen moves, the measurement is asked for and comes back. For
comparison, the same exchange without a network.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental import (
    EmulatedSpecimen,
    RemoteApplication,
    RemoteSite,
    Specimen,
    SpecimenServer,
)
from femu.materials import BoucWen
from femu.support.tables import Row, Table

Array = npt.NDArray[np.float64]
SIZE = 3  # actuators
MEDIAN_LIMIT = 0.5  # ms
WARM_UP = 200
WAIT = 60.0  # seconds


def specimen() -> EmulatedSpecimen:
    """Three channels of Bouc-Wen."""
    return EmulatedSpecimen(
        [BoucWen(alpha=0.05, k=1e6, n=2.0, gamma=4e3, beta=4e3) for _ in range(SIZE)]
    )


def host(protocol: str, udp: bool, pipe: Any) -> None:
    """Report the port, then serve one client."""
    server = SpecimenServer(specimen(), protocol=protocol, udp=udp, wait=WAIT, silence=WAIT)
    pipe.send(server.port)
    pipe.close()
    server.serve()


def round_trips(subject: Specimen, count: int) -> Array:
    """Milliseconds of each exchange."""
    times = np.zeros(count)
    for k in range(-WARM_UP, count):
        command = np.full(SIZE, 0.01 * np.sin(0.01 * k))
        began = time.perf_counter()
        subject.apply(command, 0.001 * (k + WARM_UP))
        if k >= 0:
            times[k] = 1e3 * (time.perf_counter() - began)
    return times


def remote(connect: Callable[..., Specimen], protocol: str, udp: bool, count: int) -> Array:
    """Round trips to a server in another process."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=host, args=(protocol, udp, there), daemon=True)
    process.start()
    there.close()
    try:
        if not here.poll(WAIT):
            raise RuntimeError("the server did not start")
        subject = connect(SIZE, here.recv(), udp=udp, silence=WAIT)
        try:
            return round_trips(subject, count)
        finally:
            subject.close()
    finally:
        process.join(5.0)
        if process.is_alive():
            process.kill()


def run(quick: bool = False) -> Table:
    """Median and 99th percentile of the round trip."""
    count = 1000 if quick else 5000
    rows = []
    for name, connect, protocol in (
        ("remote site (B.2)", RemoteSite, "site"),
        ("application server (A, B.3, B.4)", RemoteApplication, "application"),
    ):
        for udp in (False, True):
            times = remote(connect, protocol, udp, count)
            label = f"{name}, {'UDP' if udp else 'TCP'}"
            median = float(np.median(times))
            rows.append(
                Row(
                    f"{label}: median",
                    median,
                    "ms",
                    None,
                    f"< {MEDIAN_LIMIT:g} ms",
                    median < MEDIAN_LIMIT,
                )
            )
            rows.append(Row(f"{label}: 99th percentile", float(np.percentile(times, 99)), "ms"))
    times = round_trips(specimen(), count)
    rows.append(
        Row("the specimen alone, in the same process: median", float(np.median(times)), "ms")
    )
    return Table(f"round trip on loopback, {SIZE} actuators, {count} exchanges", rows)
