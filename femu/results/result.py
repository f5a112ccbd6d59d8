"""Results: named arrays of what an analysis saved, in memory and in HDF5.

Signs and frames: displacements and reactions along the global axes, rotations and moments
counterclockwise (in space about the global axes by the right hand). A reaction is the force the
support exerts on the structure. Element forces act on the member.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
import numpy.typing as npt

from femu.engine.program import Program
from femu.engine.state import ENERGIES, State
from femu.files.hdf5 import item, opened, put_text, table, text, written_whole
from femu.model.element import TRANSLATIONS, Name
from femu.model.findings import Finding, Findings
from femu.results.fibre_response import fibre_index, fibre_response
from femu.results.index import dof_place, element_entry, has_dof, node_key
from femu.results.member_forces import frame_members
from femu.results.outcome import Outcome
from femu.results.progress import AMBIENCE
from femu.results.save import Save, of_section
from femu.results.validate import check_result
from femu.support import hooks
from femu.support.arguments import typed_methods
from femu.support.environment import environment
from femu.support.errors import FileError, InputError, UnsupportedError

if TYPE_CHECKING:
    from femu.analyses.step_driver import StepDriver
    from femu.model.model import Model

Array = npt.NDArray[np.float64]
FORMAT = "femu result 1"


@typed_methods
@dataclass(frozen=True, eq=False)
class Result:
    """What an analysis saved. One row per saved step; the first row is the state it began with."""

    kind: str
    model: str
    outcome: Outcome
    message: str
    arrays: dict[str, Array] = field(repr=False)  # by kind of quantity: rows by columns
    index: Mapping[str, Any] = field(repr=False)  # what the columns mean; see `describe`
    relaxations: list[dict[str, Any]] = field(default_factory=list)
    iterations: Array = field(default_factory=lambda: np.zeros(0))
    seconds: float = 0.0
    state: State | None = field(default=None, repr=False, compare=False)
    # of the check before the run
    findings: Sequence[Finding] = field(default=(), repr=False, compare=False)

    @classmethod
    def of(
        cls, marcher: StepDriver, outcome: Outcome, kind: str, findings: Sequence[Finding] = ()
    ) -> Result:
        """Result of a march that has ended.

        One that the user stopped is the ``result`` of the KeyboardInterrupt it raises.
        """
        run = marcher.run
        arrays: dict[str, Array] = {}
        start = 0
        for name, block in marcher.blocks.items():
            arrays[name] = marcher.output[: marcher.rows, start : start + len(block)]
            start += len(block)
        raw = arrays.pop("fibre")
        if raw.shape[1]:
            arrays["fibre_strain"], arrays["fibre_stress"] = fibre_response(
                run.program, run.parameters, marcher.save.fibred(run.program), raw
            )
        index = describe(
            run.program, run.parameters.copy(), marcher.save, marcher.blocks, marcher.nodal
        )
        made = cls(
            kind,
            run.program.name,
            outcome,
            marcher.message or outcome.value,
            arrays,
            index,
            [asdict(r) for r in marcher.relaxations],
            marcher.reports[: marcher.done, 0].copy(),
            marcher.seconds,
            run.state,
            findings,
        )
        if cls is Result:
            AMBIENCE.tell(made)
        return made

    def description(self) -> Model:
        """The model it came from, as it was when it was compiled."""
        described = self.index.get("model", {})
        if not described.get("toml"):
            raise FileError(
                self.model, described.get("reason", "the result was saved without its model")
            )
        model: Model = hooks.model_from_toml(described["toml"], f"the result of {self.model!r}")
        return model

    # --- response ---

    @property
    def time(self) -> Array:
        """Time of each row."""
        return self.arrays["time"][:, 0]

    def factor(self, pattern: str) -> Array:
        """Factor of a load pattern."""
        return self.arrays["factor"][
            :, _find(self.index["patterns"], pattern, "Result.factor", "pattern")
        ]

    def displacement(self, node: Name, direction: str) -> Array:
        """Displacement or rotation of a node, relative to the ground."""
        return self._nodal("u", node, direction)

    def velocity(self, node: Name, direction: str) -> Array:
        """Velocity of a node, relative to the ground."""
        return self._nodal("v", node, direction)

    def acceleration(self, node: Name, direction: str) -> Array:
        """Acceleration of a node, relative to the ground."""
        return self._nodal("a", node, direction)

    def drift(self, bottom: Name, top: Name, direction: str = "x", up: str | None = None) -> Array:
        """Storey drift ratio: difference of the horizontal displacements over the difference of
        heights.

        ``up`` is the vertical axis: y in the plane, z in space, unless another is named.
        """
        upper, lower = self.displacement(top, direction), self.displacement(bottom, direction)
        points = self.index["coordinates"]
        axes = TRANSLATIONS[: len(points[node_key(top)])]
        vertical = axes[-1] if up is None else up
        if vertical not in axes:
            raise InputError("Result.drift", "up", up, f"must be one of {axes}")
        rise = (
            points[node_key(top)][axes.index(vertical)]
            - points[node_key(bottom)][axes.index(vertical)]
        )
        if rise == 0.0:
            raise InputError(
                "Result.drift", "bottom, top", (bottom, top), "must be at different heights"
            )
        return (upper - lower) / rise

    def reaction(self, node: Name, direction: str) -> Array:
        """Force of a support on the structure.

        Internal force less the load on it, without inertia and damping.
        """
        place = dof_place(self, node, direction)
        column = _find(
            self.index["held"], place, "Result.reaction", "node, direction", given=(node, direction)
        )
        load = np.array([row.get(str(place), 0.0) for row in self.index["held_loads"]])
        return self.arrays["internal"][:, column] - self.arrays["factor"] @ load

    def base_shear(self, direction: str = "x") -> Array:
        """Sum of the reactions in a horizontal direction."""
        having = [n for n in self.index["names"] if has_dof(self, n, direction)]
        names = {dof_place(self, n, direction): n for n in reversed(having)}
        held = [names[p] for p in names if p in set(self.index["held"])]
        if not held:
            raise InputError(
                "Result.base_shear",
                "direction",
                direction,
                "must be one along which reactions were saved",
                fix="save them with Save(reactions=True)",
            )
        return np.sum([self.reaction(n, direction) for n in held], axis=0)

    def force(self, element: Name, system: str = "local") -> Array:
        """Forces of an element, one column each: "basic", "local" or "global".

        Local and global: (force x, force y, moment) at each end, acting on the member, local x from
        node i to j; in space (force x, y, z, moment x, y, z).
        """
        from femu.results.member_forces import end_forces

        return end_forces(self, element, system)

    def basic_force(self, element: Name, name: str) -> Array:
        """One basic force of an element by name, for example "N", "Mi"."""
        basic = element_entry(self, element)["basic"]
        column = _find(
            basic, name, f"Result.basic_force of {element!r}", "name", fix=f"use one of {basic}"
        )
        return self.force(element, "basic")[:, column]

    def plastic_rotation(self, element: Name, end: str = "i", axis: str = "z") -> Array:
        """Rotation from the chord at an end of a beam-column, less what its forces cause in the
        unyielded member.

        In space about the local ``axis`` "z" or "y".
        """
        from femu.results.member_forces import plastic_deformation

        if end not in ("i", "j"):
            raise InputError("Result.plastic_rotation", "end", end, 'must be "i" or "j"')
        found = plastic_deformation(self, element)
        if axis not in ("y", "z")[found.shape[1] < 4 :]:
            raise InputError(
                "Result.plastic_rotation", "axis", axis, 'must be "z", or "y" in space'
            )
        return found[:, (1 if axis == "z" else 3) + ("i", "j").index(end)]

    def deformation(self, element: Name) -> Array:
        """Basic deformations of a beam-column: elongation, and the end rotations from the chord.

        In space: elongation, rotations about z at i and j, about y at i and j, and twist.
        """
        from femu.results.member_forces import deformation

        return deformation(self, element)

    def section(self, element: Name, point: int, quantity: str) -> Array:
        """Section response at an integration point: "N", "M", "axial_strain" or "curvature".

        In space: "N", "Mz", "My", "T", "axial_strain", "curvature_z", "curvature_y" or "twist".
        If sections deform in shear also "V" and "shear_strain", in space "Vy", "Vz",
        "shear_strain_y" and "shear_strain_z".
        """
        return self.arrays["section"][
            :,
            _find(
                self.index["sections"],
                [element, f"section[{point}].{quantity}"],
                "Result.section",
                "element, point, quantity",
                fix="save it with Save(sections=[...])",
                given=(element, point, quantity),
            ),
        ]

    def fibre(self, element: Name, point: int, fibre: int) -> tuple[Array, Array]:
        """Strain and stress of a fibre at an integration point."""
        column = _find(
            self.index.get("fibres", []),
            [element, point, fibre],
            "Result.fibre",
            "element, point, fibre",
            fix="save it with Save(fibres=[...])",
        )
        return self.arrays["fibre_strain"][:, column], self.arrays["fibre_stress"][:, column]

    def energy(self, name: str) -> Array:
        """Energy by name: "input", "kinetic", "damping" or "absorbed" (strain and hysteretic
        together)."""
        return self._energies()[
            :, _find(list(ENERGIES), name, "Result.energy", "name", fix=f"use one of {ENERGIES}")
        ]

    def _energies(self) -> Array:
        if not self.arrays["energy"].shape[1]:
            raise InputError(
                "result", "energy", None, "was not saved", fix="save it with Save(energy=True)"
            )
        return self.arrays["energy"]

    @property
    def energy_error(self) -> float:
        """Largest unaccounted energy over the largest input (or absorbed) energy."""
        e = self._energies()
        change = e - e[0]
        error = np.abs(change[:, 0] - change[:, 1] - change[:, 2] - change[:, 3]).max()
        size = max(float(np.abs(change).max()), 1e-300)
        return float(error / size)

    # --- finding columns ---

    def _nodal(self, kind: str, node: Name, direction: str) -> Array:
        column = _find(
            self.index["nodal"][kind],
            dof_place(self, node, direction),
            "Result",
            "node, direction",
            fix="save it; see Save",
            given=(node, direction),
        )
        return self.arrays[kind][:, column]

    # --- files and tables ---

    def save(self, path: str | PathLike[str]) -> None:
        """Write to an HDF5 file; `load` reads it back equal."""
        meta = {
            "kind": self.kind,
            "model": self.model,
            "outcome": self.outcome.name,
            "message": self.message,
            "index": dict(self.index),
            "relaxations": self.relaxations,
            "seconds": self.seconds,
            "findings": [f.as_data() for f in self.findings],
        }
        with written_whole(path) as file:
            put_text(file, "format", FORMAT)
            put_text(file, "meta", json.dumps(meta))
            put_text(file, "environment", json.dumps(environment()))
            for name, array in self.arrays.items():
                file.create_dataset(name, data=array)
            file.create_dataset("iterations", data=self.iterations)
            if self.state is not None:
                self.state.write(file.create_group("state"))

    @classmethod
    def load(cls, path: str | PathLike[str], program: Program | None = None) -> Result:
        """Read a result; with the ``program`` it came from, the final state too."""
        with opened(path, "a femu result") as file:
            if text(file, "format", path, "") != FORMAT:
                raise FileError(str(path), "is not a femu result")
            meta = json.loads(text(file, "meta", path))
            arrays = {
                name: np.array(table(file, name, path))
                for name in file
                if isinstance(item(file, name, path), h5py.Dataset)
            }
            iterations = arrays.pop("iterations")
            check_result(meta, arrays, path)
            state = None
            if program is not None and "state" in file:
                state = State.read(item(file, "state", path), program, str(path))
            return cls(
                meta["kind"],
                meta["model"],
                Outcome[meta["outcome"]],
                meta["message"],
                arrays,
                meta["index"],
                meta["relaxations"],
                iterations,
                meta["seconds"],
                state,
                Findings.from_data(meta.get("findings", []), path),
            )

    def columns(self) -> dict[str, Array]:
        """Every saved column under a readable name."""
        found: dict[str, Array] = {}
        for kind, label in (("u", "displacement"), ("v", "velocity"), ("a", "acceleration")):
            for node in self.index["names"]:
                for direction in self.index["places"][node_key(node)]:
                    if dof_place(self, node, direction) in self.index["nodal"][kind]:
                        found[f"{label} {node} {direction}"] = self._nodal(kind, node, direction)
        for node in self.index["names"]:
            for direction in self.index["places"][node_key(node)]:
                if dof_place(self, node, direction) in self.index["held"]:
                    found[f"reaction {node} {direction}"] = self.reaction(node, direction)
        for element in self.index["elements"]:
            if element["column"] is not None:
                for c, basic in enumerate(element["basic"]):
                    found[f"force {element['name']} {basic}"] = self.arrays["basic"][
                        :, element["column"] + c
                    ]
        for c, (element, variable) in enumerate(self.index["sections"]):
            found[f"{element} {variable}"] = self.arrays["section"][:, c]
        if self.arrays["energy"].shape[1]:
            found.update({f"energy {name}": self.energy(name) for name in ENERGIES})
        found.update({f"factor {name}": self.factor(name) for name in self.index["patterns"]})
        return found

    def to_pandas(self) -> Any:
        """A pandas DataFrame of all columns over time (needs pandas)."""
        try:
            import pandas
        except ImportError:
            raise UnsupportedError("Result.to_pandas needs pandas: pip install pandas") from None
        return pandas.DataFrame(self.columns(), index=pandas.Index(self.time, name="time"))

    def to_xarray(self) -> Any:
        """An xarray Dataset of all columns over time (needs xarray)."""
        try:
            import xarray
        except ImportError:
            raise UnsupportedError("Result.to_xarray needs xarray: pip install xarray") from None
        return xarray.Dataset(
            {name: ("time", values) for name, values in self.columns().items()},
            coords={"time": self.time},
            attrs={"model": self.model, "outcome": self.outcome.name},
        )

    def __eq__(self, other: object) -> bool:
        """Whether everything saved is the same, to the last bit."""
        if not isinstance(other, Result):
            return NotImplemented
        arrays, others = (
            {**self.arrays, "": self.iterations},
            {**other.arrays, "": other.iterations},
        )
        plain = ("kind", "model", "outcome", "message", "index", "relaxations", "seconds")
        return (
            all(getattr(self, name) == getattr(other, name) for name in plain)
            and arrays.keys() == others.keys()
            and all(
                np.array_equal(array, others[name], equal_nan=True)
                for name, array in arrays.items()
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        return str(hooks.card(self))

    def __str__(self) -> str:
        what = "hybrid test" if self.kind == "hybrid" else f"{self.kind} analysis"
        return f"{what} of {self.model!r}: {self.message}"

    def __repr__(self) -> str:
        relaxed = f", {len(self.relaxations)} steps needed help" if self.relaxations else ""
        return (
            f"Result({self.kind} of {self.model!r}: {len(self.time)} rows to t = "
            f"{self.time[-1]:g}, {self.outcome.name}{relaxed})"
        )


def _find(
    items: Sequence[Any], wanted: Any, what: str, argument: str, *, fix: str = "", given: Any = None
) -> int:
    try:
        return list(items).index(wanted)
    except ValueError:
        raise InputError(
            what,
            argument,
            wanted if given is None else given,
            "is not among what was saved",
            fix=fix,
        ) from None


class Index(Mapping[str, Any]):
    """What the columns mean, as plain data by key, worked out when it is first asked for."""

    def __init__(self, makers: dict[str, Callable[[], Any]]) -> None:
        self._makers = makers
        self._made: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        if key not in self._made:
            self._made[key] = self._makers[key]()
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def describe(
    program: Program, parameters: Array, save: Save, blocks: dict[str, list[int]], nodal: Array
) -> Index:
    """What the columns of a result mean.

    It goes into the file with them, so that a file explains itself.
    """
    layout = program.layout
    starts = {"u": layout.u, "v": layout.v, "a": layout.a}
    held = [c - layout.internal for c in blocks["internal"]]
    loads = nodal[:, held]

    def places() -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {json.dumps(node): {} for node in program.coordinates}
        for (node, direction), place in program.numbering.place.items():
            found[json.dumps(node)][direction] = place
        return found

    def elements() -> list[dict[str, Any]]:
        saved, frames = set(save.elements(program, save.forces)), frame_members(program, parameters)
        found = []
        column = 0
        for name, element in program.elements.items():
            plan = program.plans[name]
            found.append(
                {
                    "name": name,
                    "kind": type(element).__name__,
                    "nodes": list(element.nodes),
                    "basic": list(plan.basic_forces),
                    "column": column if name in saved else None,
                    "geometry": getattr(element, "geometry", "linear"),
                    "end_loads": program.end_loads(name),
                    **frames.get(name, {}),
                }
            )
            column += len(plan.basic_forces) if name in saved else 0
        return found

    return Index(
        {
            "model": lambda: program.describe(parameters),
            "names": lambda: list(program.coordinates),
            "coordinates": lambda: {
                json.dumps(n): x.tolist() for n, x in program.coordinates.items()
            },
            "places": places,
            "patterns": lambda: program.pattern_names,
            "held": lambda: held,
            "held_loads": lambda: [
                {str(p): float(v) for p, v in zip(held, row, strict=True) if v != 0.0}
                for row in loads
            ],
            "nodal": lambda: {
                kind: [c - start for c in blocks[kind]] for kind, start in starts.items()
            },
            "elements": elements,
            "sections": lambda: [
                [name, variable]
                for name in save.sectioned(program)
                for variable in program.plans[name].state
                if of_section(variable)
            ],
            "fibres": lambda: fibre_index(program, save.fibred(program)),
        }
    )
