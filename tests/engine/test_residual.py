"""Modes of a state determination."""

import numpy as np
import pytest

from femu import Model
from femu.elements import ForceBeamColumn, Truss, TwoNodeLink, ViscousDashpot, ZeroLength
from femu.engine.element_kernels import EVALUATE, FORCES
from femu.engine.workspace import Workspace
from femu.materials import Bilinear, BoucWen, UncoupledSection

SECTION = UncoupledSection(axial=Bilinear(1.5e9, 2e6, 0.02), moment=Bilinear(1.9e7, 2e5, 0.02))


@pytest.mark.parametrize("geometry", ["linear", "p-delta", "corotational"])
def test_forces_alone_are_the_same_forces_and_leave_the_tangent(geometry):
    model = Model("all kinds")
    for k, (x, y) in enumerate(
        [(0.0, 0.0), (5.0, 0.0), (0.0, 3.0), (5.0, 3.5), (0.0, 3.0), (6.0, 4.0)]
    ):
        model.node(k, x, y, fixed=k < 2, mass=None if k < 2 else (1.0, 1.0, 1.0))
    for name, i, j in (("left", 0, 2), ("right", 1, 3), ("beam", 2, 3)):
        model.add(
            ForceBeamColumn(name, i, j, section=SECTION, geometry=geometry, offset_i=(0.1, 0.05))
        )
    model.add(Truss("tie", 0, 3, material=Bilinear(2e11, 3e8, 0.01), area=1e-4, geometry=geometry))
    model.add(
        TwoNodeLink("link", 1, 2, {"x": BoucWen(alpha=0.1, k=1e6, n=2, gamma=200.0, beta=200.0)})
    )
    model.add(ViscousDashpot("dashpot", 0, 3, C=1e4))
    model.add(ZeroLength("spring", 2, 4, {d: Bilinear(1e6, 2e3, 0.1) for d in ("x", "y", "rz")}))
    model.rigid_link(3, 5)
    program = model.compile()
    run = Workspace(program, program.state())
    run.begin()
    rng = np.random.default_rng(1)
    run.fields.u[: program.neq] = rng.normal(0.0, 0.02, program.neq)
    run.fields.v[: program.neq] = rng.normal(0.0, 0.5, program.neq)
    run.determine(EVALUATE)
    force, trial = run.fields.internal.copy(), run.fields.elements.copy()
    run.fields.tangent[:] = 7.0
    run.fields.internal[:] = np.nan
    run.fields.elements[:] = run.state.vector[program.layout.elements :]
    run.determine(FORCES)
    assert np.array_equal(run.fields.internal, force)
    assert np.array_equal(run.fields.elements, trial)
    assert (run.fields.tangent == 7.0).all()
