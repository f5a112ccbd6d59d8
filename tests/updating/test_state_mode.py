"""History variables in the state.

Bouc-Wen springs as in Wu and Wang (2014) and Ou et al. (2015).
"""

from __future__ import annotations

from functools import partial
from math import inf

import numpy as np
import pytest
from measured_springs import cycles, forces_of, noisy
from sigma_points import AtDisplacement, history_of_the_twin

from femu.experimental.specimens.basic_system import BasicSystem
from femu.filters import UKF, ConstrainedUKF
from femu.filters.bouc_wen import bouc_wen
from femu.materials import Bilinear, BoucWen, ElasticPerfectlyPlastic, ExactBoucWen, MenegottoPinto
from femu.updating import ModelUpdater, Unknown
from femu.updating.defaults import carried, default_mode

TRUE = {"k": 30.0, "beta": 0.5, "gamma": 0.3, "n": 1.4, "alpha": 0.1}


def spring() -> BoucWen:
    return BoucWen(alpha=0.05, k=20.0, n=1.5, gamma=0.4, beta=0.4)


def updater(**settings) -> ModelUpdater:
    free = {
        name: Unknown(
            lower=-inf if name == "gamma" else low, upper=inf, std=std, process_noise=1e-4
        )
        for name, low, std in (
            ("k", 0.0, 10.0),
            ("beta", 0.0, 0.2),
            ("gamma", 0.0, 0.2),
            ("n", 1.0, 0.3),
        )
    }
    free["alpha"] = Unknown(lower=0.0, upper=1.0, std=0.1, process_noise=1e-4)
    return ModelUpdater(
        "e", spring(), free, **{"force_noise": 0.5, "gate": 0.0, "max_resets": 0, **settings}
    )


def measured(samples: int = 600):
    t, d = cycles(samples, 4.0, 6.0)
    return t, d, noisy(forces_of(BoucWen(**TRUE), d), 0.5)


def test_runge_kutta_is_the_state_space_of_the_filters():
    """The same points through the twin's clones and through the Bouc-Wen model of femu.filters."""
    t, d, y = measured(200)
    mine = updater(integration="rk4", filter=partial(UKF, redraw=False))
    theirs = bouc_wen()  # [z, k, β, γ, n, α], inputs [v, d, dt]
    rng = np.random.default_rng(0)
    for k in range(20):
        mine.update(k, t[k], d[k], y[k])
    at = AtDisplacement(mine, d[20])
    x = np.column_stack(
        [
            [25.0, 35.0, 28.0],
            [0.5, 0.3, 0.2],
            [0.3, 0.1, -0.1],
            [1.2, 1.9, 1.0],
            [0.1, 0.0, 0.3],
            0.2 * rng.standard_normal(3),
        ]
    )
    image = at.images("process", x)
    step = [float((d[20] - d[19])[0] / 0.03), float(d[20, 0]), 0.03]
    expected = theirs.evaluate("process", np.column_stack([x[:, 5], x[:, :5]]), step)
    np.testing.assert_allclose(image[:, 5], expected[:, 0], rtol=1e-12)
    force = at.evaluate("measurement", image / at.units)
    np.testing.assert_allclose(force, theirs.evaluate("measurement", expected, step), rtol=1e-11)


def test_exact_step_is_the_limit_of_small_ones():
    def z_after(integration: str, parts: int) -> float:
        made = updater(integration=integration, filter=UKF)
        path = np.concatenate([np.linspace(0, 3, parts + 1)[1:], np.linspace(3, -2, parts + 1)[1:]])
        x = np.array([[u.inside(TRUE[u.name]) for u in made.unknowns] + [0.0]])
        for value in path:
            at = AtDisplacement(made, value)
            x = at.evaluate("process", x)
            at.commit()
        return float(x[0, 5] * at.units[5])

    fine = z_after("rk4", 4000)
    assert z_after("exact", 1) == pytest.approx(fine, rel=1e-7)
    assert z_after("law", 4000) == pytest.approx(fine, rel=2e-3)  # backward Euler: first order
    assert abs(z_after("rk4", 1) / fine - 1.0) > 1e-3


@pytest.mark.parametrize("integration", ["law", "rk4", "exact"])
def test_identifies_a_bouc_wen_spring(integration):
    t, d, y = measured()
    made = ModelUpdater(
        "e",
        spring(),
        {
            "k": Unknown(lower=5.0, upper=80.0),
            "beta": Unknown(lower=0.05, upper=2.0),
            "gamma": Unknown(lower=0.05, upper=2.0),
            "n": Unknown(lower=1.0, upper=3.0),
            "alpha": Unknown(lower=0.0, upper=0.5),
        },
        integration=integration,
    )
    made.run(t, d, y)
    assert made.mode == "state"
    for name, share in (("k", 0.05), ("alpha", 0.1), ("beta", 0.2), ("n", 0.15)):
        assert made.values[name] == pytest.approx(TRUE[name], rel=share), name


def test_z_goes_on_when_the_noise_is_known():
    """After listening the filter's z is that of the twin, though its unit inside the filter has
    changed."""
    t, d, y = measured(600)
    made = ModelUpdater("e", spring(), {"k": Unknown(lower=5.0, upper=80.0)}, noise_samples=40)
    made.run(t[:40], d[:40], y[:40])
    z = made.estimate.mean[1] * AtDisplacement(made, d[39]).units[1]
    assert z == pytest.approx(history_of_the_twin(made, 3 + 1), rel=1e-9) and abs(z) > 0.01


def test_inequality_between_unknowns():
    t, d, y = measured(300)
    made = updater(
        filter=ConstrainedUKF, inequalities=[({"beta": 1.0, "gamma": 1.0}, 0.0, "gamma")]
    )
    history = made.run(t, d, y)
    sums = history.value("beta") + history.value("gamma")
    assert sums.min() >= -1e-12 and not any("inequalities" in f.message for f in made.check())
    assert any("inequalities" in f.message for f in updater(filter=UKF).check())


@pytest.mark.parametrize(
    "law, start, unknowns, true",
    [
        (
            ElasticPerfectlyPlastic(E=50.0, fy=100.0),
            ElasticPerfectlyPlastic(E=50.0, fy=60.0),
            {"fy*": (30.0, 200.0)},
            {"fy*": 100.0},
        ),
        (
            ExactBoucWen(k=50.0, yield_strain=1.5, alpha=0.05),
            ExactBoucWen(k=40.0, yield_strain=1.0, alpha=0.1),
            {"k": (20.0, 100.0), "yield_strain": (0.5, 4.0), "alpha": (0.0, 0.4)},
            {"k": 50.0, "yield_strain": 1.5, "alpha": 0.05},
        ),
    ],
)
def test_other_springs(law, start, unknowns, true):
    t, d = cycles(600, 6.0)
    made = ModelUpdater(
        "e", start, {n: Unknown(lower=low, upper=high) for n, (low, high) in unknowns.items()}
    )
    made.run(t, d, noisy(forces_of(law, d), 0.5))
    assert made.mode == "state"
    for name, value in true.items():
        assert made.values[name] == pytest.approx(value, rel=0.05)


def test_springs_in_two_directions():
    t, one = cycles(600, 6.0)
    d = np.column_stack([one[:, 0], 0.7 * np.cos(2 * np.pi * 0.7 * t) * one[:, 0]])
    laws = [Bilinear(E=50.0, fy=100.0, b=0.1), Bilinear(E=80.0, fy=120.0, b=0.05)]
    y = noisy(forces_of(laws, d), 0.5)
    system = BasicSystem([Bilinear(E=50.0, fy=70.0, b=0.1), Bilinear(E=80.0, fy=180.0, b=0.05)])
    made = ModelUpdater(
        "e",
        system,
        {"0.fy": Unknown(lower=40.0, upper=160.0), "1.fy": Unknown(lower=60.0, upper=240.0)},
    )
    made.run(t, d, y)
    assert made.mode == "state"
    assert made.values["0.fy"] == pytest.approx(100.0, rel=0.02) and made.values[
        "1.fy"
    ] == pytest.approx(120.0, rel=0.02)


@pytest.mark.parametrize(
    "history, found",
    [
        (["plastic_strain"], ["plastic_strain"]),
        (["slip"], ["slip"]),
        (["strain", "z", "energy"], ["z"]),
        (["failed"], []),
        (["displacement", "force"], []),
    ],
)
def test_the_only_history_variable_is_carried_whatever_its_name(history, found):
    """So a bilinear spring of one's own is followed as the built-in one is."""
    assert carried(1, history) == found
    assert default_mode(1, history) == ("state" if found else "joint")


def test_check_says_that_a_spring_is_followed_without_its_history():
    twin = MenegottoPinto(E=2e11, fy=3e8, b=0.01)
    unknowns = {"fy": Unknown(lower=1e8, upper=5e8)}
    assert any(
        "hidden=(...)" in finding.message for finding in ModelUpdater("e", twin, unknowns).check()
    )
    assert not any(
        "hidden" in finding.message
        for finding in ModelUpdater("e", twin, unknowns, mode="pure").check()
    )
