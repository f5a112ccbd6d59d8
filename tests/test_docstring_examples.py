"""Examples in docstrings run: every block of Python after ``::``, and every ``>>>``.

An example uses names that a reader knows without being introduced: public names of femu, names of
its own module, and a frame, a column, an earthquake (`surroundings`). A new example either runs with
these, or brings what it needs here, or is listed with a reason why it is not run.
"""

from __future__ import annotations

import ast
import importlib
import re
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from femu import GroundMotion, HybridTest, Model, plots
from femu.analyses import LoadControl, Newmark, Transient
from femu.elements import ElasticBeamColumn, ForceBeamColumn
from femu.experimental import EmulatedSpecimen, ExperimentalBeamColumn
from femu.materials import BoucWen, ElasticSection, MenegottoPinto, NMSection
from femu.model.strain_path import drive

ROOT = Path(__file__).parents[1]
PUBLIC = (
    "femu",
    "femu.analyses",
    "femu.batch",
    "femu.elements",
    "femu.experimental",
    "femu.filters",
    "femu.identify",
    "femu.materials",
    "femu.records",
    "femu.updating",
)
COLUMN = NMSection.h_shape(
    depth=0.25, width=0.25, web=0.006, flange=0.012, E=206e9, fy=280e6, b=0.03
)
QUAKE = GroundMotion("first second", 0.02, GroundMotion.el_centro().acceleration[75:125])
NOT_RUN = {
    "constitutive": "the form of a law, in words",
    "ElasticPerfectlyPlastic": "an equation",
    "RemoteUpdater": "a script of its own; tests/updating/test_remote.py runs it",
    "fields": "declarations without their kernels; tests of the fields compile whole ones",
}
"""Names of what an example belongs to, and why it is not run."""


def modules() -> Iterator[tuple[str, Path]]:
    """Name and file of every module of femu that is not a script."""
    for folder in sorted(ROOT.iterdir()):
        if not (folder / "__init__.py").is_file() or folder.name == "tests":
            continue
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if "examples" not in parts and parts[-1] != "__main__":
                name = ".".join(part for part in parts if part != "__init__")
                yield (name if folder.name == "femu" else f"femu.{name}"), path


def blocks(text: str) -> Iterator[str]:
    """The indented blocks of a docstring that follow a line which ends in ``::``."""
    lines = text.split("\n")
    for k, line in enumerate(lines):
        if not line.rstrip().endswith("::"):
            continue
        indent, found = len(line) - len(line.lstrip()), []
        for after in lines[k + 1 :]:
            if after.strip() and len(after) - len(after.lstrip()) <= indent:
                break
            found.append(after)
        yield textwrap.dedent("\n".join(found)).strip("\n")


def is_python(text: str) -> bool:
    """Whether a block is code, and not an equation or a table: it parses, and calls or imports something."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    return any(isinstance(node, (ast.Call, ast.Import, ast.ImportFrom)) for node in ast.walk(tree))


def examples() -> dict[str, tuple[str, str]]:
    """Code of all examples and the module it is in, by the name of what it explains."""
    found: dict[str, tuple[str, str]] = {}
    for module, path in modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                continue
            text = ast.get_docstring(node) or ""
            prompts = re.findall(r"^ *(?:>>>|\.\.\.) ?(.*)$", text, flags=re.MULTILINE)
            code = [block for block in blocks(text) if is_python(block)] + [
                "\n".join(prompts)
            ] * bool(prompts)
            if code:
                name = module.rpartition(".")[2] if isinstance(node, ast.Module) else node.name
                found[name] = "\n".join(code), module
    return found


EXAMPLES = examples()


def frame(left: Any = None) -> Model:
    """A portal with gravity loads; its left column may be tested."""
    model = Model("portal")
    model.node("A", 0.0, 0.0, fixed=True)
    model.node("B", 6.0, 0.0, fixed=True)
    for name, x in (("C", 0.0), ("D", 6.0)):
        model.node(name, x, 3.6, mass=(30e3, 30e3, 20e3))
        if left is None:
            model.load(name, y=-294e3, pattern="gravity")
    model.add(left or ForceBeamColumn("left", "A", "C", section=COLUMN))
    model.add(ForceBeamColumn("right", "B", "D", section=COLUMN))
    model.add(
        ElasticBeamColumn("beam", "C", "D", section=ElasticSection(E=206e9, A=6.456e-3, I=1.101e-4))
    )
    model.rayleigh(ratio=0.02)
    return model


def with_specimen(name: str) -> Model:
    """The portal, whose left column is a specimen of that name."""
    specimen = EmulatedSpecimen(ForceBeamColumn("specimen", "i", "j", section=COLUMN), length=3.6)
    return frame(ExperimentalBeamColumn(name, "A", "C", specimen=specimen))


def surroundings(name: str, module: str, folder: Path) -> dict[str, Any]:
    """What the names of an example mean."""
    known: dict[str, Any] = {}
    for package in PUBLIC:
        part = importlib.import_module(package)
        known.update({public: getattr(part, public) for public in part.__all__})
    known.update(vars(importlib.import_module(module)))
    known.update(
        {
            "frame": frame(),
            "model": frame(),
            "column": COLUMN,
            "quake": QUAKE,
            "np": np,
            "inf": np.inf,
            "g": 9.80665,
        }
    )
    if name in ("Suite", "IDA"):
        GroundMotion.el_centro().to_at2(folder / "a.AT2")
        known["records"] = [QUAKE]
    elif name == "identify":
        strain = 0.01 * np.sin(np.linspace(0.0, 12.0, 400))
        stress = drive(MenegottoPinto(E=200e3, fy=350.0, b=0.02), strain).force[:, 0]
        rows = "\n".join(f"{a},{b}" for a, b in zip(strain, stress, strict=True))
        (folder / "coupon.csv").write_text(f"strain,stress\n{rows}\n")
    elif name in ("plots", "report"):
        known["plots"] = plots
        known["result"] = Transient(Newmark(), dt=0.02).run(
            known["frame"], QUAKE, start=gravity(known["frame"])
        )
        known["ax"] = plt.figure().add_subplot()
        HybridTest(with_specimen("left"), QUAKE, dt=0.02).run(folder / "column.h5")
    elif name == "rotated_spectrum":
        known.update({"north": QUAKE, "east": QUAKE.scaled(factor=0.5), "periods": [0.1, 0.5, 1.0]})
    elif name == "response_band":
        known["program"] = frame().compile()
    elif name in ("HybridTest", "ModelUpdater"):
        known["model"] = with_specimen("column" if name == "HybridTest" else "left")
        known["GroundMotion"] = types.SimpleNamespace(el_centro=lambda: QUAKE)  # one second of it
    elif name == "ExperimentalElement":
        known["EmulatedSpecimen"] = lambda *_: EmulatedSpecimen(
            [BoucWen(alpha=0.1, k=1e6, n=1, gamma=10.0, beta=10.0)] * 2
        )
    elif name == "Peer":
        known["job"] = {"steps": []}
    return known


def gravity(model: Model) -> Any:
    return LoadControl(pattern="gravity").run(model).state


def test_there_are_examples_and_every_reason_belongs_to_one() -> None:
    assert len(EXAMPLES) > 20
    assert sorted(set(NOT_RUN) - set(EXAMPLES)) == []


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in NOT_RUN])
@pytest.mark.filterwarnings("ignore::femu.check.CheckWarning")  # the frames of examples are short
def test_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, module = EXAMPLES[name]
    exec(compile(code, f"<example of {name}>", "exec"), surroundings(name, module, tmp_path))
    plt.close("all")
