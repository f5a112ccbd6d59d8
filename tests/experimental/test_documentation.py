"""The page for laboratory engineers: the controller printed there works."""

import re
import socket
import threading
from pathlib import Path

import numpy as np
import pytest

from femu.experimental import RemoteController

PAGE = Path(__file__).parents[2] / "docs" / "lab-controller.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not part of an installed package")
def test_printed_controller():
    block = next(b for b in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S) if "def control" in b)
    found = {}
    exec(block, found)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10.0)
        thread = threading.Thread(target=found["control"], args=(listener,), daemon=True)
        thread.start()
        lab = RemoteController(3, listener.getsockname()[1], silence=10.0)
        for k in range(5):
            measured = lab.apply(np.array([0.001, -0.002, 0.0]) * k, time=0.01 * k)
            assert measured.displacement.tolist() == (np.array([0.001, -0.002, 0.0]) * k).tolist()
            assert np.allclose(measured.force, 1e6 * measured.displacement)
        lab.close()
        thread.join(10.0)
        assert not thread.is_alive()
