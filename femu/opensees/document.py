"""Run as a program: writes the page "From OpenSees to femu" from the tables that the code uses.

``python -m femu.opensees.document docs/from-opensees.md``
"""

from __future__ import annotations

import sys
from pathlib import Path

import femu.opensees  # noqa: F401  (fills the tables)
from femu.opensees.algorithms import ALGORITHMS
from femu.opensees.analysis import CONSTRAINTS
from femu.opensees.beam_integration import RULES
from femu.opensees.convergence_tests import TESTS
from femu.opensees.domain import DOFS
from femu.opensees.elements import ELEMENTS
from femu.opensees.integrators import INTEGRATORS
from femu.opensees.loads import MEMBER_LOADS, PATTERNS
from femu.opensees.materials import MATERIALS
from femu.opensees.model_commands import TRANSFORMATIONS
from femu.opensees.recorders import RECORDERS
from femu.opensees.refused import REFUSED
from femu.opensees.sections import LAYERS, PATCHES, SECTIONS
from femu.opensees.series import SERIES
from femu.opensees.table import COMMANDS, Kinds, described

KINDS: tuple[Kinds, ...] = (
    MATERIALS, SECTIONS, PATCHES, LAYERS, TRANSFORMATIONS, RULES, ELEMENTS, SERIES, PATTERNS, MEMBER_LOADS, CONSTRAINTS, TESTS,
    ALGORITHMS, INTEGRATORS, RECORDERS)
GROUPS = {"model": "Model", "materials": "Materials", "sections": "Sections", "elements": "Elements", "loads": "Loads",
          "analysis": "Analysis", "recorders": "Recorders", "queries": "Queries", "parameters": "Parameters"}

HEAD = """# From OpenSees to femu

<!-- made by: python -m femu.opensees.document docs/from-opensees.md -->

A script for openseespy runs on femu when one line changes:

```python
import femu.opensees as ops        # was: import openseespy.opensees as ops
```

or without any change: `femu run --as-opensees script.py`. To see both programs side by side,
`femu crossvalidate script.py` runs the script on femu and on openseespy, in separate processes, and compares every number
that a command returned and every file that a recorder wrote.

The front end has no engine of its own: commands build a `femu.Model`, which is compiled to a `Program` when it is first
needed and again where a command changed it; the state is carried over. `analyze` may be called as often as wanted: between
calls nothing is compiled or allocated. Tags, signs, numbering of degrees of freedom, defaults, return types and return
codes are those of OpenSees.

What is not supported raises `femu.opensees.UnsupportedCommand`, wrong use `femu.opensees.CommandError`; both say the line of
the script, the command and the option, and both are an `ops.OpenSeesError`. Only what cannot change a result is accepted
without effect: `system`, `numberer`, print flags, `logFile`.

Where the two differ on purpose:

- Constraints are always kept exactly. `Penalty` and `Lagrange` are accepted and give what they tend to.
- The state determination of force-based beam-columns iterates until the error is negligible; `-iter` is accepted.
- `Series` iterates until the stresses of its parts are equal; OpenSees makes one pass a call.
- `Pinching4` with two equal stresses one after the other has a level line there; OpenSees reads such a line from the one
  after it. A step that is tried and not kept leaves no trace; OpenSees keeps the damage of a change of direction.
- `HystereticSM` loses strength by `-degEnv` everywhere; elements of openseespy 3.7 leave it out and take the first of
  `-forceLimitStates` for it.
- `Bilin` has numbers where OpenSees has none: an exponent c other than 1 together with an excursion that gives energy back.
- The tangent of P-Delta is symmetric in femu, so Newton may take another number of iterations there; the same holds for
  `BoucWen`, whose tangent in femu is that of the step, and for modal damping.
- `SecantNewton` and `PeriodicNewton` run as Krylov-accelerated Newton: the same equilibrium, other iterations. `BFGS` and
  `Broyden` count tangents, as OpenSees does; their relative tests look at the increments since the last tangent, and under
  displacement control their corrections leave out the change of the load.
- `Corotational` in space turns the ends of a member by the increment of a whole step, OpenSees by that of each iteration:
  rotations about several axes at once differ a little, the less the shorter the steps.
- A `Path` series with `-time` and `-useLast` keeps its last value, as documented; openseespy 3.7 forgets it.
- The shear force Vz of a section under a load along local z is the derivative of its moment; in openseespy 3.7 it is not,
  under `-beamPoint` and inside a `-beamUniform` over a part. An `Aggregator` may have another one as its `-section`.
- `-beamUniform` over a part is refused where openseespy 3.7 leaves it out (`dispBeamColumn`, `ElasticTimoshenkoBeam`) or reads
  a trapezoid as a uniform load (`elasticBeamColumn` in space); elements of femu take it.
- A `-beamPoint` on an `elasticBeamColumn` with `-releasez` or `-releasey` leaves no moment at a released end; openseespy 3.7
  forgets the releases under that load in space.
- The mass of an element (`-mass`) under `UniformExcitation` counts once; openseespy 3.7 loads an `elasticBeamColumn` in the
  plane and an `ElasticTimoshenkoBeam` by twice its mass. Masses of nodes are not concerned.
- `alphaM` of `rayleigh` damps all masses; OpenSees leaves out that of a truss without `-doRayleigh`.
- Imposed motions under `HHT` and `GeneralizedAlpha` are those of the end of the step; in OpenSees a support stays where it is at
  the time inside the step at which forces are taken.
- An element that is added at nodes which have already moved is refused.
- After a step of `CentralDifference`, velocity and acceleration are those at its end; OpenSees gives those one step back.
- Sections answer in the order P, Mz (then My, T in space), also an `Aggregator` that lists them otherwise.
- `Fatigue` breaks at the end of a step. Its stress in that step is the one the step was in balance with; OpenSees already
  shows nothing where a truss or a link is asked then.
- `Bond_SP01` keeps its virgin slip (0.00405, whatever the units) from the first step on; OpenSees forgets it where the first
  step takes no second iteration, and always in `testUniaxialMaterial`, and answers nan at the first unloading from yield.
- `ReinforcingSteel` is broken by steps that are kept, not by iterations that are discarded. Its branches depend on the length
  of a step that reverses, in both programs: where that is not short beside the yield strain, Newton may settle on another
  equilibrium, and where an inner loop is straight to the last digit, rounding decides between slopes 0.1 % apart.
- In fibre sections of the plane, fibres of one material at one height are one fibre of femu.

In the tables, `<...>` is optional and `*` takes any number of values.
"""


def kinds_table(kinds: Kinds) -> list[str]:
    """Lines on the kinds of one command."""
    lines = [f"### {kinds.command}", "", "| kind | arguments | in femu |", "|---|---|---|"]
    merged: dict[tuple[str, str], list[str]] = {}
    for kind in kinds:
        merged.setdefault((kind.form, kind.into), []).append(kind.name)
    lines += [f"| {', '.join(f'`{n}`' for n in names)} | {_cell(form)} | {into} |" for (form, into), names in merged.items()]
    if kinds.refused:
        lines += ["", "Not supported: " + ", ".join(f"`{n}`" for n in sorted(kinds.refused, key=str.lower)) + "."]
    return [*lines, ""]


def _cell(form: str) -> str:
    text = described(form)
    return f"`{text}`" if text else ""


def page() -> str:
    """The whole page."""
    dimensions = ", ".join(f"{m}/{f}" for m, f in DOFS)
    lines = [HEAD, f"Models by ndm/ndf: {dimensions}.", "", "## Commands", ""]
    for group, title in GROUPS.items():
        lines += [f"### {title}", "", "| command | arguments | meaning |", "|---|---|---|"]
        lines += [f"| `{c.name}` | {_cell(c.form)} | {c.summary} |" for c in COMMANDS.values() if c.group == group]
        lines.append("")
    lines += ["## Kinds", ""]
    for kinds in KINDS:
        lines += kinds_table(kinds)
    lines += ["## Commands that are not supported", "", "| commands | why |", "|---|---|"]
    reasons: dict[str, list[str]] = {}
    for name, reason in REFUSED.items():
        if name not in COMMANDS:
            reasons.setdefault(reason, []).append(name)
    lines += [f"| {', '.join(f'`{n}`' for n in names)} | {reason} |" for reason, names in reasons.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page())
