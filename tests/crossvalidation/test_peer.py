"""The process of openseespy: answers, failures, crashes and time limits are all values."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from femu.opensees.comparison.peer import Fate, Peer

pytestmark = [
    pytest.mark.opensees,
    pytest.mark.skipif(
        importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
    ),
]

SPRING = [
    ["call", "model", "basic", "-ndm", 1, "-ndf", 1],
    ["call", "uniaxialMaterial", "Elastic", 1, 250.0],
    ["call", "testUniaxialMaterial", 1],
    ["path", [0.0, 0.1, -0.2], [0.0, 0.0, 0.0]],
]


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    with Peer(seconds=60.0) as made:
        yield made


def test_a_job_is_answered(peer: Peer) -> None:
    answer = peer.ask(SPRING)
    assert answer.fate is Fate.DONE
    assert answer.arrays["path"] == pytest.approx([0.0, 25.0, -50.0])


def test_a_wrong_argument_is_a_failure_with_words(peer: Peer) -> None:
    answer = peer.ask(
        [
            ["call", "model", "basic", "-ndm", 1, "-ndf", 1],
            ["call", "uniaxialMaterial", "NoSuchLaw", 1, 2.0],
        ]
    )
    assert answer.fate is Fate.FAILED
    assert answer.message
    assert peer.ask(SPRING).fate is Fate.DONE


def test_the_end_of_the_process_is_a_value(peer: Peer) -> None:
    peer.ask(SPRING)
    assert peer._process is not None
    peer._process.kill()
    assert peer.ask(SPRING).fate is Fate.CRASHED
    assert peer.ask(SPRING).fate is Fate.DONE


def test_a_job_that_does_not_end_is_given_up() -> None:
    endless = [
        ["call", "model", "basic", "-ndm", 1, "-ndf", 1],
        ["call", "uniaxialMaterial", "Elastic", 1, 1.0],
        ["call", "node", 1, 0.0],
        ["call", "node", 2, 0.0, "-mass", 1.0],
        ["call", "fix", 1, 1],
        ["call", "element", "zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1],
        ["call", "system", "FullGeneral"],
        ["call", "integrator", "Newmark", 0.5, 0.25],
        ["call", "analysis", "Transient"],
        ["record", []],
        ["steps", 10**9, 0.01],
    ]
    with Peer(seconds=1.0) as made:
        assert made.ask(endless).fate is Fate.TIME_LIMIT
        assert made.ask(SPRING).fate is Fate.DONE
