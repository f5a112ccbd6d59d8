"""What the files of this folder are of: models, analyses, hybrid tests, batches and updaters.

Only names that are public, and only arithmetic that gives the same bits on every machine: a batch
and a journal are resumed only if model and loading are those of the file, bit for bit. So damping
is given by its factors, and the ground motion is the record that femu ships.
"""

from __future__ import annotations

import numpy as np

from femu import GroundMotion, HybridTest, Model
from femu.analyses import LoadControl, Newmark, Transient
from femu.batch import IDA, Plan, Suite, Tracing
from femu.elements import (
    DisplacementBeamColumn,
    ElasticBeamColumn,
    ForceBeamColumn,
    TwoNodeLink,
)
from femu.experimental import (
    Actuator,
    EigenvectorTangent,
    EmulatedSpecimen,
    ExperimentalBeamColumn,
    ExperimentalElement,
    Limits,
    Sensors,
    TransposeTangent,
)
from femu.materials import (
    Bilinear,
    BoucWen,
    Elastic,
    ElasticSection,
    FibreSection,
    MaxwellDamper,
    NMSection,
    UncoupledSection,
)
from femu.updating import ModelUpdater, Unknown

DT = 0.01
RECORD = GroundMotion.el_centro()
SAMPLES = 150
START = 75  # 1.5 s, from where on the record is strong


def part(number: int) -> GroundMotion:
    """Three seconds of the record that femu ships; parts 0, 1, 2 follow each other."""
    first = START + number * SAMPLES
    return GroundMotion(f"part {number}", RECORD.dt, RECORD.acceleration[first : first + SAMPLES])


QUAKE = part(0).scaled(factor=4.0)
SHAPE = {"depth": 0.25, "width": 0.25, "web": 0.006, "flange": 0.012}
NM = NMSection.h_shape(**SHAPE, E=206e9, fy=280e6, b=0.03)
BEAM = ElasticSection(E=206e9, A=6.456e-3, I=1.101e-4)
HEIGHT, SPAN = 3.6, 6.0


# --- models ---


def portal(tested: ExperimentalBeamColumn | None = None) -> Model:
    """Two columns that yield and an elastic beam; or the left column is tested, without gravity."""
    model = Model("portal")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", SPAN, 0.0, fixed=True)
    for name, x in (("C", 0.0), ("D", SPAN)):
        model.node(name, x, HEIGHT, mass=(30e3, 30e3, 20e3))
        if tested is None:
            model.load(name, y=-260e3, pattern="gravity")
    model.add(tested or ForceBeamColumn("left", "A", "C", section=NM, geometry="p-delta"))
    model.add(ForceBeamColumn("right", "B", "D", section=NM, geometry="p-delta"))
    model.add(ElasticBeamColumn("beam", "C", "D", section=BEAM))
    model.rayleigh(mass=0.4, initial=5e-4)
    return model


def space_frame() -> Model:
    """An upright column of fibres in space, with a damper at its head."""
    section = FibreSection.h_shape(
        **SHAPE,
        material=Bilinear(E=206e9, fy=280e6, b=0.03),
        flange_fibres=(2, 4),
        web_fibres=(4, 1),
        GJ=1e5,
    )
    model = Model("column in space", dimensions=3)
    model.node(1, 0.0, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 0.0, 3.0, mass=(2e4, 2e4, 2e4, 1e3, 1e3, 1e3))
    model.node(3, 1.5, 0.0, 3.0, fixed=True)
    model.add(DisplacementBeamColumn("column", 1, 2, section=section))
    model.add(TwoNodeLink("damper", 2, 3, {"x": MaxwellDamper(K=5e6, C=1e5, alpha=0.5)}))
    model.load(2, x=2e4, y=1e4, pattern="push")
    model.rayleigh(mass=0.3)
    return model


TRANSIENT = Transient(Newmark(), dt=DT)
GRAVITY = LoadControl(pattern="gravity", steps=2)


# --- hybrid tests ---

STEPS = 100


def device_test() -> HybridTest:
    """One actuator with delay and backlash moves a Bouc-Wen device; noise and an estimated tangent."""
    specimen = EmulatedSpecimen(
        BoucWen(alpha=0.1, k=2e6, n=2, gamma=4000.0, beta=4000.0),
        seed=5,
        actuator=Actuator(delay=0.004, backlash=1e-4),
        sensors=Sensors(1e-5, 20.0),
    )
    model = Model("device")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.node("C", 4.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    model.add(ExperimentalElement("device", [("B", "x")], specimen=specimen))
    model.add(TwoNodeLink("upper", "B", "C", {"x": Elastic(1e6)}))
    model.rayleigh(mass=0.2)
    return HybridTest(
        model,
        QUAKE,
        dt=DT,
        duration=STEPS * DT,
        tangents={"device": TransposeTangent(5, displacement_noise=1e-5)},
    )


def updated_test() -> HybridTest:
    """A portal whose left column is tested and whose right column is updated from it."""
    noise = {"displacement_noise": 2e-6, "force_noise": 200.0}
    specimen = EmulatedSpecimen(
        ForceBeamColumn("specimen", "i", "j", section=NM),
        length=HEIGHT,
        sensors=Sensors(**noise),
        seed=1,
    )
    left = ExperimentalBeamColumn(
        "left", "A", "C", specimen=specimen, limits=Limits(displacement=0.1, force=5e6), damped=True
    )
    unknown = {
        "section.plastic_moment": Unknown(2.4e5, 1e5, 4e5),
        "section.b": Unknown(0.05, 0.01, 0.1),
    }
    updater = ModelUpdater(
        "left",
        ForceBeamColumn("twin", "i", "j", section=NM),
        unknown,
        members=["right"],
        length=HEIGHT,
    )
    return HybridTest(
        portal(left),
        QUAKE,
        dt=DT,
        duration=STEPS * DT,
        updater=updater,
        tangents={"left": EigenvectorTangent(**noise)},
    )


# --- batches ---


def tower() -> Model:
    """A column of two storeys that yields."""
    section = UncoupledSection(
        axial=Bilinear(E=2e9, fy=2e6, b=0.01), moment=Bilinear(E=2e7, fy=1.2e5, b=0.02)
    )
    model = Model("tower")
    model.node("foot", 0.0, 0.0, fixed=True)
    model.node("middle", 0.0, 3.5, mass=(1e4, 1e4, 100.0))
    model.node("top", 0.0, 7.0, mass=(1e4, 1e4, 100.0))
    model.add(ForceBeamColumn("lower", "foot", "middle", section=section, geometry="p-delta"))
    model.add(ForceBeamColumn("upper", "middle", "top", section=section, geometry="p-delta"))
    for node in ("middle", "top"):
        model.load(node, y=-9.81e4, pattern="gravity")
    model.rayleigh(mass=0.3)
    return model


def _plan() -> Plan:
    return Plan(tower(), analysis=TRANSIENT, gravity=GRAVITY, scale_by="pga")


def suite() -> Suite:
    """Three records at three scales."""
    return Suite(_plan(), [part(k) for k in range(3)], scales=(1.0, 3.0, 6.0))


def ida() -> IDA:
    """An incremental dynamic analysis with the same records."""
    return IDA(_plan(), [part(k) for k in range(3)], Tracing(first=1.0, step=4.0, runs=6))


# --- updaters ---


def samples() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, displacements and forces of a bilinear spring (E = 50, fy = 100, b = 0.1) in four cycles.

    Its displacements are on straight lines, so that they are the same on every machine.
    """
    t = 0.01 * np.arange(1, 401)
    phase = (t % 1.0) * 4.0
    wave = np.where(phase < 1.0, phase, np.where(phase < 3.0, 2.0 - phase, phase - 4.0))
    u = 1.5 * t * wave
    force, path, yielded, last = 0.0, [], 100.0, 0.0
    for x in u:
        trial = force + 50.0 * (x - last)
        upper, lower = 0.9 * yielded + 5.0 * x, -0.9 * yielded + 5.0 * x
        force, last = min(max(trial, lower), upper), x
        path.append(force)
    noise = 0.5 * np.random.default_rng(0).standard_normal(len(t))
    return t, u[:, None], (np.array(path) + noise)[:, None]


def spring_updater(**settings: str) -> ModelUpdater:
    """Finds fy and b of the spring."""
    return ModelUpdater(
        "spring",
        Bilinear(E=50.0, fy=70.0, b=0.05),
        {"fy": Unknown(lower=40.0, upper=160.0), "b": Unknown(lower=0.01, upper=0.3)},
        **settings,
    )
