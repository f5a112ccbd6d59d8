"""Errors: their kinds, their words, and their way between processes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from femu.support.errors import (
    AnalysisError,
    ConvergenceError,
    FemuError,
    FileError,
    InputError,
    ModelError,
    UnsupportedError,
    missing_extra,
)


def test_input_error_names_object_argument_value_rule_and_fix() -> None:
    error = InputError("Node 'A'", "mass", -3.0, "must not be negative", fix="give it in kg")
    assert str(error) == "Node 'A': mass = -3.0 must not be negative. Fix: give it in kg."
    assert (error.object, error.argument, error.value, error.rule, error.fix) == (
        "Node 'A'",
        "mass",
        -3.0,
        "must not be negative",
        "give it in kg",
    )


def test_a_hint_is_printed_as_it_is_before_the_fix() -> None:
    hint = "It is the Young's modulus (unit: Pa)"
    error = InputError("Bilinear", "E", -1.0, "must be above 0", hint)
    assert str(error) == f"Bilinear: E = -1.0 must be above 0. {hint}."
    assert (error.hint, error.fix) == (hint, "")
    both = InputError("Bilinear", "E", -1.0, "must be above 0", hint, fix="give 2e11")
    assert str(both) == f"Bilinear: E = -1.0 must be above 0. {hint}. Fix: give 2e11."


def test_message_stays_short_and_on_one_line_for_a_long_value() -> None:
    message = str(InputError("Path", "values", np.zeros((40, 40)), "must be one row"))
    assert len(message) < 200
    assert "\n" not in message
    assert message.endswith("must be one row.")


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (InputError, ValueError),
        (ModelError, ValueError),
        (AnalysisError, RuntimeError),
        (ConvergenceError, AnalysisError),
        (FileError, OSError),
        (UnsupportedError, NotImplementedError),
    ],
)
def test_every_kind_is_a_femu_error_and_the_built_in_one(
    kind: type[Exception], builtin: type[Exception]
) -> None:
    assert issubclass(kind, FemuError)
    assert issubclass(kind, builtin)


@pytest.mark.parametrize(
    "error",
    [
        InputError("Node 'A'", "mass", -3.0, "must not be negative", "It is a mass", fix="give kg"),
        FileError("quake.AT2", "holds too few samples", 7),
        FileError("quake.AT2", "is empty"),
        ModelError("no node 'Z'"),
        UnsupportedError("no such thing"),
    ],
)
def test_errors_survive_pickling(error: FemuError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_file_error_names_file_and_line() -> None:
    assert (
        str(FileError("a/quake.AT2", "'x' is not a number", 12))
        == "a/quake.AT2, line 12: 'x' is not a number."
    )
    assert str(FileError("a/quake.AT2", "is empty")) == "a/quake.AT2: is empty."


def test_missing_extra_names_the_extra() -> None:
    error = missing_extra("openseespy", "opensees", "A comparison with OpenSees")
    assert "pip install 'femu[opensees]'" in str(error)
