"""The exceptions of femu.

Every error that femu raises on purpose is a `FemuError`, so `except FemuError` catches all of them
and nothing else. Each kind also inherits from the built-in exception that a Python programmer
expects, so `except ValueError` works too.

    FemuError
    ├── InputError        an argument breaks a rule                     (also ValueError)
    │   └── KeywordError  no such argument; in femu.support.keywords    (also TypeError)
    ├── ModelError        the parts of a model do not fit together      (also ValueError)
    ├── AnalysisError     an analysis cannot start or continue          (also RuntimeError)
    │   └── ConvergenceError  the iteration did not reach its tolerance
    ├── FileError         a file cannot be read, or contradicts itself  (also OSError)
    └── UnsupportedError  not offered, or an optional package is missing
                                                            (also NotImplementedError)

A message names the object, the argument, the value, the rule it breaks and the fix.
"""

from __future__ import annotations

import os
from typing import Any

# characters of a value shown in a message: enough to recognise it, short enough to stay one line
_LONGEST_VALUE = 120


def shown(value: Any) -> str:
    """The value as it appears in a message: its repr on one line, shortened."""
    try:
        text = " ".join(repr(value).split())
    # endlessly nested lists, numbers of thousands of digits, objects whose repr fails
    except Exception:
        text = f"<{type(value).__name__}>"
    if len(text) <= _LONGEST_VALUE:
        return text
    return text[: _LONGEST_VALUE - 3] + "..."


def _sentence(text: str) -> str:
    """The text with a full stop at its end, unless it ends with a mark of its own."""
    text = text.strip()
    return text if not text or text[-1] in ".!?" else text + "."


class FemuError(Exception):
    """Base of all errors that femu raises on purpose."""


class InputError(FemuError, ValueError):
    """An argument breaks a rule.

    Fields: `object` (what was being built or called), `argument`, `value`, `rule`, `hint` and `fix`
    (both may be empty). A hint explains and is printed as it is, so it is a sentence; a fix is an
    instruction that begins with a verb and is printed after ``Fix:``.

    `InputError("Node 'A'", "mass", -3.0, "must not be negative", fix="give it in kg")` reads::

        Node 'A': mass = -3.0 must not be negative. Fix: give it in kg.
    """

    def __init__(
        self,
        what: str,
        argument: str,
        value: Any,
        rule: str,
        hint: str = "",
        fix: str = "",
    ) -> None:
        what = " ".join(what.split())
        self.object = what
        self.argument = argument
        self.value = value
        self.rule = rule
        self.hint = hint
        self.fix = fix
        message = f"{what}: {argument} = {shown(value)} {_sentence(rule)}"
        if hint:
            message += f" {_sentence(hint)}"
        if fix:
            message += f" Fix: {_sentence(fix)}"
        super().__init__(message)
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        # the default would rebuild from the message alone; batches send errors between processes
        return type(self), (self.object, self.argument, self.value, self.rule, self.hint, self.fix)


class ModelError(FemuError, ValueError):
    """The parts of a model do not fit together: an unknown node, a name used twice, a mechanism."""


class AnalysisError(FemuError, RuntimeError):
    """An analysis cannot start or cannot continue."""


class ConvergenceError(AnalysisError):
    """The iteration of a step or of an element did not reach its tolerance within its budget."""


class FileError(FemuError, OSError):
    """A file cannot be read or written, or its content contradicts itself.

    Fields: `path`, `reason`, `line` (counted from 1, None for the whole file).
    """

    def __init__(self, path: str | os.PathLike[str], reason: str, line: int | None = None) -> None:
        self.path = os.fspath(path)
        reason = " ".join(reason.split())
        self.reason = reason
        self.line = line
        place = self.path or repr(self.path)
        if line is not None:
            place += f", line {line}"
        super().__init__(f"{place}: {_sentence(reason)}")

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.reason, self.line)


class UnsupportedError(FemuError, NotImplementedError):
    """Something femu does not offer, or that needs an optional package which is not installed."""


def missing_extra(package: str, extra: str, purpose: str) -> UnsupportedError:
    """The error for an optional package that is not installed.

    It names the extra that brings it.
    """
    return UnsupportedError(
        f"{purpose} needs {package}, which is not installed. Fix: run pip install 'femu[{extra}]'."
    )


class ModelWarning(UserWarning):
    """Numbers of a model that have an answer, but probably not the one that is meant."""
