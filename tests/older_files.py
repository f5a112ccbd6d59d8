"""Files as earlier versions of femu wrote them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np


def in_older_form(path: Path) -> None:
    """Write a file again as earlier versions of femu did: texts of variable length, metadata without checksums."""
    new = path.with_name(f"{path.name}.older")
    with h5py.File(path, "r") as file, h5py.File(new, "w") as made:
        def put(name: str, thing: Any) -> None:
            if isinstance(thing, h5py.Dataset):
                data = thing[()]
                target: Any = made.create_dataset(name, data=data.decode() if isinstance(data, bytes) else data)
            else:
                target = made.require_group(name) if name else made
            for key, value in thing.attrs.items():
                if isinstance(value, np.ndarray) and value.dtype.kind == "S":
                    value = [v.decode() for v in value]
                target.attrs[key] = value.decode() if isinstance(value, bytes) else value
        put("", file)
        file.visititems(put)
    os.replace(new, path)
