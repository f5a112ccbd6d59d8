"""Declarations of fields: what they refuse, their glossary, and their face in Python."""

from __future__ import annotations

import numpy as np
import pytest

from femu.engine.fields import Fields, fields_at, floats, integer, part
from femu.errors import InputError
from femu.kernels import INT, kernel
from tests.engine.example_fields import Coefficients, Estimate, Work, declare


@kernel(INT(Work.kernel_type))
def _solve(run):
    return run.neq


def test_a_declaration_that_cannot_be_right_is_refused() -> None:
    with pytest.raises(InputError, match="an address, which a float cannot hold"):
        declare({"r": floats("neq", "unbalance")}, word=float)
    with pytest.raises(InputError, match="depends on nodes"):
        declare({"r": part("nodes", "unbalance")}, word=float, counts=("n",))
    with pytest.raises(InputError, match="must be sums and products"):
        declare({"r": part("max(n, 1)", "unbalance")}, word=float, counts=("n",))
    with pytest.raises(InputError, match="must be expressions"):
        declare({"r": part("2 n", "unbalance")}, word=float, counts=("n",))
    with pytest.raises(InputError, match="comes after rest, which has no end"):
        declare({"rest": part("", "all the rest"), "r": integer("number")})
    for name in ("vector", "_hidden", "lambda", "at"):
        with pytest.raises(InputError, match="choose another"):
            declare({name: integer("number")})
    with pytest.raises(InputError, match="whole numbers"):
        part("1.5", "unbalance")
    with pytest.raises(InputError, match="depends on counts"):
        _ = Estimate.covariance.slot
    with pytest.raises(InputError, match="without counts"):
        fields_at(Estimate, "estimate")
    with pytest.raises(InputError, match="is declared twice"):

        class Twice(Fields):
            r = floats("n", "unbalance")
            r = integer("number")

    with pytest.raises(InputError, match="choose another"):

        class Again(Work):
            neq = integer("number")

    with pytest.raises(InputError, match="must be those of Work"):

        class Other(Work, word=float):
            extra = integer("number")

    with pytest.raises(InputError, match="in one order"):

        class Both(Work, Coefficients):
            extra = integer("number")


def test_the_glossary_has_a_table_for_each_topic() -> None:
    assert Work.glossary().splitlines()[:6] == [
        "**sizes**",
        "",
        "| field | kind | shape | meaning |",
        "|---|---|---|---|",
        "| `neq` | integer |  | number of equations |",
        "| `factor` | float |  | factor of the loads |",
    ]
    assert Work.glossary().count("| field |") == 3
    assert (
        "| `coefficients` | fields of Coefficients |  | numbers of the integrator |"
        in Work.glossary()
    )
    assert "| `covariance` | floats inside | n × n | its covariance |" in Estimate.glossary()
    assert "| `dofs` | integers inside | 3 | degrees of freedom |" in Work.glossary()


def test_fields_of_python_are_checked() -> None:
    run = Work()
    for name, value, rule in (
        ("neq", 1.5, "must be a whole number"),
        ("neq", 2**70, "must be a whole number"),
        ("factor", "1", "must be a number"),
        ("r", [1.0], "contiguous array of float64"),
        ("r", np.zeros(3, dtype=np.float32), "contiguous array of float64"),
        ("r", np.zeros((3, 4))[:, 1], "contiguous array of float64"),
        ("order", np.zeros(3), "contiguous array of int64"),
        ("solve", "here", "must be a kernel"),
        ("coefficients", Work(), "must be Coefficients"),
    ):
        with pytest.raises(InputError, match=rule):
            setattr(run, name, value)
    assert not run.vector.any()
    with pytest.raises(AttributeError, match="nosuch"):
        run.nosuch = 1
    with pytest.raises(AttributeError, match="Did you mean external"):
        _ = run.externl
    with pytest.raises(AttributeError, match="Did you mean external"):
        _ = Work.externl
    with pytest.raises(ValueError, match="broadcast"):
        run.dofs = [1, 2]


def test_a_vector_that_does_not_fit_the_declaration_is_refused() -> None:
    for vector in (
        np.zeros(12),
        np.zeros(11, dtype=np.int64),
        [0] * 12,
        np.zeros(24, dtype=np.int64)[::2],
    ):
        with pytest.raises(InputError, match="contiguous vector of at least 12 entries of int64"):
            Work(vector)
    with pytest.raises(InputError, match="counts"):
        Estimate(np.zeros(100), n=1)
    with pytest.raises(InputError, match="counts"):
        Work(n=1)


def test_fields_of_python_keep_what_they_point_to() -> None:
    run, array = Work(), np.arange(3.0)
    assert run.r is None and run.solve is None
    run.r = array
    assert run.r is array
    assert run.vector[Work.r.slot] == array.__array_interface__["data"][0]
    run.r = int(run.vector[Work.r.slot]) + 8  # an address inside it
    assert run.r == array.__array_interface__["data"][0] + 8
    run.r = None
    assert run.vector[Work.r.slot] == 0
    run.solve = _solve
    assert run.vector[Work.solve.slot] == _solve.address
    assert Estimate(n=2, m=1).covariance.shape == (2, 2)
