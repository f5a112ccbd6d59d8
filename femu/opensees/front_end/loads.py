"""pattern, load, eleLoad, sp, groundMotion, loadConst: loads and imposed motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.model.doubts import warn_accepted
from femu.model.loads import DistributedLoad, PointLoad, UniformLoad
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.choices import failures
from femu.opensees.front_end.domain import DOFS, Domain, LoadPattern, domain, started
from femu.opensees.front_end.table import SLOW, Kinds, command
from femu.support.errors import ModelWarning, shown
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]
PATTERNS = Kinds("pattern", "pattern")
MEMBER_LOADS = Kinds("eleLoad", "type")


@dataclass(frozen=True)
class GroundMotion:
    """Displacement, velocity and acceleration of a support, each by a series."""

    displacement: Any
    velocity: Any
    acceleration: Any
    factor: float

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """The three at given times."""
        return tuple(
            np.zeros_like(t) if s is None else self.factor * np.asarray(s.at(t), dtype=float)  # type: ignore[return-value]
            for s in (self.displacement, self.velocity, self.acceleration)
        )


@dataclass(frozen=True)
class Held:
    """A displacement that is imposed at once, whatever the series."""

    value: float

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Displacement, velocity and acceleration at given times."""
        return np.full_like(t, self.value), np.zeros_like(t), np.zeros_like(t)


@command(
    "pattern",
    "loads",
    "kind:w tag:i",
    "A load pattern, to which the loads that follow belong; see the kinds.",
)
def pattern(reader: Reader) -> None:
    kind = PATTERNS.find(reader)
    tag = reader.take("patternTag", "i")
    reader.command = f"pattern({kind.name!r}, {tag})"
    made = kind.make(domain, reader, tag)
    domain.define("pattern", domain.patterns, tag, made, reader)
    domain.pattern_open = tag
    domain.touch_loads()


def _series(d: Domain, tag: int | None, reader: Reader) -> Any:
    return None if tag is None else d.find("timeSeries", d.series, tag, reader)


@PATTERNS.kind(
    "Plain", form="tsTag:i | -factor factor | -fact fact", into="a pattern with a series"
)
def _plain(d: Domain, reader: Reader, tag: int) -> LoadPattern:
    a = reader.read("tsTag:i | -factor factor | -fact fact")
    factor = a["factor"] if a["factor"] is not None else a["fact"]
    return LoadPattern(
        tag, "Plain", _series(d, a["tsTag"], reader), 1.0 if factor is None else factor
    )


@PATTERNS.kind(
    "UniformExcitation",
    form="dir:i | -accel accelSeriesTag:i | -fact fact | -factor factor",
    into="base acceleration",
)
def _uniform(d: Domain, reader: Reader, tag: int) -> LoadPattern:
    a = reader.read(
        "dir:i | -disp dispSeriesTag:i | -vel velSeriesTag:i | -accel accelSeriesTag:i | "
        "-fact fact | -factor factor | -vel0 vel0"
    )
    if a["vel0"]:
        raise reader.unsupported(f"option '-vel0' = {a['vel0']:g} is not supported: only 0 is.")
    started(reader)
    names = DOFS[d.ndm, d.ndf]
    if not 1 <= a["dir"] <= len(names):
        raise reader.error(f"dir = {a['dir']} must lie between 1 and {len(names)}.")
    if a["accel"] is None:
        if a["disp"] is None and a["vel"] is None:
            raise reader.error("option -accel is missing.")
        warn_accepted(f"{reader.command}: without -accel there is no acceleration, and no load.")
    return LoadPattern(
        tag,
        "UniformExcitation",
        _series(d, a["accel"], reader),
        next((a[n] for n in ("fact", "factor") if a[n] is not None), 1.0),
        direction=names[a["dir"] - 1],
    )


@PATTERNS.kind(
    "MultipleSupport", form="", into="motions of supports, with groundMotion and imposedMotion"
)
def _multiple(d: Domain, reader: Reader, tag: int) -> LoadPattern:
    reader.read("")
    return LoadPattern(tag, "MultipleSupport")


PATTERNS.refuse(
    "femu has Plain, UniformExcitation and MultipleSupport", "DRM", "H5DRM", "Firecracker"
)


def _open(reader: Reader, kind: str | None = None) -> LoadPattern:
    if domain.pattern_open is None or domain.pattern_open not in domain.patterns:
        raise reader.error("there is no load pattern to add to: call pattern(...) first.")
    found = domain.patterns[domain.pattern_open]
    if kind is not None and found.kind != kind:
        raise reader.error(
            f"the open pattern {found.tag} is a {found.kind}, and this needs a {kind} pattern."
        )
    return found


@command("load", "loads", "nodeTag:i *loadValues | -pattern patternTag:i", "A load on a node.")
def load(reader: Reader) -> None:
    tag = reader.take("nodeTag", "i")
    names = domain.node(tag, reader)
    a = reader.read("*loadValues | -pattern patternTag:i", ("-const",))
    values = a["loadValues"]
    if len(values) != len(names):
        warn(
            f"load: node {tag} has {len(names)} degrees of freedom, but {len(values)} loadValues "
            "were given: none of them acts, as in OpenSees. Fix: give one value for each.",
            ModelWarning,
        )
        values = []
    target = (
        _open(reader, "Plain")
        if a["pattern"] is None
        else domain.find("pattern", domain.patterns, a["pattern"], reader)
    )
    if values:
        target.given.append((tag, values))
    target.nodal += [(tag, d, v) for d, v in zip(names, values, strict=False) if v != 0.0]
    domain.touch_loads()


@command(
    "eleLoad",
    "loads",
    "| -ele *eles:i | -range first:i last:i | -type kind:w",
    "A load on elements; see the kinds.",
)
def ele_load(reader: Reader) -> None:
    target = _open(reader, "Plain")
    tags: list[int] = []
    while reader.left and reader.peek() != "-type":
        option = reader.take("option", "w")
        if option == "-ele":
            tags += reader.rest("eleTag", "i", {"-type", "-range", "-ele"})
        elif option == "-range":
            first, last = reader.take("first", "i"), reader.take("last", "i")
            tags += [int(t) for t in domain.model.elements if first <= int(t) <= last]
        else:
            raise reader.error(f"unknown option {shown(option)}. Options: -ele, -range, -type.")
    if not reader.left:
        raise reader.error("option -type is missing.")
    reader.take("-type", "w")
    kind = MEMBER_LOADS.find(reader)
    made = kind.make(domain, reader)
    if not tags:
        raise reader.error("option -ele (or -range) is missing.")
    missing = [tag for tag in tags if tag not in domain.model.elements]
    if missing:
        warn_accepted(f"eleLoad: there is no element {missing[0]}: the load on it has no effect.")
    tags = [tag for tag in tags if tag in domain.model.elements]
    for tag in tags:
        _check_taken(reader, tag, made)
    target.member += [(tag, made) for tag in tags]
    domain.touch_loads()


def _check_taken(reader: Reader, tag: int, load: Any) -> None:
    """Elements of OpenSees omit or misread some loads that those of femu take."""
    kind = domain.kinds[tag]
    if kind == "ElasticTimoshenkoBeam" and not isinstance(load, UniformLoad):
        raise reader.unsupported(
            f"element {tag}: {kind} takes uniform loads over its length only; OpenSees omits "
            "others."
        )
    if isinstance(load, DistributedLoad) and kind == "dispBeamColumn":
        raise reader.unsupported(
            f"element {tag}: {kind} takes no load over a part of its length; OpenSees omits it."
        )
    trapezoid = isinstance(load, DistributedLoad) and any(
        len(set(load.intensities(axis))) > 1 for axis in "xyz"
    )
    if trapezoid and domain.ndm == 3 and kind == "elasticBeamColumn":
        raise reader.unsupported(
            f"element {tag}: {kind} takes no trapezoidal load in space; OpenSees reads it as a "
            "uniform one."
        )


@MEMBER_LOADS.kind(
    "-beamUniform",
    "beamUniform",
    form="Wy Wx=0 aOverL=0 bOverL=1 Wyb=None Wxb=None",
    into="UniformLoad, DistributedLoad over a part (in space: Wy Wz Wx aOverL bOverL Wyb Wzb Wxb)",
)
def _beam_uniform(d: Domain, reader: Reader) -> Any:
    space = d.ndm == 3
    if reader.numbers_ahead() <= (3 if space else 2):
        a = reader.read("Wy Wz Wx=0" if space else "Wy Wx=0")
        return UniformLoad(x=a["Wx"], y=a["Wy"], z=a["Wz"] if space else 0.0)
    names = ("Wyb", "Wzb", "Wxb") if space else ("Wyb", "Wxb")
    a = reader.read(
        ("Wy Wz Wx" if space else "Wy Wx")
        + " aOverL bOverL "
        + " ".join(f"{name}=None" for name in names)
    )
    given = [a[name] for name in names if a[name] is not None]
    if given and len(given) < len(names):
        raise reader.error(
            f"a trapezoidal load needs {', '.join(names)} after bOverL, {len(given)} of them were "
            "given."
        )
    return DistributedLoad(
        a["aOverL"],
        a["bOverL"],
        a["Wx"],
        a["Wy"],
        a.get("Wz", 0.0),
        a["Wxb"],
        a["Wyb"],
        a.get("Wzb"),
    )


@MEMBER_LOADS.kind(
    "-beamPoint", "beamPoint", form="Py xL Px=0", into="PointLoad (in space: Py Pz xL Px)"
)
def _beam_point(d: Domain, reader: Reader) -> Any:
    if d.ndm == 3:
        a = reader.read("Py Pz xL Px=0")
        return PointLoad(a["xL"], x=a["Px"], y=a["Py"], z=a["Pz"])
    a = reader.read("Py xL Px=0")
    return PointLoad(a["xL"], x=a["Px"], y=a["Py"])


MEMBER_LOADS.refuse(
    "femu has -beamUniform and -beamPoint",
    "-beamThermal",
    "-beamTemp",
    "-selfWeight",
    "-surfaceLoad",
    "-ThermalWrapper",
    "beamThermal",
)


@command(
    "sp",
    "loads",
    "nodeTag:i dof:i value | -const | -pattern patternTag:i",
    "Impose a displacement, which follows the series of the open pattern.",
)
def sp(reader: Reader) -> None:
    a = reader.read(
        "nodeTag:i dof:i value | -const | -pattern patternTag:i",
        ("-subtractInit", "-retZeroInitValue"),
    )
    direction = domain.direction(a["nodeTag"], a["dof"], reader)
    target = (
        _open(reader, "Plain")
        if a["pattern"] is None
        else domain.find("pattern", domain.patterns, a["pattern"], reader)
    )
    # a constant value does not follow the series
    target.imposed[a["nodeTag"], direction] = Held(a["value"]) if a["const"] else a["value"]
    domain.touch_loads()


@command(
    "groundMotion",
    "loads",
    "gmTag:i kind:w | -disp tsTag:i | -vel tsTag:i | -accel tsTag:i | -fact fact",
    "A motion of supports, in a MultipleSupport pattern.",
)
def ground_motion(reader: Reader) -> None:
    target = _open(reader, "MultipleSupport")
    tag, kind = reader.take("gmTag", "i"), reader.take("kind", "w")
    if kind != "Plain":
        raise reader.unsupported(f"kind {shown(kind)} is not supported. Use 'Plain'.")
    a = reader.read(
        " | -disp tsTag:i | -vel tsTag:i | -accel tsTag:i | -fact fact | -int integrator:w dt=None"
    )
    if a["disp"] is None:
        raise reader.unsupported(
            "a ground motion without -disp is not supported: give displacement, velocity and "
            "acceleration."
        )
    target.motions[tag] = GroundMotion(
        _series(domain, a["disp"], reader),
        _series(domain, a["vel"], reader),
        _series(domain, a["accel"], reader),
        1.0 if a["fact"] is None else a["fact"],
    )


@command("imposedMotion", "loads", "nodeTag:i dof:i gmTag:i", "Impose a ground motion on a node.")
def imposed_motion(reader: Reader) -> None:
    target = _open(reader, "MultipleSupport")
    a = reader.read("nodeTag:i dof:i gmTag:i")
    direction = domain.direction(a["nodeTag"], a["dof"], reader)
    target.imposed[a["nodeTag"], direction] = domain.find(
        "groundMotion", target.motions, a["gmTag"], reader
    )
    domain.touch_loads()


@command(
    "loadConst", "loads", "| -time time", "Keep all loads as they are, and set the time if wanted."
)
def load_const(reader: Reader) -> None:
    a = reader.read(" | -time time")
    failures.keep()
    if domain.patterns or domain.model.elements:
        now = domain.state.time
        if domain.session is not None:
            domain.session.end()
        free = [
            found
            for found in domain.patterns.values()
            if found.kind == "Plain" and found.held is None
        ]
        # all of them before any is held
        for found, factor in zip(free, [float(found.at(now)) for found in free], strict=True):
            found.held = factor
        if a["time"] is not None:
            set_clock(a["time"])


def set_clock(time: float) -> None:
    """Set the time of the domain."""
    if domain.session is not None:
        domain.session.end()
    domain.state.vector[domain.program.layout.time] = time


@command("setTime", "loads", "time", "Set the time of the domain.")
def set_time(reader: Reader) -> None:
    time = reader.read("time")["time"]
    if domain.model.elements:
        set_clock(time)
    else:
        domain.early_time = time


def _quick_time(arguments: tuple[Any, ...]) -> Any:
    return domain.state.vector.item(0) if domain.compiled and not arguments else SLOW


@command(
    "getTime",
    "queries",
    "",
    "The time of the domain: the load factor in static analyses.",
    _quick_time,
)
def get_time(reader: Reader) -> float:
    return domain.state.time if domain.model.elements else domain.early_time


def _quick_factor(arguments: tuple[Any, ...]) -> Any:
    pattern = (
        domain.patterns.get(arguments[0])
        if len(arguments) == 1 and type(arguments[0]) is int
        else None
    )
    return SLOW if pattern is None or not domain.compiled else float(pattern.at(domain.state.time))


@command("getLoadFactor", "queries", "patternTag:i", "The factor of a pattern.", _quick_factor)
def get_load_factor(reader: Reader) -> float:
    found = domain.find(
        "pattern", domain.patterns, reader.read("patternTag:i")["patternTag"], reader
    )
    return float(found.at(domain.state.time))


@command("getPatterns", "queries", "", "Tags of the patterns.")
def get_patterns(reader: Reader) -> list[int]:
    return sorted(domain.patterns)
