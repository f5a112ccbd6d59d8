"""Python processes that femu starts for itself: they search the module path of this process, and
nothing else.

`python -c` and `python -m` look first in the folder that they are started in. A file named json.py
that came along with a result would then be run by whoever reads that result in its folder.
"""

from __future__ import annotations

import os
import sys

_NO_FOLDER = "import sys; sys.path[:] = [place for place in sys.path if place]\n"


def python(code: str, *arguments: str) -> list[str]:
    """Words of a command that runs code in another process; start it with `surroundings`."""
    return [sys.executable, "-c", _NO_FOLDER + code, *arguments]


def python_module(name: str, *arguments: str) -> list[str]:
    """The same for a module that is run as a program."""
    return python(
        f"import runpy; runpy.run_module({name!r}, run_name='__main__', alter_sys=True)", *arguments
    )


def surroundings(**more: str) -> dict[str, str]:
    """Environment variables of such a process.

    Those of this one, its places of modules, and more.
    """
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(place or os.getcwd() for place in sys.path),
        **more,
    }
