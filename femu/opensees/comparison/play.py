"""Run as a program: scripts for openseespy on one engine, with every returned number recorded.

Arguments: the engine ("femu" or "opensees"), the file of answers, the rounds, the fraction of its
tolerance that every convergence test gets (1 leaves them unchanged), then scripts. Each
script runs in a copy of its folder, so that it finds the records and scripts it reads and leaves
nothing in it. The answers: for each script its calls (command, first arguments, numbers), the
contents of the files it wrote, the seconds it took, and the error that ended it, if one did.
"""

from __future__ import annotations

import json
import math
import os
import runpy
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

DEFINING = ("uniaxialMaterial", "section", "element", "timeSeries", "updateParameter")
"""Commands that define something.

openseespy answers some of them with a meaningless number.
"""
MODULES = ("openseespy.opensees", "opensees")
"""Names under which scripts import the commands.

Of the package, and of the library that users compile.
"""
LARGEST = 20e6  # bytes of a file that is copied for a script to read
NORMS = ("NormUnbalance", "NormDispIncr", "RelativeNormUnbalance", "RelativeNormDispIncr")
ENERGIES = ("EnergyIncr", "RelativeEnergyIncr")
"""Convergence tests by what they measure; an energy is of second order in the increment."""
MORE_ITERATIONS = 10  # times as many for a smaller tolerance
# a script run for its speed is repeated until it took these seconds, or this often
ENOUGH, MOST = 0.2, 15


def engine_module(engine: str) -> ModuleType:
    """The module that answers the commands."""
    if engine == "femu":
        import femu.opensees

        return femu.opensees
    from femu.opensees.load_openseespy import load_opensees

    return load_opensees()


def install(module: ModuleType) -> None:
    """Let scripts that import openseespy get this module."""
    parent = ModuleType("openseespy")
    parent.opensees = module  # type: ignore[attr-defined]
    sys.modules["openseespy"] = parent
    sys.modules.update(dict.fromkeys(MODULES, module))


def stand_in(module: ModuleType) -> None:
    """Let scripts that import openseespy, or the front end of femu, get this module."""

    install(module)
    sys.modules["femu.opensees"] = module
    setattr(sys.modules["femu"], "opensees", module)  # noqa: B010


class Log(ModuleType):
    """A module that passes every call on and notes what it returns."""

    def __init__(self, module: ModuleType, share: float = 1.0) -> None:
        super().__init__("openseespy.opensees")
        self.__dict__["_share"] = share
        self.__dict__["_module"] = module
        self.__dict__["_calls"] = []
        for name in dir(module):
            if not name.startswith("_"):
                self.__dict__[name] = self._wrapped(name, getattr(module, name))
        self.__dict__["__all__"] = [name for name in dir(module) if not name.startswith("_")]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_module"], name)

    def _wrapped(self, name: str, function: Any) -> Any:
        if not callable(function) or isinstance(function, type):
            return function
        calls, share = self.__dict__["_calls"], self.__dict__["_share"]

        def call(*arguments: Any) -> Any:
            if name == "test" and share != 1.0:
                arguments = _tighter(arguments, share)
            answer = function(*arguments)
            if answer is not None and name not in DEFINING:
                numbers = numbers_in(answer)
                if numbers:
                    calls.append([name, [str(a) for a in arguments[:3]], numbers])
            return answer

        return call


def _tighter(arguments: tuple[Any, ...], share: float) -> tuple[Any, ...]:
    """Arguments of a convergence test with a share of its tolerance, and more iterations to reach
    it."""
    kind, *rest = arguments
    if kind not in (*NORMS, *ENERGIES) or len(rest) < 2:
        return arguments
    return (
        kind,
        float(rest[0]) * (share if kind in NORMS else share**2),
        MORE_ITERATIONS * int(rest[1]),
        *rest[2:],
    )


def numbers_in(answer: Any) -> list[float]:
    """All numbers of an answer, in order."""
    if isinstance(answer, (bool, str)):
        return []
    if isinstance(answer, (int, float, np.generic)):
        return [float(answer)] if math.isfinite(answer) else []
    if isinstance(answer, dict):
        return [v for key in sorted(answer) for v in numbers_in(answer[key])]
    if isinstance(answer, (list, tuple, np.ndarray)):
        return [v for item in answer for v in numbers_in(item)]
    return []


def bring(source: Path, folder: Path) -> dict[Path, tuple[int, int]]:
    """Copy the files next to a script, one level of folders deep, to the folder it runs in.

    Size and time of each copy.
    """
    brought = {}
    for file in (*source.glob("*"), *source.glob("*/*")):
        hidden = any(part.startswith((".", "__")) for part in file.relative_to(source).parts)
        if hidden or not file.is_file() or file.stat().st_size > LARGEST:
            continue
        copy = folder / file.relative_to(source)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy2(file, copy)
        brought[copy] = _stamp(copy)
    return brought


def written(folder: Path, brought: dict[Path, tuple[int, int]]) -> dict[str, str]:
    """Contents of the files that were not copied, or changed since."""
    files = [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and brought.get(file) != _stamp(file)
    ]
    return {
        str(file.relative_to(folder)): file.read_text(errors="replace")
        for file in files
        if "__pycache__" not in file.parts
    }


def _stamp(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns


def play(script: Path, module: ModuleType, rounds: int, share: float = 1.0) -> dict[str, Any]:
    """Run one script; its queries and their answers, what it wrote, and how long it took.

    The first round compiles kernels or warms caches and counts only if it is the only one; of
    three rounds and more the quickest counts, and short scripts have more of them.
    """
    answer: dict[str, Any] = {"calls": [], "files": {}, "seconds": 0.0, "error": ""}
    before = Path.cwd()
    quiet = sys.stdout
    try:
        number, spent = 0, 0.0
        while number < rounds or (rounds > 2 and number < MOST and spent < ENOUGH):
            folder = tempfile.mkdtemp(prefix="femu-play-")
            brought = bring(script.parent, Path(folder))
            os.chdir(folder)
            log = Log(module, share) if number == 0 else None
            stand_in(log if log is not None else module)
            sys.path.insert(0, str(script.parent))
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
            began = time.perf_counter()
            try:
                runpy.run_path(str(script), run_name="__main__")
                module.wipe()
            except BaseException:
                answer["error"] = traceback.format_exc()
            finally:
                seconds = time.perf_counter() - began
                answer["seconds"] = seconds if number < 2 else min(seconds, answer["seconds"])
                spent += seconds
                sys.stdout.close()
                sys.stdout = quiet
                sys.path.remove(str(script.parent))
                module.wipe()
            if log is not None:
                answer["calls"] = log.__dict__["_calls"]
                answer["files"] = written(Path(folder), brought)
            os.chdir(before)
            shutil.rmtree(folder, ignore_errors=True)
            if answer["error"]:
                break
            number += 1
    finally:
        os.chdir(before)
    return answer


def main(engine: str, answers: str, rounds: str, share: str, *scripts: str) -> None:
    """Run scripts, and write the answers after each, so that a crash loses only the one that
    crashed."""
    module = engine_module(engine)
    found: dict[str, Any] = {}
    for script in scripts:
        found[script] = play(Path(script), module, int(rounds), float(share))
        part = Path(answers).with_suffix(".part")
        part.write_text(json.dumps(found))
        part.replace(answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
