"""Cross-validation: the same model in femu and in openseespy, and the difference between the two.

`crossvalidate` takes a model and an analysis; `femu crossvalidate` runs the suite of
`femu.opensees.comparison.suite`. openseespy runs in a separate process, so that a crash does not
end yours.
"""

from femu.opensees.comparison.case import (
    DYNAMIC,
    STATIC,
    Case,
    EigenCase,
    Limit,
    ModelCase,
    PathCase,
    Verdict,
)
from femu.opensees.comparison.compare import Difference
from femu.opensees.comparison.run import crossvalidate, run_cases
from femu.opensees.translation.command_list import Untranslatable
from femu.opensees.translation.translate import Stage
from femu.support.arguments import typed_classes

typed_classes(EigenCase, Limit, ModelCase, PathCase, Stage)

__all__ = [
    "DYNAMIC",
    "STATIC",
    "Case",
    "Difference",
    "EigenCase",
    "Limit",
    "ModelCase",
    "PathCase",
    "Stage",
    "Untranslatable",
    "Verdict",
    "crossvalidate",
    "run_cases",
]
