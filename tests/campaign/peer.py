"""A laboratory in a process of its own: ``python -m tests.campaign.peer PORT_FILE JOURNAL [JOURNAL
OF AN EARLIER DAY ...]``.

The specimen is where the commands of earlier days have left it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from femu.experimental import Limits, SpecimenServer, read_journal
from tests.campaign import rig


def main(port_file: str, journal: str, *earlier: str) -> None:
    specimen = rig.specimen()
    for path in earlier:
        record = read_journal(path)
        for row in record.command["specimen"]:
            specimen.apply(row[2:-1], float(row[1]))
    server = SpecimenServer(
        specimen,
        wait=rig.PATIENCE,
        silence=rig.PATIENCE,
        journal=journal,
        limits=Limits(displacement=rig.REACH),
    )
    scratch = Path(f"{port_file}.writing")
    scratch.write_text(str(server.port))
    os.replace(scratch, port_file)
    server.serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
