"""A specimen described in a TOML file, for `femu serve`.

::

    [specimen]                        # arguments of EmulatedSpecimen
    length = 3.6
    numerical = false

    [specimen.of]                     # a material, an element, or [[specimen.of]] for one material each actuator
    type = "BoucWen"
    alpha = 0.05
    k = 4.0e6

    [actuator]                        # arguments of Actuator
    delay = 0.012

    [sensors]                         # arguments of Sensors
    force_noise = 20.0

    [motion]                          # arguments of MotionGenerator: move between the steps too
    step = 0.02
    rate = 1024.0
    acceleration = 20.0

    [limits]                          # arguments of Limits, or of Unlimited: unlimited = "reason"
    displacement = 0.08

    [server]                          # port, host, protocol, version, tag, udp, silence, wait, actuators
    port = 8090
    host = "192.168.7.1"              # beyond this computer an allow-list is required
    allow = ["192.168.7.2"]           # addresses, networks, names
    secret_file = "femu.secret"       # clients of femu with the same secret only
    log = "server.log"                # who connected, what was commanded
    actuators = ["x"]                 # their names; one that begins with rx, ry or rz is of rotation and moment

A table with a ``type`` becomes the material, section or element of that name; tables inside it
likewise.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from femu import elements, materials
from femu.experimental.motion.continuous import ContinuousSpecimen
from femu.experimental.motion.generator import MotionGenerator
from femu.experimental.network.secret import read_secret
from femu.experimental.safety.limits import Limits, Unlimited
from femu.experimental.specimens.actuator import Actuator
from femu.experimental.specimens.emulated import EmulatedSpecimen, Sensors
from femu.experimental.specimens.specimen import Specimen
from femu.files import toml_text
from femu.model.element import Element
from femu.support.errors import FemuError, FileError
from femu.support.ordinary_file import text_of

TABLES = ("specimen", "actuator", "sensors", "motion", "limits", "server")
SERVER_OPTIONS = {
    "port": int,
    "host": str,
    "protocol": str,
    "version": (int, float),
    "tag": int,
    "udp": bool,
    "silence": (int, float),
    "wait": (int, float),
    "actuators": list,
    "allow": list,
    "secret_file": str,
    "log": str,
}


@dataclass(frozen=True)
class Description:
    """What a file describes."""

    specimen: Specimen
    limits: Limits | Unlimited
    server: dict[str, Any] = field(default_factory=dict)


def read_description(path: str | os.PathLike[str]) -> Description:
    """Read a specimen, its limits and the options of its server."""
    path = os.fspath(path)
    try:
        found = toml_text.read(text_of(path))
    except FileError:
        raise
    except (OSError, toml_text.NotTOML, UnicodeDecodeError) as problem:
        raise FileError(path, f"cannot be read: {problem}") from problem
    unknown = [name for name in found if name not in TABLES]
    if unknown or not isinstance(found.get("specimen"), dict) or "of" not in found["specimen"]:
        raise FileError(
            path,
            f"has the unknown table [{unknown[0]}]; possible are {TABLES}"
            if unknown
            else "has no [specimen.of] that says what the specimen is",
        )
    for name, content in found.items():
        if not isinstance(content, dict):
            raise FileError(path, f"has {name} = {content!r}; [{name}] must be a table")
    given = dict(found["specimen"])
    of = given.pop("of")
    try:
        thing = [_made(path, part) for part in of] if isinstance(of, list) else _made(path, of)
        specimen = EmulatedSpecimen(
            thing,
            actuator=Actuator(**found.get("actuator", {})),
            sensors=Sensors(**found.get("sensors", {})),
            **given,
        )
        bounds = _with_tuples(found.get("limits", {}))
        limits = (
            Unlimited(bounds.pop("unlimited"), **bounds)
            if "unlimited" in bounds
            else Limits(**bounds)
        )
        moved: Specimen = specimen
        if "motion" in found:
            generator = MotionGenerator(specimen.size, **_with_tuples(found["motion"]))
            bound = limits.displacement if isinstance(limits, Limits) else None
            moved = ContinuousSpecimen(
                specimen, generator, paced=True, limits=Limits(displacement=bound)
            )
    except TypeError as problem:
        raise FileError(path, f"has a wrong argument: {problem}") from None
    except FileError:
        raise
    except FemuError as problem:
        raise FileError(path, str(problem)) from problem
    server = dict(found.get("server", {}))
    for name, value in server.items():
        kind: Any = SERVER_OPTIONS.get(name)
        if kind is None or not isinstance(value, kind):
            raise FileError(
                path,
                f"has [server] {name} = {value!r}; possible are {', '.join(SERVER_OPTIONS)}, each "
                "of its kind",
            )
    folder = os.path.dirname(path)
    if "secret_file" in server:
        server["secret"] = read_secret(os.path.join(folder, server.pop("secret_file")))
    if "log" in server:
        server["log"] = os.path.join(folder, server["log"])
    return Description(moved, limits, server)


def _with_tuples(table: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in table.items()}


def _made(path: str, table: Any) -> Any:
    """The component that a table describes."""
    if not isinstance(table, dict) or not isinstance(table.get("type"), str):
        raise FileError(path, f'needs a type in the table {table!r}, for example type = "Bilinear"')
    kind = table["type"]
    for module in (materials, elements):
        if kind in module.__all__:
            cls = getattr(module, kind)
            break
    else:
        raise FileError(
            path,
            f"names the type {kind!r}, which is neither in femu.materials nor in femu.elements",
        )
    arguments = {name: _inside(path, value) for name, value in table.items() if name != "type"}
    if isinstance(cls, type) and issubclass(cls, Element):
        arguments = {"name": "specimen", "i": "i", "j": "j", **arguments}
    return cls(**arguments)


def _inside(path: str, value: Any) -> Any:
    if isinstance(value, dict):
        return (
            _made(path, value)
            if "type" in value
            else {k: _inside(path, v) for k, v in value.items()}
        )
    return [_inside(path, v) for v in value] if isinstance(value, list) else value
