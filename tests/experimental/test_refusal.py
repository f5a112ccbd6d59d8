"""A server that refuses its client, or that cannot continue.

The client comes to an end, whatever program it is.
"""

import importlib.util
import socket
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from stone import BOUND, K, Stone, serve

from femu.experimental import (
    EmulatedSpecimen,
    Ending,
    ExperimentError,
    Limits,
    RemoteApplication,
    RemoteController,
    RemoteSite,
)
from femu.materials import Bilinear
from femu.model.strain_path import drive

TIME_LIMIT = 60.0  # seconds; a client that hangs hangs for ever
needs_opensees = pytest.mark.skipif(
    importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
)


class Broken(Stone):
    def apply(self, command, time):
        if np.any(command):
            raise OSError("the valve is closed")
        return super().apply(command, time)


# kind of refusal: degrees of freedom of the client, specimen and options of the server, ending,
# part of the message
REFUSALS = {
    "size": (2, Stone, {}, Ending.BAD_MESSAGE, "commands 2 displacements; the specimen has 1"),
    "limit": (1, Stone, {"limits": Limits(displacement=1e-9)}, Ending.SPECIMEN_LIMIT, "limit"),
    "protocol, one actuator": (
        1,
        Stone,
        {"protocol": "site"},
        Ending.BAD_MESSAGE,
        'protocol="application"',
    ),
    "protocol, two actuators": (
        2,
        lambda: Stone(size=2),
        {"protocol": "site"},
        Ending.BAD_MESSAGE,
        'protocol="application"',
    ),
    "specimen": (1, Broken, {}, Ending.ERROR, "the valve is closed"),
}


@needs_opensees
@pytest.mark.opensees
@pytest.mark.parametrize("udp", [False, True], ids=["tcp", "udp"])
@pytest.mark.parametrize("why", REFUSALS)
def test_openseespy_ends_after_a_refusal(why, udp):
    size, specimen, options, ending, message = REFUSALS[why]
    server, ended = serve(specimen(), udp=udp, **options)
    algorithm = "Linear" if why == "limit" else "Newton"
    done = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).with_name("opensees_refused.py")),
            str(server.port),
            str(size),
            "udp" if udp else "tcp",
            algorithm,
            "3",
        ],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    # the analysis failed, or its displacements are NaN: nothing is taken for a result
    assert "RESULT True" in done.stdout
    assert ended().ending is ending, ended().message
    assert message in ended().message


def doubles(count, *values):
    return struct.pack(f"<{count}d", *values, *([0.0] * (count - len(values))))


def connected(port, udp):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
    client.settimeout(BOUND)
    client.connect(("127.0.0.1", port))
    return client


def received(client, count, udp):
    data = b""
    while len(data) < count:
        part = client.recv(65535 if udp else count - len(data))
        assert part, "the server has gone"
        data += part
    return data


def open_site(client, udp, version):
    """The near end of a remote site (B.2) opens; returns the version of the far end."""
    if udp:
        client.send(b"a")
        assert received(client, 1, udp) == b"b"
    else:
        client.sendall(struct.pack("<i", 1))
        assert received(client, 4, udp) == struct.pack("<i", 1)
    client.sendall(doubles(256, 1.0, 3.0, version))
    return struct.unpack("<256d", received(client, 2048, udp))[2]


@pytest.mark.parametrize("udp", [False, True])
def test_a_remote_site_at_the_wrong_server_reads_another_version_and_leaves(udp, monkeypatch):
    monkeypatch.setattr("femu.experimental.network.refusal.IDS_WITHIN", 0.2)
    server, ended = serve(Stone(), udp=udp)
    with connected(server.port, udp) as client:
        assert open_site(client, udp, 2.8) != 2.8  # both ends leave then
    if not udp:  # nobody notices over UDP that the other side has gone
        assert ended().ending is Ending.BAD_MESSAGE
        assert 'protocol="site"' in ended().message


@pytest.mark.parametrize("udp", [False, True])
def test_a_remote_site_of_the_wrong_size_is_answered_nan_and_the_end(udp):
    server, ended = serve(Stone(), udp=udp, protocol="site", tag=7)
    with connected(server.port, udp) as client:
        assert open_site(client, udp, 2.8) == 2.8
        client.sendall(doubles(256, 2.0, 300.0))
        for _ in range(2):
            client.sendall(struct.pack("<5i", 2, 0, 0, 2, 1))
        client.sendall(doubles(300, 3.0, 0.1, 0.2, 5.0, 6.0, 0.25))
        client.sendall(doubles(300, 6.0))
        assert np.isnan(struct.unpack("<300d", received(client, 2400, udp))).all()
        client.sendall(doubles(300, 99.0, 3.0))
        assert received(client, 2400, udp) == doubles(300, 4.0, 7.0)
    assert (ended().ending, ended().moves) == (Ending.BAD_MESSAGE, 0)


def test_a_force_among_the_commands_is_refused():
    """It would be dropped, and the axial load of a bearing with it."""
    server, ended = serve(Stone())
    with connected(server.port, False) as client:
        client.sendall(
            struct.pack("<11i", 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 8)
            + doubles(8, 3.0, 0.001, 5e3, 0.01)
            + doubles(8, 6.0)
        )
        assert np.isnan(struct.unpack("<8d", received(client, 64, False))).all()
        client.sendall(doubles(8, 99.0))
    assert (ended().ending, ended().moves) == (Ending.BAD_MESSAGE, 0)
    assert "1 forces" in ended().message


@pytest.mark.parametrize(
    "kind, options", [(RemoteApplication, {}), (RemoteSite, {"protocol": "site"})]
)
@pytest.mark.parametrize("udp", [False, True])
def test_a_client_of_femu_says_that_the_server_refused(kind, options, udp):
    server, ended = serve(Stone(), udp=udp, limits=Limits(displacement=0.01), **options)
    remote = kind(1, server.port, udp=udp, silence=BOUND)
    remote.apply(np.array([0.001]), 0.01)
    with pytest.raises(ExperimentError, match="The server refused to continue"):
        remote.apply(np.array([0.1]), 0.02)
    assert ended().ending is Ending.SPECIMEN_LIMIT


LAW, PATH = Bilinear(K, 100.0, 0.1), [0.0005, 0.003, -0.002, 0.001, -0.004, 0.0]


@pytest.mark.parametrize("kind", [RemoteController, RemoteApplication])
def test_a_numerical_specimen_keeps_its_history_without_commits(kind):
    """Commands of a client that sends no commits are steps.

    Forces are those of the law driven along them.
    """
    server, ended = serve(EmulatedSpecimen(LAW, numerical=True))
    remote = kind(1, server.port, silence=BOUND)
    got = [float(remote.apply(np.array([d]), 0.01 * k).force[0]) for k, d in enumerate(PATH, 1)]
    remote.close()
    assert ended().ending is Ending.PEER_DONE
    assert got == pytest.approx(drive(LAW, PATH).force.ravel().tolist(), rel=1e-12, abs=1e-9)
    assert abs(got[-1]) > 10.0  # it yielded: from the virgin state the last force would be 0


def test_a_numerical_specimen_takes_iterates_from_the_last_commit():
    server, ended = serve(EmulatedSpecimen(LAW, numerical=True))
    remote = RemoteApplication(1, server.port, silence=BOUND)
    got = []
    for k, d in enumerate(PATH, 1):
        for iterate in (2.0 * d + 0.01, -0.02, d):
            force = float(remote.apply(np.array([iterate]), 0.01 * k).force[0])
        remote.commit(0.01 * k)
        got.append(force)
    remote.close()
    ended()
    assert got == pytest.approx(drive(LAW, PATH).force.ravel().tolist(), rel=1e-12, abs=1e-9)


def test_two_times_in_the_first_step_are_put_right_by_its_commit():
    """Methods with a point inside the step command twice.

    There, and at its end, where no force is asked for.
    """
    server, ended = serve(EmulatedSpecimen(LAW, numerical=True))
    with connected(server.port, False) as client:
        client.sendall(struct.pack("<11i", 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 8))
        client.sendall(doubles(8, 3.0, 0.005, 0.009) + doubles(8, 10.0))
        received(client, 64, False)
        client.sendall(doubles(8, 3.0, 0.002, 0.01) + doubles(8, 5.0) + doubles(8, 10.0))
        assert struct.unpack("<8d", received(client, 64, False))
        client.sendall(doubles(8, 3.0, 0.0, 0.02) + doubles(8, 10.0))
        force = struct.unpack("<8d", received(client, 64, False))[0]
        client.sendall(doubles(8, 99.0))
    assert ended().ending is Ending.PEER_DONE
    assert force == pytest.approx(drive(LAW, [0.002, 0.0]).force.ravel()[-1], rel=1e-12)


def there_and_back(port, udp, acquires_time, path):
    """Commands (displacement, time) of a client without commits; the last force."""
    with connected(port, udp) as client:
        client.sendall(struct.pack("<11i", 1, 0, 0, 0, 1, 0, 0, 0, 1, acquires_time, 8))
        for displacement, instant in path:
            client.sendall(doubles(8, 3.0, displacement, instant))
            client.sendall(doubles(8, 10.0))
            force = struct.unpack("<8d", received(client, 64, udp))[0]
        client.sendall(doubles(8, 99.0))
    return force


LOADED = [(0.0005, 0.5), (0.003, 1.2)]  # the law yields at 1 mm; the time is the factor of the load


@pytest.mark.parametrize("back", [(0.002, 0.2), LOADED[0]], ids=["new", "as before"])
def test_over_udp_a_time_that_goes_back_is_refused(back):
    """It was taken for a datagram that comes late: the answer was that of the command before.

    So a static analysis that unloads moved nothing, and got wrong forces. A client that gets a time
    with its answers sees it.
    """
    server, ended = serve(EmulatedSpecimen(LAW), udp=True)
    assert np.isnan(there_and_back(server.port, True, 0, [*LOADED, back]))
    assert (ended().ending, ended().moves) == (Ending.BAD_MESSAGE, 2)
    assert "went back from 1.2 to" in ended().message and "Use TCP" in ended().message


def test_a_step_back_in_time_without_commits_is_an_iterate_only_if_that_is_the_same():
    server, ended = serve(EmulatedSpecimen(LAW, numerical=True))
    elastic = [(0.0005, 0.5), (0.0008, 0.8), (-0.0004, -0.4)]
    assert there_and_back(server.port, False, 0, elastic) == pytest.approx(-0.0004 * K)
    assert ended().ending is Ending.PEER_DONE
    server, ended = serve(EmulatedSpecimen(LAW, numerical=True))
    assert np.isnan(there_and_back(server.port, False, 0, [*LOADED, (0.002, 0.2)]))
    assert ended().ending is Ending.BAD_MESSAGE
    assert "has sent no commit" in ended().message


def test_femu_serve_takes_the_version_that_its_message_asks_for(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from femu.cli.serve import command
    from femu.experimental.network import server as module

    file, made = tmp_path / "s.toml", []
    file.write_text(
        '[specimen.of]\ntype = "Elastic"\nE = 1e5\n[server]\nprotocol = '
        '"site"\nversion = 2.6\nport = 0\n'
    )
    monkeypatch.setattr(
        module.SpecimenServer,
        "serve",
        lambda self: made.append(self._version) or module.Served(Ending.PEER_DONE, "", 0, 0),
    )
    for given in ([], ["--version", "2.7"]):
        done = CliRunner().invoke(command, [str(file), *given])
        assert done.exit_code == 0, done.output
    assert made == [2.6, 2.7]


def test_the_message_of_another_version_says_how_to_start_the_server():
    server, ended = serve(Stone(), protocol="site")
    with pytest.raises(ExperimentError, match=r"Give version=2\.8"):
        RemoteSite(1, server.port, version=2.7, silence=BOUND).open()
    assert "femu serve --version 2.7" in ended().message
