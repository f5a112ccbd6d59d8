"""Run as a program: writes the page "From OpenSees to femu" from the tables that the code uses.

``python -m femu.opensees.front_end.document docs/from-opensees.md``
"""

from __future__ import annotations

import sys
from pathlib import Path

import femu.opensees  # noqa: F401  (fills the tables)
from femu.opensees import FILES
from femu.opensees.front_end.algorithms import ALGORITHMS
from femu.opensees.front_end.analysis import CONSTRAINTS
from femu.opensees.front_end.beam_integration import RULES
from femu.opensees.front_end.convergence_tests import TESTS
from femu.opensees.front_end.domain import DOFS
from femu.opensees.front_end.elements import ELEMENTS
from femu.opensees.front_end.integrators import INTEGRATORS
from femu.opensees.front_end.loads import MEMBER_LOADS, PATTERNS
from femu.opensees.front_end.materials import MATERIALS
from femu.opensees.front_end.model_commands import TRANSFORMATIONS
from femu.opensees.front_end.recorders import RECORDERS
from femu.opensees.front_end.refused import REFUSED
from femu.opensees.front_end.sections import LAYERS, PATCHES, SECTIONS
from femu.opensees.front_end.series import SERIES
from femu.opensees.front_end.table import COMMANDS, Command, Kinds, described

KINDS: tuple[Kinds, ...] = (
    MATERIALS,
    SECTIONS,
    PATCHES,
    LAYERS,
    TRANSFORMATIONS,
    RULES,
    ELEMENTS,
    SERIES,
    PATTERNS,
    MEMBER_LOADS,
    CONSTRAINTS,
    TESTS,
    ALGORITHMS,
    INTEGRATORS,
    RECORDERS,
)
GROUPS = {
    "model": "Model",
    "materials": "Materials",
    "sections": "Sections",
    "elements": "Elements",
    "loads": "Loads",
    "analysis": "Analysis",
    "recorders": "Recorders",
    "queries": "Queries",
    "parameters": "Parameters",
    "housekeeping": "Housekeeping",
}

HEAD = """# From OpenSees to femu

<!-- made by: python -m femu.opensees.front_end.document docs/from-opensees.md -->

A script for openseespy runs on femu when one line changes:

```python
import femu.opensees as ops        # was: import openseespy.opensees as ops
```

or without any change: `femu run --as-opensees script.py`. To see both programs side by side,
`femu crossvalidate script.py` runs the script on femu and on openseespy, in separate processes, and compares every number
that a command returned and every file that a recorder wrote.

Scripts in Tcl run too: `femu run model.tcl`. The language is Tcl itself, by Python's `tkinter`
(Debian and Ubuntu: `apt install python3-tk`); every command below is a Tcl command, with blocks in
braces after `pattern` and `section`, time series in the words of a pattern, and errors that name
the line of the Tcl script. In Python, `femu.opensees.tcl.run("model.tcl")` does the same.

The front end has no engine of its own: commands build a `femu.Model`, which is compiled to a
`Program` when it is first needed and again if a command changed it; the state is carried over.
`analyze` may be called any number of times: between calls nothing is compiled or allocated. Tags,
signs, numbering of degrees of freedom, defaults, return types and return codes are those of
OpenSees.

What is not supported raises `femu.opensees.UnsupportedCommand`, wrong use
`femu.opensees.CommandError`; both name the line of the script, the command and the option, and both
are an `ops.OpenSeesError`. Only what cannot change a result is accepted and ignored: `system`,
`numberer`, print flags, `logFile`.

Doubtful numbers that OpenSees runs, such as a softening `Steel01`, a fibre without area or
`zeroLength` between nodes that are apart, run here too, with a `ModelWarning` at the line of the
script. So do arguments that a command does not know, coordinates beyond `ndm`, recorders of nodes
and elements that do not exist, a load with the wrong number of values, and removing what is not
there: they have the effect that they have in OpenSees, mostly none, and the warning says which.
femu refuses input for which OpenSees has no answer or a meaningless one: a step that it cannot
take, NaN, a negative stiffness by a wrong sign.

Intended differences:

- Constraints are always kept exactly. `Penalty` and `Lagrange` are accepted and give their exact
  limit.
- The state determination of force-based beam-columns iterates until the error is negligible;
  `-iter` is accepted.
- `Series` iterates until the stresses of its parts are equal; OpenSees makes one pass per call.
- `Pinching4` with two equal stresses one after the other has a level line there; OpenSees reads
  such a line from the one after it. A step that is tried and not kept leaves no trace; OpenSees
  keeps the damage of a change of direction.
- `HystereticSM` loses strength by `-degEnv` everywhere; elements of openseespy 3.7 omit it and use
  the first of `-forceLimitStates` instead.
- `Bilin` has results for which OpenSees has none: an exponent c other than 1 together with an
  excursion that gives energy back.
- The tangent of P-Delta is symmetric in femu, so Newton may take another number of iterations
  there; the same holds for `BoucWen`, whose tangent in femu is that of the step, and for modal
  damping.
- `SecantNewton` and `PeriodicNewton` run as Krylov-accelerated Newton: the same equilibrium, other
  iterations. `BFGS` and `Broyden` count tangents, as OpenSees does; their relative tests use the
  increments since the last tangent, and under displacement control their corrections omit the
  change of the load.
- `Corotational` in space turns the ends of a member by the increment of a whole step, OpenSees by
  that of each iteration: nodal rotations, which are sums of increments, differ a little, the less
  the shorter the steps. Translations are the same, unless linear members take these sums for their
  rotations.
- A `Path` series with `-time` and `-useLast` keeps its last value, as documented; openseespy 3.7
  forgets it.
- The shear force Vz of a section under a load along local z is the derivative of its moment; in
  openseespy 3.7 it is not, under `-beamPoint` and inside a `-beamUniform` over a part. An
  `Aggregator` may have another one as its `-section`.
- `-beamUniform` over a part is refused for elements in which openseespy 3.7 omits it
  (`dispBeamColumn`, `ElasticTimoshenkoBeam`) or reads a trapezoid as a uniform load
  (`elasticBeamColumn` in space); elements of femu take it.
- A `-beamPoint` on an `elasticBeamColumn` with `-releasez` or `-releasey` leaves no moment at a
  released end; openseespy 3.7 forgets the releases under that load in space.
- The mass of an element (`-mass`) under `UniformExcitation` counts once; openseespy 3.7 loads an
  `elasticBeamColumn` in the plane and an `ElasticTimoshenkoBeam` by twice its mass. Masses of nodes
  are not affected.
- `alphaM` of `rayleigh` damps all masses; OpenSees omits that of a truss without `-doRayleigh`.
- Imposed motions under `HHT` and `GeneralizedAlpha` are those of the end of the step; in OpenSees a
  support has its position at the time inside the step at which forces are taken.
- `GeneralizedAlpha` takes inertia inside the step, at `alphaM`, in every iteration; OpenSees does
  so in the first one only, and converges to the inertia of the end of the step. `HHTGeneralized`
  agrees, and so does the `Linear` algorithm.
- An element that is added at nodes which have already moved is refused.
- After a step of `CentralDifference`, velocity and acceleration are those at its end; OpenSees
  gives those one step back.
- Sections answer in the order P, Mz (then My, T in space), also an `Aggregator` that lists them
  otherwise.
- `Fatigue` breaks at the end of a step. Its stress in that step is the one in equilibrium; OpenSees
  already shows none if a truss or a link is queried then.
- The tangent of `Bond_SP01` is the slope of its stress; that of openseespy 3.7 is too large by 1/b
  after yielding, which enters damping by the committed stiffness (`rayleigh`).
- `Bond_SP01` keeps its virgin slip (0.00405, whatever the units) from the first step on; OpenSees
  forgets it if the first step takes no second iteration, and always in `testUniaxialMaterial`, and
  answers nan at the first unloading from yield.
- `ReinforcingSteel` is broken by steps that are kept, not by iterations that are discarded. Its
  branches depend on the length of a step that reverses, in both programs: if that is not short
  compared with the yield strain, Newton may settle on another equilibrium, and if an inner loop is
  straight to the last digit, rounding decides between slopes 0.1 % apart.
- In fibre sections of the plane, fibres of one material at one height are one fibre of femu.

In the tables, `<...>` is optional and `*` takes any number of values.
"""


def kinds_table(kinds: Kinds) -> list[str]:
    """Lines on the kinds of one command."""
    lines = [f"### {kinds.command}", "", "| kind | arguments | in femu |", "|---|---|---|"]
    merged: dict[tuple[str, str], list[str]] = {}
    for kind in kinds:
        merged.setdefault((kind.form, kind.into), []).append(kind.name)
    lines += [
        f"| {', '.join(f'`{n}`' for n in names)} | {_cell(form)} | {into} |"
        for (form, into), names in merged.items()
    ]
    if kinds.refused:
        lines += [
            "",
            "Not supported: "
            + ", ".join(f"`{n}`" for n in sorted(kinds.refused, key=str.lower))
            + ".",
        ]
    return [*lines, ""]


def _cell(form: str) -> str:
    text = described(form)
    return f"`{text}`" if text else ""


def _place(entry: Command) -> tuple[int, int]:
    """The order of definition of a command: by file, then by line."""
    function = entry.function
    return FILES.index(function.__module__.rpartition(".")[2]), function.__code__.co_firstlineno


def page() -> str:
    """The whole page."""
    dimensions = ", ".join(f"{m}/{f}" for m, f in DOFS)
    lines = [HEAD, f"Models by ndm/ndf: {dimensions}.", "", "## Commands", ""]
    commands = sorted(COMMANDS.values(), key=_place)
    for group, title in GROUPS.items():
        lines += [f"### {title}", "", "| command | arguments | meaning |", "|---|---|---|"]
        lines += [
            f"| `{c.name}` | {_cell(c.form)} | {c.summary} |" for c in commands if c.group == group
        ]
        lines.append("")
    lines += ["## Kinds", ""]
    for kinds in KINDS:
        lines += kinds_table(kinds)
    lines += ["## Commands that are not supported", "", "| commands | why |", "|---|---|"]
    reasons: dict[str, list[str]] = {}
    for name, reason in REFUSED.items():
        if name not in COMMANDS:
            reasons.setdefault(reason, []).append(name)
    lines += [
        f"| {', '.join(f'`{n}`' for n in names)} | {reason} |" for reason, names in reasons.items()
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page())
