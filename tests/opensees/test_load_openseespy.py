"""openseespy loads on a bare machine.

Each case in a process of its own, since it keeps global state.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

has_opensees = importlib.util.find_spec("openseespy") is not None
needs_opensees = pytest.mark.skipif(not has_opensees, reason="openseespy is not installed")

CANTILEVER = """
from femu.opensees.load_openseespy import load_opensees
ops = load_opensees()
ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
ops.node(1, 0.0, 0.0)
ops.node(2, 3.0, 0.0)
ops.fix(1, 1, 1, 1)
ops.geomTransf("Linear", 1)
ops.element("elasticBeamColumn", 1, 1, 2, 1e-2, 200e9, 1e-4, 1)
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(2, 0.0, 1000.0, 0.0)
ops.constraints("Plain"); ops.numberer("Plain"); ops.system("BandGeneral"); ops.integrator("LoadControl", 1.0)
ops.algorithm("Linear"); ops.analysis("Static"); ops.analyze(1)
print("tip", repr(ops.nodeDisp(2, 2)))
"""


def _python(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True)


@needs_opensees
@pytest.mark.opensees
def test_opensees_solves_a_cantilever(tmp_path: Path) -> None:
    """P L³ / (3 E I), through a banded LAPACK solver.

    The library that is missing on a bare machine.
    """
    run = _python(CANTILEVER, tmp_path)
    assert run.returncode == 0, run.stderr
    tip = float(run.stdout.split("tip")[1].split()[0])
    assert tip == pytest.approx(1000.0 * 3.0**3 / (3 * 200e9 * 1e-4), rel=1e-12)


@needs_opensees
@pytest.mark.opensees
@pytest.mark.skipif(
    not sys.platform.startswith("linux") or ctypes.util.find_library("blas") is not None,
    reason="the machine has a libblas of its own",
)
def test_without_the_loader_it_fails_here(tmp_path: Path) -> None:
    """Shows that the loader is what makes the difference on this machine."""
    assert _python("import openseespy.opensees", tmp_path).returncode != 0


@needs_opensees
@pytest.mark.opensees
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="concerns the Linux wheel")
def test_the_wheels_own_libraries_are_used(tmp_path: Path) -> None:
    """Holds also where the system has a libblas.

    The one of the wheel is loaded, so results do not depend on it.
    """
    code = "from femu.opensees.load_openseespy import load_opensees\nload_opensees()\nprint(open('/proc/self/maps').read())"
    run = _python(code, tmp_path)
    assert run.returncode == 0, run.stderr
    loaded = {line.split()[-1] for line in run.stdout.splitlines() if "libblas.so.3" in line}
    assert len(loaded) == 1
    assert "openseespylinux" in loaded.pop()


def test_not_installed_names_the_extra(tmp_path: Path) -> None:
    code = """
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name.startswith("openseespy") else real(name, package)
from femu.support.errors import UnsupportedError
from femu.opensees.load_openseespy import load_opensees
try:
    load_opensees()
except UnsupportedError as error:
    print(error)
"""
    run = _python(code, tmp_path)
    assert run.returncode == 0, run.stderr
    assert "femu[opensees]" in run.stdout


def test_a_wheel_that_does_not_load_says_why(tmp_path: Path) -> None:
    """A stand-in package that fails as openseespy does.

    Two general errors over the loader's own.
    """
    package = tmp_path / "openseespy" / "opensees"
    package.mkdir(parents=True)
    (tmp_path / "openseespy" / "__init__.py").write_text("")
    (package / "__init__.py").write_text(
        "try:\n    raise ImportError('libquaint.so.9: cannot open')\n"
        "except ImportError:\n    raise RuntimeError('Failed to import openseespy')\n"
    )
    code = """
from femu.support.errors import UnsupportedError
from femu.opensees.load_openseespy import load_opensees
try:
    load_opensees()
except UnsupportedError as error:
    print(error)
"""
    run = _python(code, tmp_path)
    assert "libquaint.so.9" in run.stdout, run.stderr
