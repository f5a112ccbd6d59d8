"""The page for laboratory engineers: the controller printed there works."""

import re
import socket
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from stone import K, interrupted, make

from femu.cli.main import main
from femu.experimental import Ending, Limits, RemoteController, SpecimenServer
from femu.experimental.network.description import read_description

PAGE = Path(__file__).parents[2] / "docs" / "lab-controller.md"


pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="the documentation is not part of an installed package"
)


def connect(found, machine):
    """The printed controller in a thread with one connection; femu's end of it."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(10.0)
    thread = threading.Thread(target=found["control"], args=(listener, machine), daemon=True)
    thread.start()
    lab = RemoteController(len(machine.place), listener.getsockname()[1], silence=10.0)

    def still_there():
        lab.close()
        thread.join(10.0)
        listener.close()
        return thread.is_alive()

    return lab, still_there


def printed():
    block = next(
        b for b in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S) if "def control" in b
    )
    found = {}
    exec(block, found)
    return found


def test_printed_controller():
    found = printed()
    lab, still_there = connect(found, found["Machine"](3))
    for k in range(5):
        measured = lab.apply(np.array([0.001, -0.002, 0.0]) * k, time=0.01 * k)
        assert measured.displacement.tolist() == (np.array([0.001, -0.002, 0.0]) * k).tolist()
        assert np.allclose(measured.force, 1e6 * measured.displacement)
    assert not still_there()


def test_printed_controller_does_not_move_before_the_first_command():
    """A resumed test asks where the specimen is: a 6 before any 3, with whatever numbers."""
    found = printed()
    machine = found["Machine"](1)
    machine.place = [0.05]
    machine.move = lambda command: pytest.fail(f"moved to {command}")
    for last in (0.0, 0.04):
        lab, still_there = connect(found, machine)
        assert lab.reading(np.array([last])).displacement.tolist() == [0.05]
        assert not still_there()


def test_a_resumed_test_moves_the_printed_controller_by_steps_only(tmp_path):
    found, limits, steps = printed(), Limits(displacement=0.1, increment=0.01), 300
    machine, path, moves = found["Machine"](1), tmp_path / "j.h5", []
    move, machine.measure = machine.move, lambda: (machine.place, [K * d for d in machine.place])
    machine.move = lambda command: moves.append(abs(command[0] - machine.place[0])) or move(command)
    lab, still_there = connect(found, machine)
    interrupted(path, lab, 250, steps, limits=limits)
    assert not still_there()
    assert abs(machine.place[0]) > limits.increment
    lab, still_there = connect(found, machine)
    assert make(lab, steps, limits=limits).resume(path).outcome is Ending.COMPLETE
    assert not still_there()
    assert len(moves) == steps
    assert max(moves) <= limits.increment


def test_the_help_of_serve_is_true(tmp_path: Path) -> None:
    """Its example can be served, and what it promises is there.

    Options, names of actuators, a refusal that is answered.
    """
    text = CliRunner().invoke(main, ["serve", "--help"]).output
    example = text.split("Example specimen.toml:")[1].split("Examples:")[0]
    (tmp_path / "specimen.toml").write_text(textwrap.dedent(example), encoding="utf-8")
    described = read_description(tmp_path / "specimen.toml")
    assert described.specimen.numerical and described.server == {"actuators": ["x"]}
    server = SpecimenServer(
        described.specimen, limits=described.limits, wait=0.01, **described.server
    )
    assert server._guard.actuator(0) == "actuator x of the specimen"
    said = " ".join(text.split())
    for promise in (
        "answered with NaN until it ends",
        "keeps its history even if the client sends no commits",
        "--version FLOAT",
    ):
        assert promise in said, promise
