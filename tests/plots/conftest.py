"""Makes the helper modules of this folder importable from its tests.

One run that several of them draw.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from example_frames import QUAKE, portal

from femu import Result
from femu.analyses import LoadControl, Newmark, Transient

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def shaken() -> Result:
    model = portal()
    weight = LoadControl(pattern="gravity").run(model)
    return Transient(Newmark(), dt=0.02).run(model, QUAKE, start=weight.state, duration=4.0)
