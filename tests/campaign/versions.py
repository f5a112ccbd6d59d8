"""femu with the oldest and with the newest allowed versions of what it depends on, in environments
of their own.

``python -m tests.campaign.versions oldest`` (or ``newest``; ``--extras`` for what the extras need
as well) installs them with pip, runs tests of every part and prints the versions. The oldest are
the floors of pyproject.toml, to the digit: a floor that cannot be installed fails. The oldest
Python of pyproject.toml (for ``newest``, the newest) is taken where it is at hand.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
TOOLS = ("pytest", "pytest-timeout", "pytest-xdist", "hypothesis")
"""What the tests of the default install need; their floors are in the extra ``test``."""
SMOKE_TESTS = (
    # the command line; a hybrid test with an emulated specimen, an updater and its filter; a result
    # file and a report
    "tests/cli/test_demo.py::test_updating_finds_the_parameters_and_the_response",
    "tests/cli/test_demo.py::test_the_result_holds_the_test_and_what_was_learnt",
    "tests/cli/test_demo.py::test_the_report_stands_alone",
    "tests/cli/test_main.py",
    "tests/cli/test_table.py",
    "tests/cli/test_info.py",
    # static and transient analyses of frames with fibres, and their states in another process
    "tests/engine/test_state.py::test_saved_state_runs_on_in_a_new_process",
    "tests/engine/test_state.py::test_layout_is_the_same_in_every_process",
    "tests/plots/test_plots.py",
    "tests/records",
    "tests/files/test_hdf5.py",
    "tests/experimental/test_journal.py",
    "tests/updating/test_updater.py::test_linear_twin_is_recursive_least_squares",
    "tests/updating/test_updater.py::test_joint_filter_of_an_elastic_column_is_the_kalman_filter",
    "tests/batch/test_suite.py::test_a_row_is_what_a_single_analysis_gives",
)
"""All parts of femu, with few kernels: those are compiled again for each version of numba."""
EXTRAS = ("opensees", "monitor", "dask", "docs", "test")
EXTRA_TESTS = (
    "tests/crossvalidation/test_peer.py",
    "tests/monitor/test_page.py",
    "tests/batch/test_suite.py::test_same_bytes_on_a_dask_cluster_of_two_processes",
    "tests/batch/test_suite.py::test_table_and_dataset",
    "tests/results/test_result.py::test_tables",
    "tests/filters/test_against_peers.py",
    "tests/records/test_intensity.py",
    "tests/records/test_spectrum.py",
    "tests/report/test_notebooks.py",
)
DEPRECATIONS = ("-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning")
"""Old releases use what newer ones of their own dependencies deprecate; femu can do nothing about it."""
LONGEST = 1200  # s for a test, which may have to compile
PYENV = Path.home() / ".pyenv" / "versions"
PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11", "python3.10")


def requirements(extra: str | None = None) -> list[str]:
    """What femu needs, or one of its extras, as pyproject.toml has it."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    return list(
        project["dependencies"] if extra is None else project["optional-dependencies"][extra]
    )


def name_of(requirement: str) -> str:
    """The package that a requirement is for."""
    return re.split(r"[<>=~!;\[ ]", requirement)[0].lower()


def floor(requirement: str) -> str:
    """A requirement with its oldest version and no other."""
    needed, _, marker = requirement.partition(";")
    oldest = re.search(r"[>=]=\s*([\w.]+)", needed)
    if oldest is None:
        raise ValueError(f"{requirement!r} in pyproject.toml has no oldest version")
    return f"{name_of(needed)}=={oldest.group(1)}{';' + marker if marker else ''}"


def floors() -> list[str]:
    """The oldest version of everything that pyproject.toml names."""
    return sorted({floor(line) for extra in (None, *EXTRAS) for line in requirements(extra)})


def python_for(which: str) -> str:
    """The oldest or the newest Python of this machine that femu allows.

    The one that runs this, where there is no other.
    """
    lowest = re.search(
        r"3\.(\d+)",
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"],
    )
    assert lowest is not None
    for name in (f"python3.{lowest.group(1)}",) if which == "oldest" else PYTHONS:
        for place in (
            name,
            *sorted(map(str, PYENV.glob(f"{name.removeprefix('python')}.*/bin/{name}"))),
        ):
            with contextlib.suppress(OSError):
                found = subprocess.run(
                    [place, "-c", "import sys, venv; print(sys.executable)"],
                    capture_output=True,
                    text=True,
                )
                if found.returncode == 0:
                    return found.stdout.strip()
    return sys.executable


def with_versions(which: str, folder: Path, extras: tuple[str, ...] = ()) -> str:
    """Install femu with the oldest or the newest versions in an environment below a folder, and run
    tests there.

    Returns the versions, and what the tests said; RuntimeError where they cannot be installed or a
    test fails.
    """
    place = folder / "-".join([which, *extras])
    # an openseespy is made for one version of Python, so the extras are installed for the one that
    # runs this
    run(sys.executable if extras else python_for(which), "-m", "venv", str(place))
    inside = str(place / ("Scripts" if os.name == "nt" else "bin") / "python")
    limits = folder / f"{which}.txt"
    limits.write_text("\n".join(floors() if which == "oldest" else []) + "\n")
    tools = [line for line in requirements("test") if name_of(line) in TOOLS]
    wanted = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    run(
        inside,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--constraint",
        str(limits),
        *tools,
        "--editable",
        wanted,
    )
    surroundings = {
        **os.environ,
        "FEMU_CACHE_DIR": str(place / "kernels"),
        "MPLBACKEND": "Agg",
        "PYTHONPATH": "",
    }
    tests = EXTRA_TESTS if extras else (*SMOKE_TESTS, "-m", "not slow")
    reported = (
        run(
            inside,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--timeout",
            str(LONGEST),
            *DEPRECATIONS,
            *tests,
            cwd=ROOT,
            env=surroundings,
        )
        .strip()
        .splitlines()[-1]
    )
    chosen = dict(
        line.split("==")
        for line in run(inside, "-m", "pip", "freeze", "--exclude-editable").split()
        if "==" in line
    )
    chosen = {name.lower(): version for name, version in chosen.items()}
    names = [name_of(line) for extra in (None, *extras) for line in requirements(extra)]
    versions = [f"{name} {chosen[name]}" for name in dict.fromkeys(names) if name in chosen]
    return f"{run(inside, '--version').strip()}, {', '.join(versions)}: {reported}"


def run(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """What a command prints; RuntimeError with its last words where it fails."""
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=env)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words[:5])}: {(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.versions", description=__doc__)
    parser.add_argument("which", choices=("oldest", "newest"))
    parser.add_argument(
        "--extras",
        action="store_true",
        help="install the extras as well, and run the tests that need them",
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="femu-versions-") as folder:
        try:
            print(with_versions(given.which, Path(folder), EXTRAS if given.extras else ()))
        except RuntimeError as problem:
            print(problem, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
