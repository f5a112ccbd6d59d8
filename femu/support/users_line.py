"""Warnings that point at the user's line.

The first one outside femu, however deep femu is in its own calls.
"""

from __future__ import annotations

import sys
import warnings


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn with the file and line of the first caller outside femu."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "femu":
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth + 1)
