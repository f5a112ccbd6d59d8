"""Concretes that OpenSees runs and that are probably not meant.

Femu warns, and gives the same stresses.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from itertools import pairwise

import numpy as np
import pytest

from femu import opensees as ops
from femu.materials import KentParkConcrete, KentParkTension, PopovicsConcrete
from femu.model.strain_path import drive
from femu.support.errors import ModelWarning

TURNS = (0.0, -0.001, 0.0002, -0.006, 0.0005, -0.02, -0.004, -0.016, 0.003, -0.025)
STRAINS = np.concatenate([np.linspace(a, b, 41)[1:] for a, b in pairwise(TURNS)])
# ordinary confined concrete with the usual lambda; strength that grows after the peak; no softening
# in tension
CASES = {
    "confined": (
        ("Concrete02", -36e6, -0.004, -30e6, -0.014, 0.1, 3e6, 1.5e9),
        KentParkTension,
        (36e6, 0.004, 30e6, 0.014, 0.1, 3e6, 1.5e9),
        "unloading_ratio",
    ),
    "growing": (
        ("Concrete01", -30e6, -0.002, -36e6, -0.014),
        KentParkConcrete,
        (30e6, 0.002, 36e6, 0.014),
        "fcu",
    ),
    "growing, with tension": (
        ("Concrete02", -30e6, -0.002, -33e6, -0.014, 0.3, 3e6, 1.5e9),
        KentParkTension,
        (30e6, 0.002, 33e6, 0.014, 0.3, 3e6, 1.5e9),
        "fcu",
    ),
    "brittle": (
        ("Concrete04", -30e6, -0.002, -0.014, 27e9, 3e6, 1e-4),
        PopovicsConcrete,
        (30e6, 0.002, 0.014, 27e9, 3e6, 1e-4),
        "tension_strain",
    ),
}
PEER = """
import json, sys
from femu.opensees.load_openseespy import load_opensees
ops = load_opensees()
words, strains = json.load(sys.stdin)
ops.uniaxialMaterial(words[0], 1, *words[1:])
ops.testUniaxialMaterial(1)
found = []
for strain in strains:
    ops.setStrain(strain)
    found.append(ops.getStress())
print(json.dumps(found))
"""


def by_opensees(words):
    done = subprocess.run(
        [sys.executable, "-c", PEER],
        input=json.dumps([words, STRAINS.tolist()]),
        capture_output=True,
        text=True,
        check=True,
    )
    return np.array(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.opensees
@pytest.mark.parametrize("name", CASES)
def test_it_warns_and_gives_the_stresses_of_opensees(name):
    words, kind, arguments, doubt = CASES[name]
    with pytest.warns(ModelWarning, match=f"{kind.__name__}: {doubt} = .* Fix: ") as found:
        material = kind(*arguments)
    assert found[0].filename == __file__
    pytest.importorskip("openseespy")
    expected = by_opensees(words)
    assert np.abs(expected).max() > 0.8 * 30e6
    assert drive(material, STRAINS).force[:, 0] == pytest.approx(
        expected, rel=1e-9, abs=1e-9 * 30e6
    )
    with warnings.catch_warnings():  # the front end takes it too
        warnings.simplefilter("ignore", ModelWarning)
        ops.wipe()
        ops.uniaxialMaterial(words[0], 1, *words[1:])
        ops.testUniaxialMaterial(1)
    ops.setStrain(float(STRAINS[0]))
    assert ops.getStress() == pytest.approx(expected[0], rel=1e-9)
    ops.wipe()
