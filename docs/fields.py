"""Writes theory/fields.md: the fields of kernels, from their declarations.

``python docs/fields.py`` writes the page.
"""

from __future__ import annotations

from pathlib import Path

from femu.engine.element_kernels import ElementFields
from femu.engine.run_fields import Run
from femu.engine.run_settings import Settings
from femu.filters.copies_fields import CopiesFields, Sums
from femu.filters.filter_fields import EstimateFields, FilterFields, FilterSettings
from femu.updating.updater_fields import Memory, Options, Statistics, UpdaterFields

PAGE = Path(__file__).parent / "theory" / "fields.md"
HEAD = """<!-- made by: python docs/fields.py -->

# Fields of kernels

Kernels reach everything they work on through declared fields (`femu.engine.fields`). A kernel
reads them by their names, as in `r, external, internal = run.r, run.external, run.internal`. The
tables below list every field with its kind and shape.

## Letters

Arguments and vectors have the same letters in all kernels.

| kernel | signature |
|---|---|
| law of a material or section | `law(p, h, x)` returns `y, k, h` |
| block of points | `block(n, i, p, c, t, w, x, r, s, y, k, d)` |
| basic system of an element | `basic(i, g, p, c, t, w, v, rate, step, load)` |
| group of elements | `group(run, first, count, mode)` |
| step of an integrator | `step(run, settings, step)` |
| filter | `predict(filter, p, s, u, y)`, `update(filter, p, s, u, y)` |

| letter | meaning |
|---|---|
| `n` | number: of points in a block, of sections in a member, of states of a filter (`m` of its outputs) |
| `i` | integers of a component: addresses and places of its parts |
| `p` | parameters; settings of a filter |
| `g` | constants of an element, from its coordinates |
| `h` | history of a point |
| `c`, `t` | committed state, which is read, and trial state, which is written whole |
| `w` | workspace |
| `x`, `y`, `k` | strain, stress and tangent of a point, or deformations, forces and stiffness of a section |
| `r`, `s`, `d` | of a block: rate of `x`, step (time, dt), damping tangent |
| `v`, `q` | deformations and forces of a basic system |
| `u`, `v`, `a` | of a run: displacement, velocity, acceleration; `u0` committed, `u1` at the end of the step |
| `r` | of a run: unbalance |
| `c`, `s` | of a group of elements: cosine and sine of the chord |
| `s`, `u`, `y` | of a filter: estimate, inputs, measurement |
| `x`, `P`, `Q`, `R` | of a filter: mean and covariance of the state, covariance of process and measurement noise |
"""
DECLARED = {
    "run": Run,
    "settings": Settings,
    "element": ElementFields,
    "filter": FilterFields,
    "settings of a filter": FilterSettings,
    "estimate": EstimateFields,
    "copies": CopiesFields,
    "sums of copies": Sums,
    "updater": UpdaterFields,
    "memory": Memory,
    "options": Options,
    "statistics": Statistics,
}


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for name, declared in DECLARED.items():
        place = f"`{declared.__module__}.{declared.__name__}`"
        parts.append(f"\n## {name.capitalize()}\n\n{declared.__doc__}\nDeclared in {place}.\n\n")
        parts.append(declared.glossary())
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
