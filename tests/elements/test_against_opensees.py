"""Every element against its model in OpenSees, at imposed displacements beyond yield."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from element_harness import (
    AREA,
    BILINEAR,
    EA,
    EI,
    ELASTIC,
    FY,
    INERTIA,
    LENGTH,
    MP,
    NY,
    SLOPE,
    E,
    Probe,
)

from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    Hinges,
    Truss,
    TwoNodeLink,
    ZeroLength,
    ZeroLengthSection,
)
from femu.materials import Bilinear, MenegottoPinto
from femu.model.loads import PointLoad, UniformLoad
from femu.model.model import Model

pytestmark = pytest.mark.opensees
TRANSFORMATIONS = {"linear": "Linear", "p-delta": "PDelta", "corotational": "Corotational"}
SECTION = [
    ["uniaxialMaterial", "Steel01", 1, NY, EA, 0.03],
    ["uniaxialMaterial", "Steel01", 2, MP, EI, 0.03],
    ["section", "Aggregator", 1, 1, "P", 2, "Mz"],
    ["section", "Elastic", 2, E, AREA, INERTIA],
]
LINK = {
    "x": Bilinear(EA / LENGTH, NY, 0.03),
    "y": MenegottoPinto(8e4, 150.0, 0.02, 20.0, 0.925, 0.15),
    "rz": Bilinear(2e4, 100.0, 0.1),
}
LINK_MATERIALS = [
    ["uniaxialMaterial", "Steel01", 1, NY, EA / LENGTH, 0.03],
    ["uniaxialMaterial", "Steel02", 2, 150.0, 8e4, 0.02, 20.0, 0.925, 0.15],
    ["uniaxialMaterial", "Steel01", 3, 100.0, 2e4, 0.1],
]
OFFSET_I, OFFSET_J = (0.2, -0.1), (-0.3, 0.15)
TURN = 0.7
LOADS = [UniformLoad(x=3.0, y=-12.0), PointLoad(0.3, x=5.0, y=20.0)]
OPENSEES_LOADS = [["-type", "-beamUniform", -12.0, 3.0], ["-type", "-beamPoint", 20.0, 0.3, 5.0]]


def transformation(geometry, offsets=False):
    extra = ["-jntOffset", *OFFSET_I, *OFFSET_J] if offsets else []
    return ["geomTransf", TRANSFORMATIONS[geometry], 1, *extra]


def elastic(geometry, release=0, offsets=False):
    own = dict(offset_i=OFFSET_I, offset_j=OFFSET_J) if offsets else {}
    extra = ["-release", release] if release else []
    return (
        ElasticBeamColumn(
            "e",
            1,
            2,
            section=ELASTIC,
            geometry=geometry,
            release_i=bool(release & 1),
            release_j=bool(release & 2),
            **own,
        ),
        [
            transformation(geometry, offsets),
            ["element", "elasticBeamColumn", 1, 1, 2, AREA, E, INERTIA, 1, *extra],
        ],
    )


def force(geometry, rule="lobatto", points=5, offsets=False):
    own = dict(offset_i=OFFSET_I, offset_j=OFFSET_J) if offsets else {}
    return (
        ForceBeamColumn(
            "e", 1, 2, section=BILINEAR, geometry=geometry, integration=rule, points=points, **own
        ),
        [
            *SECTION,
            transformation(geometry, offsets),
            ["beamIntegration", rule.capitalize(), 1, 1, points],
            ["element", "forceBeamColumn", 1, 1, 2, 1, 1, "-iter", 100, 1e-14],
        ],
    )


def hinges(geometry):
    return (
        ForceBeamColumn(
            "e", 1, 2, geometry=geometry, integration=Hinges(BILINEAR, 0.25, BILINEAR, 0.3, ELASTIC)
        ),
        [
            *SECTION,
            transformation(geometry),
            ["beamIntegration", "HingeRadau", 1, 1, 0.25, 1, 0.3, 2],
            ["element", "forceBeamColumn", 1, 1, 2, 1, 1, "-iter", 100, 1e-14],
        ],
    )


def displacement(geometry, rule="legendre", points=5, offsets=False):
    own = dict(offset_i=OFFSET_I, offset_j=OFFSET_J) if offsets else {}
    return (
        DisplacementBeamColumn(
            "e", 1, 2, section=BILINEAR, geometry=geometry, integration=rule, points=points, **own
        ),
        [
            *SECTION,
            transformation(geometry, offsets),
            ["beamIntegration", rule.capitalize(), 1, 1, points],
            ["element", "dispBeamColumn", 1, 1, 2, 1, 1],
        ],
    )


def truss(geometry, kind):
    return (
        Truss("e", 1, 2, material=Bilinear(E, FY, 0.03), area=AREA, geometry=geometry),
        [["uniaxialMaterial", "Steel01", 1, FY, E, 0.03], ["element", kind, 1, 1, 2, AREA, 1]],
    )


def axes(angle):
    return [
        "-orient",
        math.cos(angle),
        math.sin(angle),
        0.0,
        -math.sin(angle),
        math.cos(angle),
        0.0,
    ]


# name: element and commands, whether its nodes coincide, whether it bears member loads
CASES = {
    **{f"elastic {g}": (elastic(g), False, False) for g in TRANSFORMATIONS},
    **{f"elastic linear, release {r}": (elastic("linear", r), False, False) for r in (1, 2, 3)},
    **{f"elastic {g}, offsets": (elastic(g, 0, True), False, False) for g in ("linear", "p-delta")},
    "elastic linear, loads": (elastic("linear"), False, True),
    "elastic corotational, loads": (elastic("corotational"), False, True),
    **{f"force {g}": (force(g), False, False) for g in TRANSFORMATIONS},
    **{f"force linear, {r}": (force("linear", r, 4), False, False) for r in ("legendre", "radau")},
    "force linear, offsets": (force("linear", offsets=True), False, False),
    "force linear, loads": (force("linear", points=6), False, True),
    "force linear, hinges": (hinges("linear"), False, False),
    "force corotational, hinges": (hinges("corotational"), False, False),
    **{f"displacement {g}": (displacement(g), False, False) for g in TRANSFORMATIONS},
    "displacement linear, lobatto": (displacement("linear", "lobatto", 4), False, False),
    "displacement linear, offsets": (displacement("linear", offsets=True), False, False),
    "displacement linear, loads": (displacement("linear"), False, True),
    "truss": (truss("linear", "Truss"), False, False),
    "corotational truss": (truss("corotational", "corotTruss"), False, False),
    "two-node link": (
        (
            TwoNodeLink("e", 1, 2, LINK),
            [
                *LINK_MATERIALS,
                ["element", "twoNodeLink", 1, 1, 2, "-mat", 1, 2, 3, "-dir", 1, 2, 3],
            ],
        ),
        False,
        False,
    ),
    "two-node link, shear distance": (
        (
            TwoNodeLink("e", 1, 2, LINK, shear_distance=0.2),
            [
                *LINK_MATERIALS,
                [
                    "element",
                    "twoNodeLink",
                    1,
                    1,
                    2,
                    "-mat",
                    1,
                    2,
                    3,
                    "-dir",
                    1,
                    2,
                    3,
                    "-shearDist",
                    0.2,
                ],
            ],
        ),
        False,
        False,
    ),
    "zero length": (
        (
            ZeroLength("e", 1, 2, LINK, angle=TURN),
            [
                *LINK_MATERIALS,
                ["element", "zeroLength", 1, 1, 2, "-mat", 1, 2, 3, "-dir", 1, 2, 6, *axes(TURN)],
            ],
        ),
        True,
        False,
    ),
    "zero length section": (
        (
            ZeroLengthSection("e", 1, 2, BILINEAR, angle=TURN),
            [*SECTION, ["element", "zeroLengthSection", 1, 1, 2, 1, *axes(TURN)]],
        ),
        True,
        False,
    ),
}


def cyclic(steps=40):
    """A path in all three directions, to several times yield and back."""
    turns = np.array(
        [[0, 0, 0], [1, 0.6, -0.3], [-0.8, -1, 0.8], [0.2, 1, 0.5], [-0.5, 0.1, -1], [0, 0, 0]]
    )
    legs = [np.linspace(a, b, steps + 1)[1:] for a, b in itertools.pairwise(turns)]
    return np.concatenate([np.zeros((1, 3)), *legs]) * (0.01, 0.09, 0.03)


def place_of_end(coincident):
    return (0.0, 0.0) if coincident else (LENGTH * math.cos(SLOPE), LENGTH * math.sin(SLOPE))


@pytest.fixture(scope="module")
def opensees(tmp_path_factory):
    folder = tmp_path_factory.mktemp("opensees")
    jobs = []
    for (_, commands), coincident, loaded in CASES.values():
        job = {"end": place_of_end(coincident), "commands": commands, "path": cyclic().tolist()}
        if loaded:
            job["loads"] = OPENSEES_LOADS
        jobs.append(job)
    (folder / "jobs.json").write_text(json.dumps(jobs))
    subprocess.run(
        [
            sys.executable,
            str(Path(__file__).with_name("opensees_elements.py")),
            str(folder / "jobs.json"),
            str(folder / "found.npz"),
        ],
        check=True,
        timeout=120,
        capture_output=True,
    )
    found = np.load(folder / "found.npz")
    return {name: found[str(number)] for number, name in enumerate(CASES)}


@pytest.mark.parametrize("name", CASES)
def test_same_forces(name, opensees):
    (element, _), coincident, loaded = CASES[name]
    model = Model()
    model.node(1, 0.0, 0.0)
    model.node(2, *place_of_end(coincident))
    model.add(element)
    for load in LOADS if loaded else []:
        model.member_load("e", load)
    probe = Probe(model)
    if loaded:
        probe.run.fields.member_load[:] = probe.program.member[0]
    dofs = [(node, d) for node in (1, 2) for d in ("x", "y", "rz")]
    held = [
        (a, probe.program.numbering.place[d])
        for a, d in enumerate(dofs)
        if d in probe.program.numbering.place
    ]
    found = []
    for displacement in cyclic()[1:]:
        u = np.zeros(probe.program.ndof)
        for a, place in held:
            if a >= 3:
                u[place] = displacement[a - 3]
        probe(u)
        probe.commit()
        force = np.zeros(6)
        for a, place in held:
            force[a] = probe.run.fields.internal[place]
        found.append(force)
    scale = np.abs(opensees[name]).max()
    assert scale > 10.0
    assert np.array(found) == pytest.approx(opensees[name], abs=1e-9 * scale)
