"""The updater: closed forms, clones, guards, missing samples, checkpoints."""

from __future__ import annotations

import tracemalloc
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured_springs import cycles, forces_of, noisy
from sigma_points import AtDisplacement

from femu import InputError, Model
from femu.elements import ForceBeamColumn, TwoNodeLink
from femu.experimental import TwinTangent
from femu.experimental.specimens.basic_system import BasicSystem
from femu.filters import UKF, ParticleFilter
from femu.materials import Bilinear, Elastic, NMSection
from femu.updating import ModelUpdater, Unknown, UpdatingHistory
from femu.updating.twin_clones import FIRST_ROOM

PLAIN = partial(UKF, redraw=True)
OPEN = {"gate": 0.0, "noise_samples": 0}


def column(b: float = 0.02) -> ForceBeamColumn:
    return ForceBeamColumn(
        "c",
        "i",
        "j",
        section=NMSection(EA=1.5e6, EI=1.8e4, yield_force=2000.0, plastic_moment=200.0, b=b),
    )


def bilinear_test(samples: int = 400, noise: float = 0.5, seed: int = 0):
    """Times, displacements and forces of a bilinear spring with k = 50, fy = 100, b = 0.1 under
    growing cycles."""
    t, d = cycles(samples, 6.0)
    return t, d, noisy(forces_of(Bilinear(E=50.0, fy=100.0, b=0.1), d), noise, seed)


def bilinear_updater(**settings) -> ModelUpdater:
    return ModelUpdater(
        "spring",
        Bilinear(E=50.0, fy=70.0, b=0.05),
        {"fy": Unknown(lower=40.0, upper=160.0), "b": Unknown(lower=0.01, upper=0.3)},
        **settings,
    )


def test_linear_twin_is_recursive_least_squares():
    rng = np.random.default_rng(1)
    d, k0, std, noise = rng.standard_normal((200, 1)), 80.0, 30.0, 2.0
    y = 100.0 * d + noise * rng.standard_normal(d.shape)
    updater = ModelUpdater(
        "e",
        Elastic(k0),
        {"E*": Unknown(lower=1.0, upper=1000.0, std=std, process_noise=0.0)},
        mode="pure",
        filter=PLAIN,
        force_noise=noise,
        **OPEN,
    )
    updater.run(np.arange(200.0), d, y)
    information = 1 / std**2 + float((d**2).sum()) / noise**2
    expected = (k0 / std**2 + float((d * y).sum()) / noise**2) / information
    assert updater.values["E*"] == pytest.approx(expected, rel=1e-10)
    assert updater.std["E*"] == pytest.approx(information**-0.5, rel=1e-8)


def test_joint_filter_of_an_elastic_column_is_the_kalman_filter():
    rng = np.random.default_rng(2)
    v = np.cumsum(1e-5 * rng.standard_normal((60, 3)), axis=0)
    updater = ModelUpdater(
        "e",
        column(),
        ["section.plastic_moment"],
        length=3.0,
        filter=PLAIN,
        force_noise=0.3,
        force_drift=0.1,
        **OPEN,
    )
    k = updater.twin.initial_stiffness()
    y = v @ k.T + 0.3 * rng.standard_normal(v.shape)
    q, P, last = np.zeros(3), 0.09 * np.eye(3), np.zeros(3)
    for step in range(len(v)):
        updater.update(step, 0.01 * step, v[step], y[step])
        q, P = q + k @ (v[step] - last), P + 0.01 * np.eye(3)
        gain = P @ np.linalg.inv(P + 0.09 * np.eye(3))
        q, P, last = q + gain @ (y[step] - q), P - gain @ P, v[step]
        np.testing.assert_allclose(updater.force, q, rtol=0, atol=1e-9)


def test_joint_filter_with_unknown_stiffness_keeps_the_increments():
    """With the true stiffness as the point, q_k = q_{k-1} + K(θ) Δv.

    The force of the filter is not scaled by the stiffness.
    """
    updater = ModelUpdater(
        "e",
        Elastic(100.0),
        {"E*": Unknown(lower=50.0, upper=200.0)},
        mode="joint",
        filter=PLAIN,
        force_noise=1.0,
        **OPEN,
    )
    updater.update(1, 0.0, [2.0], None)
    image = AtDisplacement(updater, 3.0).images(
        "process", np.array([[120.0, 250.0], [80.0, 250.0]])
    )
    np.testing.assert_allclose(image[:, 1], [250.0 + 120.0, 250.0 + 80.0], rtol=1e-12)


@pytest.mark.parametrize("mode", ["pure", "joint"])
def test_clones_are_independent_and_leave_the_committed_state_alone(mode):
    updater = ModelUpdater(
        "e",
        column(),
        ["section.plastic_moment", "section.b"],
        length=3.0,
        mode=mode,
        force_noise=0.3,
        **OPEN,
    )
    k = updater.twin.initial_stiffness()
    for step in range(20):
        v = np.array([0.0, 0.004, 0.006]) * step
        updater.update(step, 0.01 * step, v, np.clip(k @ v, -150, 150))
    before, which = updater.checkpoint(), "measurement" if mode == "pure" else "process"
    at = AtDisplacement(updater, [1e-4, 0.1, 0.12])
    rng = np.random.default_rng(3)
    points = np.tile(updater.estimate.mean, (7, 1)) * (
        1 + 0.1 * rng.standard_normal((7, updater.clones.space.states))
    )
    images = at.evaluate(which, points)
    backwards = at.evaluate(which, points[::-1])[::-1]
    single = np.vstack([at.evaluate(which, row) for row in points])
    assert np.array_equal(images, backwards) and np.array_equal(images, single)
    assert np.ptp(images[:, 2:], axis=0).max() > 0.0  # the points do differ
    assert np.array_equal(before, updater.checkpoint())


@pytest.mark.parametrize(
    "settings", [{}, {"mode": "joint"}, {"mode": "pure"}, {"force_noise": 0.5}]
)
def test_identifies_a_bilinear_spring(settings):
    t, d, y = bilinear_test(noise=0.5)
    updater = bilinear_updater(**settings)
    updater.run(t, d, y)
    assert updater.values["fy"] == pytest.approx(100.0, rel=0.03)
    assert updater.values["b"] == pytest.approx(0.1, rel=0.15)
    if "force_noise" in settings:
        assert updater.force_noise[0] == 0.5
        return
    # the spring is elastic in the first 50 samples: the standard error of a regression line, of 48
    # degrees of freedom
    line, (rest,), *_ = np.polyfit(d[:50, 0], y[:50, 0], 1, full=True)
    assert updater.force_noise[0] == pytest.approx(np.sqrt(rest / 48), rel=1e-9)
    # a chi-square
    assert 48 * updater.force_noise[0] ** 2 / 0.5**2 == pytest.approx(48, abs=4 * np.sqrt(2 * 48))


def test_noise_is_found_though_the_specimen_yields_at_once():
    t = 0.01 * np.arange(1, 401)
    d = (6.0 * np.sin(2 * np.pi * t))[:, None]
    y = noisy(forces_of(Bilinear(E=50.0, fy=100.0, b=0.1), d), 0.5)
    updater = bilinear_updater()
    updater.run(t, d, y)
    assert 0.3 < updater.force_noise[0] < 1.5  # the straight line alone leaves 40
    assert updater.values["fy"] == pytest.approx(100.0, rel=0.03)


def test_particle_filter():
    t, d, y = bilinear_test(noise=2.0)
    updater = bilinear_updater(
        mode="pure", force_noise=2.0, filter=partial(ParticleFilter, particles=300, roughening=0.1)
    )
    updater.run(t, d, y)
    assert updater.values["fy"] == pytest.approx(100.0, rel=0.05)


def test_called_step_by_step_or_as_a_record_gives_the_same_bits():
    t, d, y = bilinear_test()
    one, all_at_once = bilinear_updater(), bilinear_updater()
    for k in range(len(t)):
        one.update(k + 1, t[k], d[k], y[k])
    history = all_at_once.run(t, d, y)
    assert np.array_equal(one.checkpoint(), all_at_once.checkpoint())
    assert np.array_equal(one.history.table, history.table, equal_nan=True)


@pytest.mark.parametrize(
    "settings",
    [{}, {"mode": "pure"}, {"mode": "joint"}, {"mode": "joint", "histories": "per_point"}],
)
@pytest.mark.parametrize("stop", [20, 250])  # while listening, and later
def test_goes_on_from_a_checkpoint_with_the_same_bits(settings, stop):
    t, d, y = bilinear_test()
    whole, first, second = (bilinear_updater(**settings) for _ in range(3))
    whole.run(t, d, y)
    first.run(t[:stop], d[:stop], y[:stop])
    kept = first.checkpoint()
    second.start()
    second.restore(kept)
    assert len(second.checkpoint()) == len(kept) == len(whole.checkpoint())
    second.run(t[stop:], d[stop:], y[stop:], first=stop + 1)
    assert second.values == whole.values and second.std == whole.std
    assert np.array_equal(second.history.table, whole.history.table[stop:], equal_nan=True)


def test_a_filter_that_was_reset_takes_its_noise_from_forces_that_were_not_rejected_also_when_restored():
    t, d = cycles(400, 6.0)
    # not the twin's stiffness: it is reset
    y, stop = forces_of(Bilinear(E=55.0, fy=100.0, b=0.1), d), 100
    y[90] += 1e6
    whole, first, second = (bilinear_updater() for _ in range(3))
    whole.run(t, d, y)
    assert whole.counts["resets"] > 3
    # the noise is at least a thousandth of the largest force that was not rejected until the filter
    # was reset
    largest = np.maximum.accumulate(np.where(whole.history.rejected, 0.0, np.abs(y[:, 0])))
    assert whole.history.rejected[90]
    since = np.flatnonzero(np.isclose(1e-3 * largest, whole.force_noise[0], rtol=1e-12, atol=0.0))
    assert len(since) and since[-1] > stop
    first.run(t[:stop], d[:stop], y[:stop])
    assert first.counts["resets"] <= 3
    second.restore(first.checkpoint())
    second.run(t[stop:], d[stop:], y[stop:], first=stop + 1)
    assert second.values == whole.values and np.array_equal(second.force_noise, whole.force_noise)


def test_a_missing_force_is_predicted_only_and_a_missing_displacement_waits():
    t, d, y = bilinear_test()
    updater = bilinear_updater(force_noise=0.5)
    updater.run(t[:200], d[:200], y[:200])
    values, spread = updater.values, updater.std
    updater.update(201, t[200], d[200], None)
    assert updater.values["fy"] == pytest.approx(values["fy"], rel=1e-6) and updater.std[
        "fy"
    ] >= spread["fy"] * (1 - 1e-9)
    undisturbed = bilinear_updater(force_noise=0.5)
    undisturbed.run(t[:200], d[:200], y[:200])
    undisturbed.update(201, t[200], d[200], None)
    updater.update(202, t[201], None, y[201])
    updater.update(203, t[202], [np.nan], y[202])
    assert updater.values == undisturbed.values and updater.counts["missing"] == 3
    assert updater.history.missing.sum() == 3
    # without a displacement neither the twin nor the filter moves
    for one in (updater, undisturbed):
        one.run(t[203:], d[203:], y[203:], first=204)
    assert updater.values == undisturbed.values and updater.std == undisturbed.std
    assert updater.values["fy"] == pytest.approx(100.0, rel=0.03)


def test_a_wild_sample_is_rejected_and_counted():
    t, d, y = bilinear_test()
    clean, spoilt = bilinear_updater(force_noise=0.5), bilinear_updater(force_noise=0.5)
    clean.run(t, d, y)
    outlier = y.copy()
    outlier[[150, 300]] += 80.0
    history = spoilt.run(t, d, outlier)
    assert spoilt.counts["rejected"] == 2 and list(np.flatnonzero(history.rejected)) == [150, 300]
    assert clean.counts["rejected"] == 0
    assert spoilt.values["fy"] == pytest.approx(clean.values["fy"], rel=0.01)
    lasting = y.copy()
    lasting[150:] += 30.0  # not an outlier but a change of the specimen: accepted after two
    spoilt.start()
    rejected = spoilt.run(t, d, lasting).rejected
    assert rejected[150] and not (rejected[2:] & rejected[1:-1] & rejected[:-2]).any()


def structure() -> Model:
    model = Model("springs")
    for name, x in (("a", 0.0), ("b", 1.0), ("c", 2.0)):
        model.node(
            name,
            x,
            0.0,
            fixed=("y", "rz") if name != "a" else True,
            mass=(1.0, 0.0, 0.0) if name != "a" else None,
        )
    model.add(TwoNodeLink("lower", "a", "b", {"x": Bilinear(E=50.0, fy=70.0, b=0.05)}))
    model.add(TwoNodeLink("upper", "b", "c", {"x": Bilinear(E=50.0, fy=70.0, b=0.05)}))
    return model


def test_writes_inside_the_bounds_at_a_limited_rate_once_consistent():
    program = structure().compile()
    vector = program.parameters.vector.copy()
    fy, b, lower = (program.parameters.index(n) for n in ("upper.x.fy", "upper.x.b", "lower.x.fy"))
    t, d, y = bilinear_test()
    updater = bilinear_updater(members=["upper"], rate_limit=0.002)
    updater.start(program, vector)
    written = []
    for k in range(len(t)):
        updater.update(k + 1, t[k], d[k], y[k])
        written.append(vector[[fy, b]])
    written = np.array(written)
    assert np.all(written[:50] == [70.0, 0.05])  # while it listens nothing is written
    assert np.abs(np.diff(written, axis=0)).max(axis=0)[0] <= 0.002 * 120.0 * (1 + 1e-9)
    assert (
        written[:, 0].min() >= 40.0 and written[:, 0].max() <= 160.0 and written[:, 1].min() >= 0.01
    )
    assert vector[fy] == pytest.approx(100.0, rel=0.03) and vector[lower] == 70.0
    assert updater.counts["rate_limited"] > 0 and updater.consistent
    assert np.array_equal(updater.history.written, written)


def test_an_inconsistent_filter_writes_nothing():
    program = structure().compile()
    vector = program.parameters.vector.copy()
    before = vector.copy()
    t, d, y = bilinear_test(noise=5.0)
    updater = bilinear_updater(members=["upper"], force_noise=0.05, filter=PLAIN, mode="pure")
    updater.start(program, vector)
    updater.run(t, d, y)
    assert not updater.consistent and np.array_equal(vector, before)
    assert updater.counts["held"] == len(t)


def test_members_by_mapping_and_wrong_names():
    program = structure().compile()
    updater = bilinear_updater(members={"fy": "*.x.fy"})
    updater.start(program, program.parameters.vector.copy())
    assert list(updater.writes_to) == [
        program.parameters.index(f"{n}.x.fy") for n in ("lower", "upper")
    ]
    for members in (["nowhere"], {"fy": "nowhere.*"}, {"E": "upper.x.E"}):
        wrong = bilinear_updater(members=members)
        with pytest.raises(InputError):
            wrong.start(program, program.parameters.vector)
    with pytest.raises(InputError, match="own vector"):
        updater.start(program, program.parameters.vector[::2])


def test_the_tangent_of_the_calibrated_twin():
    t, d, y = bilinear_test()
    twin = BasicSystem(Bilinear(E=50.0, fy=70.0, b=0.05))
    updater = ModelUpdater(
        "spring",
        twin,
        {"fy": Unknown(lower=40.0, upper=160.0), "b": Unknown(lower=0.01, upper=0.3)},
    )
    tangent = TwinTangent(twin)
    tangent.start(twin.initial_stiffness())
    for k in range(len(t)):
        updater.update(k + 1, t[k], d[k], y[k])
        stiffness = tangent.update(d[k], y[k])
    assert tangent.parameters["fy"] == updater.values["fy"] != 70.0
    assert stiffness[0, 0] in (pytest.approx(50.0), pytest.approx(50.0 * updater.values["b"]))


def test_history_is_saved_and_read_again(tmp_path):
    t, d, y = bilinear_test()
    history = bilinear_updater().run(t, d, y)
    history.save(tmp_path / "h.h5")
    again = UpdatingHistory.load(tmp_path / "h.h5")
    assert again.names == history.names and np.array_equal(
        again.table, history.table, equal_nan=True
    )
    assert np.array_equal(again.displacement, d) and np.array_equal(again.force, y)
    assert again.value("fy")[-1] == history.values[-1, 0]


def test_a_step_allocates_nothing_that_stays():
    t, d, y = bilinear_test(samples=4000)
    updater = bilinear_updater(force_noise=0.5)
    for k in range(1000):
        updater.update(k, t[k], d[k], y[k])
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    for k in range(1000, 4000):
        updater.update(k, t[k], d[k], y[k])
    grown = sum(
        s.size_diff
        for s in tracemalloc.take_snapshot().compare_to(before, "filename")
        if "femu" in str(s.traceback) or "numpy" in str(s.traceback)
    )
    tracemalloc.stop()
    assert grown < 2000


def test_the_record_grows_where_it_must():
    t, d, y = bilinear_test(samples=FIRST_ROOM + 300)
    updater = bilinear_updater(force_noise=0.5)
    updater.run(t[: FIRST_ROOM - 5], d[: FIRST_ROOM - 5], y[: FIRST_ROOM - 5])
    for k in range(FIRST_ROOM - 5, len(t)):
        updater.update(k + 1, t[k], d[k], y[k])
    assert np.array_equal(updater.history.step, np.arange(1, len(t) + 1))
    assert np.array_equal(updater.history.force, y)


@pytest.mark.parametrize(
    "wrong, what",
    [
        ({"mode": "both"}, "mode"),
        ({"histories": "none"}, "histories"),
        ({"force_noise": -1.0}, "force_noise"),
        ({"force_noise": 0.0}, "force_noise"),
        ({"gate": -1.0}, "gate"),
        ({"rate_limit": float("nan")}, "rate_limit"),
        (
            {
                "mode": "pure",
                "histories": "per_point",
                "filter": partial(ParticleFilter, particles=50),
            },
            "histories",
        ),
        ({"histories": "per_point"}, "histories"),
        ({"hidden": ["q_0"]}, "hidden"),
        ({"displacement_noise": [1.0, 2.0]}, "displacement_noise"),
        ({"force_drift": -1.0}, "force_drift"),
    ],
)
def test_wrong_settings_are_refused(wrong, what):
    with pytest.raises(InputError, match=what):
        bilinear_updater(**wrong)


@pytest.mark.parametrize(
    "unknown, what",
    [
        (Unknown(lower=5.0, upper=1.0), "lower"),
        (Unknown(start=500.0, lower=1.0, upper=100.0), "start"),
        (Unknown(lower=-1.0, upper=100.0), "lower"),
        (Unknown(std=0.0), "std"),
        (Unknown(process_noise=-1.0), "process_noise"),
        (Unknown(transform="square"), "transform"),
    ],
)
def test_wrong_unknowns_are_refused(unknown, what):
    with pytest.raises(InputError, match=what):
        ModelUpdater("e", Bilinear(E=50.0, fy=70.0, b=0.05), {"fy": unknown})
    with pytest.raises(InputError, match="parameters"):
        ModelUpdater("e", Bilinear(E=50.0, fy=70.0, b=0.05), {})
    with pytest.raises(InputError):
        ModelUpdater("e", Bilinear(E=50.0, fy=70.0, b=0.05), ["f_y"])


def test_logarithm_as_transform():
    t, d, y = bilinear_test()
    updater = ModelUpdater(
        "spring",
        Bilinear(E=50.0, fy=70.0, b=0.05),
        {
            "fy": Unknown(lower=10.0, upper=1000.0, std=60.0, transform="log"),
            "b": Unknown(lower=0.01, upper=0.3),
        },
    )
    updater.run(t, d, y)
    assert updater.values["fy"] == pytest.approx(100.0, rel=0.03)


compiled_structure = cache(lambda: structure().compile())
numbers = st.one_of(
    st.floats(-8.0, 8.0), st.sampled_from([np.nan, np.inf, -np.inf, 1e6, -1e12, 0.0])
)


@settings(max_examples=30, deadline=None)
@given(
    samples=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=120),
    mode=st.sampled_from(["state", "joint", "pure"]),
    noise=st.sampled_from([None, 0.5]),
)
def test_whatever_is_measured_the_model_gets_finite_numbers_inside_the_bounds(samples, mode, noise):
    updater = bilinear_updater(members=["upper"], mode=mode, force_noise=noise, noise_samples=10)
    program = compiled_structure()
    vector = program.parameters.vector.copy()
    updater.start(program, vector)
    for k, (d, f) in enumerate(samples):
        updater.update(k + 1, 0.01 * k, [d], [50.0 * f])
    fy, b = (vector[program.parameters.index(n)] for n in ("upper.x.fy", "upper.x.b"))
    assert 40.0 <= fy <= 160.0 and 0.01 <= b <= 0.3 and np.isfinite(vector).all()
    assert all(np.isfinite(list(updater.values.values()))) and all(
        np.isfinite(list(updater.std.values()))
    )
    assert updater.counts["samples"] == len(samples)
