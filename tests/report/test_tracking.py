"""What a report says about tracking: of targets before compensation, in a journal and in a result."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from femu import GroundMotion, Model, report
from femu.analyses import CentralDifference, HybridTest
from femu.elements import ZeroLength
from femu.experimental import (
    Actuator,
    EmulatedSpecimen,
    ExperimentalElement,
    PolynomialCompensation,
    read_journal,
)
from femu.materials import Elastic, Parallel, Viscous

OLD = Path(__file__).parents[1] / "experimental" / "journals" / "complete.h5.gz"
DELAY = 0.012


def hybrid(compensation=None):
    made = Model("two tested storeys")
    made.node(0, 0.0, 0.0, fixed=True)
    for k in (1, 2):
        made.node(k, 0.0, 0.0, fixed=("y", "rz"), mass=(1e4, 0.0, 0.0))
    for k in (1, 2):
        law = Parallel([Elastic(3e6), Viscous(2e4)])
        made.add(ZeroLength(f"storey {k}", k - 1, k, {"x": law}))
        specimen = EmulatedSpecimen(Elastic(1e5), actuator=Actuator(delay=DELAY))
        element = ExperimentalElement(
            f"s{k}", [(k, "x")], specimen=specimen, compensation=compensation if k == 2 else None
        )
        made.add(element)
    return HybridTest(made, GroundMotion.el_centro(), CentralDifference(), dt=1 / 512, duration=4.0)


def text_of(path, tmp_path):
    page = Path(report.write(path, tmp_path / "page.html")).read_text(encoding="utf-8")
    bare = re.sub(r"<[^>]+>", " ", re.sub(r"<(style|script|svg).*?</\1>", "", page, flags=re.S))
    return " ".join(bare.split())


def test_a_report_has_the_indicators_of_targets_and_not_of_compensated_commands(tmp_path):
    result = hybrid(PolynomialCompensation(DELAY, 2)).run(tmp_path / "j.h5", check=False)
    result.save(tmp_path / "r.h5")
    assert read_journal(tmp_path / "j.h5").about["targets"] == {"s1": ["x"], "s2": ["x"]}
    for path in ("j.h5", "r.h5"):
        text = text_of(tmp_path / path, tmp_path)
        for name in ("s1", "s2"):
            found = result.tracking(name)[0]
            row = re.search(rf"How {name} followed .*? x (\S+) (\S+) (\S+)", text)
            assert row is not None
            values = [float(x.replace("\N{MINUS SIGN}", "-")) for x in row.groups()]
            wanted = [1e3 * found.delay, 100 * found.error, 100 * found.peak]
            assert values == pytest.approx(wanted, rel=1e-2)
            assert f"{name}: synchronisation" in text
    journal = text_of(tmp_path / "j.h5", tmp_path)
    # the first actuator is late by its delay, the commands of the other one lead their targets
    assert 1e3 * result.tracking("s1")[0].delay == pytest.approx(1e3 * DELAY, rel=0.05)
    assert result.tracking("s2")[0].error < 0.05
    assert "Tracking of s1" in journal and "Tracking of s2" not in journal
    assert "They lead the targets of s2" in journal
    assert np.ptp(result.command("s2")) > 0.0


def test_an_older_journal_without_targets_has_a_report(tmp_path):
    path = tmp_path / "old.h5"
    path.write_bytes(gzip.decompress(OLD.read_bytes()))
    assert "targets" not in read_journal(path).about
    assert "synchronisation" not in text_of(path, tmp_path)
