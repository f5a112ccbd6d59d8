"""Names and texts of a model, such as one read from somebody else's file, never become code, markup
or a broken file."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from femu import Model, report
from femu.analyses import DisplacementControl, LoadControl, Transient
from femu.elements import ElasticBeamColumn
from femu.exchange.model_toml import model_from_toml
from femu.materials import ElasticSection
from femu.model.series import Sine
from femu.opensees.translation.python_text import _items, literal
from femu.opensees.translation.script import opensees_script
from femu.support.errors import FemuError

RUN = "open('/dev/full', 'w'); raise SystemExit('injected')"
HOSTILE = [
    f'"""\n{RUN}\n"""',
    f"'''\n{RUN}\n'''",
    f'"); {RUN} #',
    f"'); {RUN} #",
    f"\n{RUN}",
    f"\r{RUN}\r",
    f"a\r\n{RUN}",
    f"\x0c{RUN}",
    f"\x0b{RUN}",
    f"\x85{RUN}",
    f"\u2028{RUN}\u2029",
    f"\\\n{RUN}",
    "ends with \\",
    'ends with "',
    "ends with '",
    '\\"""',
    '\\\\"""',
    f'\\"); {RUN} #',
    f"\\'); {RUN} #",
    f"# {RUN}",
    "nul \x00 in it",
    "\ud800 alone",
    "right \u202e to left",
    "{injected}",
    "{0!r}",
    "%s %(x)s",
    "a, b), (c",
    "]",
    "}",
    "class",
    "²",
    "\uff49\uff46",
    " ",
    "1",
    "\t",
]
CALLS = {
    "wipe",
    "model",
    "node",
    "fix",
    "mass",
    "geomTransf",
    "element",
    "timeSeries",
    "pattern",
    "load",
    "constraints",
    "numberer",
    "system",
    "test",
    "algorithm",
    "integrator",
    "analysis",
    "analyze",
    "loadConst",
    "nodeDisp",
    "getTime",
    "rayleigh",
    "eigen",
    "wipeAnalysis",
}
PLAIN = {"abs", "max", "range", "print", "zip", "SystemExit", "float"}

TRAP = """
import ast, sys, types
names = []
class Recorder(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        def call(*arguments):
            names.append(name)
            assert all(type(a) in (int, float, str) for a in arguments), (name, arguments)
            return 0.0 if name == "nodeDisp" and len(arguments) == 2 else [0.0] * 3 if name == "nodeDisp" else 0
        return call
package, ops = types.ModuleType("openseespy"), Recorder("openseespy.opensees")
package.opensees = ops
sys.modules.update({"openseespy": package, "openseespy.opensees": ops})
text = open(sys.argv[1], encoding="utf-8").read()
code = compile(text, "script", "exec")
def trap(event, arguments):
    if event in ("open", "os.system", "subprocess.Popen", "os.exec", "socket.connect", "compile", "exec"):
        print("trapped", event, file=sys.stderr)
        __import__("os")._exit(9)
space = {"__name__": "__main__", "print": lambda *a: None}
sys.addaudithook(lambda e, a: trap(e, a) if armed and not (e == "exec" and a[0] is code) else None)
armed = False
sys.modules["math"] = __import__("math")
armed = True
exec(code, space)
armed = False
sys.stdout.buffer.write(ascii((list(space["node"]), list(space["element"]), names)).encode())
"""


def cantilever(name: str) -> Model:
    """Everything in it that can have a name has this one."""
    model = Model(name)
    foot, top = f"{name}f", f"{name}t"
    model.node(foot, 0.0, 0.0, fixed=True)
    model.node(top, 0.0, 3.0, mass=(1e3, 1e3, 1.0))
    model.add(
        ElasticBeamColumn(f"{name}e", foot, top, section=ElasticSection(E=2e11, A=1e-2, I=1e-4))
    )
    model.load(top, x=1.0, pattern=name)
    model.pattern(f"{name} ", Sine(0.4, 3.0))
    model.load(top, x=1.0, pattern=f"{name} ")
    model.pattern(f"{name}_", Sine(0.4, 3.0))
    model.load(top, x=1.0, pattern=f"{name}_")
    return model


def script_of(name: str) -> str:
    stages = [
        LoadControl(pattern=name),
        DisplacementControl(f"{name}t", "x", [1e-3], 1e-3, pattern=name),
        Transient(dt=0.1),
    ]
    return opensees_script(cantilever(name), stages, duration=0.2)


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_script_holds_known_calls_and_constants_alone(name: str) -> None:
    tree = ast.parse(script_of(name))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert len(defined) == sum(isinstance(node, ast.FunctionDef) for node in ast.walk(tree)), (
        "two functions of one name"
    )
    assert all(d.isascii() for d in defined)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                assert node.func.id in PLAIN | defined
            else:
                assert isinstance(node.func, ast.Attribute)
                assert node.func.attr in CALLS | {"append", "items", "ceil"}
        assert not isinstance(
            node, (ast.Lambda, ast.ClassDef, ast.With, ast.Try, ast.Delete, ast.Global)
        )
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert {alias.name for node in imports for alias in node.names} <= {
        "math",
        "openseespy.opensees",
    }
    kinds = (ast.Expr, ast.Import, ast.Assign, ast.FunctionDef, ast.If)
    assert all(isinstance(statement, kinds) for statement in tree.body)
    assert isinstance(ast.get_docstring(tree), str)
    assert repr(name) in str(ast.get_docstring(tree, clean=False))


def test_scripts_with_hostile_names_run_under_a_trap(tmp_path: Path) -> None:
    """One script with all of them.

    Nothing but calls of openseespy is done, and the names come through whole.
    """
    model = Model('"""')
    model.node("foot", 0.0, 0.0, fixed=True)
    section = ElasticSection(E=2e11, A=1e-2, I=1e-4)
    for number, name in enumerate(HOSTILE):
        model.node(f"{name} ", float(number), 3.0, mass=(1e3, 1e3, 1.0))
        model.add(ElasticBeamColumn(f"{name} ", "foot", f"{name} ", section=section))
        model.load(f"{name} ", x=1.0, pattern=name)
    path = tmp_path / "script.py"
    model.to_opensees(path, [LoadControl(pattern=name) for name in HOSTILE])
    ran = subprocess.run([sys.executable, "-c", TRAP, str(path)], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    nodes, elements, names = ast.literal_eval(ran.stdout.decode())
    assert nodes == list(model.nodes)
    assert elements == list(model.elements)
    assert set(names) <= CALLS
    assert names.count("load") == len(HOSTILE)


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_literals_are_read_back(name: str) -> None:
    assert ast.literal_eval(literal(name)) == name
    assert "\n" not in literal(name)
    many = [repr(name), literal(name), repr(name)]
    assert _items(", ".join(many)) == many


@pytest.mark.parametrize("value", [object(), [1], 1j, b"x"])
def test_only_numbers_and_texts_are_written(value: object) -> None:
    with pytest.raises(FemuError, match="number or a text"):
        literal(value)


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_model_file_keeps_names(name: str, tmp_path: Path) -> None:
    model = cantilever(name)
    if "\ud800" in name:  # TOML is UTF-8, which has no half of a pair
        with pytest.raises(FemuError, match="surrogate"):
            model.to_toml(tmp_path / "model.toml")
        return
    model.to_toml(tmp_path / "model.toml")
    again = model_from_toml((tmp_path / "model.toml").read_bytes().decode(), "file")
    assert (again.name, list(again.nodes), list(again.patterns)) == (
        name,
        list(model.nodes),
        list(model.patterns),
    )


def test_a_report_escapes_names(tmp_path: Path) -> None:
    model = cantilever('<script>alert("x")</script>&amp;')
    result = LoadControl(pattern=model.name).run(model)
    result.save(tmp_path / "r.h5")
    page = report.write(tmp_path / "r.h5", tmp_path / "r.html")
    assert "<script>alert" not in Path(page).read_text(encoding="utf-8")
