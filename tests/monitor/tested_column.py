"""A hybrid test with updating, journalled: as a program, ``tested_column.py JOURNAL SECONDS``."""

from __future__ import annotations

import sys

from femu.analyses import HybridTest, Pace
from femu.studies import one_bay_frame as study
from femu.updating import ModelUpdater


def main() -> None:
    updater = ModelUpdater(
        "left", study.twin(), study.unknowns(), members=["right"], length=study.HEIGHT
    )
    model = study.frame(study.specimen(1), study.INITIAL)
    test = HybridTest(
        model,
        study.ground_motion(),
        dt=study.DT,
        duration=float(sys.argv[2]),
        updater=updater,
        pace=Pace(1000.0),
    )
    test.run(sys.argv[1])


if __name__ == "__main__":
    main()
