"""openseespy in a process of its own: it has one model a process, and may end the process at a wrong argument."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from femu.errors import UnsupportedError, missing_extra

Action = list[Any]
Job = list[Action]
JOB_SECONDS = 120.0
_POLL_SECONDS = 0.02
_LAST_WORDS = 400  # characters of its messages that are kept


class Fate(Enum):
    """How a job ended in openseespy. The value is the sentence the user reads."""

    DONE = "openseespy did it"
    FAILED = "openseespy could not do it"
    CRASHED = "openseespy ended its process"
    TIME_LIMIT = "openseespy took longer than the time limit"


@dataclass(frozen=True)
class Answer:
    """What openseespy gave for a job."""

    fate: Fate
    message: str = ""
    arrays: dict[str, Any] = field(default_factory=dict)


def run_jobs(jobs: Sequence[Job], seconds: float = JOB_SECONDS) -> list[Answer]:
    """Answers to jobs, from as few processes as the crashes of openseespy allow; ``seconds`` is for each job."""
    if importlib.util.find_spec("openseespy") is None:
        raise missing_extra("openseespy", "opensees", "A comparison with OpenSees")
    answers: list[Answer] = []
    with tempfile.TemporaryDirectory(prefix="femu-opensees-") as name:
        folder = Path(name)
        (folder / "jobs.json").write_text(json.dumps(list(jobs)))
        while len(answers) < len(jobs):
            answers += _one_process(folder, len(answers), len(jobs), seconds)
    return answers


def _one_process(folder: Path, first: int, end: int, seconds: float) -> list[Answer]:
    """Answers from one process, which goes on until all are done or it has to be given up."""
    words = folder / f"words-{first}.txt"
    # one thread of BLAS: the matrices are small, and the other core runs femu
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with words.open("wb") as sink:
        process = subprocess.Popen([sys.executable, "-m", "femu.crossvalidation.opensees_process", str(folder), str(first)],
                                   stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, env=environment, cwd=folder)
        current, since, late = first - 1, time.monotonic(), False
        try:
            while process.poll() is None:
                while current + 1 < end and (folder / f"{current + 1}.begun").exists():
                    current, since = current + 1, time.monotonic()
                if time.monotonic() - since > seconds:
                    late = True
                    break
                time.sleep(_POLL_SECONDS)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
    last_words = words.read_text(errors="replace").strip()[-_LAST_WORDS:]
    if not (folder / f"{first}.begun").exists():
        raise UnsupportedError(f"openseespy is installed but does not start: {last_words}")
    answers: list[Answer] = []
    for number in range(first, end):
        if (folder / f"{number}.npz").exists():
            with np.load(folder / f"{number}.npz") as arrays:
                answers.append(Answer(Fate.DONE, arrays=dict(arrays)))
        elif (folder / f"{number}.txt").exists():
            answers.append(Answer(Fate.FAILED, f"{(folder / f'{number}.txt').read_text()}. {last_words}"))
        else:
            fate = Fate.TIME_LIMIT if late else Fate.CRASHED
            detail = f"after {seconds:g} s" if late else f"with exit code {process.returncode}: {last_words}"
            answers.append(Answer(fate, detail))
            break
    return answers
