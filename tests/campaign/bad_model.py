"""Good calls of the model.

Loads, series, materials, sections, elements, and the methods of models, programs and states.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from femu import (
    DistributedLoad,
    Model,
    Motion,
    Pattern,
    PointLoad,
    Program,
    ProgressBar,
    Save,
    State,
    UniformLoad,
)
from femu import elements as el
from femu import materials as ma
from femu.analyses import LoadControl
from femu.check import check, check_motion
from femu.exchange.model_toml import model_from_toml, model_to_toml, read_model, write_model
from femu.materials import (
    Bilinear,
    ElasticSection,
    FibreSection,
    MultilinearPinching,
    NMSection,
    TrilinearPinching,
)
from femu.model import series
from femu.model.component import Section
from femu.model.moment_curvature import moment_curvature
from femu.model.parameters import Parameters
from femu.model.strain_path import drive
from femu.opensees.translation.script import opensees_script, write_opensees
from tests.campaign.bad_calls import Call
from tests.example_frames import joined as frame
from tests.example_frames import two

TESTS = Path(__file__).parents[1]
for _folder in ("", "materials", "elements", "filters"):
    if str(TESTS / _folder) not in sys.path:
        sys.path.insert(0, str(TESTS / _folder))

import element_harness as plane  # noqa: E402
from material_harness import EVERY as MATERIALS  # noqa: E402
from section_harness import SECTIONS  # noqa: E402

STEEL, SECTION = Bilinear(E=2e11, fy=3e8, b=0.01), ElasticSection(E=2e11, A=1e-2, I=1e-4)
MOTION = Motion(0.01, displacement=[0.0, 0.1, 0.2])
SHAPE = {"depth": 0.3, "width": 0.2, "web": 0.01, "flange": 0.02}


def components() -> Iterator[Call]:
    """Every material, section and element, from one of its kind that is right.

    All its fields are arguments.
    """

    def all_of(made: Any) -> Iterator[Any]:
        yield made
        for _, part in made.parts():
            yield from all_of(part)

    made = [part for case in MATERIALS.values() for part in all_of(case.material)]
    made += [part for case in SECTIONS.values() for part in all_of(case.section)]
    made += [case.make(case.geometries[0]) for case in plane.CASES.values()]
    made += [el.LumpedMass("m", 1, 2.0), el.ViscousDashpot("d", 1, 2, C=1.0)]
    for one in {type(m): m for m in made}.values():
        if type(one).__module__.startswith("femu."):
            yield Call(
                type(one),
                **{f.name: getattr(one, f.name) for f in dataclasses.fields(one) if f.init},
            )


def makers() -> Iterator[Call]:
    """Other ways to make a section or a material."""
    yield from (
        Call(ma.Fibres, "f", STEEL, np.array([0.0, 1.0]), np.array([1.0, 1.0])),
        Call(ElasticSection.rectangle, 0.2, 0.3, 2e11),
        Call(ElasticSection.h_shape, **SHAPE, E=2e11),
        Call(NMSection.h_shape, **SHAPE, E=2e11, fy=3e8),
        Call(FibreSection.circle, 0.3, STEEL),
        Call(FibreSection.rectangle, 0.2, 0.3, STEEL),
        Call(FibreSection.h_shape, **SHAPE, material=STEEL),
        Call(FibreSection.from_points, [(0.0, 1.0, STEEL), (0.1, 1.0, STEEL)]),
        Call(
            FibreSection.reinforced_concrete,
            0.3,
            0.5,
            0.04,
            core=STEEL,
            steel=STEEL,
            top=1e-3,
            bottom=1e-3,
        ),
        Call(MultilinearPinching.through, [(1.0, 0.01), (2.0, 0.1)], derived=True),
        Call(
            TrilinearPinching.bilinear, 1.0, 0.01, 2.0, 0.1, -1.0, -0.01, -2.0, -0.1, derived=True
        ),
        Call(
            ma.QuadrilinearPinching.symmetric,
            1.0,
            0.01,
            2.0,
            0.02,
            2.5,
            0.03,
            2.6,
            0.1,
            0.5,
            0.5,
            0.1,
            derived=True,
        ),
        Call(Section.moment_curvature, [0.0, 1e-3], 0.0, on=lambda: SECTION),
        Call(moment_curvature, SECTION, [0.0, 1e-3], 0.0),
        Call(drive, STEEL, [0.0, 1e-3], 0.01),
        Call(el.Hinges, SECTION, 0.2, SECTION, 0.2, SECTION),
        Call(el.Stations, [SECTION], [0.5], [1.0]),
    )


def loads() -> Iterator[Call]:
    yield from (
        Call(UniformLoad, y=1.0),
        Call(PointLoad, 0.5, y=1.0),
        Call(DistributedLoad, 0.2, 0.8, y=1.0),
        Call(DistributedLoad.intensities, "y", on=DistributedLoad),
        Call(DistributedLoad.resultant, "y", 3.0, on=DistributedLoad),
        Call(Pattern, "p", series.Constant()),
        Call(series.Constant),
        Call(series.Linear),
        Call(series.Sine, 0.5),
        Call(series.Pulse, 0.0, 1.0),
        Call(series.Sampled, [0.0, 1.0], [0.0, 1.0]),
        Call(Motion, 0.01, displacement=[0.0, 0.1, 0.2]),
        Call(Motion, 0.01, acceleration=[0.0, 0.1, 0.2]),
        Call(Save),
        Call(ProgressBar),
    )


def models() -> Iterator[Call]:
    """Methods of a model, in the plane and in space, and what is compiled from it."""

    def in_space() -> Model:
        model = Model("space", 3)
        for name in (1, 2, 3):
            model.node(name, float(name), 0.0, 0.0)
        return model

    program, state = frame().compile(), frame().compile().state()
    text = frame().to_toml()
    yield from (
        Call(Model, "frame", 2),
        Call(Model.node, 3, 1.0, 2.0, on=two, fixed="x", mass=1.0),
        Call(Model.fix, 2, "x", on=two),
        Call(Model.node, 4, 1.0, 2.0, 3.0, on=in_space),
        Call(Model.mass, 2, 1.0, on=two),
        Call(Model.equal_dof, 1, 2, "x", on=two),
        Call(Model.rigid_diaphragm, [1, 2], on=two),
        Call(Model.rigid_diaphragm, [1, 2, 3], normal="z", on=in_space),
        Call(Model.rigid_link, 1, 2, on=two),
        Call(Model.add, el.ElasticBeamColumn("c", 1, 2, section=SECTION), on=two),
        Call(Model.pattern, "wind", series.Constant(), on=frame),
        Call(Model.load, 2, x=1.0, on=frame),
        Call(Model.member_load, "column", UniformLoad(y=1.0), on=frame),
        Call(Model.support_motion, 1, "x", MOTION, on=frame),
        Call(Model.rayleigh, 0.02, (1, 2), on=frame),
        Call(Model.rayleigh, mass=0.1, on=frame),
        Call(Model.modal_damping, 0.02, 2, on=frame),
        Call(Model.check, on=frame),
        Call(Model.to_toml, "m.toml", on=frame),
        Call(Model.from_toml, text),
        Call(Model.to_opensees, "m.py", LoadControl(), on=frame),
        Call(check, frame()),
        Call(check_motion, quake()),
        Call(model_to_toml, frame()),
        Call(model_from_toml, text, derived=True),
        Call(write_model, frame(), "n.toml"),
        Call(read_model, "m.toml"),
        Call(write_opensees, frame(), "m.py", LoadControl()),
        Call(opensees_script, frame(), LoadControl()),
        Call(Program, frame()),
        Call(Program.dof, 2, "x", on=lambda: program),
        Call(Program.element_state, "column", on=lambda: program),
        Call(Program.influence, "x", on=lambda: program),
        Call(State, program),
        Call(State.displacement, 2, "x", on=lambda: state),
        Call(State.velocity, 2, "x", on=lambda: state),
        Call(State.element, "column", on=lambda: state),
        Call(State.save, "state.h5", on=lambda: state),
        Call(State.load, "state.h5", state.program),
        *(
            Call(method, *given, on=lambda: program.parameters.copy(), derived=True)  # type: ignore[arg-type]
            for method, given in (
                (Parameters.index, ("column.section.E",)),
                (Parameters.declaration, ("column.section.E",)),
                (Parameters.matching, ("*.E",)),
                (Parameters.set, ("*.E", 2e11)),
                (Parameters.__getitem__, ("column.section.E",)),
                (Parameters.__setitem__, ("column.section.E", 2e11)),
            )
        ),
    )


def quake() -> Any:
    from femu import GroundMotion

    return GroundMotion("quake", 0.01, np.sin(0.1 * np.arange(300)))


def calls() -> list[Call]:
    return [*components(), *makers(), *loads(), *models()]
