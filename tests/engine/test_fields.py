"""Declared fields: the same numbers as by slots, inside kernels and in Python."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from femu.engine.fields import Fields, fields_at, floats, given, integer, integers, number, part
from femu.kernels import (
    FLOATS,
    INT,
    INTS,
    Kernel,
    address_of,
    caller,
    compiled,
    floats_at,
    inlined,
    ints_at,
    kernel,
    load,
    routine,
    shift,
)
from femu.kernels.kernel_cache import fingerprint
from femu.support.errors import InputError
from tests.engine.example_fields import Coefficients, Estimate, LongerWork, Work, declare

WORK = Work.kernel_type
ESTIMATE = Estimate.kernel_type
work_at, coefficients_at, estimate_at = Work.at, Coefficients.at, Estimate.at
NEQ, FACTOR, TIME, R, EXTERNAL, INTERNAL, ORDER, COEFFICIENTS, SOLVE, DOFS = range(10)
_call = caller(INT(WORK, INT))


@inlined
def unbalance_by_slots(c):
    r, external, internal, order = (
        floats_at(c[R]),
        floats_at(c[EXTERNAL]),
        floats_at(c[INTERNAL]),
        ints_at(c[ORDER]),
    )
    s, time = floats_at(c[COEFFICIENTS]), floats_at(c[TIME])
    for a in range(c[NEQ]):
        r[order[a]] = s[1] * external[a] - internal[a]
    time[0] += s[0]
    s[2] += 2.0
    c[DOFS + 1] += 7
    return int(s[2])


@inlined
def unbalance_by_fields(run):
    r, external, internal, order = run.r, run.external, run.internal, run.order
    coefficients = run.coefficients
    for a in range(run.neq):
        r[order[a]] = coefficients.alpha * external[a] - internal[a]
    run.time += coefficients.dt
    coefficients.test += 2
    run.dofs[1] += 7
    return coefficients.test


@kernel(INT(INTS), noalias=False)
def by_slots(c):
    return unbalance_by_slots(c)


@kernel(INT(WORK), noalias=False)
def by_fields(run):
    return unbalance_by_fields(run)


@kernel(INT(LongerWork.kernel_type), noalias=False)
def by_longer_fields(run):
    run.row += 1
    return unbalance_by_fields(run)


def filled(declared: Any = Work) -> Any:
    random = np.random.default_rng(1)
    run, coefficients = declared(), Coefficients()
    run.neq, run.time, run.order = 5, np.array([0.5]), np.array([3, 1, 4, 0, 2])
    run.r, run.external, run.internal = (
        np.zeros(5),
        random.standard_normal(5),
        random.standard_normal(5),
    )
    coefficients.dt, coefficients.alpha, coefficients.test = 0.01, 0.7, 3
    run.coefficients = coefficients
    return run


def call(function: Kernel, run: Fields, *arguments: Any) -> int:
    pointer = ctypes.POINTER(ctypes.c_double if type(run).word is float else ctypes.c_int64)
    return int(function.ctypes(run.vector.ctypes.data_as(pointer), *arguments))


# --- inside kernels ---


@pytest.mark.parametrize(
    ("declared", "function"), [(Work, by_fields), (LongerWork, by_longer_fields)]
)
def test_fields_give_the_bits_of_slots(declared: Any, function: Kernel) -> None:
    one, two = filled(declared), filled(declared)
    assert call(by_slots, one) == call(function, two) == 5
    assert one.r.tobytes() == two.r.tobytes()
    assert one.time.tobytes() == two.time.tobytes()
    assert one.coefficients.vector.tobytes() == two.coefficients.vector.tobytes()
    assert one.dofs.tolist() == two.dofs.tolist() == [0, 7, 0]


def test_slots_are_in_the_order_of_the_declaration_and_those_of_a_base_come_first() -> None:
    assert [f.slot for f in Work.declared.values()] == list(range(10))
    assert (Work.words(), LongerWork.row.slot, LongerWork.words()) == (12, 12, 13)
    assert LongerWork.r is Work.r


@kernel(INT(WORK, INT))
def _add(run, count):
    run.neq += count
    run.factor = 0.5 * run.factor
    return run.neq


@kernel(INT(INTS))
def _through_address(c):
    return _call(work_at(c).solve, (c, 4))


def test_a_kernel_is_called_by_address_with_the_fields_or_with_their_bare_pointer() -> None:
    run = Work()
    run.neq, run.factor, run.solve = 3, 5.0, _add
    assert call(_through_address, run) == 7
    assert (run.neq, run.factor) == (7, 2.5)


@kernel(INT(WORK))
def _redirect(run):
    seen = run.r
    run.r = run.external
    r = run.r
    r[0] = 42.0
    run.r = seen
    run.internal = floats_at(0)
    return int(given(run.r)) + 2 * int(given(run.internal)) + 4 * int(given(run.order))


def test_a_kernel_can_point_a_field_to_another_vector_or_to_nothing() -> None:
    run = filled()
    external = run.external
    assert call(_redirect, run) == 5
    assert external[0] == 42.0
    assert run.r.tolist() == [0.0] * 5  # as before, by its address
    assert run.internal == 0


@routine
def _trace(estimate, n):
    P, total = estimate.covariance, 0.0
    for a in range(n):
        total += P[a * n + a]
    return total


@kernel(INT(FLOATS, INT, INT))
def _predict(s, n, m):
    estimate = estimate_at(s, n, m)
    estimate.steps += 1
    x, triangle, own = estimate.mean, estimate.triangle, estimate.own
    for a in range(n):
        x[a] = a + 1.0
    triangle[m * (m + 1) // 2 - 1] = 8.0
    own[1] = 9.0
    estimate.nis = _trace(estimate, n)
    return estimate.steps


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 2), (6, 3)])
def test_sizes_of_parts_follow_from_counts_that_are_known_at_run_time(n: int, m: int) -> None:
    size = 2 + n + n * n + m * (m + 1) // 2
    assert Estimate.words(n=n, m=m) == size
    estimate = Estimate(np.zeros(size + 3), n=n, m=m)
    estimate.covariance = 2.0 * np.eye(n)
    assert call(_predict, estimate, n, m) == estimate.steps == 1
    expected = [
        1.0,
        2.0 * n,
        *range(1, n + 1),
        *(2.0 * np.eye(n)).ravel(),
        *[0.0] * (m * (m + 1) // 2 - 1),
        8.0,
        0.0,
        9.0,
        0.0,
    ]
    assert estimate.vector.tolist() == expected
    assert estimate.own.tolist() == [0.0, 9.0, 0.0]


def test_counts_that_are_constants_leave_no_arithmetic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEMU_CACHE_DIR", str(tmp_path))  # numba cannot show code from a cache

    def by_parts(s):
        return int(estimate_at(s, 3, 2).covariance[4])

    def by_place(s):
        return int(shift(s, 5)[4])

    made = [
        Kernel(f, INT(FLOATS), "constant")._compiled._library.get_llvm_str()
        for f in (by_parts, by_place)
    ]
    counts = [
        [text.count(f" {word} ") for word in ("mul", "add", "load", "getelementptr")]
        for text in made
    ]
    assert counts[0] == counts[1]


@compiled
def _from_array(vector, values):
    run = work_at(vector)
    run.neq, run.factor = values.size, values[0]
    return load(run.r, 0, 1, 2)


def test_an_array_of_python_is_opened_too() -> None:
    run = Work()
    run.r = np.array([3.0, 4.0])
    assert _from_array(run.vector, np.array([1.5, 0.0, 0.0])) == (3.0, 4.0)
    assert (run.neq, run.factor) == (3, 1.5)


def refused(function: Any, signature: Any) -> str:
    with pytest.raises(InputError) as error:
        _ = Kernel(function, signature).address
    return str(error.value)


def test_a_kernel_with_a_wrong_name_is_refused_with_the_names_that_are_close() -> None:
    assert "Work has no field 'extrenal'. Did you mean external" in refused(
        lambda run: run.extrenal[0], INT(WORK)
    )

    def write(run):
        run.neg = 1
        return 0

    assert "Work has no field 'neg'. Did you mean neq" in refused(write, INT(WORK))
    assert "Estimate has no field 'zzz'. It has steps, nis, mean" in refused(
        lambda s: estimate_at(s, 1, 1).zzz, INT(FLOATS)
    )
    assert "Coefficients has no field 'beta'" in refused(
        lambda run: run.coefficients.beta, INT(WORK)
    )


def test_a_kernel_that_opens_fields_wrongly_is_refused() -> None:
    assert "Estimate needs n, m after the vector" in refused(
        lambda s: estimate_at(s, 1).steps, INT(FLOATS)
    )
    assert "Work needs no counts after the vector" in refused(
        lambda s: work_at(s, 1).neq, INT(INTS)
    )
    assert "is neither an address" in refused(lambda s: work_at(1.5).neq, INT(INTS))

    def write(run):
        run.dofs = run.order
        return 0

    assert "Work.dofs is a part of the vector: write its entries" in refused_lowering(write)


def refused_lowering(function: Any) -> str:
    with pytest.raises(Exception) as error:
        _ = Kernel(function, INT(WORK)).address
    return str(error.value)


# --- the cache of kernels ---


@pytest.mark.parametrize(
    "change",
    [
        {"r": floats("n", "unbalance"), "n": integer("count")},  # another order
        {"n": number("count"), "r": floats("n", "unbalance")},  # another kind
        {"n": integer("count"), "r": integers("n", "unbalance")},
        {"n": integer("count"), "r": floats("n", "unbalance"), "x": integer("more")},
        {"n": integer("count"), "r": fields_at(Coefficients, "unbalance")},
    ],
)
def test_a_change_of_a_declaration_changes_the_key_of_every_kernel_that_uses_it(
    change: dict[str, Any],
) -> None:
    first = {"n": integer("count"), "r": floats("n", "unbalance")}
    same = {"n": integer("number of equations"), "r": floats("m", "in other words")}
    made = [declare(body) for body in (first, same, change)]
    keys = [str(INT(m.kernel_type)) for m in made]  # by its signature ...
    assert keys[0] == keys[1] != keys[2]
    prints = [fingerprint(opened(m.at)) for m in made]  # ... or by what it opens itself
    assert prints[0] == prints[1] != prints[2]
    nested = [str(declare({"of": fields_at(m, "nested")}).kernel_type) for m in made]
    assert nested[0] == nested[1] != nested[2]


def test_a_change_of_the_counts_changes_the_key() -> None:
    def key(shape: str, *counts: str) -> str:
        return str(
            declare(
                {"x": part(shape, "vector"), "y": part("n", "vector")}, word=float, counts=counts
            ).kernel_type
        )

    assert (
        len(
            {
                key("n", "n"),
                key("n", "n", "m"),
                key("2 * n", "n"),
                key("n", "m", "n"),
                key("4", "n"),
            }
        )
        == 5
    )


def opened(at: Any) -> Any:
    def function(s):
        return at(s).n

    return function


MODULE = """
from femu.engine.fields import Fields, floats, integer
from femu.kernels import INT, kernel

class Small(Fields):
    {declared}

@kernel(INT(Small.kernel_type))
def read(small):
    return small.n
"""
SCRIPT = """
import ctypes
import small
from femu.kernels.kernel_cache import compile_statistics
vector = small.Small()
vector.n = 5
value = small.read.ctypes(vector.vector.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)))
print(value, compile_statistics()[0])
"""


@pytest.mark.slow
def test_another_process_takes_a_kernel_from_the_cache_until_its_declaration_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEMU_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("FEMU_QUIET", "1")

    def run(declared: str) -> str:
        (tmp_path / "small.py").write_text(MODULE.format(declared=declared))
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    plain, other = 'n = integer("count")', 'r = floats("n", "vector"); n = integer("count")'
    assert [run(plain), run(plain), run(other)] == ["5 1", "5 0", "5 1"]


def test_a_pointer_to_fields_is_a_pointer() -> None:
    @kernel(INT(WORK))
    def entry(run):
        return run[0] + shift(run, 1)[0] + address_of(run.order)

    run = Work()
    run.neq = 3
    assert call(entry, run) == 3
