"""Pinching4, HystereticSM and Bilin as scripts write them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import femu.opensees as ops
from femu.materials import ModifiedIMK, MultilinearPinching, QuadrilinearPinching
from femu.opensees.front_end.domain import domain
from femu.support.errors import ModelWarning

FOUR = (1.0, 0.005, 1.5, 0.02, 1.2, 0.05, 0.3, 0.08)
PINCH = (0.5, 0.3, 0.1)
DAMAGE = (0.1,) * 15
BILIN = (
    1e5,
    0.02,
    0.04,
    1000.0,
    -800.0,
    1.0,
    1.1,
    99.0,
    1.2,
    1.0,
    1.0,
    77.0,
    1.0,
    0.03,
    0.02,
    0.15,
    0.2,
    0.3,
    0.2,
    0.4,
    0.3,
    1.0,
    0.7,
)


@pytest.fixture(autouse=True)
def model() -> Iterator[None]:
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    yield
    ops.wipe()


def values(tag: int) -> list[float]:
    return [value for _, _, value in domain.materials[tag].walk_parameters()]


@pytest.mark.parametrize(
    ("word", "by_cycles"), [("cycle", 1.0), ("Cycle", 1.0), ("energy", 0.0), ("damageEnergy", 0.0)]
)
def test_pinching4_of_one_side_is_that_of_two(word: str, by_cycles: float) -> None:
    ops.uniaxialMaterial("Pinching4", 1, *FOUR, *PINCH, *DAMAGE, 10.0, word)
    ops.uniaxialMaterial(
        "Pinching4", 2, *FOUR, *(-v for v in FOUR), *PINCH, *PINCH, *DAMAGE, 10.0, word
    )
    assert isinstance(domain.materials[1], QuadrilinearPinching)
    assert values(1) == values(2)
    assert values(1)[-1] == by_cycles


def test_pinching4_says_what_is_wrong() -> None:
    with pytest.raises(ops.OpenSeesError, match="37 numbers were given"):
        ops.uniaxialMaterial(
            "Pinching4", 1, *FOUR, *(-v for v in FOUR), *PINCH, *PINCH, *DAMAGE, "cycle"
        )
    with pytest.raises(ops.OpenSeesError, match="must be 'cycle' or 'energy'"):
        ops.uniaxialMaterial("Pinching4", 1, *FOUR, *PINCH, *DAMAGE, 10.0, "often")
    with pytest.raises(ops.OpenSeesError, match="dmgType"):
        ops.uniaxialMaterial("Pinching4", 1, *FOUR, *PINCH, *DAMAGE, 10.0)
    with pytest.warns(ModelWarning, match="must increase"):
        ops.uniaxialMaterial("Pinching4", 1, *FOUR[:6], 0.3, 0.04, *PINCH, *DAMAGE, 10.0, "cycle")


def test_four_ways_to_write_hysteretic_sm() -> None:
    negative = [-v for v in FOUR]
    swapped = [FOUR[i + 1 - 2 * (i % 2)] for i in range(8)]
    options = ("-pinch", 0.7, 0.3, "-damage", 0.01, 0.02, "-beta", 0.2)
    ops.uniaxialMaterial("HystereticSM", 1, "-posEnv", *FOUR, "-negEnv", *negative, *options)
    ops.uniaxialMaterial("HystereticSM", 2, "-Env", *FOUR, *options)
    ops.uniaxialMaterial("HystereticSM", 3, "-EnvXY", *swapped, *options)
    ops.uniaxialMaterial("HystereticSM", 4, *FOUR, *negative, 0.7, 0.3, 0.01, 0.02, 0.2)
    assert isinstance(domain.materials[1], MultilinearPinching)
    for tag in (2, 3, 4):
        assert values(tag) == pytest.approx(values(1), rel=1e-15)


def test_one_value_counts_for_both() -> None:
    ops.uniaxialMaterial(
        "HystereticSM", 1, "-Env", *FOUR, "-pinch", 0.4, "-damage", 0.01, "-degEnv", 0.2
    )
    assert values(1)[28:] == [0.4, 0.4, 0.01, 0.01, 0.0, 0.2, 0.2]


def test_hysteretic_sm_says_what_is_wrong() -> None:
    with pytest.raises(ops.OpenSeesError, match="2 to 7 points"):
        ops.uniaxialMaterial("HystereticSM", 1, "-posEnv", 1.0, 0.01)
    with pytest.raises(ops.OpenSeesError, match="2 to 7 points"):
        ops.uniaxialMaterial("HystereticSM", 1, "-posEnv", *FOUR, "-negEnv", -1.0, -0.01, -1.1)
    with pytest.raises(ops.OpenSeesError, match="one or two numbers"):
        ops.uniaxialMaterial("HystereticSM", 1, "-posEnv", *FOUR, "-pinch", 0.1, 0.2, 0.3)


def test_bilin_leaves_out_what_has_no_effect() -> None:
    ops.uniaxialMaterial("Bilin", 1, *BILIN)
    ops.uniaxialMaterial("Bilin", 2, *BILIN, 10.0)
    made = domain.materials[1]
    assert isinstance(made, ModifiedIMK)
    assert (made.fy_n, made.lambda_s, made.lambda_c, made.lambda_k) == (800.0, 1.0, 1.1, 1.2)
    assert values(2)[:-1] == values(1)[:-1]
    assert (values(1)[-1], values(2)[-1]) == (0.0, 10.0)


def test_bilin_with_too_few_numbers() -> None:
    with pytest.raises(ops.OpenSeesError, match="DNeg"):
        ops.uniaxialMaterial("Bilin", 1, *BILIN[:-1])
