"""Only a hybrid test asks a specimen: every other way to run a model with one is refused."""

import threading

import numpy as np
import pytest

from femu import AnalysisError, GroundMotion, InputError, Model
from femu.analyses import ArcLength, DisplacementControl, LoadControl, Pushover, Transient, eigen
from femu.batch import ModelSource, Plan, Suite
from femu.elements import TwoNodeLink
from femu.experimental import EmulatedSpecimen, ExperimentalTruss
from femu.materials import Bilinear, Elastic

K = 1e5


class Counted(EmulatedSpecimen):
    """Counts how often it is asked."""

    asked = 0

    def apply(self, command, time):
        self.asked += 1
        return super().apply(command, time)


def model():
    """A spring next to a specimen that yields at 10 mm."""
    made = Model("truss")
    made.node("A", 0.0, 0.0, fixed=True)
    made.node("B", 2.0, 0.0, fixed=("y", "rz"), mass=(1e3, 0.0, 0.0))
    made.add(TwoNodeLink("spring", "A", "B", {"x": Elastic(K)}))
    made.add(
        ExperimentalTruss("specimen", "A", "B", specimen=Counted(Bilinear(E=K, fy=1e3, b=0.01)))
    )
    made.load("B", x=1e3)
    return made


RUNS = {
    "LoadControl": lambda m: LoadControl(factor=4.0, steps=4).run(m),
    "DisplacementControl": lambda m: DisplacementControl("B", "x", [0.05], 0.01).run(m),
    "Pushover": lambda m: Pushover("B", 0.05, steps=5).run(m),
    "ArcLength": lambda m: ArcLength(0.01, 5).run(m),
    "Transient": lambda m: Transient(dt=0.01).run(m, GroundMotion.el_centro(), duration=0.1),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("way", RUNS)
def test_an_analysis_that_would_not_ask_the_specimen_is_refused(way, compiled):
    made = model()
    with pytest.raises(
        AnalysisError,
        match=r"experimental element 'specimen'.* would never ask "
        r"its specimen.*HybridTest",
    ):
        RUNS[way](made.compile() if compiled else made)
    assert made.elements["specimen"].specimen.asked == 0


def test_an_eigen_analysis_uses_the_initial_stiffness_of_the_specimen():
    assert np.isclose(eigen(model(), 1).frequencies[0], np.sqrt(2.0 * K / 1e3), rtol=1e-12)


def test_a_batch_of_a_model_with_a_specimen_is_refused(tmp_path):
    with pytest.raises(
        AnalysisError, match="experimental element 'specimen': a batch would never ask its specimen"
    ):
        Plan(model())
    with pytest.raises(AnalysisError, match="a batch would never ask its specimen"):
        Suite(Plan(ModelSource(f"{__file__}:model")), [GroundMotion.el_centro()]).run(
            tmp_path / "batch.h5", on="threads"
        )
    assert not (tmp_path / "batch.h5").exists()


def test_a_model_that_no_other_process_can_be_sent_is_refused_in_words(tmp_path):
    made = Model("unsent")
    made.node("A", 0.0, 0.0, fixed=True)
    made.node("B", 0.0, 2.0, mass=(1e3, 0.0, 0.0), fixed=("y", "rz"))
    made.add(TwoNodeLink("spring", "A", "B", {"y": Elastic(K)}))
    made.lock = threading.Lock()
    with pytest.raises(InputError, match=r"can be sent to worker processes.*on='threads'"):
        Suite(Plan(made), [GroundMotion.el_centro()]).run(tmp_path / "batch.h5", workers=2)
