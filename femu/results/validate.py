"""Whether what a file says of a result fits the tables in it.

A result that is read can then be asked anything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.support.errors import FileError

TEXTS = ("kind", "model", "outcome", "message")
LISTS = ("names", "patterns", "held", "held_loads", "elements", "sections")
TABLES = ("coordinates", "places", "nodal")
ENERGY_WIDTHS = (0, 4)
COMPONENTS = ("u", "v", "a")


def check_result(
    meta: Any, arrays: Mapping[str, npt.NDArray[Any]], path: str | os.PathLike[str]
) -> None:
    """Refuse a result whose description does not belong to its tables.

    Longer than a page: the tables of a result, one after the other.
    """

    def must(true: bool, what: str) -> None:
        if not true:
            raise FileError(path, f"holds a result that contradicts itself: {what}")

    must(isinstance(meta, dict), "its description is not a table")
    must(
        all(isinstance(meta.get(name), str) for name in TEXTS),
        f"one of {', '.join(TEXTS)} is missing or not a text",
    )
    must(isinstance(meta.get("relaxations"), list), "relaxations must be a list")
    must(_is_number(meta.get("seconds")), "seconds must be a number")
    index = meta.get("index")
    must(isinstance(index, dict), "there is no index of its columns")
    for names, kind in ((LISTS, list), (TABLES, dict)):
        for name in names:
            must(
                isinstance(index.get(name), kind),
                f"the index has no {name}, or one of another kind",
            )
    nodal, places = index["nodal"], index["places"]
    must(
        all(isinstance(nodal.get(k), list) and all(map(_is_whole, nodal[k])) for k in COMPONENTS),
        "nodal must be whole numbers",
    )
    must(
        all(isinstance(p, dict) and all(map(_is_whole, p.values())) for p in places.values()),
        "places must be whole numbers",
    )
    must(all(map(_is_whole, index["held"])), "held must be whole numbers")
    must(
        all(
            isinstance(row, dict) and all(map(_is_number, row.values()))
            for row in index["held_loads"]
        ),
        "held_loads",
    )
    must(
        all(isinstance(x, list) and all(map(_is_number, x)) for x in index["coordinates"].values()),
        "coordinates",
    )
    must(
        all(isinstance(n, (int, str)) for n in index["names"]),
        "a name of a node is neither a text nor a number",
    )
    must(
        all(isinstance(n, str) for n in index["patterns"]), "a name of a load pattern is not a text"
    )
    must(
        all(isinstance(s, list) and len(s) == 2 for s in index["sections"]),
        "sections must list pairs",
    )

    widths = {
        "time": 1,
        "factor": len(index["patterns"]),
        "internal": len(index["held"]),
        "section": len(index["sections"]),
        **{kind: len(nodal[kind]) for kind in COMPONENTS},
    }
    for name in (*widths, "basic", "energy"):
        must(
            name in arrays and arrays[name].ndim == 2 and arrays[name].dtype.kind == "f",
            f"there is no table {name}",
        )
        must(
            len(arrays[name]) == len(arrays["time"]) > 0,
            f"the table {name} has {len(arrays[name])} rows",
        )
        width = arrays[name].shape[1]
        must(
            width == widths.get(name, width),
            f"the table {name} has {width} columns and names for {widths.get(name)}",
        )
    must(
        arrays["energy"].shape[1] in ENERGY_WIDTHS, "the table energy has another number of columns"
    )
    must(
        len(index["held_loads"]) == len(index["patterns"]),
        "held_loads must have a row for each load pattern",
    )
    for element in index["elements"]:
        must(
            isinstance(element, dict)
            and isinstance(element.get("name"), (int, str))
            and isinstance(element.get("basic"), list),
            "an element has no name or no list of basic forces",
        )
        first = element.get("column")
        must(
            first is None
            or (_is_whole(first) and first + len(element["basic"]) <= arrays["basic"].shape[1]),
            f"element {element['name']!r} has columns that are not there",
        )
    if "test" in index or meta["kind"] == "hybrid":
        _check_test(index, arrays, must)


def _check_test(
    index: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], must: Any
) -> None:
    """What a hybrid test adds."""
    test: Any = arrays.get("test")
    every: Any = index.get("every")
    must(
        test is not None and test.ndim == 2 and len(test) > 0,
        "there is no table of the steps of the test",
    )
    must(_is_number(index.get("dt")) and _is_whole(every) and every > 0, "dt or every is missing")
    must(
        isinstance(index.get("test"), list)
        and all(
            isinstance(e, list) and len(e) == 2 and isinstance(e[1], dict) for e in index["test"]
        ),
        "the elements of the test are not described",
    )
    for name, columns in index["test"]:
        spans = [v for key, v in columns.items() if key != "size"]
        must(
            _is_whole(columns.get("size"))
            and all(
                isinstance(s, list)
                and len(s) == 2
                and all(map(_is_whole, s))
                and sum(s) <= np.shape(test)[1]
                for s in spans
            ),
            f"element {name!r} has columns that are not there",
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
