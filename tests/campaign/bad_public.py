"""That everything public is tried: each callable in `__all__` of femu and its packages, and each
public method of a public class.

What is not swept has its reason here: it is in the tables of tests/test_bad_input.py or of the
cases by hand, made by femu and not by its users, or called by femu with what it made itself.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable
from typing import Any

from tests.campaign.bad_calls import Call

PACKAGES = (
    "femu",
    "femu.materials",
    "femu.elements",
    "femu.analyses",
    "femu.experimental",
    "femu.filters",
    "femu.updating",
    "femu.batch",
    "femu.records",
    "femu.identify",
    "femu.plots",
    "femu.report",
    "femu.monitor",
    "femu.opensees.comparison",
    "femu.cli",
    "femu.engine.program",
    "femu.exchange.model_toml",
    "femu.model.series",
)
MADE = "made by femu, not by its users"
BY_HAND = "in the cases by hand: it needs files, a port, or a process of its own"
BASE = "a base to derive from: what is derived is tried"
EXCLUDED: dict[str, str] = {
    **dict.fromkeys(
        (
            "Result",
            "HybridResult",
            "IdentifiedActuator",
            "Stability",
            "Tracking",
            "Modes",
            "PaceReport",
            "Relaxation",
            "Description",
            "Difference",
            "Record",
            "Served",
            "Estimate",
            "History",
            "LeastSquaresFit",
            "Smoothed",
            "Diagnosis",
            "ResponseBand",
            "Identification",
            "Way",
            "News",
            "Verdict",
            "BatchResult",
            "Fragility",
            "IDACurves",
            "Spectrum",
            "Plan",
        ),
        MADE,
    ),
    **dict.fromkeys(
        ("Compensation", "Setup", "Specimen", "Experimental", "Series", "Updater"), BASE
    ),
    "Case": BASE,
    **dict.fromkeys(("Journal", "SpecimenServer", "read_description", "exchange"), BY_HAND),
    "Measurement": "made by a specimen at every sample; the element looks at what is in it",
    "crossvalidate": "needs openseespy, in a process of its own",
    "compare": "takes identifications only, which femu makes; an empty table is refused in its own "
    "tests",
    "identify_actuator": "long work for each value: see tests/experimental/test_identify_actuator.py",
    "ContinuousSpecimen": "moves a specimen: see tests/experimental/test_motion_generator.py",
    "ConsistentEstimator": "takes a model and its record: see tests/filters/test_consistent.py",
    "tracking_indicators": "takes records: see tests/experimental/test_tracking.py",
    "failures_handled": "takes no arguments",
    "main": "the command line: see bad_commands",
}
LAYING_OUT = "called while a program is laid out, with what it holds"
STEPPING = "called by the run of an analysis or test in every step, with what it made"
FILES = "writes into, or reads from, an HDF5 group that femu opened"
METHODS: dict[str, str] = {
    "stability": "takes what tests/experimental/test_stability.py refuses",
    "tracking": "takes no arguments but the channel: see tests/experimental/test_tracking.py",
    **dict.fromkeys(("then", "repeated", "response"), "of linear systems: see its own tests"),
    **dict.fromkeys(
        (
            "plan",
            "basic_plan",
            "space_plan",
            "basic_load",
            "space_load",
            "member_load",
            "failure",
            "lay_out",
            "axes",
            "across",
            "rows",
            "along",
            "lay_out_sections",
            "orientation",
            "locate",
            "places",
            "all_places",
            "workspace",
            "place",
            "owns",
            "likeness",
            "walk_parameters",
            "released",
            "link_plan",
            "blocks",
            "elements",
            "fibred",
            "nodal_places",
            "sectioned",
            "describe",
            "end_loads",
            "gather",
            "mass_matrix",
            "reloaded",
            "levels",
            "add_nodal",
            "resolved",
        ),
        LAYING_OUT,
    ),
    **dict.fromkeys(
        (
            "prepare",
            "remember",
            "why_dead",
            "attend",
            "make_room",
            "accept",
            "memory",
            "check_step",
            "least_share",
            "of",
            "of_test",
            "start",
            "advance",
            "hold",
            "move",
            "state_size",
            "evaluate",
            "learn",
            "recall",
            "replay",
            "restore",
            "update",
            "measured",
            "sent",
            "begin",
            "deformation",
            "estimate_by",
            "exchange",
            "stiffness_of",
            "farewell",
            "wait_at_most",
            "jacobian",
            "displacement",
            "force",
            "stiffness",
            "stiffness_of_actuators",
            "command",
            "commit",
            "refused",
            "take_over",
            "close",
            "reading",
            "find_position",
            "must_command",
            "set_position",
            "apply",
            "ended",
            "test_ended",
            "prepare_for_journal",
            "alone",
            "write_measurement",
            "new_monitor",
            "new_following",
            "displacement_noise",
            "queue_known_answer",
            "install",
            "series_of",
            "count_steps",
            "feed",
            "fingerprint",
            "at",
            "verdict",
            "keeps",
            "limit_of",
            "check",
            "learned_noise",
            "members_of",
            "particles_of",
            "weights_of",
            "quantile",
            "exchanged",
            "found",
            "names",
            "actuator",
            "name_actuators",
        ),
        STEPPING,
    ),
    **dict.fromkeys(("write", "read", "put", "get"), FILES),
    **dict.fromkeys(
        ("trace", "run", "from_cosmos", "from_smc", "from_journal"),
        "through the one that is tried, or by hand",
    ),
    "inputs": "called by a batch when it makes its file",
    **dict.fromkeys(
        ("differing", "forces", "save", "use"),
        "of an identification, which femu makes; see tests/identify",
    ),
}


def unwrapped(target: Any) -> Any:
    return inspect.unwrap(getattr(target, "__func__", target))


def public() -> dict[Any, str]:
    """Callables with their names.

    Functions, classes, and the methods with arguments of the classes.
    """
    found: dict[Any, str] = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        own = [
            name
            for name, value in vars(module).items()
            if getattr(value, "__module__", "") == package and name[0] != "_"
        ]
        for name in getattr(module, "__all__", own):
            target = getattr(module, name)
            if callable(target) and not isinstance(target, type(Any)):
                found.setdefault(unwrapped(target), name)
    for kind in [kind for kind in found if isinstance(kind, type)]:
        for name in dir(kind):
            method = unwrapped(inspect.getattr_static(kind, name))
            if (
                name[0] != "_"
                and inspect.isfunction(method)
                and method.__module__.startswith("femu")
            ):
                taken = [
                    p for p in inspect.signature(method).parameters if p not in ("self", "cls")
                ]
                if taken:
                    found.setdefault(method, method.__qualname__)
    return found


def not_tried(calls: Iterable[Call]) -> list[str]:
    """Names of what is public, and neither tried nor left out with a reason."""
    seen = {unwrapped(call.target) for call in calls}
    missing = []
    for target, name in public().items():
        exempt = (isinstance(target, type) and issubclass(target, BaseException)) or hasattr(
            target, "__members__"
        )
        reason = METHODS.get(name.rpartition(".")[2]) if "." in name else EXCLUDED.get(name)
        if target not in seen and not exempt and reason is None:
            missing.append(name)
    return missing


def stale() -> list[str]:
    """Reasons for what is not public any more."""
    names = public().values()
    known = {name for name in names if "." not in name} | {
        name.rpartition(".")[2] for name in names if "." in name
    }
    return [name for name in (*EXCLUDED, *METHODS) if name not in known]
