"""Arguments of another kind than their annotation are refused by name."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from femu import InputError
from femu.model.element import Name
from femu.support.arguments import typed, typed_class, typed_methods


@typed
def called(
    number: float = 0.0,
    whole: int = 0,
    word: str = "",
    yes: bool = True,
    some: npt.ArrayLike = (),
    pair: tuple[float, float] = (0.0, 1.0),
    table: Mapping[str, float] | None = None,
    names: Sequence[str] = (),
    thing: Any = None,
) -> str:
    return "called"


@typed_class
class Base:
    def __init__(self, size: int) -> None:
        self.size = size


class Derived(Base):
    pass


@pytest.mark.parametrize(
    "good",
    [
        {"number": 1},
        {"number": np.float64(2.0)},
        {"number": float("inf")},
        {"whole": np.int64(3)},
        {"some": [[1, 2], [3, 4]]},
        {"pair": [1, 2.0]},
        {"table": {}},
        {"table": None},
        {"names": ["a"]},
        {"thing": object()},
        {},
    ],
)
def test_what_may_be_is_taken(good: dict[str, Any]) -> None:
    assert called(**good) == "called"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", "1"),
        ("number", None),
        ("number", float("nan")),
        ("number", True),
        ("whole", 1.0),
        ("whole", True),
        ("word", b"x"),
        ("yes", 1),
        ("some", "words"),
        ("some", None),
        ("pair", (1.0,)),
        ("pair", 3),
        ("table", [1]),
        ("names", "text"),
        ("names", [1]),
    ],
)
def test_what_may_not_be_is_named(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"called: {name} = .* must be "):
        called(**{name: value})


def test_a_constructor_names_its_class() -> None:
    assert Derived(3).size == 3
    with pytest.raises(InputError, match=r"Derived: size = 1\.5 must be a whole number"):
        Derived(1.5)  # type: ignore[arg-type]


@typed_methods
class Shelf:
    def put(
        self,
        name: Name,
        path: str | os.PathLike[str],
        pairs: Sequence[tuple[float, float] | None] | None = None,
    ) -> str:
        return "put"

    @classmethod
    def of(cls, height: float) -> Shelf:
        return cls()


@pytest.mark.parametrize(
    "good", [(1, "a"), ("b", Path("a")), (1, "a", [(0.0, 1.0), None]), (1, "a", [])]
)
def test_methods_take_names_paths_and_lists_of_pairs(good: tuple[Any, ...]) -> None:
    assert Shelf().put(*good) == "put"
    assert isinstance(Shelf.of(1.0), Shelf)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("name", (True, "a")),
        ("name", ("", "a")),
        ("name", (1.5, "a")),
        ("path", (1, 3)),
        ("path", (1, b"a")),
        ("path", (1, "a\0")),
        ("pairs", (1, "a", [(0.0,)])),
        ("pairs", (1, "a", [3.0])),
        ("pairs", (1, "a", 3.0)),
    ],
)
def test_methods_name_themselves(name: str, bad: tuple[Any, ...]) -> None:
    with pytest.raises(InputError, match=rf"Shelf\.put: {name} = .* must be "):
        Shelf().put(*bad)
    with pytest.raises(InputError, match=r"Shelf\.of: height = 'high' must be a number"):
        Shelf.of("high")  # type: ignore[arg-type]


def test_a_checked_function_can_be_sent_to_a_worker() -> None:
    from femu.records import arias_intensity

    assert pickle.loads(pickle.dumps(arias_intensity)) is arias_intensity
