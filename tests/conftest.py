"""Makes the helper modules of this folder importable from its tests, and says which tests go
together and which first."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

for folder in ("elements", "materials", "."):  # the lists of cases serve tests of all folders
    sys.path.insert(0, str(Path(__file__).parent / folder))

PROPERTIES = "tests/campaign/test_physics.py::test_property["
BESIDE = {
    "element": "tests/elements/test_all_elements.py",
    "filter": "tests/filters/test_every_filter.py",
    "integrator": "tests/analyses/test_accuracy.py",
    "material": "tests/materials/test_laws.py",
    "section": "tests/materials/test_laws.py",
}
"""The properties of these components go to the process with the other tests of them.

Else two would compile their kernels.
"""
FIRST = [
    "tests/elements/test_all_elements.py",
    "tests/filters/test_every_filter.py",
    "tests/crossvalidation/test_suite.py",
    "tests/analyses/test_accuracy.py",
    "tests/opensees/test_scripts.py",
    "tests/campaign/test_fuzzing.py",
    "tests/updating/test_remote_resumed.py",
    "tests/updating/test_remote.py",
    "tests/batch/test_suite.py",
    "tests/kernels/test_kernels.py",
    "tests/studies/test_particle_filters.py",
    "tests/elements/test_force_beam_column.py",
    "tests/cli/test_demo.py",
    "tests/test_tutorials.py",
]
"""Files that take longest, so that no process is left alone with one of them at the end."""


def together(nodeid: str) -> str:
    """The file whose tests run in the same process as this one."""
    if nodeid.startswith(PROPERTIES):
        return BESIDE.get(nodeid[len(PROPERTIES) :].partition(" ")[0], nodeid.partition("::")[0])
    return nodeid.partition("::")[0]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not hasattr(config, "workerinput"):
        return
    sizes: dict[str, int] = {}
    for item in items:
        sizes[together(item.nodeid)] = sizes.get(together(item.nodeid), 0) + 1
    order = sorted(
        sizes, key=lambda file: (FIRST.index(file) if file in FIRST else len(FIRST), -sizes[file])
    )
    rank = {file: k for k, file in enumerate(order)}
    items.sort(key=lambda item: rank[together(item.nodeid)])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return together(nodeid)

    config.option.loadscopereorder = False  # the order is that of `pytest_collection_modifyitems`
    return Scheduling(config, log)
