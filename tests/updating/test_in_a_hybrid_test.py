"""The updater in a running hybrid test: the frame of Wu et al. (2015)."""

from __future__ import annotations

import numpy as np
import pytest
from ctrl_c import stopped_by_ctrl_c

from femu import Outcome
from femu.analyses import HybridTest, eigen
from femu.experimental import EmulatedSpecimen, TwinTangent, read_journal
from femu.studies import one_bay_frame as paper
from femu.updating import ModelUpdater, Unknown

DURATION, STOP = 2.4, 190  # s, step: after the first yielding


def make(**settings) -> tuple[HybridTest, ModelUpdater]:
    updater = ModelUpdater(
        "left", paper.twin(), paper.unknowns(), ["right"], length=paper.HEIGHT, **settings
    )
    model = paper.frame(paper.specimen(seed=1), paper.INITIAL)
    return HybridTest(
        model, paper.ground_motion(), dt=paper.DT, duration=DURATION, updater=updater
    ), updater


def test_the_frame_is_that_of_the_paper():
    assert eigen(paper.frame().compile(), 2).periods == pytest.approx([0.629, 0.167], rel=0.005)


def test_the_right_column_learns_from_the_left_and_a_resumed_test_has_the_same_bits(tmp_path):
    test, updater = make()
    whole = test.run(tmp_path / "whole.h5")
    assert whole.outcome is Outcome.COMPLETE and updater.mode == "joint"
    names = [f"right.{n}" for n in paper.NAMES]
    written = [test.parameters[test.program.parameters.index(n)] for n in names]
    assert np.abs(np.array(written) / paper.TRUE - 1.0) == pytest.approx(0.0, abs=0.1)
    assert written[1] == pytest.approx(paper.TRUE[1], rel=0.01)
    kept = read_journal(tmp_path / "whole.h5").parameter_history
    assert kept is not None and len(kept) == whole.steps

    test, _ = make()
    specimen = test.elements["left"].specimen
    apply = specimen.apply

    def until(command, time):
        if time > (STOP - 0.5) * paper.DT:
            raise KeyboardInterrupt
        return apply(command, time)

    specimen.apply = until
    assert stopped_by_ctrl_c(test.run, tmp_path / "j.h5").steps == STOP - 1
    test, resumed = make()
    result = test.resume(tmp_path / "j.h5")
    assert np.array_equal(result.displacement("D", "x"), whole.displacement("D", "x"))
    assert np.array_equal(resumed.checkpoint(), updater.checkpoint())
    assert resumed.values == updater.values and resumed.std == updater.std


def test_the_calibrated_twin_gives_the_tangent_of_the_element():
    updater = ModelUpdater("left", paper.twin(), paper.unknowns(), ["right"], length=paper.HEIGHT)
    tangent = TwinTangent(updater.twin)
    model = paper.frame(paper.specimen(seed=1), paper.INITIAL)
    result = HybridTest(
        model,
        paper.ground_motion(),
        dt=paper.DT,
        duration=DURATION,
        updater=updater,
        tangents={"left": tangent},
    ).run()
    assert result.outcome is Outcome.COMPLETE and tangent.updates > 0
    assert tangent.parameters["section.plastic_moment"] == updater.values["section.plastic_moment"]
    stiffness = result.stiffness("left")
    assert np.ptp(stiffness[:, 1, 1]) > 0.1 * stiffness[0, 1, 1]  # it yielded, and the tangent knew


def test_a_specimen_without_noise_does_not_mislead_the_filter():
    """The first samples show no noise.

    A filter that becomes overconfident by it takes the forces of now as its scale.
    """
    quiet = EmulatedSpecimen(paper.specimen().of, length=paper.HEIGHT)
    wide = {
        name: Unknown(start, true / 3, 3 * true)
        for name, start, true in zip(paper.NAMES, paper.INITIAL, paper.TRUE, strict=True)
    }
    updater = ModelUpdater("left", paper.twin(), wide, members=["right"], length=paper.HEIGHT)
    HybridTest(
        paper.frame(quiet, paper.INITIAL),
        paper.ground_motion(),
        dt=paper.DT,
        duration=8.0,
        updater=updater,
    ).run()
    found = updater.values
    assert found["section.yield_force"] == pytest.approx(paper.TRUE[0], rel=0.1)
    assert found["section.plastic_moment"] == pytest.approx(paper.TRUE[1], rel=0.1)
