"""Wrong words on the command line: every command, and every option that takes a value.

A command that is refused ends with 2 (the words are wrong) or 3 (what they name is), one sentence,
and no traceback.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click
from click.testing import CliRunner

from femu.analyses import LoadControl
from femu.cli import main
from tests.campaign import rig
from tests.campaign.bad_calls import Hung, patience
from tests.campaign.bad_model import frame
from tests.campaign.tally import Tally

REFUSED = (2, 3)
SPECIMEN = '[specimen.of]\ntype = "Bilinear"\nE = 2e6\nfy = 2e3\n'
UNWRITABLE = ("no/such/folder/file.h5", ".")
SERVE = "serve specimen.toml --port 0"
NUMBERS = ("word", "-1", "nan", "")
WORDS: tuple[str, ...] = (
    "",
    "dance",
    "info --loud",
    "run",
    "run none.py",
    "run .",
    "batch",
    "batch none.toml",
    "batch words",
    "batch binary",
    "batch .",
    "serve",
    "serve none.py",
    "serve words",
    "serve binary",
    "resume",
    "resume none.h5 none.py",
    "resume words words",
    "resume words",
    "resume journal.h5 words",
    "resume result.h5 words",
    "replay none.h5 none.py",
    "replay words words",
    "replay journal.h5 words",
    "report",
    "report none.h5",
    "report words",
    "report binary",
    "report .",
    "plot",
    "plot none.h5 modes",
    "plot words modes",
    "plot words beauty",
    "plot result.h5",
    "plot journal.h5 displacement",
    "csv",
    "csv none.h5",
    "csv words",
    "csv binary",
    "csv .",
    "identify",
    "identify none.py",
    "identify words",
    "identify binary",
    "demo more",
    "demo --output",
    "monitor",
    "monitor .",
    "crossvalidate none.py",
    "crossvalidate words",
    "reproduce",
    "reproduce miracles",
    "bench",
    "bench miracles",
    "info more",
)
"""Words that are refused; those without a command list what there is."""
OPTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "demo --output": ("demo", (".",)),
    "run --output": ("run none.py", UNWRITABLE),
    "batch --workers": ("batch words", ("0", *NUMBERS)),
    "batch --dask": ("batch words", ("nowhere", "")),
    "batch --output": ("batch words", UNWRITABLE),
    "batch --plots": ("batch words", ("words",)),
    "crossvalidate --model": ("crossvalidate words", ("", "none")),
    "plot --model": ("plot words model", ("", "none")),
    "crossvalidate --group": ("crossvalidate", ("miracles",)),
    "crossvalidate --output": ("crossvalidate words", UNWRITABLE),
    "serve --port": ("serve specimen.toml", ("70000", *NUMBERS)),
    "serve --host": (SERVE, ("no such host", "")),
    "serve --protocol": (SERVE, ("http", "")),
    "serve --journal": (SERVE, UNWRITABLE),
    "serve --silence": (SERVE, ("0", *NUMBERS)),
    "serve --version": (SERVE, ("0", *NUMBERS)),
    "serve --allow": (SERVE, ("0.0.0.0/0", "::/0")),
    "serve --secret-file": (SERVE, ("none.txt", ".", "words")),
    "serve --log": (SERVE, UNWRITABLE),
    "replay --tolerance": ("replay journal.h5 words", NUMBERS),
    "identify --save": ("identify words", UNWRITABLE),
    "report --output": ("report result.h5", ("no/such/folder/file.html", ".")),
    "report --updating": ("report result.h5", ("none.h5", "words", ".")),
    "plot --output": (
        "plot result.h5 displacement --node 2",
        ("no/such/folder/file.png", ".", "picture.word"),
    ),
    "plot --node": ("plot result.h5 displacement", ("Z", "", "99")),
    "plot --direction": ("plot result.h5 displacement --node 2", ("w", "")),
    "plot --element": ("plot result.h5 loop", ("Z", "")),
    "plot --end": ("plot result.h5 loop --element column", ("k", "")),
    "plot --axis": ("plot result.h5 loop --element column", ("w", "")),
    "plot --time": ("plot result.h5 deformed", ("word", "1e9", "nan", "")),
    "plot --scale": ("plot result.h5 deformed", ("0", *NUMBERS)),
    "plot --modes": ("plot result.h5 modes", ("0", *NUMBERS)),
    "csv --output": ("csv result.h5", ("no/such/folder/file.csv", ".")),
    "monitor --port": ("monitor journal.h5", ("70000", *NUMBERS)),
    "monitor --address": ("monitor journal.h5", ("no such host",)),
    "bench --output": ("bench miracles", UNWRITABLE),
    "reproduce --output": ("reproduce miracles", UNWRITABLE),
}
"""Every option that takes a value.

A command that is right without it, or whose file is wrong, and values it may not have.
"""


def not_tried() -> list[str]:
    """Options of commands that take a value and are not in the table."""
    context, missing = click.Context(main), []
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        for option in command.params if command is not None else ():
            if isinstance(option, click.Option) and not option.is_flag:
                missing += [key for key in (f"{name} {option.opts[0]}",) if key not in OPTIONS]
    return missing


def refused(words: list[str]) -> str | None:
    """What is wrong with the way some words are refused."""
    try:
        with patience():
            done = CliRunner().invoke(main, words)
    except Hung as problem:
        return f"femu {' '.join(words)}: {problem}"
    # without a command, femu lists what there is
    if (
        (done.exit_code in REFUSED or not words)
        and done.output.strip()
        and "Traceback" not in done.output
    ):
        return None
    return f"femu {' '.join(words)}: exit code {done.exit_code}, {done.exception!r} {done.output[-200:]}"


def check() -> Tally:
    """All the words."""
    tally = Tally()
    tally.failures += [f"femu {name}: this option is not tried" for name in not_tried()]
    lines = [words.split() for words in WORDS]
    lines += [
        [*base.split(), key.split()[1], value]
        for key, (base, values) in OPTIONS.items()
        for value in values
    ]
    with tempfile.TemporaryDirectory() as name:
        folder, before = Path(name), Path.cwd()
        try:
            os.chdir(folder)
            Path("words").write_text("these are words\n")
            Path("binary").write_bytes(bytes(range(256)))
            Path("specimen.toml").write_text(SPECIMEN)
            LoadControl(steps=1).run(frame()).save("result.h5")
            rig.test_of(rig.specimen(), 3).run("journal.h5")
            for words in lines:
                wrong = refused(words)
                tally.inputs += wrong is None
                tally.failures += [wrong] if wrong else []
        finally:
            os.chdir(before)
    tally.lines.append(
        ("words on the command line", f"{tally.inputs} refused, {len(OPTIONS)} options")
    )
    return tally
