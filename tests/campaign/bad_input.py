"""Bad input over the public API, every file format and every command: an exception of femu that
names what is wrong.

Every argument of everything public in turn (`bad_calls` has the values, `bad_model`, `bad_analyses`
and the others the good calls, `bad_public` what must be among them), files (`bad_files`), words on
the command line (`bad_commands`), rules by hand (`bad_hand`), words and wrong orders of the
OpenSees front end (`bad_opensees`), and the cases of tests/test_bad_input.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from femu import FemuError
from tests.campaign import (
    bad_analyses,
    bad_commands,
    bad_experimental,
    bad_files,
    bad_hand,
    bad_learning,
    bad_model,
    bad_opensees,
    bad_pictures,
    bad_public,
    bad_studies,
)
from tests.campaign.bad_calls import Hung, patience, sweep
from tests.campaign.tally import Tally

TESTS = Path(__file__).parents[1]
TOPICS = (bad_model, bad_analyses, bad_experimental, bad_learning, bad_studies, bad_pictures)


@contextmanager
def scratch() -> Iterator[None]:
    """A folder to work in: some of the bad values are good names of files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield
        finally:
            os.chdir(before)


def refused(name: str, case: Callable[[], Any]) -> str | None:
    """What is wrong with the way a case is refused; None if it is refused as it must be."""
    try:
        with patience():
            case()
    except FemuError as problem:
        message = str(problem)
        if not message.strip() or "\n" in message.strip() or message.strip()[-1] not in ".?!":
            return f"{name}: the message is {message!r}"
        return None
    except (Exception, Hung) as problem:
        return f"{name}: {type(problem).__name__}: {problem}"
    return f"{name}: was accepted"


def arguments(topic: Any) -> Tally:
    """Every argument of the good calls of a topic."""
    with scratch():
        return sweep(topic.calls())


def left_out() -> list[str]:
    """What is public and not tried, and reasons that nothing needs."""
    with scratch():
        calls = [call for topic in TOPICS for call in topic.calls()]
    return [
        *(f"{name} is public and not tried" for name in bad_public.not_tried(calls)),
        *(f"{name} has a reason in bad_public and is not public" for name in bad_public.stale()),
    ]


def by_hand() -> Tally:
    """Files, and the rules by hand."""
    tally = Tally()
    with bad_files.cases() as files:
        cases = {**bad_hand.EXPERIMENTAL, **bad_hand.LEARNING, **files}
        tally.failures = [
            reported for name, case in cases.items() if (reported := refused(name, case))
        ]
    tally.inputs = len(cases) - len(tally.failures)
    tally.lines.append(("files, and rules by hand", f"{tally.inputs} refused"))
    return tally


def front_end(quick: bool) -> Tally:
    """The commands of the OpenSees front end."""
    with scratch():
        return bad_opensees.check(quick)


def check(quick: bool) -> Tally:
    """All the cases of this folder."""
    tally = by_hand()
    for topic in TOPICS:
        tally.add(arguments(topic))
    tally.failures += left_out()
    tally.add(bad_commands.check())
    tally.add(front_end(quick))
    return tally


def run(quick: bool) -> Tally:
    tally = check(quick)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_bad_input.py"],
        cwd=TESTS,
        capture_output=True,
        text=True,
    )
    words = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-200:]
    passed = [
        int(a)
        for a, b in zip(words.split(), words.split()[1:], strict=False)
        if b.startswith("passed")
    ]
    tally.inputs += passed[0] if passed else 0
    if done.returncode:
        tally.failures.append(f"tests/test_bad_input.py: {words}")
    tally.lines.append(("tests/test_bad_input.py", words))
    return tally
