"""A wrong keyword is named with the right one, in every public class and function."""

from __future__ import annotations

import importlib
import inspect
import pickle
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import pytest

import femu
from femu import FemuError, GroundMotion, Model
from femu.analyses import DisplacementControl, LoadControl, Newmark, Pushover, Transient, eigen
from femu.batch import Plan
from femu.elements import ElasticBeamColumn, ForceBeamColumn, Truss, ZeroLength
from femu.experimental import Actuator, RemoteSite
from femu.materials import Bilinear, ElasticSection, KentParkConcrete, MenegottoPinto
from femu.model.component import Material
from femu.model.parameters import positive
from femu.support.keywords import KeywordError, right_word

PACKAGES = (
    "femu",
    "femu.analyses",
    "femu.batch",
    "femu.check",
    "femu.elements",
    "femu.experimental",
    "femu.filters",
    "femu.identify",
    "femu.materials",
    "femu.monitor",
    "femu.plots",
    "femu.records",
    "femu.report",
    "femu.updating",
)
# hand further keywords on, to what names them
OPEN = {"Pushover", "identify", "IntrinsicTangent", "TwinTangent"}
# bases without a constructor, and a list
WITHOUT = {"Compensation", "Findings", "Setup", "Specimen", "Updater"}
STEEL = Bilinear(E=200e9, fy=355e6)
model = Model("wrong")


@pytest.mark.parametrize(
    ("call", "what", "wrong", "right"),
    [
        (lambda: Bilinear(E=200e9, Fy=355e6), "Bilinear", "Fy", "fy"),
        (lambda: Bilinear(E0=200e9, fy=355e6), "Bilinear", "E0", "E"),
        (lambda: MenegottoPinto(E=200e9, Fy=355e6, b=0.01), "MenegottoPinto", "Fy", "fy"),
        (
            lambda: KentParkConcrete(
                fpc=-30e6, peak_strain=-0.002, fcu=-6e6, crushing_strain=-0.006
            ),
            "KentParkConcrete",
            "fpc",
            "fc",
        ),
        (
            lambda: KentParkConcrete(fc=-30e6, epsc0=-0.002, fcu=-6e6, crushing_strain=-0.006),
            "KentParkConcrete",
            "epsc0",
            "peak_strain",
        ),
        (lambda: ElasticSection(E=200e9, A=1e-2, Iz=1e-4), "ElasticSection", "Iz", "I"),
        (lambda: ElasticSection(E=200e9, area=1e-2, I=1e-4), "ElasticSection", "area", "A"),
        (lambda: Truss("t", 1, 2, A=1e-3, material=STEEL), "Truss", "A", "area"),
        (lambda: ForceBeamColumn("c", 1, 2, sec=None), "ForceBeamColumn", "sec", "section"),
        (
            lambda: ElasticBeamColumn("c", 1, 2, section=None, transf="PDelta"),
            "ElasticBeamColumn",
            "transf",
            "geometry",
        ),
        (lambda: ZeroLength("z", 1, 2, materials={"x": STEEL}), "ZeroLength", "materials", "laws"),
        (lambda: Transient(DT=0.01), "Transient", "DT", "dt"),
        (lambda: Transient(Newmark(), deltaT=0.01), "Transient", "deltaT", "dt"),
        (lambda: Transient(dt=0.01).run(model, tFinal=3.0), "Transient.run", "tFinal", "duration"),
        (lambda: LoadControl(nSteps=10), "LoadControl", "nSteps", "steps"),
        (lambda: Pushover("B", 0.1, stepz=3), "Pushover", "stepz", "steps"),
        (lambda: Pushover("B", 0.1, Pattern="push"), "Pushover", "Pattern", "pattern"),
        (lambda: DisplacementControl("B", 0.1, incr=0.01), "DisplacementControl", "incr", "step"),
        (lambda: Newmark(Gamma=0.5), "Newmark", "Gamma", "gamma"),
        (lambda: eigen(model, numModes=3), "eigen", "numModes", "modes"),
        (lambda: Model("m", ndm=3), "Model", "ndm", "dimensions"),
        (lambda: model.node("A", 0.0, 0.0, fix=True), "Model.node", "fix", "fixed"),
        (lambda: model.load("A", Fy=-1e3), "Model.load", "Fy", "y"),
        (lambda: model.rayleigh(betaKinit=0.01), "Model.rayleigh", "betaKinit", "initial"),
        (
            lambda: GroundMotion.from_text("a.txt", 0.01, units="g"),
            "GroundMotion.from_text",
            "units",
            "unit",
        ),
        (lambda: Plan(model, dirft_limit=0.1), "Plan", "dirft_limit", "drift_limit"),
        (lambda: Actuator(latency=0.01, Delay=0.1), "Actuator", "latency", ""),
        (lambda: RemoteSite(1, 8090, ipAddress="10.0.0.1"), "RemoteSite", "ipAddress", "host"),
    ],
)
def test_the_right_keyword_is_named(
    call: Callable[[], Any], what: str, wrong: str, right: str
) -> None:
    with pytest.raises(KeywordError) as seen:
        call()
    error = seen.value
    assert (error.object, error.argument, error.fix) == (
        what,
        wrong,
        f"write {right}=" if right else "",
    )
    assert str(error).startswith(f"{what}: {wrong} = ")
    assert isinstance(error, TypeError) and isinstance(error, ValueError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_arguments_that_are_given_already_are_not_proposed() -> None:
    with pytest.raises(KeywordError) as seen:
        Bilinear(200e9, fy=355e6, Fy=235e6)
    assert seen.value.fix == ""


def test_the_word_that_is_spelt_alike_comes_before_the_one_that_means_it() -> None:
    assert right_word("e", ["k", "E"]) == "E"
    assert right_word("dt_", ["dt", "steps"]) == "dt"
    assert right_word("tol", ["tolerance", "total"]) == "tolerance"
    assert right_word("zzz", ["tolerance"]) == ""


def test_a_users_own_material_names_its_arguments() -> None:
    class Spring(Material):
        yield_force: float = positive("force", "force")

    with pytest.raises(
        KeywordError,
        match=r"Spring: Fy = 1.0 is not an argument; .* are "
        r"yield_force. Fix: write yield_force=",
    ):
        Spring(Fy=1.0)


def test_errors_inside_a_call_are_left_alone() -> None:
    """A TypeError that is not about binding arguments is not touched, nor one about missing
    arguments."""

    class Odd(Material):
        k: float = positive("stiffness", "force/length")

        def validate(self) -> None:
            raise TypeError("from inside")

    with pytest.raises(TypeError, match="from inside"):
        Odd(k=1.0)
    with pytest.raises(TypeError, match="missing"):
        Bilinear(E=1.0)


def public() -> Iterator[tuple[str, Any]]:
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            found = getattr(module, name)
            own = callable(found) and getattr(found, "__module__", "").startswith("femu")
            own = own and bool(isinstance(found, type) or inspect.signature(found).parameters)
            if (
                own
                and not (isinstance(found, type) and issubclass(found, (BaseException, Enum)))
                and name not in OPEN | WITHOUT
            ):
                yield f"{package}.{name}", found
                if isinstance(found, type):
                    for method in dir(found):
                        kind = inspect.getattr_static(found, method)
                        if (
                            not method.startswith("_")
                            and isinstance(kind, (classmethod, staticmethod))
                            and len(inspect.signature(getattr(found, method)).parameters)
                        ):
                            yield f"{package}.{name}.{method}", getattr(found, method)


def test_every_public_class_and_function_names_a_wrong_keyword() -> None:
    assert set(PACKAGES) >= {"femu.elements", "femu.materials"}
    for name, found in public():
        with pytest.raises(FemuError) as seen:
            found(not_a_keyword=1)
        assert "not_a_keyword" in str(seen.value), name


def test_functions_can_still_be_pickled() -> None:
    for name, found in public():
        if inspect.isfunction(found) and "." not in found.__qualname__:
            assert pickle.loads(pickle.dumps(found)) is found, name
    assert pickle.loads(pickle.dumps(femu.Save(every=2))) == femu.Save(every=2)
