"""The updater on consistent histories: accuracy, bits, and a hybrid test that is resumed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c
from measured_springs import cycles, forces_of, noisy

from femu import InputError, Outcome
from femu.analyses import HybridTest
from femu.materials import BoucWen, MenegottoPinto
from femu.studies import one_bay_frame as paper
from femu.studies.multirate import EveryNth
from femu.updating import ModelUpdater, Unknown
from femu.updating.worker import Checkpoint

STEEL = {"E": 200e3, "fy": 400.0, "b": 0.015, "R0": 18.0, "cR1": 0.9}
BOUNDS = {
    "fy": Unknown(330.0, lower=250.0, upper=600.0),
    "b": Unknown(0.03, lower=0.001, upper=0.06),
    "R0": Unknown(22.0, lower=8.0, upper=30.0),
    "cR1": Unknown(0.92, lower=0.8, upper=0.97),
}
SAMPLES = 500


def coupon(**settings) -> ModelUpdater:
    return ModelUpdater("coupon", MenegottoPinto(**STEEL), BOUNDS, mode="consistent", **settings)


def coupon_test(noise: float = 5.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    t, d = cycles(SAMPLES, 0.012)
    return t, d, noisy(forces_of(MenegottoPinto(**STEEL), d), noise, seed)


def error_of(updater: ModelUpdater) -> float:
    """Root mean square error of the force along the whole path, over the largest force."""
    _, d, _ = coupon_test()
    exact = forces_of(MenegottoPinto(**STEEL), d)
    found = forces_of(MenegottoPinto(**{**STEEL, **updater.values}), d)
    return float(np.sqrt(np.mean((found - exact) ** 2)) / np.abs(exact).max())


def test_a_law_with_a_long_memory_is_followed():
    """Four parameters and 500 samples: the noise leaves √(4/500) of itself, and a worst case twice
    that."""
    t, d, f = coupon_test()
    updater = coupon()
    updater.run(t, d, f)
    assert error_of(updater) <= 2.0 * np.sqrt(4 / SAMPLES) * 5.0 / 430.0
    assert updater.force_noise[0] == pytest.approx(5.0, rel=0.15)
    off = [abs(updater.values[n] - STEEL[n]) / updater.std[n] for n in BOUNDS]
    assert max(off) < 3.5
    said = updater.statement()
    assert "it can be the specimen" in said and "0 rejected" in said
    assert updater.consistent


def test_sample_by_sample_and_from_a_checkpoint_the_bits_are_the_same():
    t, d, f = coupon_test()
    d[40], f[77] = np.nan, np.nan  # without a displacement nothing moves; a force may be missing
    whole, single = coupon(), coupon()
    whole.run(t, d, f)
    kept = None
    for k in range(SAMPLES):
        single.update(k + 1, t[k], d[k], f[k])
        if k == 260:
            kept = single.checkpoint()
    assert np.array_equal(whole.checkpoint(), single.checkpoint())
    assert np.array_equal(whole.history.table, single.history.table, equal_nan=True)
    assert whole.counts["missing"] == 2
    assert kept is not None
    single.restore(kept)
    single.run(t[261:], d[261:], f[261:], first=262)
    assert np.array_equal(whole.checkpoint(), single.checkpoint())


def test_a_worker_that_is_started_again_continues_with_the_same_bits(tmp_path: Path):
    t, d, f = coupon_test()
    first, second = coupon(), coupon()
    first.run(t[:200], d[:200], f[:200])
    Checkpoint(tmp_path / "kept", 1).save(first, 200, 0, 0.0)
    assert Checkpoint(tmp_path / "kept", 1).load(second) == (200, 0)
    for updater in (first, second):
        updater.run(t[200:300], d[200:300], f[200:300], first=201)
    assert np.array_equal(first.checkpoint(), second.checkpoint())


def test_one_sample_in_three_is_remembered():
    """By an updater that takes every third sample, from a record of every step."""
    t, d, f = coupon_test()
    whole, again = EveryNth(coupon(), 3), EveryNth(coupon(), 3)
    for k in range(300):
        whole.update(k + 1, t[k], d[k], f[k])
    again.remember(t[:300], d[:300], f[:300])
    again.restore(whole.checkpoint())
    for k in range(300, 400):
        whole.update(k + 1, t[k], d[k], f[k])
        again.update(k + 1, t[k], d[k], f[k])
    assert np.array_equal(whole.checkpoint(), again.checkpoint())


def test_single_outliers_are_rejected_and_change_nothing():
    t, d, f = coupon_test()
    clean, spoilt = coupon(), coupon()
    clean.run(t, d, f)
    places = np.arange(100, SAMPLES, 37)
    f[places] += 500.0
    spoilt.run(t, d, f)
    assert spoilt.counts["rejected"] == len(places)
    for name in BOUNDS:
        assert abs(spoilt.values[name] - clean.values[name]) < clean.std[name]


def test_logarithms_and_inequalities():
    true = {"alpha": 0.05, "k": 100.0, "beta": 0.3, "gamma": 0.2, "n": 1.0}
    t, d = cycles(400, 6.0)
    f = noisy(forces_of(BoucWen(**true), d), 1.0)
    updater = ModelUpdater(
        "spring",
        BoucWen(**{**true, "k": 60.0, "beta": 0.6, "gamma": 0.0}),
        {
            "k": Unknown(lower=20.0, upper=500.0, transform="log"),
            "beta": Unknown(lower=0.05, upper=2.0),
            "gamma": Unknown(lower=-1.0, upper=np.inf, std=0.5),
        },
        mode="consistent",
        inequalities=[({"beta": 1.0, "gamma": 1.0}, 0.0, "gamma")],
    )
    updater.run(t, d, f)
    for name in ("k", "beta", "gamma"):
        assert updater.values[name] == pytest.approx(true[name], abs=3.5 * updater.std[name])
        assert updater.std[name] < 0.1 * true[name]


def make() -> tuple[HybridTest, ModelUpdater]:
    updater = ModelUpdater(
        "left", paper.twin(), paper.unknowns(), ["right"], length=paper.HEIGHT, mode="consistent"
    )
    model = paper.frame(paper.specimen(seed=1), paper.INITIAL)
    return HybridTest(
        model, paper.ground_motion(), dt=paper.DT, duration=2.4, updater=updater
    ), updater


def test_a_resumed_hybrid_test_has_the_same_bits(tmp_path):
    test, updater = make()
    whole = test.run(tmp_path / "whole.h5")
    assert whole.outcome is Outcome.COMPLETE
    for name, true in zip(paper.NAMES, paper.TRUE, strict=True):
        assert updater.values[name] == pytest.approx(true, abs=3.5 * updater.std[name])
    assert updater.written[1] == pytest.approx(paper.TRUE[1], rel=0.01)

    test, _ = make()
    specimen = test.elements["left"].specimen
    apply = specimen.apply

    def until(command, time):
        if time > 189.5 * paper.DT:
            raise KeyboardInterrupt
        return apply(command, time)

    specimen.apply = until
    assert stopped_by_ctrl_c(test.run, tmp_path / "j.h5").steps == 189
    test, resumed = make()
    result = test.resume(tmp_path / "j.h5")
    assert np.array_equal(result.displacement("D", "x"), whole.displacement("D", "x"))
    assert np.array_equal(resumed.checkpoint(), updater.checkpoint())


@pytest.mark.parametrize(
    "settings",
    [
        {"filter": print},
        {"force_drift": 1.0},
        {"histories": "per_point"},
        {"hidden": ("stress",)},
        {"integration": "rk4"},
    ],
)
def test_settings_of_filters_are_refused(settings):
    with pytest.raises(InputError, match=next(iter(settings))):
        coupon(**settings)
