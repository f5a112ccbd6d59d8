"""Who may connect to a server, and what a client with a secret is protected from."""

import os
import socket
import struct
import threading

import numpy as np
import pytest
from stone import BOUND, DT, K, Stone, serve

from femu.experimental import (
    BadMessage,
    Ending,
    ExperimentError,
    Limits,
    LimitTripped,
    PeerLost,
    RemoteApplication,
    RemoteController,
    RemoteSite,
    SpecimenServer,
    Unlimited,
    read_description,
    read_secret,
)
from femu.experimental.network.address_list import AddressList
from femu.experimental.network.secret import Session
from femu.experimental.safety.own_clock import JITTER, PAUSE, ClockedGuard
from femu.support.errors import FileError, InputError

SECRET = "sixteen letters or more"
KINDS = [
    (RemoteSite, "site"),
    (RemoteApplication, "application"),
    (RemoteController, "application"),
]


def test_beyond_this_computer_a_list_of_addresses_is_required():
    with pytest.raises(InputError, match="nothing says which of them may"):
        SpecimenServer(Stone(), host="0.0.0.0", limits=Unlimited("of the tests"))


def test_beyond_this_computer_without_a_secret_the_tunnel_is_named():
    said = []
    with pytest.warns(UserWarning, match=r"ssh -L \d+:127.0.0.1:\d+"):
        server = SpecimenServer(
            Stone(), host="0.0.0.0", allow=["10.1.2.0/24"], limits=Unlimited("of the tests"),
            say=said.append, wait=0.01,
        )  # fmt: skip
    assert server.serve().ending is Ending.PEER_SILENT
    assert "allowed: 10.1.2.0/24; without a secret" in said[0]


@pytest.mark.parametrize(
    "allow, inside, outside",
    [
        (["10.1.2.3"], ["10.1.2.3", "::ffff:10.1.2.3"], ["10.1.2.4", "127.0.0.1", "::1"]),
        (["10.1.2.0/24", "fd00::/8"], ["10.1.2.9", "fd00::7"], ["10.1.3.9", "fe80::7", ""]),
        (["localhost"], ["127.0.0.1"], ["10.1.2.4"]),
        (None, ["127.0.0.1", "127.8.8.8", "::1"], ["10.1.2.4", "no address"]),
    ],
)
def test_addresses_networks_and_names_are_allowed(allow, inside, outside):
    allowed = AddressList("server", "127.0.0.1", allow)
    assert all(address in allowed for address in inside)
    assert not any(address in allowed for address in outside)


@pytest.mark.parametrize(
    "allow, rule",
    [
        ([], "must be a list of addresses"),
        ("10.1.2.3", "must be a list of addresses"),
        ([7], "must be a list of addresses"),
        (["0.0.0.0/0"], "allows every computer"),
        (["::/0"], "allows every computer"),
        (["10.1.2.3.4"], "neither an address nor a network"),
        (["no such name.invalid"], "neither an address nor a network"),
    ],
)
def test_a_list_that_says_nothing_is_refused(allow, rule):
    with pytest.raises(InputError, match=rule):
        AddressList("server", "127.0.0.1", allow)


@pytest.mark.parametrize("udp", [False, True])
@pytest.mark.parametrize("kind, protocol", KINDS)
def test_a_client_with_the_secret_is_served(kind, protocol, udp):
    server, ended = serve(Stone(), protocol=protocol, udp=udp, secret=SECRET)
    remote = kind(1, server.port, udp=udp, silence=BOUND, secret=SECRET)
    for step, place in enumerate([0.001, -0.002], 1):
        assert remote.apply(np.array([place]), step * DT).force[0] == K * place
    remote.close()
    assert ended().ending is Ending.PEER_DONE
    assert ended().client.startswith("127.0.0.1 port ")


@pytest.mark.parametrize("given", [None, "another secret of letters"])
def test_a_client_without_the_secret_learns_why_and_the_next_one_is_served(given):
    server, ended = serve(Stone(), secret=SECRET)
    remote = RemoteApplication(1, server.port, silence=BOUND, secret=given)
    with pytest.raises(PeerLost, match=r"the secret is (missing or )?wrong"):
        remote.apply(np.array([0.001]), DT)
    remote = RemoteApplication(1, server.port, silence=BOUND, secret=SECRET)
    remote.apply(np.array([0.002]), DT)
    remote.close()
    assert ended().ending is Ending.PEER_DONE
    assert (ended().moves, ended().dropped) == (1, 1)


def test_a_client_with_a_secret_sends_nothing_to_a_server_without():
    server, ended = serve(Stone())
    with pytest.raises(PeerLost, match="or if it has none itself"):
        RemoteSite(1, server.port, silence=BOUND, secret=SECRET).open()
    remote = RemoteApplication(1, server.port, silence=BOUND)
    remote.open()
    remote.close()
    assert (ended().dropped, ended().moves) == (1, 0)


@pytest.mark.parametrize("proof", [bytes(32), b"a"])
def test_a_client_does_not_command_a_server_that_only_claims_to_know_the_secret(proof):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        remote = RemoteSite(1, listener.getsockname()[1], silence=0.5, secret=SECRET)
        came = []

        def pretend():
            connected, _ = listener.accept()
            with connected:
                came.append(connected.recv(48))
                connected.sendall(came[0][:16] + bytes(32))
                came.append(connected.recv(32))
                connected.sendall(proof)
                connected.settimeout(BOUND)
                came.append(connected.recv(100))

        thread = threading.Thread(target=pretend)
        thread.start()
        with pytest.raises(ExperimentError):
            remote.open()
        thread.join(BOUND)
    assert [len(part) for part in came] == [48, 32, 0]


def sides():
    nonces = b"1" * 32, b"2" * 32
    return Session(b"key" * 8, *nonces, client=True), Session(b"key" * 8, *nonces, client=False)


def test_a_message_counts_once_in_one_direction_and_unchanged():
    client, server = sides()
    first, second = client.seal(b"move"), client.seal(b"move")
    assert first != second
    for place in range(len(first)):
        changed = bytearray(first)
        changed[place] ^= 1
        assert server.unseal(bytes(changed)) is None
    assert client.unseal(first) is None  # sent back to its sender
    assert server.unseal(second) == b"move"
    assert server.unseal(second) is server.unseal(first) is None  # again, and an earlier one
    other = Session(b"key" * 8, b"3" * 32, b"2" * 32, client=False)
    assert other.unseal(client.seal(b"move")) is None  # in another session
    assert server.unseal(b"") is server.unseal(bytes(40)) is None


def test_a_message_repeated_over_tcp_ends_the_session_and_moves_nothing():
    stone = Stone()
    server, ended = serve(stone, secret=SECRET)
    remote = RemoteApplication(1, server.port, silence=BOUND, secret=SECRET)
    remote.open()
    link = remote._connected
    sealed = link._session.seal(remote.terms.request(3, np.array([0.003, DT])))
    for _ in range(2):
        link._socket.sendall(struct.pack("<I", len(sealed)) + sealed)
    remote._drop()
    assert ended().ending is Ending.BAD_MESSAGE
    assert "wrong code" in ended().message
    assert stone.commands == [0.003]


@pytest.mark.parametrize("given", ["short", b"short", ""])
def test_a_secret_that_can_be_guessed_is_refused_and_not_shown(given):
    with pytest.raises(InputError, match="at least 16 characters") as refused:
        RemoteSite(1, 8090, secret=given)
    assert "(not shown)" in str(refused.value)


def test_a_secret_is_read_from_a_file_of_its_owner(tmp_path):
    file = tmp_path / "femu.secret"
    file.write_text(SECRET + "\n")
    file.chmod(0o600)
    assert read_secret(file) == SECRET.encode()
    file.write_text("short")
    with pytest.raises(FileError, match="has 5 characters"):
        read_secret(file)
    with pytest.raises(FileError, match="cannot be read"):
        read_secret(tmp_path)
    file.write_text(SECRET)
    if os.name == "posix":
        file.chmod(0o644)
        with pytest.raises(FileError, match="chmod 600"):
            read_secret(file)


def test_a_file_of_a_specimen_has_list_secret_and_log(tmp_path):
    secret = tmp_path / "femu.secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    file = tmp_path / "s.toml"
    file.write_text(
        '[specimen.of]\ntype = "Elastic"\nE = 1e5\n[server]\nallow = ["127.0.0.1"]\n'
        'secret_file = "femu.secret"\nlog = "server.log"\n'
    )
    described = read_description(file).server
    assert described == {
        "allow": ["127.0.0.1"],
        "secret": SECRET.encode(),
        "log": str(tmp_path / "server.log"),
    }


def test_the_log_says_who_came_and_what_was_commanded(tmp_path):
    log = tmp_path / "server.log"
    server, ended = serve(Stone(), log=log, limits=Limits(displacement=0.01))
    with socket.create_connection(("127.0.0.1", server.port)) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\n\x1b[31m\r\n")
        browser.settimeout(BOUND)
        assert browser.recv(10) == b""
    remote = RemoteApplication(1, server.port, silence=BOUND)
    remote.apply(np.array([0.005]), DT)
    with pytest.raises(ExperimentError):
        remote.apply(np.array([0.05]), 2 * DT)
    remote.close()
    assert ended().ending is Ending.SPECIMEN_LIMIT
    lines = [line.split(" ", 1)[1] for line in log.read_text().splitlines()]
    assert lines[0].startswith("waiting for a client on 127.0.0.1")
    assert "was sent away: it does not begin as a client" in lines[1]
    assert lines[2].startswith("client connected from 127.0.0.1 port")
    assert lines[4:6] == ["command at t = 0.01: [0.005]", "command at t = 0.02: [0.05]"]
    assert "limit of actuator 1" in lines[6] and len(lines) == 7
    assert "\x1b" not in log.read_text()


@pytest.mark.parametrize("first", [b"\x01\0\0", b"\x01\0\0\0\0\0\0\0\0\0", b""])
@pytest.mark.parametrize("protocol", ["application", "site"])
def test_who_says_nothing_more_is_sent_away_in_time(first, protocol, monkeypatch):
    """And keeps nobody else from being served meanwhile."""
    monkeypatch.setattr("femu.experimental.network.listener.FIRST_WITHIN", 0.3)
    server, ended = serve(Stone(), protocol=protocol)
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(first)
        slow.settimeout(BOUND)
        assert slow.recv(10) == b""
        kind = RemoteSite if protocol == "site" else RemoteApplication
        with socket.create_connection(("127.0.0.1", server.port)):
            remote = kind(1, server.port, silence=BOUND)
            remote.apply(np.array([0.001]), DT)
            remote.close()
    assert (ended().ending, ended().moves) == (Ending.PEER_DONE, 1)
    assert ended().dropped >= 1


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_the_velocity_of_a_physical_specimen_counts_by_the_clock_of_the_server():
    """v = 0.5: in 10 ms a way of 5 mm, and what the slack of 0.1 s gives: 50 mm once."""
    clock = Clock()
    guard = ClockedGuard(Limits(velocity=0.5), 1, clock=clock)
    guard.begin()

    def command(place, instant):
        guard.check(np.array([place]), instant)
        guard.sent(np.array([place]), instant)

    place, instant = 0.0, 0.0
    for _ in range(200):  # as fast as the limit, for any time
        clock.now += 0.01
        place, instant = place + 0.005, instant + 0.01
        command(place, instant)
    slack = 0.5 * JITTER
    command(place + slack, instant + 100.0)  # a time that is not true
    with pytest.raises(LimitTripped, match="by the clock of this side"):
        command(place + slack + 1e-4, instant + 200.0)
    clock.now += 3600.0
    with pytest.raises(LimitTripped, match="by the clock of this side"):
        command(place + slack + 0.5 * (PAUSE + JITTER) + 1e-3, instant + 1e6)
    command(place + slack + 0.5 * PAUSE, instant + 1e6)


def test_a_client_with_forged_times_is_stopped():
    stone = Stone()
    limits = Limits(displacement=1.0, velocity=0.01, force=1e6)
    server, ended = serve(stone, limits=limits)
    remote = RemoteApplication(1, server.port, silence=BOUND)
    with pytest.raises(BadMessage):
        for step in range(1, 100):
            remote.apply(np.array([0.1 * step]), 1e4 * step)
    remote.close()
    assert ended().ending is Ending.SPECIMEN_LIMIT
    assert "by the clock of this side" in ended().message
    assert stone.commands == []
