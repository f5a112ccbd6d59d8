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

from femu.model.doubts import warn_accepted
from femu.opensees.front_end import responses
from femu.opensees.front_end.analysis import present
from femu.opensees.front_end.arguments import Reader
from femu.opensees.front_end.described_model import class_of
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.files import checked_name, refused
from femu.opensees.front_end.modal import shape_of
from femu.opensees.front_end.session import Rows, give
from femu.opensees.front_end.table import Kinds, command
from femu.support.errors import ModelWarning, shown
from femu.support.users_line import warn

Array = npt.NDArray[np.float64]
RECORDERS = Kinds("recorder", "recorder")
DIGITS = 6  # significant digits of a number, as OpenSees writes them
MOST_DIGITS = 40
MOST_COMPONENTS = 12  # of a response: forces at both ends of a member in space
LATE = 1e-5  # share of -dT by which a step may come before its time

_OUTPUT = (
    "-file file:w | -fileAdd file:w | -csv csv:w | -fileCSV fileCSV:w | -xml xml:w | "
    "-binary binary:w | -time | -dT dT | "
    "-rTolDt rTolDt | -closeOnWrite | -precision digits:i | -scientific"
)
_REFUSED = ("-tcp", "-database", "-nodeOutput")
_FILES = ("-file", "-fileAdd", "-csv", "-fileCSV", "-xml", "-binary")
_NAMING = (*_FILES, "-tcp")  # a name follows
_XML_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
 <OpenSees
  xmlns:xsi = "http://www.w3.org/2001/XMLSchema-instance"
  xsi:noNamespaceSchemaLocation = "http://OpenSees.berkeley.edu/xml-schema/xmlns/OpenSees.xsd">
"""
_XML_END = "        </Data>\n</OpenSees>\n"
_LETTERS = {"disp": "D", "vel": "V", "accel": "A", "reaction": "R", "unbalance": "F"}


class Recorder(ABC):
    """One recorder: takes rows, and writes them."""

    def __init__(self, a: dict[str, Any], reader: Reader) -> None:
        named = [
            checked_name(reader, option, a[option[1:]])
            for option in _FILES
            if a[option[1:]] is not None
        ]
        self.reader, self.begun = reader, False
        self.format = next((f for f in ("xml", "binary") if a[f] is not None), "text")
        self.comma = "," if a["csv"] is not None or a["fileCSV"] is not None else " "
        self.late = LATE if a["rTolDt"] is None else a["rTolDt"]
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
        folder = self.path.parent
        try:
            if not folder.exists():
                folder.mkdir(parents=True)
                warn(
                    f"{self.reader.command}: there was no folder {str(folder)!r}: femu has made "
                    "it. OpenSees writes nothing then.",
                    ModelWarning,
                )
            with self.path.open("a" if self.append else "w"):
                pass
        except (OSError, ValueError) as problem:
            raise refused(self.path, problem) from None

    def resolve(self) -> None:
        """Find what it records among the nodes and elements that there are now."""

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
                if t - self.next >= -self.interval * self.late:
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
        if self.format == "binary":
            self.add(b"".join([row.tobytes() + b"\n" for row in table]))
            return
        if self.format == "xml" and not self.begun:
            self.begun = True
            self.add((_XML_HEAD + self.columns_xml() + "    <Data>\n").encode())
        number = f"%.{self.digits}{'e' if self.scientific else 'g'}"
        line = self.comma.join([number] * table.shape[1]) + "\n"
        if self.format == "xml":
            line = f"        {line[:-1]} \n"
        self.add("".join([line % tuple(row) for row in table.tolist()]).encode())

    def columns_xml(self) -> str:
        """What the columns are, as the head of an XML file says it."""
        if not self.timed:
            return ""
        return "    <TimeOutput>\n        <ResponseType>time</ResponseType>\n    </TimeOutput>\n"

    def add(self, text: bytes) -> None:
        """Add to the file."""
        try:
            with self.path.open("ab") as file:
                file.write(text)
        except OSError as problem:
            raise refused(self.path, problem) from None

    def close(self) -> None:
        """Write what is left."""
        if self.format == "xml" and self.begun:
            self.begun = False
            self.add(_XML_END.encode())


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
        super().close()


class NodeRecorder(Recorder):
    """Responses of nodes in given directions, each with a time series added if one is given."""

    def __init__(
        self,
        a: dict[str, Any],
        nodes: list[int] | None,
        dofs: list[int],
        words: list[str],
        reader: Reader,
    ) -> None:
        super().__init__(a, reader)
        self.asked, self.tags, self.dofs, self.word = nodes, nodes or [], dofs, words[0]
        self.mode = 0
        if self.word == "eigen":
            mode = responses.whole(words[1]) if len(words) > 1 else None
            if mode is None or mode < 1:
                raise reader.error(
                    "response 'eigen' needs the number of the mode, starting at 1; the words are "
                    f"{shown(words)}."
                )
            self.mode = mode
        self.nodes = frozenset(self.tags)
        self.reactions = self.word.startswith("reaction")
        self.series = [domain.series.get(tag) for tag in a["timeSeries"]]

    def resolve(self) -> None:
        wanted = sorted(domain.node_dofs) if self.asked is None else self.asked
        self.tags = [tag for tag in wanted if tag in domain.node_dofs]
        self.nodes = frozenset(self.tags)
        missing = [tag for tag in wanted if tag not in domain.node_dofs]
        if missing:
            _without(self.reader, "node", missing)

    def values(self, rows: Rows) -> Array:
        found = [np.zeros((len(rows.result.time), 0))]
        for node in self.tags:
            found.append(self._added(rows.result.time, self._of(rows, node)))
        return np.concatenate(found, axis=1)

    def columns_xml(self) -> str:
        letter = _LETTERS.get(self.word, "R")
        found = [super().columns_xml()]
        for tag in self.tags:
            place = [0.0, 0.0, 0.0]
            place[: domain.ndm] = domain.model.nodes[tag].coordinates[: domain.ndm]
            coordinates = " ".join(f'coord{k}="{x:g}"' for k, x in enumerate(place, start=1))
            found.append(f'    <NodeOutput nodeTag="{tag}" {coordinates}>\n')
            dofs = self.dofs or range(1, len(domain.node_dofs[tag]) + 1)
            found += [f"        <ResponseType>{letter}{d}</ResponseType>\n" for d in dofs]
            found.append("    </NodeOutput>\n")
        return "".join(found)

    def _of(self, rows: Rows, node: int) -> Array:
        """In the directions of the recorder; zero in those that the node does not have."""
        count, names = len(rows.result.time), domain.node_dofs[node]
        if self.word == "eigen":
            own = np.broadcast_to(shape_of(node, self.mode), (count, len(names)))
        else:
            own = responses.of_node(rows, domain, node, self.word)
        dofs = self.dofs or range(1, own.shape[1] + 1)
        none = np.zeros(count)
        return np.stack([own[:, d - 1] if d <= own.shape[1] else none for d in dofs], axis=1)

    def _added(self, time: Array, values: Array) -> Array:
        """With the series added, one for each direction."""
        if not any(self.series):
            return values
        added = values.copy()
        for k, series in enumerate(self.series[: values.shape[1]]):
            if series is not None:
                added[:, k] += np.asarray(series.at(time), dtype=float)
        return added


def _columns(values: Array, wanted: list[int]) -> Array:
    """Some columns; zero are those that there are not, unless there are none at all."""
    count = values.shape[1]
    if not count:
        return values
    none = np.zeros(len(values))
    return np.stack([values[:, c] if c < count else none for c in wanted], axis=1)


def _without(reader: Reader, what: str, tags: list[Any]) -> None:
    """Warn of what is not recorded because there is none."""
    listed = ", ".join(str(tag) for tag in tags[:6])
    warn(
        f"{reader.command}: there is no {what} {listed}: it is not recorded, as in OpenSees.",
        ModelWarning,
    )


class ElementRecorder(Recorder):
    """Responses of elements."""

    def __init__(
        self,
        a: dict[str, Any],
        tags: list[int] | None,
        words: list[Any],
        dofs: list[int],
        reader: Reader,
    ) -> None:
        super().__init__(a, reader)
        self.wanted, self.words = tags, list(words)
        self.elements = frozenset(tags or ())
        self.asked: list[responses.Asked] = []
        wrong = [d for d in dofs if not 1 <= d <= MOST_COMPONENTS]
        if wrong:
            raise reader.wrong("-dof", wrong[0], f"must lie between 1 and {MOST_COMPONENTS}")
        self.columns = [d - 1 for d in dofs]
        self._ask()  # what is wrong with the words is said at the line of the recorder

    def resolve(self) -> None:
        missing = self._ask()
        if missing:
            _without(self.reader, "element", missing)

    def _ask(self) -> list[int]:
        """Look up the response of each element; those that are not there are returned."""
        there = domain.model.elements
        wanted = sorted(int(t) for t in there) if self.wanted is None else self.wanted
        tags = [tag for tag in wanted if tag in there]
        self.asked = [
            responses.element_response(domain, tag, list(self.words), self.reader) for tag in tags
        ]
        self.elements = frozenset(tags)
        self.states = frozenset(
            tag for tag, asked in zip(tags, self.asked, strict=True) if asked.state
        )
        return [tag for tag in wanted if tag not in there]

    def columns_xml(self) -> str:
        found = [super().columns_xml()]
        for tag in sorted(self.elements):
            nodes = enumerate(domain.model.elements[tag].nodes, start=1)
            listed = " ".join(f'node{k}="{node}"' for k, node in nodes)
            found.append(
                f'    <ElementOutput eleType="{class_of(tag)[0]}" eleTag="{tag}" {listed}>\n'
                f"        <ResponseType>{self.words[0] if self.words else ''}</ResponseType>\n"
                "    </ElementOutput>\n"
            )
        return "".join(found)

    def values(self, rows: Rows) -> Array:
        found = [asked.response(rows) for asked in self.asked]
        if self.columns:
            found = [_columns(values, self.columns) for values in found]
        return np.concatenate([np.zeros((len(rows.result.time), 0)), *found], axis=1)


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
    f"| {_OUTPUT} | -node *nodes:i | -nodeRange first:i last:i | -region region:i | -dof *dofs:i "
    "| -timeSeries *tsTags:i"
)


def _nodes(reader: Reader, a: dict[str, Any]) -> list[int] | None:
    """Tags that a recorder names; None for all."""
    tags = list(a["node"])
    if a["nodeRange"]:
        tags += [t for t in sorted(domain.node_dofs) if a["nodeRange"][0] <= t <= a["nodeRange"][1]]
    if a["region"] is not None:
        tags += domain.find("region", domain.regions, a["region"], reader)[1]
    return tags or None


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


@RECORDERS.kind("Node", "EnvelopeNode", form=_NODE, into=", ".join(responses.NODE_RESPONSES))
def _node(reader: Reader, name: str) -> Recorder:
    a, words = _split(reader, _NODE)
    if not words:
        raise reader.error("the response is missing, for example 'disp'.")
    parts = str(words[0]).split() or [""]
    words = [*parts, *words[1:]]
    if words[0] not in responses.NODE_RESPONSES:
        raise reader.unsupported(
            f"response {shown(words[0])} is not supported. Supported: "
            f"{', '.join(responses.NODE_RESPONSES)}."
        )
    nodes = _nodes(reader, a)
    dofs = [dof for dof in a["dof"] if dof >= 1]
    if len(dofs) < len(a["dof"]):
        warn_accepted(f"{reader.command}: -dof {a['dof']} must be from 1 on: others are left out.")
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
    if len(words) == 1 and isinstance(words[0], str):
        words = words[0].split()
    cls: Any = EnvelopeElementRecorder if name.startswith("Envelope") else ElementRecorder
    return cls(a, tags or None, words, a["dof"], reader)


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
