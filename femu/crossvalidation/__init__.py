"""Cross-validation: the same model in femu and in openseespy, and how far the two are apart.

`crossvalidate` takes a model and an analysis; `femu crossvalidate` runs the suite of `femu.crossvalidation.suite`.
openseespy runs in a process of its own, so that its end is not the end of yours.
"""

from femu.arguments import typed_classes
from femu.crossvalidation.book import Untranslatable
from femu.crossvalidation.case import DYNAMIC, STATIC, Case, EigenCase, Limit, ModelCase, PathCase, Verdict
from femu.crossvalidation.compare import Difference
from femu.crossvalidation.run import crossvalidate, run_cases
from femu.crossvalidation.translate import Stage

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
