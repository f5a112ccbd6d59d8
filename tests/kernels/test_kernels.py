"""Kernels: pointers and calls by address, and a cache that cannot serve stale code."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import types
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from femu.kernels import (
    FLOAT,
    FLOATS,
    INT,
    INTS,
    Kernel,
    address_of,
    caller,
    compiled,
    floats_at,
    floats_of,
    inlined,
    kernel,
    kernel_cache,
    load,
    shift,
    store,
)
from femu.kernels.kernel_cache import compile_statistics, fingerprint, on_compile
from femu.support.errors import InputError
from femu.support.isolated_python import python, surroundings

# --- fingerprint ---


def made(source: str, name: str = "f", **given: Any) -> Any:
    """A function from source that is in no file.

    Only what it reaches can distinguish two of them.
    """
    space: dict[str, Any] = {"__name__": "made", **given}
    exec(compile(source, "<made>", "exec"), space)
    return space[name]


SUM = "def f(x):\n    return C * x + A * x + B\n"


def module(**contents: Any) -> types.ModuleType:
    found = types.ModuleType("constants")
    found.__dict__.update(contents)
    return found


NESTED = "def g(x):\n    return x * K\ndef f(x):\n    return g(x) + 1.0\n"
CLOSURE = "def outer(n):\n    def f(x):\n        return x * n\n    return f\nf = outer(N)\n"
DEFAULT = "def f(x, tolerance=T):\n    return x * tolerance\n"
KEYWORD = "def f(x, *, tolerance=T):\n    return x * tolerance\n"
ALIAS = "def f(x):\n    return x * slot.TIME + slot.STEP\n"
INNER = "def f(x):\n    def g(y):\n        return y * K\n    return g(x)\n"


@pytest.mark.parametrize(
    ("source", "before", "after"),
    [
        (SUM, {"A": 20, "B": 20, "C": 5}, {"A": 20, "B": 21, "C": 5}),
        # equal small integers are one object in Python
        (SUM, {"A": 20, "B": 20, "C": 5}, {"A": 20, "B": 5, "C": 5}),
        (SUM, {"A": 1.0, "B": 2.0, "C": 3.0}, {"A": 2.0, "B": 1.0, "C": 3.0}),
        (SUM, {"A": 1, "B": 2, "C": 3}, {"A": 1.0, "B": 2, "C": 3}),
        (SUM, {"A": True, "B": 2, "C": 3}, {"A": 1, "B": 2, "C": 3}),
        (SUM, {"A": np.float64(1.0), "B": 2, "C": 3}, {"A": np.float64(1.5), "B": 2, "C": 3}),
        (SUM, {"A": np.zeros(4), "B": 2, "C": 3}, {"A": np.zeros((2, 2)), "B": 2, "C": 3}),
        (
            SUM,
            {"A": np.zeros(2), "B": 2, "C": 3},
            {"A": np.zeros(2, dtype=np.int64), "B": 2, "C": 3},
        ),
        (SUM, {"A": (1, 2), "B": 2, "C": 3}, {"A": (1, 3), "B": 2, "C": 3}),
        (SUM, {"A": (1, (2, 3)), "B": 2, "C": 3}, {"A": (1, 2, 3), "B": 2, "C": 3}),
        (NESTED, {"K": 2.0}, {"K": 3.0}),
        (CLOSURE, {"N": 4}, {"N": 5}),
        (DEFAULT, {"T": 1e-6}, {"T": 1e-8}),
        (KEYWORD, {"T": 1e-6}, {"T": 1e-8}),
        (INNER, {"K": 2.0}, {"K": 3.0}),
        (ALIAS, {"slot": module(TIME=1, STEP=2)}, {"slot": module(TIME=1, STEP=3)}),
        (ALIAS, {"slot": module(TIME=1, STEP=2)}, {"slot": module(TIME=2, STEP=1)}),
    ],
)
def test_fingerprint_sees_every_value_a_function_reaches(
    source: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert fingerprint(made(source, **before)) == fingerprint(made(source, **before))
    assert fingerprint(made(source, **before)) != fingerprint(made(source, **after))


def test_fingerprint_sees_the_code_of_functions_called() -> None:
    def calling(inner: str) -> str:
        helper = inlined(made(f"def g(x):\n    return {inner}\n", "g"))
        return fingerprint(made("def f(x):\n    return g(x)\n", g=helper))

    assert calling("x * 2.0") != calling("x * 3.0")
    assert calling("x + x") != calling("x * x")
    assert calling("x * 2.0") == calling("x * 2.0")


def test_fingerprint_takes_functions_that_call_each_other() -> None:
    source = "def f(n):\n    return g(n - 1) if n > 0 else K\ndef g(n):\n    return f(n - 1) if n > 0 else 1.0\n"
    assert fingerprint(made(source, K=1.0)) != fingerprint(made(source, K=2.0))


def test_fingerprint_sees_the_fields_of_named_tuples() -> None:
    """Attributes of a named tuple are compiled to places: another order is other code."""
    source = "def f(x):\n    return Line(x, 2.0 * x).slope\n"
    one, two = (
        made(source, Line=namedtuple("Line", fields))
        for fields in (("stress", "slope"), ("slope", "stress"))
    )
    assert fingerprint(one) != fingerprint(two)


def test_fingerprint_sees_signatures_of_calls_by_address() -> None:
    source = "def f(a):\n    return call(a, (1.0,))\n"
    one, two = (made(source, call=caller(s)) for s in (FLOAT(FLOAT), FLOAT(INT)))
    assert fingerprint(one) != fingerprint(two)


# --- the cache on disk ---


def triple(x):
    return 3.0 * x


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FEMU_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("FEMU_QUIET", "1")
    return tmp_path / "cache"


def compiled_now(action: Any) -> int:
    before = compile_statistics()[0]
    action()
    return compile_statistics()[0] - before


def test_the_second_time_nothing_is_compiled(cache: Path) -> None:
    assert compiled_now(lambda: compiled(triple)(2.0)) == 1
    assert compiled_now(lambda: compiled(triple)(2.0)) == 0
    assert compiled(triple)(2.0) == 6.0
    assert compiled_now(lambda: compiled(triple)(2)) == 1, "another type is another overload"
    assert all(f.suffix == ".bin" for f in cache.iterdir()), "no temporary files stay behind"


@pytest.mark.parametrize("damage", ["empty", "cut", "text", "flip", "foreign"])
def test_a_damaged_file_is_compiled_anew(cache: Path, damage: str) -> None:
    import pickle

    compiled(triple)(2.0)
    (file,) = cache.iterdir()
    good = file.read_bytes()
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 0xFF
    file.write_bytes(
        {
            "empty": b"",
            "cut": good[: len(good) // 2],
            "text": b"not a cache",
            "flip": bytes(flipped),
            "foreign": pickle.dumps({"a": 1}),
        }[damage]
    )
    assert compiled_now(lambda: compiled(triple)(2.0)) == 1
    assert compiled(triple)(2.0) == 6.0
    assert len(file.read_bytes()) > 1000, "and written again"


def test_a_folder_that_cannot_be_written_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("FEMU_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setenv("FEMU_QUIET", "1")
    assert compiled(triple)(2.0) == 6.0
    assert kernel(FLOAT(FLOAT))(triple).ctypes(2.0) == 6.0


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no such rights here")
@pytest.mark.parametrize("whose", ["of all", "of the group", "of another"])
def test_code_that_others_may_have_put_there_is_not_run(
    cache: Path, whose: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled(triple)(2.0)
    (file,) = cache.iterdir()
    assert cache.stat().st_mode & 0o077 == 0
    if whose != "of another":
        cache.chmod(0o777 if whose == "of all" else 0o770)
    elif os.geteuid() == 0:
        os.chown(cache, 54321, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: cache.stat().st_uid + 1)
    before = file.read_bytes()
    file.write_bytes(b"")
    assert (
        compiled_now(lambda: compiled(triple)(2.0))
        == compiled_now(lambda: compiled(triple)(2.0))
        == 1
    )
    assert file.read_bytes() == b"", "nor is anything kept there"
    file.write_bytes(before)
    assert compiled_now(lambda: compiled(triple)(2.0)) == 1
    assert capsys.readouterr().err.count(f"others can write to {cache}") == 1


def test_compiling_is_announced(
    cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    on_compile(names.append)
    try:
        compiled(triple)(1.0)
    finally:
        on_compile(None)
    assert len(names) == 1
    assert "triple" in names[0]
    monkeypatch.delenv("FEMU_QUIET")
    monkeypatch.setattr(kernel_cache, "_announce", kernel_cache._Announcement())
    monkeypatch.setenv("FEMU_CACHE_DIR", str(cache / "other"))
    compiled(triple)(1.0)
    compiled(triple)(1)
    assert capsys.readouterr().err.count("compiling") == 1


# --- another process, another version of the code ---


def process(script: str, tmp_path: Path, *path: Path) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "FEMU_CACHE_DIR": str(tmp_path / "cache"),
        "FEMU_QUIET": "1",
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=tmp_path,
    )


def output(script: str, tmp_path: Path, *path: Path) -> list[float]:
    started = process(script, tmp_path, *path)
    text, _ = started.communicate(timeout=120)
    assert started.returncode == 0
    return [float(v) for v in text.split()]


CHAIN = {
    "numbers.py": "GAIN = 2.0\nSHARED = 7.0\n",
    "places.py": "STEP = 3.0\n",
    "helper.py": (
        "from chain.numbers import GAIN\nfrom femu.kernels import inlined\n\n"
        "@inlined\ndef boosted(x):\n    return GAIN * x\n"
    ),
    "top.py": (
        "from chain import places as slot\nfrom chain.helper import boosted\nfrom "
        "femu.kernels import FLOAT, kernel\n\n"
        "@kernel(FLOAT(FLOAT))\ndef value(x):\n    return boosted(x) + slot.STEP\n"
    ),
    "__init__.py": "",
}
RUN_CHAIN = (
    "from chain.top import value\n"
    "from femu.kernels.kernel_cache import compile_statistics\n"
    "print(value.ctypes(10.0), compile_statistics()[0])\n"
)


def test_a_constant_edited_in_another_file_is_seen(tmp_path: Path) -> None:
    package = tmp_path / "chain"
    package.mkdir()
    for name, text in CHAIN.items():
        (package / name).write_text(text)

    def edit(name: str, old: str, new: str) -> None:
        text = (package / name).read_text()
        assert old in text
        (package / name).write_text(text.replace(old, new))

    assert output(RUN_CHAIN, tmp_path, tmp_path) == [23.0, 1.0]
    edit("numbers.py", "SHARED = 7.0", "SHARED = 8.0")  # not reached: no reason to compile
    assert output(RUN_CHAIN, tmp_path, tmp_path) == [23.0, 0.0]
    edit("numbers.py", "GAIN = 2.0", "GAIN = 4.0")  # imported by name, two files away
    assert output(RUN_CHAIN, tmp_path, tmp_path) == [43.0, 1.0]
    edit("places.py", "STEP = 3.0", "STEP = 5.0")  # reached through a module
    assert output(RUN_CHAIN, tmp_path, tmp_path) == [45.0, 1.0]
    edit("helper.py", "GAIN * x", "GAIN * x * x")  # the code of a function called
    assert output(RUN_CHAIN, tmp_path, tmp_path) == [405.0, 1.0]


def copy_of_femu(folder: Path) -> Path:
    """All packages of femu, laid out as installed."""
    import femu.analyses
    import femu.benchmarks
    import femu.elements
    import femu.experimental
    import femu.materials

    def copied(source: str | None, target: Path) -> None:
        assert source is not None
        shutil.copytree(
            Path(source).parent,
            target,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )

    copied(femu.__file__, folder / "femu")
    for part in (femu.analyses, femu.benchmarks, femu.elements, femu.experimental, femu.materials):
        copied(part.__file__, folder / "femu" / part.__name__.partition(".")[2])
    return folder


HARDENING = """
import sys
from importlib.machinery import PathFinder
sys.meta_path.insert(0, PathFinder)  # the copy comes before an editable install
import femu
from femu.kernels.kernel_cache import compile_statistics
from femu.materials import Hardening
from femu.model.strain_path import drive
assert femu.__file__.startswith({folder!r}), femu.__file__
path = drive(Hardening(E=200.0, fy=1.0, H_kin=50.0), [0.7 / 200.0, 0.0])
print(path.tangent[0, 0], compile_statistics()[0])
"""


def test_a_constant_edited_in_a_copy_of_femu_is_seen(tmp_path: Path) -> None:
    """Hardening takes AT_YIELD, from where on a point counts as yielding, from the file of another
    material."""
    folder = copy_of_femu(tmp_path / "copy")
    script = HARDENING.format(folder=str(folder))
    tangent, count = output(script, tmp_path, folder)
    assert tangent == 200.0
    assert count > 0
    assert output(script, tmp_path, folder) == [200.0, 0.0]
    file = folder / "femu" / "materials" / "bilinear.py"
    text = file.read_text()
    assert "AT_YIELD = 1.0 - 1e-12" in text
    file.write_text(text.replace("AT_YIELD = 1.0 - 1e-12", "AT_YIELD = 0.5"))
    tangent, count = output(script, tmp_path, folder)
    assert tangent == pytest.approx(200.0 * 50.0 / 250.0)
    assert count > 0


def test_two_processes_may_compile_at_the_same_time(tmp_path: Path) -> None:
    package = tmp_path / "chain"
    package.mkdir()
    for name, text in CHAIN.items():
        (package / name).write_text(text)
    started = [process(RUN_CHAIN, tmp_path, tmp_path) for _ in range(2)]
    for one in started:
        text, _ = one.communicate(timeout=120)
        assert one.returncode == 0
        assert text.startswith("23.0 ")
    assert output(RUN_CHAIN, tmp_path, tmp_path) == [23.0, 0.0]
    assert {f.suffix for f in (tmp_path / "cache").iterdir()} == {".bin"}


# --- pointers and calls ---


@kernel(INT(INT, FLOATS, FLOATS))
def _reversed_pairs(n, x, y):
    for j in range(n):
        a, b = load(x, j, n, 2)
        store(y, 2 * j, 1, (b, a))
    return n


@kernel(FLOAT(FLOATS, INT))
def _third(x, by):
    return shift(x, by)[0]


call_third = caller(FLOAT(FLOATS, INT))


@compiled
def _indirect(address, values, by):
    inside = address_of(floats_of(values, 1))
    return call_third(address, (floats_of(values, 0), by)) + floats_at(inside)[0]


def _pointer(array: np.ndarray) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def test_load_and_store_by_strides() -> None:
    x, y = np.arange(6.0), np.zeros(6)
    assert _reversed_pairs.ctypes(3, _pointer(x), _pointer(y)) == 3
    assert y.tolist() == [3.0, 0.0, 4.0, 1.0, 5.0, 2.0]


def test_calls_by_address() -> None:
    values = np.array([1.0, 10.0, 100.0])
    assert _third.ctypes(_pointer(values), 2) == 100.0
    assert _indirect(_third.address, values, 2) == 110.0
    assert _indirect(_third.address, values, 0) == 11.0


def test_a_kernel_has_a_name_and_one_address() -> None:
    assert repr(_third).startswith("<kernel ")
    assert repr(_third).endswith("_third>")
    assert isinstance(_third, Kernel)
    assert _third.address == _third.address
    assert isinstance(INTS, type(FLOATS))


def test_a_helper_is_compiled_inside_kernels_and_plain_python_outside() -> None:
    @inlined
    def twice(x):
        return 2.0 * x

    @compiled
    def one_more(x):
        return twice(x) + 1.0

    assert one_more(2.0) == 5.0
    assert twice(2.0) == twice(x=2.0) == 4.0
    with pytest.raises(TypeError):
        twice("a")  # as Python says it


def test_division_by_zero_follows_numpy() -> None:
    @compiled
    def inverse(x):
        return 1.0 / x

    assert inverse(0.0) == np.inf


# --- what is not compiled ---


def plain(x):  # a function for Python alone
    return 2.0 * x


def test_a_kernel_that_may_end_without_a_return_is_refused() -> None:
    # numba compiles it, and a caller would continue with whatever number is left
    @kernel(INT(FLOAT))
    def sometimes(x):
        if x > 0.0:
            return 1

    @kernel(INT(FLOAT))
    def never(x):
        x += 1.0

    for made in (sometimes, never):
        with pytest.raises(InputError, match=r"ends without a return.*return 0 if all"):
            made.address  # noqa: B018


def test_a_helper_that_may_end_without_a_return_is_refused() -> None:
    @inlined
    def sometimes(x):
        if x > 0.0:
            return 1

    @kernel(INT(FLOAT), noalias=False)
    def calls(x):
        return sometimes(x)

    with pytest.raises(InputError, match=r"ends without a return"):
        calls.address  # noqa: B018


def test_a_kernel_that_calls_a_plain_function_is_refused() -> None:
    @kernel(FLOAT(FLOAT))
    def calls(x):
        return plain(x)

    with pytest.raises(InputError, match=r"calls plain, .* Fix: put @inlined .* above def plain"):
        calls.address  # noqa: B018


SAME_NAME = """
import sys
from femu.kernels import INT, INTS, Kernel

def made(number):
    def block(x):
        return number
    return Kernel(block, INT(INTS), f"number {number}")

chosen = [made(int(word)) for word in sys.argv[1]]
for one in chosen:
    one.ctypes  # loads them all
addresses = [one.address for one in chosen]
assert len(set(addresses)) == len(addresses)
"""


def test_kernels_of_one_maker_that_were_cached_apart_keep_their_addresses(tmp_path: Path) -> None:
    """Processes of their own give the first kernel of a maker the same compiled name."""
    for chosen in ("1", "2", "12", "21"):
        subprocess.run(
            python(SAME_NAME, chosen),
            env=surroundings(FEMU_CACHE_DIR=str(tmp_path / "cache"), FEMU_QUIET="1"),
            check=True,
            timeout=120,
        )
