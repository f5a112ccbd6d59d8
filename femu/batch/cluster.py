"""Batches on a Dask cluster, when one workstation is not enough: same runs, same file."""

from __future__ import annotations

from typing import Any

from femu.support.errors import AnalysisError, missing_extra

QUEUED = 2  # runs on the way to each thread of the cluster, so that none waits for the network
CONNECT_TIMEOUT = 30.0  # s


def connect(address: str) -> Any:
    """A client of the cluster at an address such as ``tcp://10.0.0.5:8786``.

    Dask's scheduler, workers and clients run what they send each other, so all of them, and the
    network between them, must be trusted.
    """
    try:
        from distributed import Client
    except ImportError:
        raise missing_extra("dask.distributed", "dask", "A batch on a Dask cluster") from None
    try:
        return Client(address, timeout=CONNECT_TIMEOUT)
    except (OSError, TimeoutError, ValueError) as error:
        raise AnalysisError(
            f"there is no Dask scheduler at {address!r} ({error}). Start one with 'dask "
            "scheduler', and workers with 'dask worker'."
        ) from None


def places_of(client: Any) -> int:
    """How many runs to keep under way on a cluster."""
    threads = sum(client.nthreads().values())
    if threads == 0:
        raise AnalysisError(
            "the Dask cluster has no workers. Start one with 'dask worker ADDRESS'."
        )
    return QUEUED * int(threads)
