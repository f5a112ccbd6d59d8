"""No healthy test of a study is stopped by the check of the sensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from femu.experimental import StuckSensor
from femu.experimental.safety.sensor_monitor import SensorMonitor


@pytest.fixture(autouse=True, scope="module")
def sensors_are_never_stuck() -> Iterator[None]:
    """Fails a file of tests where a sensor of an emulated specimen was called stuck."""
    stuck: list[str] = []
    original = SensorMonitor.see

    def see(self: SensorMonitor, command: Any, measured: Any, part: int = 0) -> None:
        try:
            original(self, command, measured, part)
        except StuckSensor as problem:
            stuck.append(str(problem))
            raise

    SensorMonitor.see = see  # type: ignore[method-assign]
    yield
    SensorMonitor.see = original  # type: ignore[method-assign]
    assert not stuck, stuck[0]
