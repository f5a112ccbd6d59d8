"""`femu crossvalidate`: the suite of comparisons with openseespy, or a model of your own."""

from __future__ import annotations

import click
from rich.console import Console

from femu.cli.stages import Stages
from femu.support.tables import finish, table_options

HELP = """Compare femu with openseespy: the suite, or a model of your own.

Without a SCRIPT the suite runs: every material, section, element, load, constraint, damping, integrator and
static analysis that both programs have, and frames under earthquakes. The table shows the largest relative
difference of each case, relative to the peak of its kind, and the reason if a case has a limit of
its own.

A SCRIPT is a Python file that defines `model` and `analysis` (and, if wanted, `motion` and
`duration`), or a function `case()` that returns them in this order. One model, one analysis and one
ground motion may have any names. `analysis` may be a list, such as gravity and what comes after it;
each continues from the one before. A SCRIPT that imports openseespy runs on both programs, and
every number it is given and every file it writes are compared. If a convergence test leaves more
than the limit, what it leaves is measured in both programs with other tolerances, and added to the
limit.

\b
Example my_model.py:
  from femu import GroundMotion, Model
  from femu.analyses import Newmark, Transient
  from femu.elements import ForceBeamColumn
  from femu.materials import Bilinear, UncoupledSection
  section = UncoupledSection(axial=Bilinear(2e9, 2e6, 0.01), moment=Bilinear(2e7, 2e5, 0.01))
  model = Model("column")
  model.node("foot", 0.0, 0.0, fixed=True)
  model.node("top", 0.0, 3.5, mass=(2e4, 2e4, 100.0))
  model.add(ForceBeamColumn("column", "foot", "top", section=section, geometry="p-delta"))
  analysis = Transient(Newmark(), dt=0.01)
  motion = GroundMotion.el_centro()

\b
Examples:
  femu crossvalidate --quick
  femu crossvalidate --group elements
  femu crossvalidate my_model.py
  femu crossvalidate my_opensees_script.py
"""


@click.command("crossvalidate", help=HELP)
@click.argument("script", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--group",
    "groups",
    multiple=True,
    help="Run only this group of the suite; may be given several times.",
)
@click.option("--model", "named", metavar="NAME", help="The model of SCRIPT, if it has several.")
@table_options
def command(
    script: str | None, groups: tuple[str, ...], named: str | None, as_json: bool, quick: bool
) -> None:
    from femu.opensees.comparison import report, script_report
    from femu.opensees.comparison.script import read_script
    from femu.opensees.comparison.suite import GROUPS

    for name in groups:
        if name not in GROUPS:
            raise click.BadParameter(
                f"{name!r} is not one of {', '.join(GROUPS)}", param_hint="--group"
            )
    with Stages(Console(stderr=True)) as stages:
        if script is not None:
            stages.begin(f"{script} in femu and openseespy")
            if script_report.imports_opensees(script):
                table = script_report.of_script(script)
            else:
                table = report.of_script(read_script(script, named))
        else:
            stages.begin("cross-validation")
            table = report.of_suite(
                quick,
                groups or tuple(GROUPS),
                lambda name: stages.begin(name) if stages.console.is_terminal else None,
            )
    finish(table, as_json)
