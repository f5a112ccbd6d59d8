"""The file into which an interrupted journal is copied before the copy takes its place."""

from __future__ import annotations

import contextlib
import os
import re
import secrets

from femu.experimental.journal import lock
from femu.support.errors import FileError

MARK = ".resuming-"
LENGTH = 16  # hexadecimal digits after it


def scratch_beside(path: str) -> str:
    """A name next to a journal that no file has. What a resume that was killed has left under such a
    name is removed.

    A copy has this name only while the journal itself is still there. Whoever asks has the journal
    alone; if the system cannot find that out, nothing is removed.
    """
    folder, name = os.path.split(os.path.abspath(path))
    for found in os.listdir(folder) if lock.locks is not None else ():
        if re.fullmatch(re.escape(name + MARK) + f"[0-9a-f]{{{LENGTH}}}", found):
            left = os.path.join(folder, found)
            with contextlib.suppress(OSError, FileError), lock.taken_alone(left):
                os.remove(left)
    return f"{path}{MARK}{secrets.token_hex(LENGTH // 2)}"
