"""What is left of an analysis, a hybrid test or a batch that Ctrl-C ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def stopped_by_ctrl_c(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The result that the KeyboardInterrupt of a call hands on; the call must raise one."""
    with pytest.raises(KeyboardInterrupt) as stop:
        call(*arguments, **options)
    return stop.value.result  # type: ignore[attr-defined]
