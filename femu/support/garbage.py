"""The garbage collector, where it would cost more than it finds."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Work that makes many objects and leaves none in cycles.

    The collector would go through all that is there each time it has grown by a quarter.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
