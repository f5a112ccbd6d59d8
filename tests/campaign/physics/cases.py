"""Every material, section, element, integrator and filter that the properties are asked of.

And that none is forgotten.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from femu import analyses, elements, filters, materials
from femu.analyses.integrators.integrator import Integrator
from femu.model.component import Constitutive
from femu.model.element import Element

TESTS = Path(__file__).parents[2]
for _folder in ("", "materials", "elements", "filters", "analyses"):
    if str(TESTS / _folder) not in sys.path:
        sys.path.insert(0, str(TESTS / _folder))

import element_harness as plane  # noqa: E402
import material_harness as harness  # noqa: E402, F401
import space_harness as space  # noqa: E402
import systems  # noqa: E402
from material_harness import EVERY as MATERIALS  # noqa: E402
from section_harness import SECTIONS as PLANE_SECTIONS  # noqa: E402
from section_harness import SectionCase  # noqa: E402
from test_space_sections import SECTIONS as SPACE_SECTIONS  # noqa: E402
from test_space_sections import SIZES  # noqa: E402

SECTIONS: dict[str, SectionCase] = {
    **PLANE_SECTIONS,
    **{
        f"{name}, in space": SectionCase(made, tuple(SIZES), True)
        for name, made in SPACE_SECTIONS.items()
    },
}
ELEMENTS = [
    *(("plane", name, geometry) for name, geometry in plane.ALL),
    *(("space", name, geometry) for name, geometry in space.ALL),
]
INTEGRATORS: dict[str, type] = {
    name: kind
    for name in analyses.__all__
    if isinstance(kind := getattr(analyses, name), type) and issubclass(kind, Integrator)
}
FILTERS = systems.EVERY
LISTS = (
    "tests/materials/material_harness.py and section_harness.py, tests/elements/element_harness.py, "
    "SETTINGS in tests/campaign/physics/integrators.py, tests/filters/systems.py"
)


def everything_is_checked() -> None:
    """Each exported material, section, element, integrator and filter is among those that are
    checked here."""
    from tests.campaign.physics.integrators import SETTINGS

    def kinds(module: Any, base: type, but: tuple[str, ...] = ()) -> set[type]:
        return {
            k
            for name in module.__all__
            if name not in but
            and isinstance(k := getattr(module, name), type)
            and issubclass(k, base)
        }

    def all_of(made: Any) -> set[type]:
        return {type(made)}.union(*(all_of(part) for _, part in made.parts()))

    seen: set[type] = set()
    for made in (
        *(case.material for case in MATERIALS.values()),
        *(case.section for case in SECTIONS.values()),
    ):
        seen |= all_of(made)
    members = {type(case.make(g)) for case in plane.CASES.values() for g in case.geometries}
    wanted = {
        "materials and sections": kinds(materials, Constitutive) - seen,
        "elements": kinds(elements, Element, ("LumpedMass", "ViscousDashpot")) - members,
        "integrators": kinds(analyses, Integrator) - set(SETTINGS),
        "filters": kinds(filters, filters.base.Filter, ("KalmanFilter",))
        - {type(make(systems.linear_model(), systems.Q, systems.R)) for make in FILTERS.values()},
    }
    missing = {what: sorted(k.__name__ for k in left) for what, left in wanted.items() if left}
    assert not missing, f"not checked, add a case ({LISTS}): {missing}"
