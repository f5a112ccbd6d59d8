"""`femu motion-c`: the motion generator as a C file for a controller."""

from __future__ import annotations

import click

from femu.cli.say import say

HELP = """Write the motion generator in C: femu_motion.c and femu_motion.h in FOLDER.

The generator runs on the controller of an actuator at 1 to 4 kHz and moves it between the steps of
a test, which come more slowly and not always in time. The files are translated from the source that
femu itself runs (MotionGenerator), depend on the C library only, and give the same commands to the
last bit. The header says how to call them.

\b
Example:
  femu motion-c controller
  cc -std=c99 -O2 -ffp-contract=off -c controller/femu_motion.c
"""


@click.command("motion-c", help=HELP)
@click.argument("folder", type=click.Path(file_okay=False))
def command(folder: str) -> None:
    from femu.experimental.motion.c_source import write
    from femu.support.errors import FileError

    try:
        files = write(folder)
    except OSError as problem:
        raise FileError(folder, f"cannot be written to: {problem}") from problem
    for file in files:
        say(f"wrote {file}")
