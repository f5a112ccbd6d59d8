"""recorder: text files that np.loadtxt reads, with one line per step, or the envelope at the
end."""

from __future__ import annotations

import atexit
import os
from abc import ABC, abstractmethod
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.opensees.front_end import responses
from femu.opensees.front_end.analysis import present
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.files import checked_name, refused
from femu.opensees.front_end.modal import shape_of
from femu.opensees.front_end.session import Rows, give
from femu.opensees.front_end.table import Kinds, command
from femu.support.errors import shown

Array = npt.NDArray[np.float64]
RECORDERS = Kinds("recorder", "recorder")
DIGITS = 6  # significant digits of a number, as OpenSees writes them
MOST_DIGITS = 40
MOST_COMPONENTS = 12  # of a response: forces at both ends of a member in space
LATE = 1e-5  # share of -dT by which a step may come before its time

_OUTPUT = (
    "-file file:w | -fileAdd file:w | -time | -dT dT | -closeOnWrite | -precision digits:i | "
    "-scientific"
)
_REFUSED = (
    "-xml",
    "-binary",
    "-tcp",
    "-csv",
    "-fileCSV",
    "-database",
    "-rTolDt",
    "-timeSeries",
    "-nodeOutput",
)
_NAMING = ("-file", "-fileAdd", "-xml", "-binary", "-csv", "-tcp", "-fileCSV")  # a name follows
_NODE_RESPONSES = (
    "disp",
    "vel",
    "accel",
    "reaction",
    "eigen",
    "displacement",
    "velocity",
    "acceleration",
)


class Recorder(ABC):
    """One recorder: takes rows, and writes them."""

    def __init__(self, a: dict[str, Any], reader: Reader) -> None:
        named = [
            checked_name(reader, option, a[option[1:]])
            for option in ("-file", "-fileAdd")
            if a[option[1:]] is not None
        ]
        self.path = Path(named[0] if named else os.devnull)
        self.append = a["fileAdd"] is not None
        self.timed, self.interval = bool(a["time"]), a["dT"] or 0.0
        if self.interval < 0.0:
            raise reader.wrong("-dT", self.interval, "must not be negative")
        self.digits = DIGITS if a["precision"] is None else digits_of(reader, a["precision"])
        self.scientific = bool(a["scientific"])
        self.next = -np.inf

    def begin(self) -> None:
        """Make sure that the file can be written, and empty it unless rows are to be added."""
        try:
            with self.path.open("a" if self.append else "w"):
                pass
        except (OSError, ValueError) as problem:
            raise refused(self.path, problem) from None

    nodes: frozenset[int] = frozenset()
    elements: frozenset[int] = frozenset()
    states: frozenset[int] = frozenset()
    reactions = False

    @abstractmethod
    def values(self, rows: Rows) -> Array:
        """What it records, one row per step."""

    def take(self, rows: Rows) -> None:
        """Record rows; except those too early for -dT."""
        time, values = rows.result.time, self.values(rows)
        if self.interval:
            wanted = []
            for k, t in enumerate(time):
                if t - self.next >= -self.interval * LATE:
                    wanted.append(k)
                    self.next = t + self.interval
            time, values = time[wanted], values[wanted]
        if len(time):
            self.keep(time, values)

    def keep(self, time: Array, values: Array) -> None:
        """Write rows."""
        table = np.concatenate([time[:, None], values], axis=1) if self.timed else values
        self.write(table)

    def write(self, table: Array) -> None:
        """Add rows of numbers to the file."""
        number = f"%.{self.digits}{'e' if self.scientific else 'g'}"
        line = " ".join([number] * table.shape[1]) + "\n"
        try:
            with self.path.open("a") as file:
                file.write("".join([line % tuple(row) for row in table.tolist()]))
        except OSError as problem:
            raise refused(self.path, problem) from None

    def close(self) -> None:
        """Write what is left."""


class Envelope(Recorder):
    """Smallest, largest and largest absolute value, written at the end."""

    rows: Array | None = None
    times: Array | None = None

    def keep(self, time: Array, values: Array) -> None:
        if self.rows is None:
            self.rows = np.stack([values[0], values[0], np.abs(values[0])])
            self.times = np.full_like(self.rows, time[0])
        assert self.times is not None
        new = np.stack([values.min(axis=0), values.max(axis=0), np.abs(values).max(axis=0)])
        when = np.stack(
            [
                time[values.argmin(axis=0)],
                time[values.argmax(axis=0)],
                time[np.abs(values).argmax(axis=0)],
            ]
        )
        better = np.stack([new[0] < self.rows[0], new[1] > self.rows[1], new[2] > self.rows[2]])
        self.rows, self.times = np.where(better, new, self.rows), np.where(better, when, self.times)

    def close(self) -> None:
        if self.rows is not None and self.times is not None:
            table = self.rows
            if self.timed:
                table = np.stack([self.times, self.rows], axis=2).reshape(3, -1)
            self.rows = None
            self.write(table)


class NodeRecorder(Recorder):
    """Responses of nodes in given directions."""

    def __init__(
        self, a: dict[str, Any], nodes: list[int], dofs: list[int], words: list[str], reader: Reader
    ) -> None:
        super().__init__(a, reader)
        self.tags, self.dofs, self.word = nodes, dofs, words[0]
        self.mode = 0
        if self.word == "eigen":
            mode = responses.whole(words[1]) if len(words) > 1 else None
            if mode is None or mode < 1:
                raise reader.error(
                    "response 'eigen' needs the number of the mode, starting at 1; the words are "
                    f"{shown(words)}."
                )
            self.mode = mode
        self.nodes = frozenset(nodes)
        self.reactions = self.word == "reaction"

    def values(self, rows: Rows) -> Array:
        found = []
        for node in self.tags:
            if self.word == "eigen":
                shape = [eigen_value(node, self.mode, dof) for dof in self.dofs]
                found.append(np.broadcast_to(shape, (len(rows.result.time), len(shape))))
                continue
            if self.reactions:
                own = responses.reaction(rows, domain, node)
            else:
                own = responses.nodal(rows, domain, node, self.word)
            found.append(own[:, [d - 1 for d in self.dofs]])
        return np.concatenate(found, axis=1)


class ElementRecorder(Recorder):
    """Responses of elements."""

    def __init__(
        self, a: dict[str, Any], tags: list[int], words: list[Any], dofs: list[int], reader: Reader
    ) -> None:
        super().__init__(a, reader)
        self.asked = [responses.element_response(domain, tag, list(words), reader) for tag in tags]
        self.elements = frozenset(tags)
        self.states = frozenset(
            tag for tag, asked in zip(tags, self.asked, strict=True) if asked.state
        )
        wrong = [d for d in dofs if not 1 <= d <= MOST_COMPONENTS]
        if wrong:
            raise reader.wrong("-dof", wrong[0], f"must lie between 1 and {MOST_COMPONENTS}")
        self.columns, self.reader = [d - 1 for d in dofs], reader

    def values(self, rows: Rows) -> Array:
        found = [asked.response(rows) for asked in self.asked]
        if self.columns:
            least = min(values.shape[1] for values in found)
            if max(self.columns) >= least:
                raise self.reader.wrong(
                    "-dof",
                    max(self.columns) + 1,
                    f"must lie between 1 and {least}, which the response has",
                )
            found = [values[:, self.columns] for values in found]
        return np.concatenate(found, axis=1)


class DriftRecorder(Recorder):
    """Difference of the displacements of two nodes over their distance."""

    def __init__(
        self, a: dict[str, Any], pairs: list[tuple[int, int]], dof: int, across: int, reader: Reader
    ) -> None:
        super().__init__(a, reader)
        self.pairs, self.dof = pairs, dof
        self.nodes = frozenset(n for pair in pairs for n in pair)
        nodes = domain.model.nodes
        self.heights = [
            float(abs(nodes[j].coordinates[across - 1] - nodes[i].coordinates[across - 1]))
            for i, j in pairs
        ]
        if 0.0 in self.heights:
            raise reader.error("the nodes of a drift must be apart along -perpDirn.")

    def values(self, rows: Rows) -> Array:
        moved = {n: responses.nodal(rows, domain, n, "disp")[:, self.dof - 1] for n in self.nodes}
        return np.stack(
            [(moved[j] - moved[i]) / h for (i, j), h in zip(self.pairs, self.heights, strict=True)],
            axis=1,
        )


class EnvelopeNodeRecorder(Envelope, NodeRecorder):
    """Envelope of the responses of nodes."""


class EnvelopeElementRecorder(Envelope, ElementRecorder):
    """Envelope of the responses of elements."""


class EnvelopeDriftRecorder(Envelope, DriftRecorder):
    """Envelope of drifts."""


def eigen_value(node: int, mode: int, dof: int) -> float:
    """One number of a mode shape."""
    return shape_of(node, mode)[dof - 1]


# --- the command ---


@command(
    "recorder",
    "recorders",
    "kind:w",
    "Write responses to a file at each step; returns its tag. See the kinds.",
)
def recorder(reader: Reader) -> int:
    kind = RECORDERS.find(reader)
    reader.command = f"recorder({kind.name!r})"
    made = kind.make(reader, kind.name)
    if domain.session is not None:
        domain.session.end()  # what it records is laid out when a session begins
    made.begin()
    tag = domain.next_recorder
    domain.next_recorder += 1
    domain.recorders[tag] = made
    return tag


_NODE = (
    f"| {_OUTPUT} | -node *nodes:i | -nodeRange first:i last:i | -region region:i | -dof *dofs:i"
)


def _nodes(reader: Reader, a: dict[str, Any]) -> list[int]:
    tags = list(a["node"])
    if a["nodeRange"]:
        tags += [t for t in sorted(domain.node_dofs) if a["nodeRange"][0] <= t <= a["nodeRange"][1]]
    if a["region"] is not None:
        tags += domain.find("region", domain.regions, a["region"], reader)[1]
    for tag in tags:
        domain.node(tag, reader)
    tags = tags or sorted(domain.node_dofs)
    if not tags:
        raise reader.error("there are no nodes to record.")
    return tags


def _split(reader: Reader, form: str) -> tuple[dict[str, Any], list[Any]]:
    """Options, and the words after them that name the response."""
    at = reader.at
    while at < len(reader.items):
        item = reader.items[at]
        if isinstance(item, str) and not item.startswith("-"):
            before = reader.items[at - 1] if at > reader.at else None
            if not isinstance(before, str) or before not in _NAMING:
                break
        at += 1
    words = reader.items[at:]
    del reader.items[at:]
    for word in words:
        if not isinstance(word, (str, int, float)) or (
            isinstance(word, str) and word.startswith("-") and not responses.is_number(word)
        ):
            raise reader.error(
                f"{shown(word)} comes after the response {shown(words[0])}: options must come "
                "before it."
            )
    return reader.read(form, _REFUSED), words


@RECORDERS.kind("Node", "EnvelopeNode", form=_NODE, into="disp, vel, accel, reaction, eigen mode")
def _node(reader: Reader, name: str) -> Recorder:
    a, words = _split(reader, _NODE)
    if not words:
        raise reader.error("the response is missing, for example 'disp'.")
    parts = str(words[0]).split() or [""]
    words = [*parts, *words[1:]]
    if words[0] not in _NODE_RESPONSES:
        raise reader.unsupported(
            f"response {shown(words[0])} is not supported. Supported: "
            f"{', '.join(_NODE_RESPONSES[:5])}."
        )
    nodes = _nodes(reader, a)
    most = min(len(domain.node_dofs[n]) for n in nodes)
    dofs = a["dof"] or list(range(1, most + 1))
    if min(dofs) < 1 or max(dofs) > most:
        raise reader.error(f"-dof {dofs} must lie between 1 and {most}.")
    cls: Any = EnvelopeNodeRecorder if name.startswith("Envelope") else NodeRecorder
    return cls(a, nodes, dofs, words, reader)


_ELEMENT = (
    f"| {_OUTPUT} | -ele *eles:i | -eleRange first:i last:i | -region region:i | -dof *dofs:i"
)


@RECORDERS.kind("Element", "EnvelopeElement", form=_ELEMENT, into="the responses of eleResponse")
def _element(reader: Reader, name: str) -> Recorder:
    a, words = _split(reader, _ELEMENT)
    tags = list(a["ele"])
    if a["eleRange"]:
        tags += [
            int(t)
            for t in sorted(domain.model.elements, key=int)
            if a["eleRange"][0] <= int(t) <= a["eleRange"][1]
        ]
    if a["region"] is not None:
        tags += domain.find("region", domain.regions, a["region"], reader)[0]
    if not tags:
        tags = sorted(int(t) for t in domain.model.elements)
    if not tags:
        raise reader.error("there are no elements to record.")
    if len(words) == 1 and isinstance(words[0], str):
        words = words[0].split()
    cls: Any = EnvelopeElementRecorder if name.startswith("Envelope") else ElementRecorder
    return cls(a, tags, words, a["dof"], reader)


_DRIFT = f"| {_OUTPUT} | -iNode *iNodes:i | -jNode *jNodes:i | -dof dof:i | -perpDirn perpDirn:i"


@RECORDERS.kind("Drift", "EnvelopeDrift", form=_DRIFT, into="drift ratios of pairs of nodes")
def _drift(reader: Reader, name: str) -> Recorder:
    a = reader.read(_DRIFT, _REFUSED)
    if (
        not a["iNode"]
        or len(a["iNode"]) != len(a["jNode"])
        or a["dof"] is None
        or a["perpDirn"] is None
    ):
        raise reader.error("needs -iNode, -jNode (as many), -dof and -perpDirn.")
    for i, j in zip(a["iNode"], a["jNode"], strict=True):
        domain.node(i, reader), domain.node(j, reader)
        domain.direction(i, a["dof"], reader), domain.direction(j, a["dof"], reader)
    if not 1 <= a["perpDirn"] <= domain.ndm:
        raise reader.wrong("-perpDirn", a["perpDirn"], f"must lie between 1 and {domain.ndm}")
    cls: Any = EnvelopeDriftRecorder if name.startswith("Envelope") else DriftRecorder
    pairs = list(zip(a["iNode"], a["jNode"], strict=True))
    return cls(a, pairs, a["dof"], a["perpDirn"], reader)


RECORDERS.refuse(
    "femu writes text files of nodes, elements and drifts",
    "Collapse",
    "Remove",
    "mpco",
    "MPCO",
    "VTK",
    "PVD",
    "GmshFile",
    "Plot",
    "display",
    "BgPVD",
    "DamageModel",
    "Pattern",
    "NodeRMS",
    "ElementRMS",
    "ResidNode",
)


def close_all() -> None:
    """Write what is left, and forget all recorders; what cannot be written is raised at the end."""
    with ExitStack() as left:
        left.callback(domain.recorders.clear)
        for recorder in domain.recorders.values():
            left.callback(recorder.close)
        if domain.session is not None:
            left.callback(domain.session.end)


def close(reader: Reader, tag: int) -> None:
    """Write what is left of one recorder, and forget it."""
    domain.find("recorder", domain.recorders, tag, reader)
    if domain.session is not None:
        domain.session.end()
    domain.recorders.pop(tag).close()


def digits_of(reader: Reader, digits: int) -> int:
    """A number of digits that a number can be written with."""
    if not 1 <= digits <= MOST_DIGITS:
        raise reader.wrong("digits", digits, f"must lie between 1 and {MOST_DIGITS}")
    return digits


@command(
    "initialize",
    "analysis",
    "",
    "Keep the present state once more, so that all recorders write it.",
)
@command("record", "recorders", "", "Let all recorders write the present state.")
def record(reader: Reader) -> None:
    session = present(reader)
    session.flush()
    give(domain, session.now())


@atexit.register
def _at_exit() -> None:
    try:
        close_all()
    except Exception as problem:  # it is too late to raise, but it must be reported
        print(f"femu.opensees: recorders could not be closed: {problem}")
