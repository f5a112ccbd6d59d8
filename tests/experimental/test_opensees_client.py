"""openseespy as the real client of femu's server (protocol A), static and transient, over TCP and
UDP."""

import importlib.util
import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from opensees_client import BOUC_WEN, LOAD, STIFF, A, E, I, L

from femu.elements import ElasticBeamColumn
from femu.experimental import EmulatedSpecimen, Ending, Limits, SpecimenServer
from femu.materials import BoucWen, Elastic, ElasticSection

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
)
TIME_LIMIT = 120.0
ELASTIC, HYSTERETIC = 1e-10, 1e-8  # allowed difference, as a share of the peak


def specimen(size, law):
    if size == 1:
        made = Elastic(STIFF) if law == "elastic" else BoucWen(*BOUC_WEN)
        return EmulatedSpecimen(made, numerical=True)
    column = ElasticBeamColumn("c", "i", "j", section=ElasticSection(E=E, A=A, I=I))
    # the free end of a cantilever, or both ends
    return EmulatedSpecimen(
        column,
        length=L,
        nodal=True,
        numerical=True,
        coordinates=np.eye(6)[:, 3:] if size == 3 else None,
    )


def run(cases, tmp_path=None):
    servers, endings = [], {}
    for k, case in enumerate(cases):
        server = SpecimenServer(
            specimen(case["size"], case["law"]),
            udp=case["udp"],
            wait=60.0,
            silence=20.0,
            limits=Limits(displacement=case["limited"]) if case.get("limited") else None,
        )
        case["port"] = server.port
        thread = threading.Thread(
            target=lambda k=k, s=server: endings.__setitem__(k, s.serve()), daemon=True
        )
        thread.start()
        servers.append(thread)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("opensees_client.py"))],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for thread in servers:
        thread.join(30.0)
        assert not thread.is_alive()
    return json.loads(done.stdout), endings


def difference(result):
    wanted, got = np.array(result["wanted"]), np.array(result["got"])
    assert np.all(np.abs(wanted).max(axis=0) > 0.0)
    return float((np.abs(got - wanted).max(axis=0) / np.abs(wanted).max()).max())


def case(size, analysis, udp, law="elastic", integrator="Newmark", steps=60, data=0):
    return {
        "size": size,
        "analysis": analysis,
        "udp": udp,
        "law": law,
        "integrator": integrator,
        "steps": steps,
        "data": data,
    }


@pytest.mark.opensees
def test_elastic_specimen_equals_an_elastic_element():
    cases = [
        case(size, analysis, udp)
        for size in (1, 3, 6)
        for analysis in ("static", "transient")
        for udp in (False, True)
    ]
    cases += [case(3, "transient", udp, integrator="AlphaOS") for udp in (False, True)]
    results, endings = run(cases)
    for k, result in enumerate(results):
        assert difference(result) <= ELASTIC, cases[k]
        assert endings[k].ending is Ending.PEER_DONE
        assert endings[k].commits == cases[k]["steps"]


@pytest.mark.opensees
def test_bouc_wen_specimen_equals_the_material_of_opensees():
    cases = [
        case(1, analysis, udp, law="bouc-wen", steps=120)
        for analysis in ("static", "transient")
        for udp in (False, True)
    ]
    results, _ = run(cases)
    for k, result in enumerate(results):
        assert difference(result) <= HYSTERETIC, cases[k]
    # it did yield: the response is not that of the elastic spring
    assert np.abs(np.array(results[0]["wanted"])).max() > 2.0 * LOAD / STIFF


@pytest.mark.opensees
def test_long_messages_are_cut_into_datagrams_and_steps_over_tcp_are_quick():
    results, _ = run(
        [case(1, "transient", True, data=3000), case(1, "transient", False, steps=200)]
    )
    assert all(difference(r) <= ELASTIC for r in results)
    assert results[1]["seconds"] < 0.02  # 45 ms without quick acknowledgements


@pytest.mark.opensees
def test_a_tripped_limit_gives_the_script_of_opensees_the_control_back():
    results, endings = run(
        [{**case(1, "transient", udp), "limited": 0.004} for udp in (False, True)]
    )
    for k, result in enumerate(results):
        assert 0 < len(result["got"]) < len(result["wanted"])
        assert endings[k].ending is Ending.SPECIMEN_LIMIT
