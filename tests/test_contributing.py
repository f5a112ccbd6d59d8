"""The material of CONTRIBUTING works as printed: pasted into a file, it runs in a frame."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from femu import GroundMotion, Model
from femu.analyses import Transient
from femu.elements import ElasticBeamColumn, Truss
from femu.materials import ElasticSection

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def pasted(tmp_path_factory):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    file = tmp_path_factory.mktemp("own") / "my_material.py"
    file.write_text("\n".join(blocks))
    spec = importlib.util.spec_from_file_location("my_material", file)
    module = sys.modules["my_material"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_the_tested_example():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    example = (ROOT / "tests/materials/example_material.py").read_text()
    assert example[example.index("class FlagShape") :].strip() in text


def test_the_printed_path(pasted):
    force = pasted.force[:, 0]
    assert force[[0, 2, 4]] == pytest.approx(0.0, abs=1e-9)
    assert force[1] == pytest.approx(-force[3]) and force[1] > 1e5


def test_it_braces_a_frame(pasted):
    model = Model("braced")
    for name, x, y in (("A", 0, 0), ("B", 6, 0), ("C", 0, 4), ("D", 6, 4)):
        model.node(name, x, y, fixed=y == 0, mass=None if y == 0 else (4e4, 4e4, 1e3))
    section = ElasticSection(E=2e11, A=1e-2, I=1e-4)
    for name, i, j in (("left", "A", "C"), ("right", "B", "D"), ("beam", "C", "D")):
        model.add(ElasticBeamColumn(name, i, j, section=section))
    model.add(
        Truss("brace", "A", "D", material=pasted.FlagShape(k=5e10, f_activation=5e7), area=1e-3)
    )
    program = model.compile()
    assert program.parameters["brace.material.f_activation"] == 5e7
    result = Transient(dt=0.005).run(
        program, GroundMotion.el_centro().scaled(pga=4.0), duration=12.0
    )
    assert result.outcome.ok
    u = result.displacement("D", "x")
    assert np.abs(result.force("brace", "basic")).max() > 5e7 * 1e-3
    # it centres itself: what is left in the end is small compared with the peak
    assert np.abs(u[-200:]).mean() < 0.5 * np.abs(u).max()
