"""Import names that stay valid although what they name lies elsewhere.

`modules_moved` serves ``import femu.support.errors`` by the module at its new place, `getattr_of`
serves ``from femu.analyses import HybridTest`` by a name of another package, both at the first use.
`femu/__init__.py` has the tables.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _Moved(MetaPathFinder, Loader):
    """Finds modules by their old names. The old and the new name give one and the same module."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = dict(places)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in self._places else None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(self._places[module.__name__])


def modules_moved(places: Mapping[str, str]) -> None:
    """Serve modules by their old names: old name to new one."""
    sys.meta_path.append(_Moved(places))


NAMES: dict[str, dict[str, str]] = {}
"""Names of packages that lie elsewhere: package to name to module."""


def getattr_of(package: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package some of whose names lie elsewhere."""

    def find(name: str) -> Any:
        place = NAMES.get(package, {}).get(name)
        if place is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(place), name)

    return find
