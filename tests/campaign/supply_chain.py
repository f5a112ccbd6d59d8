"""What is never done with anything that was received or read: no pickle, no eval, no exec, no archive that may hold objects.

And the versions of what femu depends on: the oldest allowed and the newest ones run a set of tests each, and pip-audit looks for
known vulnerabilities. These three need a package index; the last one also a service on the network.
"""

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
DANGEROUS = re.compile(
    r"^((_pickle|c?[pP]ickle|dill|cloudpickle)\.(load|loads|Unpickler)|marshal\.loads?|shelve\.open|(builtins\.)?(eval|exec|__import__)|"
    r"runpy\.\w+|code\.\w+|joblib\.load|(pandas\.)?read_pickle|yaml\.(load|load_all|unsafe_load|full_load)|os\.(system|popen)|"
    r"multiprocessing\.connection\.\w+|multiprocessing\.managers\.\w+|logging\.config\.listen|shutil\.unpack_archive|"
    r"(tarfile|zipfile)\.\w+|xmlrpc\.\w+(\.\w+)*|torch\.load)$")
"""Calls that may run, or unpack to anywhere, what they are given."""
MODULES = ("pickle", "marshal", "runpy", "builtins", "shelve", "code", "dill", "cloudpickle")


def _imported(tree: ast.AST) -> dict[str, str]:
    """What each imported name of a file stands for."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return found


def _name(node: ast.expr, known: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value, known)}.{node.attr}"
    return known.get(node.id, node.id) if isinstance(node, ast.Name) else ""


def calls_in(text: str) -> list[tuple[int, str]]:
    """Line and name of every call in a text of Python that could run what it is given, under whatever name it was imported."""
    tree, found = ast.parse(text), []
    known = _imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in MODULES and any(alias.name == "*" for alias in node.names):
            found.append((node.lineno, f"from {node.module} import *"))
        if not isinstance(node, ast.Call):
            continue
        name = _name(node.func, known)
        options = {k.arg: k.value for k in node.keywords}
        pickled = options.get("allow_pickle")
        if name == "numpy.load" and pickled is not None and getattr(pickled, "value", True) is not False:
            found.append((node.lineno, "np.load(allow_pickle)"))
        shell = options.get("shell")
        if name.startswith("subprocess.") and shell is not None and getattr(shell, "value", True) is not False:
            found.append((node.lineno, "subprocess with a shell"))
        if DANGEROUS.match(name):
            found.append((node.lineno, name))
    return found


def calls() -> list[tuple[str, int, str]]:
    """File, line and name of every such call of femu."""
    paths = [path for folder in SOURCES for path in sorted((ROOT / folder).rglob("*.py"))]
    return [(path.relative_to(ROOT).as_posix(), line, name) for path in paths
            for line, name in calls_in(path.read_text(encoding="utf-8"))]


def dangerous() -> list[str]:
    """The calls that nobody has given a reason for."""
    return [f"{place}, line {line}: {name}" for place, line, name in calls()
            if not any(name == known and place.startswith(allowed) for allowed, known in ALLOWED)]


def allowed() -> list[str]:
    """The dependencies of femu with the versions that are allowed."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^dependencies = \[(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert listed is not None
    return re.findall(r'^\s*"([^"]+)"', listed.group(1), re.MULTILINE)


SMOKE_TESTS = ("tests/test_hdf5_file.py", "tests/test_state.py", "tests/records", "tests/experimental/test_journal.py")
"""What is run with the oldest and with the newest versions: files, records, states, a journal, an analysis."""
TOOLS = ("pytest>=8.0", "pytest-timeout>=2.2", "pytest-xdist>=3.5", "hypothesis>=6.90")


def with_versions(resolution: str, folder: Path, python: str | None = None) -> str:
    """Install femu with the lowest or the highest allowed versions in an environment of its own and run the smoke tests.

    uv chooses and installs the versions. Returns them, and what the tests said.
    """
    tools, own = folder / "tools", folder / resolution
    venv.create(tools, with_pip=True)
    script = "Scripts" if os.name == "nt" else "bin"
    _run(str(tools / script / "python"), "-m", "pip", "install", "--quiet", "uv")
    uv = str(tools / script / "uv")
    _run(uv, "venv", "--quiet", "--python", python or sys.executable, str(own))
    inside = str(own / script / "python")
    _run(uv, "pip", "install", "--quiet", "--python", inside, "--resolution", resolution, str(ROOT))
    chosen = folder / f"{resolution}.txt"
    chosen.write_text(_run(uv, "pip", "freeze", "--python", inside))
    _run(uv, "pip", "install", "--quiet", "--python", inside, "--constraint", str(chosen), *TOOLS)
    # pytest by its own name: with "python -m" the source in this folder would be tested, not what was installed
    surroundings = {**os.environ, "FEMU_CACHE_DIR": str(folder / f"cache-{resolution}"), "PYTHONPATH": ""}
    told = _run(str(own / script / "pytest"), "-q", "-n", "0", "-p", "no:cacheprovider", *SMOKE_TESTS, cwd=ROOT,
                env=surroundings).strip().splitlines()[-1]
    names = {re.split(r"[<>=~; ]", line)[0] for line in allowed()}
    versions = [line for line in chosen.read_text().splitlines() if line.partition("==")[0] in names]
    return f"{', '.join(versions)}: {told}"


def audit(folder: Path) -> tuple[str, bool]:
    """pip-audit on the newest versions of all dependencies: what it said, and whether it found any known vulnerability."""
    tools = folder / "audit"
    venv.create(tools, with_pip=True)
    own = tools / ("Scripts" if os.name == "nt" else "bin") / "python"
    _run(str(own), "-m", "pip", "install", "--quiet", "pip-audit")
    wanted = folder / "wanted.txt"
    wanted.write_text("\n".join(allowed()) + "\n")
    done = subprocess.run([str(own), "-m", "pip_audit", "--progress-spinner", "off", "-r", str(wanted)],
                          capture_output=True, text=True)
    told = [line.strip() for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
    skipped = sum("could not be audited" in line for line in told)
    if skipped:
        return f"NOT DONE: {skipped} packages could not be looked up in the service that knows of vulnerabilities", False
    if done.returncode == 0 and any("No known vulnerabilities" in line for line in told):
        return "no known vulnerabilities", False
    if any(line.startswith("Found ") for line in told):
        return "; ".join(told[:8]), True
    said = told[-1][:150] if told else "nothing said"
    return f"NOT DONE, the service that knows of vulnerabilities could not be asked: {said}", False


def _run(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=env)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words[:5])}: {(done.stdout + done.stderr)[-600:]}")
    return done.stdout


def run(quick: bool) -> Tally:
    tally = Tally()
    wrong = dangerous()
    tally.failures += wrong
    tally.properties += len(ALLOWED)
    tally.lines.append(("pickle, eval, exec on data", f"{len(wrong)} places; {len(ALLOWED)} known ones with a reason each"))
    if quick:
        tally.lines.append(("oldest and newest versions, pip-audit", "not in the quick run"))
        return tally
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, resolution in (("oldest allowed versions", "lowest-direct"), ("newest versions", "highest")):
            try:
                tally.lines.append((title, with_versions(resolution, folder)))
                tally.properties += 1
            except RuntimeError as problem:
                tally.failures.append(f"{title}: {problem}")
        try:
            told, found = audit(folder)
        except RuntimeError as problem:
            told, found = f"NOT DONE, pip-audit cannot be installed: {str(problem)[-150:]}", False
        tally.lines.append(("pip-audit", told))
        if found:
            tally.failures.append(f"pip-audit: {told}")
    return tally
