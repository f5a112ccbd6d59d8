"""`femu reproduce NAME`: the study of a paper, with the paper's figures beside femu's."""

from __future__ import annotations

from femu.cli.study import study_command

STUDIES: dict[str, str] = {
    "particle-filters": "femu.reproduce.particle_filters:run",
    "cukf-identification": "femu.reproduce.cukf_identification:run",
    "section-updating": "femu.reproduce.section_updating:run",
    "implicit-integration": "femu.reproduce.implicit_integration:run",
    "cukf-hybrid": "femu.reproduce.cukf_hybrid:run",
    "brb-frame": "femu.reproduce.brb_frame:run",
    "rths-delay": "femu.reproduce.rths_delay:run",
    "multirate": "femu.reproduce.multirate:run",
}

command = study_command("reproduce", STUDIES, "Repeat the study of a paper and compare with its figures.")
