"""What is never done with anything that was received or read: no pickle, no eval, no exec, no
archive that may hold objects.

And what femu depends on: `versions` runs tests with the oldest and the newest versions, `audit`
looks for known vulnerabilities. Both need a package index.
"""

from __future__ import annotations

import ast
import re
import tempfile
from functools import cache
from pathlib import Path

from tests.campaign.audit import audit, summary
from tests.campaign.tally import Tally
from tests.campaign.versions import EXTRAS, requirements, with_versions

ROOT = Path(__file__).parents[2]
AUDITED = (*EXTRAS, "fuzz")
SOURCES = ("femu", "materials", "elements", "analyses", "experimental", "benchmarks")
ALLOWED = {
    ("femu/kernels/kernel_cache.py", "pickle.loads"): "compiled code, from a folder that only this "
    "user can write to",
    ("femu/batch/worker.py", "pickle.loads"): "parent and worker read what the other packed, over "
    "pipes that no one else has",
    ("femu/batch/runner.py", "pickle.loads"): "a plan that the parent packed; a Dask cluster runs "
    "whatever its client sends",
    ("femu/cli/check.py", "runpy.run_path"): "femu check SCRIPT runs a program that the user names",
    ("femu/cli/identify.py", "runpy.run_path"): "femu identify SCRIPT runs a program that the user "
    "names",
    ("femu/cli/plot.py", "runpy.run_path"): "femu plot SCRIPT.py runs a program that the user "
    "names; data files are only read",
    ("femu/cli/run.py", "runpy.run_path"): "femu run SCRIPT runs a program that the user names",
    ("femu/opensees/comparison/play.py", "runpy.run_path"): "femu crossvalidate SCRIPT runs a "
    "program that the user names",
    ("femu/opensees/comparison/script.py", "runpy.run_path"): "femu crossvalidate SCRIPT runs a "
    "program that the user names",
    ("experimental/script.py", "runpy.run_path"): "femu resume and replay SCRIPT run a program "
    "that the user names",
    ("benchmarks/identification.py", "runpy.run_path"): "an example of this repository",
    ("femu/support/entry_point.py", "importlib.import_module"): "the function of a suite or an "
    "updater that the user runs",
    ("femu/support/entry_point.py", "importlib.util.spec_from_file_location"): "the same; to read "
    "a suite does not call it",
    ("femu/exchange/objects.py", "importlib.import_module"): "a fixed list of femu's modules; what "
    "a file names is not imported",
    (
        "femu/opensees/comparison/suite/__init__.py",
        "importlib.import_module",
    ): "a fixed list of femu's modules",
    ("femu/opensees/__init__.py", "importlib.import_module"): "a fixed list of femu's modules",
    ("femu/support/hooks.py", "importlib.import_module"): "a fixed list of femu's functions",
    ("femu/support/old_names.py", "importlib.import_module"): "a fixed list of femu's modules",
    (
        "femu/support/old_names.py",
        "importlib.machinery.ModuleSpec",
    ): "the same: it names a module of femu",
    ("femu/cli/main.py", "importlib.import_module"): "a fixed list of femu's modules",
    ("femu/cli/study.py", "importlib.import_module"): "a fixed list of femu's modules",
    ("femu/opensees/load_openseespy.py", "ctypes.CDLL"): "libraries of the installed openseespy",
    (
        "benchmarks/network.py",
        "multiprocessing.get_context",
    ): "a pipe to a process that the benchmark starts",
    ("benchmarks/batch_peer.py", "multiprocessing.get_context"): "a pool that the benchmark starts",
}
"""Where one of them may be, and why it is not data that came from elsewhere."""
DANGEROUS = re.compile(
    r"^((_pickle|c?[pP]ickle|dill|cloudpickle)\.(load|loads|Unpickler)|marshal\.loads?|shelve\.open|(builtins\.)?(eval|exec|__import__)|"
    r"runpy\.\w+|code\.\w+|joblib\.load|(pandas\.)?read_pickle|yaml\.(load|load_all|unsafe_load|full_load)|os\.(system|popen)|"
    r"multiprocessing(\.\w+)+|importlib\.(import_module|util\.spec_from_file_location|machinery\.\w+)|ctypes\.(CDLL|cdll\.\w+)|logging\.config\.listen|shutil\.unpack_archive|"
    r"(tarfile|zipfile)\.\w+|xmlrpc\.\w+(\.\w+)*|torch\.load)$"
)
"""Calls that may run, or unpack to anywhere, what they are given."""
BY_NAME = ("importlib.import_module", "ctypes.CDLL")
"""Of these, a call with a name that is in the source is harmless."""
MODULES = ("pickle", "marshal", "runpy", "builtins", "shelve", "code", "dill", "cloudpickle")


def _imported(tree: ast.AST) -> dict[str, str]:
    """What each imported name of a file means."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update(
                {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            )
    return found


def _name(node: ast.expr, known: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value, known)}.{node.attr}"
    return known.get(node.id, node.id) if isinstance(node, ast.Name) else ""


def _starts_python(call: ast.Call) -> bool:
    """Whether `python -c` or `-m` is started.

    They look for modules in the working folder first, `own_process` does not.
    """
    words = call.args[0] if call.args else None
    if (
        not isinstance(words, ast.List)
        or not words.elts
        or ast.unparse(words.elts[0]) != "sys.executable"
    ):
        return False
    return any(isinstance(word, ast.Constant) and word.value in ("-c", "-m") for word in words.elts)


def calls_in(text: str) -> list[tuple[int, str]]:
    """Line and name of every call in a text of Python that could run what it is given, under
    whatever name it was imported."""
    tree, found = ast.parse(text), []
    known = _imported(tree)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module in MODULES
            and any(alias.name == "*" for alias in node.names)
        ):
            found.append((node.lineno, f"from {node.module} import *"))
        if not isinstance(node, ast.Call):
            continue
        name = _name(node.func, known)
        options = {k.arg: k.value for k in node.keywords}
        pickled = options.get("allow_pickle")
        if (
            name == "numpy.load"
            and pickled is not None
            and getattr(pickled, "value", True) is not False
        ):
            found.append((node.lineno, "np.load(allow_pickle)"))
        shell = options.get("shell")
        if (
            name.startswith("subprocess.")
            and shell is not None
            and getattr(shell, "value", True) is not False
        ):
            found.append((node.lineno, "subprocess with a shell"))
        if name.startswith("subprocess.") and _starts_python(node):
            found.append((node.lineno, "python in the working folder"))
        if DANGEROUS.match(name) and not (
            name in BY_NAME and node.args and isinstance(node.args[0], ast.Constant)
        ):
            found.append((node.lineno, name))
    return found


@cache
def calls() -> list[tuple[str, int, str]]:
    """File, line and name of every such call of femu."""
    paths = [path for folder in SOURCES for path in sorted((ROOT / folder).rglob("*.py"))]
    return [
        (path.relative_to(ROOT).as_posix(), line, name)
        for path in paths
        for line, name in calls_in(path.read_text(encoding="utf-8"))
    ]


def dangerous() -> list[str]:
    """The calls that nobody has given a reason for."""
    return [
        f"{place}, line {line}: {name}"
        for place, line, name in calls()
        if (place, name) not in ALLOWED
    ]


def needless() -> list[str]:
    """Reasons for calls that are no longer there."""
    there = {(place, name) for place, _, name in calls()}
    return [f"{place}: {name}" for place, name in ALLOWED if (place, name) not in there]


def run(quick: bool) -> Tally:
    tally = Tally()
    wrong = dangerous() + [f"{what} is allowed, but not there" for what in needless()]
    tally.failures += wrong
    tally.properties += len(ALLOWED)
    tally.lines.append(
        (
            "pickle, eval, exec on data",
            f"{len(wrong)} places; {len(ALLOWED)} known ones with a reason each",
        )
    )
    if quick:
        tally.lines.append(("oldest and newest versions, pip-audit", "not in the quick run"))
        return tally
    with tempfile.TemporaryDirectory(prefix="femu-supply-chain-") as name:
        folder = Path(name)
        for title, which, extras in (
            ("oldest allowed versions", "oldest", ()),
            ("newest versions", "newest", ()),
            ("oldest allowed versions of the extras", "oldest", EXTRAS),
        ):
            try:
                tally.lines.append((title, with_versions(which, folder, extras)))
                tally.properties += 1
            except RuntimeError as problem:
                tally.failures.append(f"{title}: {problem}")
        for title, wanted in (
            ("known vulnerabilities: default install", requirements()),
            (
                "known vulnerabilities: extras",
                [line for extra in AUDITED for line in requirements(extra)],
            ),
        ):
            try:
                found = audit(wanted, folder)
            except RuntimeError as problem:
                tally.lines.append(
                    (
                        title,
                        f"NOT DONE, pip cannot say what would be installed: {str(problem)[-150:]}",
                    )
                )
                continue
            tally.lines.append((title, summary(found)))
            tally.failures += [
                f"{title}: {package.statement}" for package in found if package.known
            ]
            tally.properties += sum(bool(package.by) and not package.known for package in found)
    return tally
