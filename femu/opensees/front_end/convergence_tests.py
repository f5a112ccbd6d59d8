"""test: when a step is in equilibrium."""

from __future__ import annotations

from typing import Any

from femu.analyses import code
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.choices import Test, chosen
from femu.opensees.front_end.table import Kinds, command
from femu.support.errors import ModelWarning
from femu.support.users_line import warn

TESTS = Kinds("test", "test")
EUCLIDEAN = 2
MOST_ITERATIONS = 1_000_000  # of a step: more would look like a hang
SUCCEED_ANYWAY = 5  # print flag of a test: a step that uses up its iterations counts as converged


@command("test", "analysis", "kind:w", "When a step is in equilibrium; see the kinds.")
def test(reader: Reader) -> None:
    kind = TESTS.find(reader)
    reader.command = f"test({kind.name!r})"
    chosen.test = kind.make(reader, reader.read(kind.form), kind.name)
    chosen.tests = 0  # a new test has counted nothing yet
    chosen.changed()


_CODES = {
    "NormUnbalance": code.UNBALANCE,
    "NormDispIncr": code.INCREMENT,
    "EnergyIncr": code.ENERGY,
    "RelativeNormUnbalance": code.STARTING_UNBALANCE,
    "RelativeNormDispIncr": code.RELATIVE_INCREMENT,
    "RelativeEnergyIncr": code.RELATIVE_ENERGY,
}


@TESTS.kind(*_CODES, form="tol iter:i=25 pFlag:i=0 nType:i=2 maxIncr=None", into="the same norm")
def _norm(reader: Reader, a: dict[str, Any], name: str) -> Test:
    if a["nType"] != EUCLIDEAN:
        warn(
            f"{reader.command}: nType = {a['nType']} counts as {EUCLIDEAN}: femu has the Euclidean "
            "norm. The same equilibrium is found, to another share of the tolerance.",
            ModelWarning,
        )
    return _test(reader, a, name, _CODES[name], a["tol"])


@TESTS.kind(
    "NormDispAndUnbalance",
    "NormDispOrUnbalance",
    form="tolIncr tolR iter:i=25 pFlag:i=0 nType:i=2 maxIncr=None",
    into="the norm of the increment",
)
def _two_norms(reader: Reader, a: dict[str, Any], name: str) -> Test:
    _question(reader, "the norm of the increment alone is tested")
    return _test(reader, a, name, code.INCREMENT, a["tolIncr"])


@TESTS.kind(
    "RelativeTotalNormDispIncr",
    form="tol iter:i=25 pFlag:i=0 nType:i=2",
    into="the increment relative to the first of the step",
)
def _relative_total(reader: Reader, a: dict[str, Any], name: str) -> Test:
    _question(reader, "the increment is compared with the first of the step, not with their sum")
    return _test(reader, a, name, code.RELATIVE_INCREMENT, a["tol"])


def _test(reader: Reader, a: dict[str, Any], name: str, norm: int, tolerance: float) -> Test:
    """A test of a norm, with the iterations and the flag that were given."""
    accept = a["pFlag"] == SUCCEED_ANYWAY
    return Test(name, norm, tolerance, _iterations(reader, a), accept)


def _question(reader: Reader, does: str) -> None:
    """Warn of a test that femu takes in another way."""
    warn(
        f"{reader.command}: {does}. The same equilibrium is found, to another share of the "
        "tolerance, perhaps in another number of iterations.",
        ModelWarning,
    )


@TESTS.kind("FixedNumIter", form="iter:i pFlag:i=0 nType:i=2", into="that many iterations")
def _fixed(reader: Reader, a: dict[str, Any], name: str) -> Test:
    return Test(name, code.UNBALANCE, -1.0, _iterations(reader, a), True)


def _iterations(reader: Reader, a: dict[str, Any]) -> int:
    wanted: int = a["iter"]
    if not 1 <= wanted <= MOST_ITERATIONS:
        raise reader.wrong("iter", wanted, f"must lie between 1 and {MOST_ITERATIONS}")
    return wanted


TESTS.refuse(
    "femu has no such test",
    "PFEM",
    "NormUnbalanceIncr",
)
