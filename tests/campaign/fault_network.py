"""Faults of the network and of the laboratory behind it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from femu.analyses import HybridResult
from femu.experimental import Measurement, read_journal
from femu.results.outcome import Outcome
from tests.campaign import proxy, rig
from tests.campaign.fate import Fate, Fault, after
from tests.campaign.fault_disk import fill, needs_disk

ROOT = Path(__file__).parents[2]
# number of the request or answer that meets the fault: three or one a step, and one before
FAULT_AT, ANSWER_AT = 42, 14
# of the requests of a step, and of what comes before the first
STEP_BYTES, FIRST_BYTES = 3 * 2048, 44 + 2048
ENDS = {Outcome.PEER_LOST, Outcome.PEER_SILENT, Outcome.BAD_MESSAGE}


def fine(direction: str, number: int, data: bytes) -> list[bytes]:
    return [data]


def in_step(step: int) -> proxy.Behaviour:
    """The connection is cut when the requests of a step begin to come."""
    return proxy.cut_after(FIRST_BYTES + STEP_BYTES * (step - 1))


def network(
    behave: Callable[[], proxy.Behaviour],
    udp: bool = False,
    wanted: set[Outcome] | None = None,
    then: Sequence[Callable[[], proxy.Behaviour]] = (),
) -> Fault:
    """A network that behaves badly once, ``then`` again when the test is resumed; after that it is
    restored.

    Left out, ``wanted`` is that the test reaches its end.
    """
    wanted = wanted or {Outcome.COMPLETE}

    def fault(folder: Path) -> Fate:
        laboratory, ended = rig.Laboratory(folder, udp), []

        def test(behaviour: proxy.Behaviour) -> HybridResult:
            path = folder / "test.h5"
            # nobody gives up where nothing is silent: a busy machine can be slow for a second
            silent = Outcome.PEER_SILENT in wanted and behaviour is not fine
            laboratory.silence = rig.SILENCE if silent else rig.PATIENCE
            with proxy.Proxy(laboratory.open(), behaviour, udp) as between:
                specimen = rig.remote(between.port, udp)
                made = rig.test_of(specimen, silence=laboratory.silence)
                result = made.resume(path) if path.exists() else made.run(path)
                specimen.close()
                laboratory.close()
            ended.append(result.outcome)
            return result

        result = test(behave())
        # a test that was not interrupted has moved its specimen once a step
        held = result.outcome in wanted and (
            laboratory.moves() == rig.STEPS
            if result.outcome is Outcome.COMPLETE
            else laboratory.specimen.holds > 0
        )
        lost = rig.lost(result, read_journal(folder / "test.h5"))
        for again in then:
            result = test(again())
            held = held and result.outcome in wanted
            lost += rig.lost(result, read_journal(folder / "test.h5"))
        fate = after(folder, result, lambda: test(fine), held)
        fate.outcome = ", resumed: ".join(outcome.name for outcome in ended)
        fate.lost += lost + max(0, rig.STEPS - laboratory.moves())
        return fate

    return fault


class Peer:
    """The laboratory in processes of its own, one a day.

    The specimen stays where the day before has left it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.days = folder, 0

    def open(self) -> int:
        """Begin another day; returns the port."""
        self.days += 1
        port = self.folder / f"port-{self.days}"
        journals = [
            str(self.folder / f"laboratory-{day}.h5") for day in (self.days, *range(1, self.days))
        ]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.campaign.peer", str(port), *journals], cwd=ROOT
        )
        deadline = time.monotonic() + 2 * rig.PATIENCE
        while not port.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return int(port.read_text())


def peer(
    does: Callable[[subprocess.Popen[bytes]], None],
    then: Callable[[subprocess.Popen[bytes]], None],
    wanted: set[Outcome],
) -> Fault:
    """Something is done to the process of the laboratory in the middle of the test, and ``then``
    after the test has ended."""

    def fault(folder: Path) -> Fate:
        laboratory = Peer(folder)

        class Doing(rig.RemoteApplication):
            def commit(self, at: float) -> None:
                super().commit(at)
                if abs(at - 0.5 * rig.STEPS * rig.DT) < 0.5 * rig.DT:
                    does(laboratory.process)

        result = rig.test_of(Doing(1, laboratory.open())).run(folder / "test.h5")
        then(laboratory.process)
        laboratory.process.wait(rig.PATIENCE)

        def again() -> HybridResult:
            specimen = rig.remote(laboratory.open())
            final = rig.test_of(specimen).resume(folder / "test.h5")
            specimen.close()
            laboratory.process.wait(rig.PATIENCE)
            return final

        return after(folder, result, again, result.outcome in wanted)

    return fault


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGSTOP)


def go_on(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGCONT)


class Wrong(rig.Specimen):
    """A specimen whose measurements are changed."""

    def __init__(self, change: Callable[[int, Measurement], Measurement]) -> None:
        super().__init__(rig.Bilinear(rig.STIFFNESS, rig.STRENGTH, 0.1))
        self.change, self.commands = change, [0.0]

    def apply(self, command: Any, time: float) -> Measurement:
        self.commands.append(float(np.abs(command).max()))
        return self.change(len(self.commands) - 1, super().apply(command, time))


def wild_force(number: int, measured: Measurement) -> Measurement:
    return (
        Measurement(measured.displacement, np.array([1e12]), measured.time)
        if number == 20
        else measured
    )


def outlier_over_the_network(folder: Path) -> Fate:
    """The laboratory sends a force outlier once.

    Its specimen stays where it is, and is measured again in the resumed test.
    """
    laboratory = rig.Laboratory(folder, stone=Wrong(wild_force))

    def test(go: Callable[[Any], HybridResult]) -> HybridResult:
        specimen = rig.remote(laboratory.open())
        result = go(rig.test_of(specimen))
        specimen.close()
        laboratory.close()
        return result

    result = test(lambda t: t.run(folder / "test.h5"))
    held = result.outcome is Outcome.WILD_MEASUREMENT
    fate = after(folder, result, lambda: test(lambda t: t.resume(folder / "test.h5")), held)
    fate.lost += len(read_journal(folder / "test.h5").refused[rig.NAME]) != 1
    return fate


def nan_over_the_network(folder: Path) -> Fate:
    """An answer carries a force that is not a number.

    What else is in it is kept among what was refused.
    """

    def spoil(data: bytes) -> list[bytes]:
        values = np.frombuffer(data, "<f8").copy()
        values[1] = np.nan
        return [values.tobytes()]

    fate = network(lambda: proxy.at(ANSWER_AT, spoil, proxy.ANSWER), wanted={Outcome.BAD_MESSAGE})(
        folder
    )
    record = read_journal(folder / "test.h5")
    refused = record.refused[rig.NAME]
    kept = (
        len(refused) == 1
        and refused[0, 2] == record.commands(rig.NAME)[ANSWER_AT - 2, 0]
        and np.isnan(refused[0, 3])
    )
    fate.lost += not kept
    return fate


@needs_disk
def disk_of_the_laboratory_full(folder: Path, disk: Path) -> Fate:
    """The disk of the laboratory's journal fills up.

    The next command is refused and not carried out.
    """

    class Filling(rig.Specimen):
        def apply(self, command: Any, time: float) -> Any:
            if self._clock[0] == 20.0:
                fill(disk)
            return super().apply(command, time)

    laboratory = rig.Laboratory(disk, stone=Filling(rig.Bilinear(rig.STIFFNESS, rig.STRENGTH, 0.1)))

    def test() -> HybridResult:
        specimen = rig.remote(laboratory.open())
        made, path = rig.test_of(specimen), folder / "test.h5"
        result = made.resume(path) if path.exists() else made.run(path)
        specimen.close()
        laboratory.close()
        return result

    result = test()
    (disk / "other").unlink()
    held = (
        result.outcome in ENDS
        and laboratory.served[0].ending is Outcome.JOURNAL_FULL
        and laboratory.specimen.holds > 0
    )
    fate = after(folder, result, test, held)
    fate.lost += max(0, rig.STEPS - laboratory.moves())
    return fate


def answer(number: int, what: Callable[[bytes], list[bytes]]) -> Callable[[], proxy.Behaviour]:
    return lambda: proxy.at(number, what, proxy.ANSWER)


LOST = {Outcome.PEER_LOST}
# both sides wait for the same time: who gives up first closes the connection
SILENT = {Outcome.PEER_SILENT, Outcome.PEER_LOST}
NETWORK_FAULTS: dict[str, Fault] = {
    "network cut and restored": network(lambda: proxy.at(FAULT_AT, lambda data: None), wanted=LOST),
    "network cut in the first step": network(lambda: in_step(1), wanted=LOST),
    "network cut in the last step": network(lambda: in_step(rig.STEPS), wanted=LOST),
    "network cut, and again while the test is resumed": network(
        lambda: in_step(12),
        wanted=LOST,
        then=[lambda: proxy.at(2, lambda data: None), lambda: in_step(9)],
    ),
    "connection half open": network(lambda: proxy.Gone(FAULT_AT), wanted=SILENT),
    "answer cut off in its middle": network(
        answer(ANSWER_AT, lambda data: [data[:100]]), wanted=SILENT
    ),
    "request cut off in its middle": network(
        lambda: proxy.at(FAULT_AT, lambda data: [data[:100]]), wanted=SILENT
    ),
    "messages delayed": network(lambda: proxy.delayed(0.01)),
    "an answer delayed beyond the limit of silence": network(
        lambda: proxy.late(ANSWER_AT, 2.5 * rig.SILENCE), wanted=SILENT
    ),
    "messages in pieces": network(lambda: proxy.cut_up),
    "answer dropped": network(answer(ANSWER_AT, lambda data: []), wanted=SILENT),
    "UDP: request dropped": network(lambda: proxy.at(FAULT_AT, lambda data: []), True, SILENT),
    "UDP: answer dropped": network(answer(ANSWER_AT, lambda data: []), True, SILENT),
    "UDP: every answer twice": network(
        lambda: lambda way, n, data: [data, data] if way == proxy.ANSWER else [data], True
    ),
    "UDP: every request twice": network(
        lambda: lambda way, n, data: [data, data] if way == proxy.REQUEST else [data], True
    ),
    "UDP: a request again, a step too late": network(lambda: proxy.Repeated(FAULT_AT), True),
    "UDP: requests in another order": network(lambda: proxy.Held(FAULT_AT), True, SILENT),
    "UDP: answers in another order": network(
        lambda: proxy.Held(ANSWER_AT, proxy.ANSWER), True, SILENT
    ),
    "UDP: answer truncated": network(
        answer(ANSWER_AT, lambda data: [data[:-8]]), True, SILENT | {Outcome.BAD_MESSAGE}
    ),
    "peer killed": peer(kill, lambda process: None, LOST),
    "peer stopped for longer than the limit of silence": peer(stop, go_on, SILENT),
    "force outlier over the network": outlier_over_the_network,
    "measurement not a number over the network": nan_over_the_network,
    "disk of the laboratory full": disk_of_the_laboratory_full,
}
