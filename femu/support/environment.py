"""With what a result is computed: versions and machine, as files keep them."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata

PACKAGES = ("femu", "numpy", "scipy", "numba", "h5py")


def environment() -> dict[str, str]:
    """Versions of Python and of the packages that take part in the numbers, and the kind of
    machine."""
    return dict(_environment())


@cache
def _environment() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {**found, "system": f"{platform.system()} {platform.machine()}"}
