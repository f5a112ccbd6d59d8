"""What is never done with anything that was received or read: no pickle, no eval, no exec, no archive that may hold objects."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from tests.campaign.tally import Tally

ROOT = Path(__file__).parents[2]
SOURCES = ("femu", "materials", "elements", "analyses", "experimental", "benchmarks")
ALLOWED = {
    ("femu/kernels.py", "pickle.loads"): "compiled code in the cache folder of this user, under a checksum",
    ("femu/kernel_cache.py", "pickle.loads"): "compiled code in the cache folder of this user, under a checksum",
    ("femu/batch/worker.py", "pickle.loads"): "a worker reads what its own parent packed, over a pipe that no other process has",
    ("femu/batch/runner.py", "pickle.loads"): "a plan that the parent packed, in the same process or on the user's own cluster",
    ("femu/cli/", "runpy.run_path"): "the user names a program on the command line, and it is run as one",
    ("femu/opensees/play.py", "runpy.run_path"): "femu run --as-opensees SCRIPT",
    ("femu/crossvalidation/script.py", "runpy.run_path"): "femu crossvalidate SCRIPT",
    ("experimental/script.py", "runpy.run_path"): "femu serve, resume and replay SCRIPT",
    ("benchmarks/", "runpy.run_path"): "a script of this repository",
}
"""Where one of them may stand (a file, or all of a folder), and why it is not data that came from elsewhere."""
DANGEROUS = re.compile(r"^(pickle\.(load|loads|Unpickler)|marshal\.loads?|shelve\.open|(builtins\.)?(eval|exec)|runpy\.\w+|"
                       r"dill\.loads?|joblib\.load|yaml\.(load|unsafe_load)|os\.system|os\.popen)$")


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def calls() -> list[tuple[str, int, str]]:
    """File, line and name of every call that could run what it is given."""
    found = []
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            tree, place = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(ROOT).as_posix()
            for node in ast.walk(tree):
                if not isinstance(node, ast.Call):
                    continue
                name = _name(node.func)
                options = {k.arg: k.value for k in node.keywords}
                pickled = options.get("allow_pickle")
                if name.endswith("np.load") and pickled is not None and getattr(pickled, "value", True) is not False:
                    found.append((place, node.lineno, "np.load(allow_pickle)"))
                shell = options.get("shell")
                if name.startswith("subprocess.") and shell is not None and getattr(shell, "value", True) is not False:
                    found.append((place, node.lineno, "subprocess with a shell"))
                if DANGEROUS.match(name):
                    found.append((place, node.lineno, name))
            imported = [alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module in (
                "pickle", "marshal", "runpy", "builtins") for alias in node.names]
            found += [(place, 0, f"from import {name}") for name in imported]
    return found


def dangerous() -> list[str]:
    """The calls that nobody has given a reason for."""
    return [f"{place}, line {line}: {name}" for place, line, name in calls()
            if not any(name == known and place.startswith(allowed) for allowed, known in ALLOWED)]


def floors() -> list[str]:
    """The oldest allowed version of each dependency, as pip takes it."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^dependencies = \[(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert listed is not None
    return [f"{name}~={low}.0" if low.count(".") == 1 else f"{name}=={low}"
            for name, low in re.findall(r'"([a-z0-9]+)>=([\d.]+)[^"]*"', listed.group(1)) if name != "tomli"]


SMOKE = """
import numpy, scipy, numba, h5py, matplotlib, click, rich
from femu import GroundMotion, Model
from femu.analyses import Newmark, Transient
from femu.elements import ElasticBeamColumn
from femu.materials import ElasticSection
m = Model("smoke")
m.node(1, 0.0, 0.0, fixed=True)
m.node(2, 0.0, 3.0, mass=1e3)
m.add(ElasticBeamColumn("c", 1, 2, section=ElasticSection(E=2e11, A=1e-2, I=1e-4)))
r = Transient(Newmark(), dt=0.01).run(m, GroundMotion.el_centro(), duration=1.0)
r.save("smoke.h5"); r.load("smoke.h5")
assert r.outcome.ok
print(numpy.__version__, scipy.__version__, numba.__version__, h5py.__version__)
"""


def oldest(python: str = sys.executable) -> str:
    """Install the oldest allowed versions in an environment of their own and run a small analysis; returns what was found."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        own = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
        wanted = [*floors(), str(ROOT)]
        subprocess.run([str(own), "-m", "pip", "install", "--quiet", *wanted], check=True, capture_output=True, text=True)
        done = subprocess.run([str(own), "-c", SMOKE], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "FEMU_CACHE_DIR": str(folder / "cache")})
        if done.returncode:
            raise RuntimeError(done.stderr[-500:])
        return done.stdout.strip()


def audit() -> str:
    """pip-audit on what is installed here, where it can be installed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        own = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
        subprocess.run([str(own), "-m", "pip", "install", "--quiet", "pip-audit"], check=True, capture_output=True, text=True)
        names = [re.split(r"[<>=~;]", f)[0] for f in floors()]
        wanted = folder / "wanted.txt"
        wanted.write_text("\n".join(names) + "\n")
        done = subprocess.run([str(own), "-m", "pip_audit", "-r", str(wanted)], capture_output=True, text=True)
        told = (done.stdout + done.stderr).strip().splitlines()
        return told[0] if told else "nothing said"


def run(quick: bool) -> Tally:
    tally = Tally()
    wrong = dangerous()
    tally.failures += wrong
    tally.properties += len(ALLOWED)
    tally.lines.append(("pickle, eval, exec on data", f"{len(wrong)} places; {len(ALLOWED)} known ones with a reason each"))
    if quick:
        return tally
    for name, check in (("oldest allowed versions", oldest), ("pip-audit", audit)):
        try:
            tally.lines.append((name, check()))
        except (RuntimeError, subprocess.CalledProcessError) as problem:
            told = (getattr(problem, "stderr", "") or str(problem))[-300:]
            if name == "oldest allowed versions":
                tally.failures.append(f"{name}: {told}")
            tally.lines.append((name, told.splitlines()[-1] if told else "failed"))
    return tally
