"""A portal of fibre members whose left column is tested and whose right column learns from it."""

from femu import GroundMotion, Model
from femu.analyses import HybridTest
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.experimental import (
    EigenvectorTangent,
    EmulatedSpecimen,
    ExperimentalBeamColumn,
    Limits,
    Sensors,
)
from femu.materials import ElasticSection, FibreSection, MenegottoPinto
from femu.units import GPa, MPa, mm
from femu.updating import ModelUpdater, Unknown

DT, HEIGHT, SPAN = 0.01, 3.6, 6.0
NOISE = {"displacement_noise": 2e-6, "force_noise": 200.0}
COLUMN = FibreSection.h_shape(
    depth=250 * mm,
    width=250 * mm,
    web=6 * mm,
    flange=12 * mm,
    material=MenegottoPinto(E=206 * GPa, fy=280 * MPa, b=0.03),
)
UNKNOWN = {
    "section.*.fy": Unknown(280 * MPa, 200 * MPa, 400 * MPa),
    "section.*.b": Unknown(0.03, 0.01, 0.06),
    "section.*.E": Unknown(206 * GPa, 180 * GPa, 230 * GPa),
}


def tested(name: str, foot: str, head: str, seed: int) -> ExperimentalBeamColumn:
    specimen = EmulatedSpecimen(
        ForceBeamColumn("specimen", "i", "j", section=COLUMN),
        length=HEIGHT,
        sensors=Sensors(**NOISE),
        seed=seed,
    )
    return ExperimentalBeamColumn(
        name, foot, head, specimen=specimen, limits=Limits(displacement=0.1, force=5e6), damped=True
    )


def make(steps: int, *, updated: bool = False, both: bool = False, **options) -> HybridTest:
    """The test; ``both`` columns are specimens, or the right one is ``updated``."""
    model = Model("portal")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", SPAN, 0.0, fixed=True)
    for name, x in (("C", 0.0), ("D", SPAN)):
        model.node(name, x, HEIGHT, mass=(30e3, 30e3, 20e3))
    model.add(tested("left", "A", "C", 1))
    model.add(
        tested("right", "B", "D", 2) if both else ForceBeamColumn("right", "B", "D", section=COLUMN)
    )
    model.add(
        ElasticBeamColumn(
            "beam", "C", "D", section=ElasticSection(E=206 * GPa, A=6.456e-3, I=1.101e-4)
        )
    )
    model.rayleigh(ratio=0.02, modes=(1, 2))
    updater = (
        ModelUpdater(
            "left",
            ForceBeamColumn("twin", "i", "j", section=COLUMN),
            UNKNOWN,
            members=["right"],
            length=HEIGHT,
        )
        if updated
        else None
    )
    names = ["left", "right"] if both else ["left"]
    return HybridTest(
        model,
        GroundMotion.el_centro().scaled(pga=2.2),
        dt=DT,
        duration=steps * DT,
        updater=updater,
        tangents={name: EigenvectorTangent(**NOISE) for name in names},
        **options,
    )
