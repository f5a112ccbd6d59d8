"""Loading of the programs femu is compared with.

The Linux wheel of openseespy is linked to libblas.so.3, which a bare machine does not have. The
wheel carries the library in a folder of its own, but the loader searches that folder for the direct
needs of `opensees.so` only, not for the needs of those needs (liblapack needs libblas). Loaded
beforehand, in this order and for the whole process, they are found by name, and no system package
has to be installed.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from femu.support.errors import UnsupportedError, missing_extra

LINUX_LIBRARIES = ("libquadmath", "libgfortran", "libblas", "liblapack")
"""Libraries of the openseespylinux wheel in the order of their needs: each one needs only those
before it.

Without their version numbers, which differ between the versions of the wheel."""


def load_opensees() -> ModuleType:
    """The module `openseespy.opensees`, also on a Linux machine without libblas.

    openseespy keeps one model a process and may end the process on a wrong argument: run
    comparisons in a process of their own.
    """
    if importlib.util.find_spec("openseespy") is None:
        raise missing_extra("openseespy", "opensees", "A comparison with OpenSees")
    if sys.platform.startswith("linux") and "openseespylinux" not in sys.modules:
        _preload(_carried_libraries())
    try:
        return importlib.import_module("openseespy.opensees")
    except (ImportError, RuntimeError) as error:
        reason = error
        while isinstance(reason.__context__, (ImportError, RuntimeError)):
            # openseespy hides the loader's message under two general ones
            reason = reason.__context__
        raise UnsupportedError(
            f"openseespy is installed but does not load: {reason}. Fix: install an openseespy made "
            f"for Python {sys.version_info.major}.{sys.version_info.minor}, with pip install "
            "--upgrade 'femu[opensees]'."
        ) from error


def _carried_libraries() -> list[Path]:
    """Paths of the libraries in the wheel's own folder, in loading order.

    Found without importing the package.
    """
    spec = importlib.util.find_spec("openseespylinux")
    if spec is None or not spec.submodule_search_locations:
        return []
    folder = Path(next(iter(spec.submodule_search_locations))) / "lib"
    return [file for name in LINUX_LIBRARIES for file in sorted(folder.glob(f"{name}.so*"))]


def _preload(libraries: Iterable[Path]) -> None:
    """Load libraries for the whole process.

    One that does not load is left to the system's own search.
    """
    for library in libraries:
        try:
            ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue
