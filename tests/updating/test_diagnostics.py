"""What the updater says.

Identifiability, model class, stiffness, settings, and the band on a response.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from measured_springs import cycles, forces_of, noisy

from femu import InputError, Model
from femu.analyses import Newmark, Transient
from femu.elements import TwoNodeLink
from femu.filters import UKF
from femu.materials import Bilinear, BoucWen, Elastic, ElasticGap, Parallel
from femu.records import GroundMotion
from femu.updating import ModelUpdater, Unknown, response_band
from femu.updating.replay import Replay

BOUC_WEN = {
    "alpha": Unknown(lower=0.0, upper=0.6),
    "k": Unknown(lower=5.0, upper=80.0),
    "gamma": Unknown(lower=0.01, upper=2.0),
    "beta": Unknown(lower=0.01, upper=2.0),
    "n": Unknown(lower=1.0, upper=4.0),
}


def bouc_wen_twin() -> BoucWen:
    return BoucWen(alpha=0.05, k=20.0, n=1.5, gamma=0.3, beta=0.3)


def spring(**settings) -> ModelUpdater:
    return ModelUpdater(
        "spring",
        Bilinear(E=50.0, fy=70.0, b=0.05),
        {"fy": Unknown(lower=40.0, upper=160.0), "b": Unknown(lower=0.01, upper=0.3)},
        **settings,
    )


def test_replay_is_the_law_itself():
    t, d = cycles(300, 6.0)
    updater = spring()
    given = Replay(updater).forces({"fy": 100.0, "b": 0.1}, t, d)
    np.testing.assert_array_equal(given, forces_of(Bilinear(E=50.0, fy=100.0, b=0.1), d))


def test_identifiability_of_a_linear_spring_is_the_closed_form():
    rng = np.random.default_rng(0)
    d = rng.standard_normal((100, 1))
    updater = ModelUpdater(
        "e",
        Elastic(80.0),
        {"E*": Unknown(lower=1.0, upper=500.0, std=30.0)},
        force_noise=2.0,
        mode="pure",
    )
    updater.run(np.arange(100.0), d, noisy(100.0 * d, 2.0))
    bound = (1 / 30.0**2 + float((d**2).sum()) / 4.0) ** -0.5
    reported = updater.diagnose().parameters[0]
    assert reported.bound == pytest.approx(bound, rel=1e-6)
    assert reported.identified == pytest.approx(1 - (bound / 30.0) ** 2, rel=1e-9)


def test_before_it_yields_the_motion_tells_nothing_and_afterwards_all():
    t, d = cycles(400, 6.0)
    y = noisy(forces_of(Bilinear(E=50.0, fy=100.0, b=0.1), d), 0.5)
    updater = spring()
    updater.run(t[:70], d[:70], y[:70])
    early = updater.diagnose()
    assert all(p.identified < 0.01 for p in early.parameters) and "hardly identifiable" in str(
        early
    )
    updater.run(t[70:], d[70:], y[70:], first=71)
    late = updater.diagnose()
    assert (
        all(p.identified > 0.99 for p in late.parameters)
        and late.in_class
        and "it can be the specimen" in str(late)
    )
    assert late.noise[0] == pytest.approx(0.5, rel=0.2)
    for p, true in zip(late.parameters, (100.0, 0.1), strict=True):
        assert abs(p.value - true) < 6.0 * p.std and p.std >= 0.5 * p.bound


def test_a_specimen_of_the_class_is_recognised():
    t, d = cycles(1200, 5.0, 12.0)
    true = BoucWen(alpha=0.1, k=30.0, n=1.2, gamma=0.4, beta=0.6)
    updater = ModelUpdater("e", bouc_wen_twin(), BOUC_WEN)
    updater.run(t, d, noisy(forces_of(true, d), 0.3))
    found = updater.diagnose()
    assert updater.mode == "state" and found.in_class and found.model_error[0] < 0.01
    assert updater.values["k"] == pytest.approx(30.0, rel=0.03) and updater.values[
        "n"
    ] == pytest.approx(1.2, rel=0.1)


def test_a_pinching_specimen_is_outside_the_class_of_a_bouc_wen_twin():
    t, d = cycles(1200, 5.0, 12.0)
    pinching = Parallel(
        [
            Bilinear(E=20.0, fy=30.0, b=0.02),
            ElasticGap(E=30.0, fy=60.0, gap=1.0, damage=True),
            ElasticGap(E=30.0, fy=-60.0, gap=-1.0, damage=True),
        ]
    )
    updater = ModelUpdater("e", bouc_wen_twin(), BOUC_WEN)
    updater.run(t, d, noisy(forces_of(pinching, d), 0.3))
    found = updater.diagnose()
    assert not found.in_class and found.model_error[0] > 0.1
    assert "outside its model class" in str(found) and "not noise" in str(found)


@pytest.mark.parametrize("mode", ["joint", "pure", "state"])
def test_a_twin_of_the_wrong_stiffness_is_found_out(mode):
    t, d = cycles(600, 6.0)
    y = noisy(forces_of(Bilinear(E=60.0, fy=100.0, b=0.1), d), 0.2)
    found = (updater := spring(mode=mode)).diagnose()
    assert "Nothing can be said yet" in str(found)
    updater.run(t, d, y)
    found = updater.diagnose()
    assert found.stiffness[0] == pytest.approx(1.2, rel=0.01) and "1.20 times as stiff" in str(
        found
    )
    assert not found.in_class


def test_a_restored_updater_judges_by_what_it_carries():
    t, d = cycles(600, 6.0)
    y = noisy(forces_of(Bilinear(E=60.0, fy=100.0, b=0.1), d), 0.2)
    first, second = spring(), spring()
    first.run(t[:200], d[:200], y[:200])
    second.restore(first.checkpoint())
    second.run(t[200:], d[200:], y[200:])
    found = second.diagnose()
    assert not found.whole and not found.in_class and "does not reach back" in str(found)


def test_check_names_the_destructive_process_noise_of_wu_et_al():
    def findings(drift: float, std: float | None = None, **settings):
        updater = ModelUpdater(
            "e",
            Bilinear(E=50.0, fy=100.0, b=0.015),
            {"b": Unknown(lower=0.01, upper=0.04, std=std, process_noise=drift)},
            **settings,
        )
        return {(f.severity, f.objects) for f in updater.check()}, " ".join(
            f.message for f in updater.check()
        )

    for variance in (1e-2, 1e-6):
        found, text = findings(variance**0.5)
        assert ("error", ("b",)) in found and "process noise" in text
    assert not {s for s, _ in findings(1e-4, members=["x"])[0]}
    assert "too narrow" in findings(0.0, std=1e-3)[1]
    assert ("error", ()) in findings(0.0, mode="pure", histories="per_point", filter=UKF)[0]
    assert ("warning", ()) in findings(0.0, mode="joint", histories="per_point", filter=UKF)[0]
    assert "negative" in findings(0.0, mode="pure", filter=partial(UKF, alpha=0.5, kappa=0.0))[1]


def storeys(k: float = 40.0) -> Model:
    model = Model("two storeys")
    model.node("a", 0.0, 0.0, fixed=True)
    for name, x in (("b", 1.0), ("c", 2.0)):
        model.node(name, x, 0.0, fixed=("y", "rz"), mass=(1.0, 0.0, 0.0))
    model.add(TwoNodeLink("lower", "a", "b", {"x": Elastic(50.0)}))
    model.add(TwoNodeLink("upper", "b", "c", {"x": Elastic(k)}))
    return model


def test_band_on_the_response():
    """With a small spread the band is that of the linearised response, |du/dk| times the spread of
    k."""
    rng = np.random.default_rng(0)
    d = rng.standard_normal((40, 1))
    updater = ModelUpdater(
        "lower",
        Elastic(45.0),
        {"E*": Unknown(lower=10.0, upper=200.0, std=20.0, process_noise=0.0)},
        {"E*": "upper.x.E*"},
        force_noise=1.0,
        mode="pure",
    )
    updater.run(np.arange(40.0), d, noisy(50.0 * d, 1.0))
    program = storeys().compile()
    quake = GroundMotion.el_centro().scaled(pga=1.0)

    def respond(p: np.ndarray) -> np.ndarray:
        return (
            Transient(Newmark(), dt=0.02)
            .run(program, quake, duration=3.0, parameters=p)
            .displacement("c", "x")
        )

    band = response_band(updater, program, respond)
    assert band.points.shape == (3, 151) and len(band.sets) == 3
    at, step = updater.values["E*"], 0.01
    high, low = (
        Transient(Newmark(), dt=0.02)
        .run(storeys(at + s).compile(), quake, duration=3.0)
        .displacement("c", "x")
        for s in (step, -step)
    )
    expected = np.abs(high - low) / (2 * step) * updater.std["E*"]
    np.testing.assert_allclose(band.std, expected, atol=0.02 * expected.max())
    assert np.all(band.lower <= band.mean) and np.all(band.mean <= band.upper)
    with pytest.raises(InputError, match="members"):
        response_band(updater, program, respond, members=[])
