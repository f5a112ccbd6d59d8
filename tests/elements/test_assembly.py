"""Elements on linked and shared degrees of freedom, and the stiffness that takes part in damping."""

from __future__ import annotations

import numpy as np
import pytest
from element_harness import BILINEAR, ELASTIC, Probe, equilibrium

from femu.elements import ElasticBeamColumn, ForceBeamColumn, Truss, TwoNodeLink
from femu.materials import Elastic
from femu.model.model import Model

OFFSET_I, OFFSET_J = (0.2, -0.1), (-0.3, 0.15)
ENDS = {1: (0.0, 0.0), 2: (3.0, 1.0)}


def with_rigid_links(element):
    model = Model()
    for node, (x, y) in ENDS.items():
        model.node(node, x, y, fixed=node == 1)
    for node, offset, end in ((1, OFFSET_I, "i"), (2, OFFSET_J, "j")):
        model.node(end, ENDS[node][0] + offset[0], ENDS[node][1] + offset[1])
        model.rigid_link(node, end)
    model.add(element("i", "j"))
    model.load(2, x=30.0, y=-20.0, rz=5.0)
    return model


def with_offsets(element):
    model = Model()
    for node, (x, y) in ENDS.items():
        model.node(node, x, y, fixed=node == 1)
    model.add(element(1, 2, offset_i=OFFSET_I, offset_j=OFFSET_J))
    model.load(2, x=30.0, y=-20.0, rz=5.0)
    return model


@pytest.mark.parametrize(
    "element",
    [
        lambda i, j, **o: ElasticBeamColumn("e", i, j, section=ELASTIC, **o),
        lambda i, j, **o: ForceBeamColumn("e", i, j, section=BILINEAR, **o),
    ],
    ids=["elastic", "force"],
)
def test_rigid_links_equal_offsets(element):
    linked, offset = equilibrium(with_rigid_links(element)), equilibrium(with_offsets(element))
    dofs = [(2, d) for d in ("x", "y", "rz")]
    assert linked.run.fields.u1[linked.places(*dofs)] == pytest.approx(
        offset.run.fields.u1[offset.places(*dofs)], rel=1e-9
    )
    rows, others = linked.places(*dofs), offset.places(*dofs)
    assert linked.stiffness()[np.ix_(rows, rows)] == pytest.approx(
        offset.stiffness()[np.ix_(others, others)], rel=1e-12
    )
    for name in ("N", "Mi", "Mj"):
        assert linked.element()[name] == pytest.approx(offset.element()[name], rel=1e-8)


@pytest.mark.parametrize(
    "element",
    [
        Truss("e", 1, 2, material=Elastic(3.0), area=2.0),
        TwoNodeLink("e", 1, 2, {"x": Elastic(3.0), "y": Elastic(2.0)}),
        ElasticBeamColumn("e", 1, 2, section=ELASTIC),
    ],
    ids=["truss", "link", "beam"],
)
def test_both_ends_on_one_equation(element):
    """Nodes that move alike in a direction.

    Their entries of the stiffness add up, and the member does not feel it.
    """
    free, tied = Model(), Model()
    for model in (free, tied):
        model.node(1, 0.0, 0.0)
        model.node(2, 1.5, 2.0)
        model.add(element)
    tied.equal_dof(1, 2, "x")
    one, other = Probe(free), Probe(tied)
    whole, condensed = one(np.zeros(one.program.ndof))[1], other(np.zeros(other.program.ndof))[1]
    transfer = np.zeros((one.program.neq, other.program.neq))
    for dof, place in one.program.numbering.place.items():
        transfer[place, other.program.numbering.place[dof]] = 1.0
    expected = transfer.T @ whole @ transfer
    assert condensed == pytest.approx(expected, rel=1e-12, abs=1e-12 * np.abs(whole).max())


def test_damped_stiffness_leaves_out_who_does_not_take_part():
    model = with_rigid_links(lambda i, j: ElasticBeamColumn("e", i, j, section=ELASTIC))
    model.add(ElasticBeamColumn("free of damping", 1, 2, section=ELASTIC, damped=False))
    alone = Probe(with_rigid_links(lambda i, j: ElasticBeamColumn("e", i, j, section=ELASTIC)))
    probe = Probe(model)
    rows, others = (p.places(*((2, d) for d in ("x", "y", "rz"))) for p in (probe, alone))
    damped = probe.program.sparsity.to_sparse(probe.run.initial_stiffness(damped=True)).toarray()
    expected = alone.program.sparsity.to_sparse(alone.run.initial_stiffness()).toarray()
    assert damped[np.ix_(rows, rows)] == pytest.approx(expected[np.ix_(others, others)], rel=1e-12)
