"""`femu reproduce NAME`: the study of a paper, with the paper's figures next to femu's."""

from __future__ import annotations

from femu.cli.study import study_command

STUDIES: dict[str, str] = {
    "particle-filters": "femu.studies.particle_filters:run",
    "cukf-identification": "femu.studies.cukf_identification:run",
    "section-updating": "femu.studies.section_updating:run",
    "implicit-integration": "femu.studies.implicit_integration:run",
    "cukf-hybrid": "femu.studies.cukf_hybrid:run",
    "brb-frame": "femu.studies.brb_frame:run",
    "rths-delay": "femu.studies.rths_delay:run",
    "rths-benchmark": "femu.studies.rths_benchmark:run",
    "two-actuator-benchmark": "femu.studies.two_actuator_benchmark:run",
    "multirate": "femu.studies.multirate:run",
    "online-offline": "femu.studies.online_offline:run",
}

command = study_command(
    "reproduce", STUDIES, "Repeat the study of a paper and compare with its figures."
)
