"""Bad words in the commands of the OpenSees front end, and commands in a wrong order.

Every word of every line of `opensees_calls` in turn is replaced, left out or followed by too much.
A call that is refused raises an exception of femu whose message names the command and what is
wrong, and leaves the model as it was. One that is accepted lets no NaN in: neither in its answer,
nor in the model, nor in the state after a step. Then every line at every stage of a script, and
lines in random order: an answer, or an exception of femu.
"""

from __future__ import annotations

import contextlib
import io
import random
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import femu.opensees as ops
from femu import FemuError
from femu.opensees.front_end.choices import chosen
from femu.opensees.front_end.document import KINDS
from femu.opensees.front_end.domain import domain
from femu.opensees.front_end.refused import REFUSED
from femu.opensees.front_end.units import units
from tests.campaign.bad_calls import INF, NAN, THING, Hung, holds_nan, patience
from tests.campaign.opensees_calls import PLANE, Words, build, call, commands, lines, not_tried
from tests.campaign.opensees_orders import ORDERS, STAGES
from tests.campaign.tally import Tally

UNKNOWN_TAG = 987_654
LONGEST_MESSAGE = 1000  # characters: a message is a sentence or two
# of the bad values, each word gets a share in a short run; the others go to other words
SHARE = 19
STEP = 0.01
RANDOM = {True: 20, False: 2000}  # stories of lines in random order
LENGTH_OF_A_STORY = 12
BAD: dict[str, Any] = {
    "nan": NAN,
    "inf": INF,
    "-inf": -INF,
    "minus one": -1,
    "minus a bit": -0.5,
    "zero": 0,
    "zero point": 0.0,
    "huge": 1e300,
    "-huge": -1e300,
    "tiny": 1e-300,
    "huge whole": 10**30,
    "huger whole": 10**400,
    "many": 2 * 10**9,
    "fraction": 1.5,
    "unknown tag": UNKNOWN_TAG,
    "word": "word",
    "option": "-nothing",
    "empty text": "",
    "blanks": "  ",
    "zero byte": "a\x00b",
    "half a character": "\ud800",
    "text of nan": "nan",
    "text of inf": "-inf",
    "text of huge": "1e400",
    "long": "x" * 100_000,
    "two lines": "a\nb",
    "none": None,
    "yes": True,
    "complex": 1j,
    "bytes": b"\x00",
    "empty": [],
    "empty table": {},
    "table": {"a": 1.0},
    "set": {1},
    "list of nan": [NAN, NAN],
    "list of words": ["a", "b"],
    "list in lists": [[[NAN]]],
    "nothing in lists": [[[]]],
    "cube": np.zeros((3, 3, 3)),
    "no numbers": np.zeros(0),
    "array of nan": np.full(2, NAN),
    "array of objects": np.array([THING, None]),
    "number of numpy": np.float64(NAN),
    "complex array": np.zeros(2, dtype=complex),
    "object": THING,
    "class": int,
    "function": len,
    "generator": (n for n in ()),
}
BOTTOMLESS: list[Any] = [1.0]
for _ in range(100_000):
    BOTTOMLESS = [BOTTOMLESS]
BAD["bottomless list"] = BOTTOMLESS
ROUND: list[Any] = []
ROUND.append(ROUND)
BAD["list in itself"] = ROUND
# of numbers that no number may be; a file may have such a name
TEXTS = ("text of nan", "text of inf", "text of huge")
NEVER = (
    "nan",
    "inf",
    "-inf",
    *TEXTS,
    "huger whole",
    "complex",
    "bytes",
    "list of nan",
    "list in lists",
    "array of nan",
    "array of objects",
    "number of numpy",
    "complex array",
    "object",
    "class",
    "function",
    "generator",
    "empty table",
    "table",
    "set",
    "bottomless list",
    "list in itself",
    "none",
)
"""Values that no word may have."""
EXTRA: tuple[Any, ...] = ("word", "-nothing", 1, NAN, None, THING)
"""What may be one word too many."""
MAY_BE_ANYTHING = ("logFile",)
LONG = {"analyze": ("many", "unknown tag")}
"""Values that are right, and take hours."""


def picture() -> str:
    """All that a script has defined and chosen, as text.

    The same before and after a command that was refused.
    """
    d, model = domain, domain.model
    state = d.reached
    held: dict[str, Any] = {
        "dimensions": (d.ndm, d.ndf),
        "nodes": [
            (t, n.coordinates.tolist(), sorted(n.fixed), n.mass, d.node_dofs.get(t))
            for t, n in model.nodes.items()
        ],
        "elements": [
            (t, d.kinds[t], d.asked_damping[t], getattr(e, "damped", None))
            for t, e in model.elements.items()
        ],
        "constraints": (model.equal, model.links, getattr(model, "diaphragms", None)),
        "damping": model.damping,
        "tables": [list(t) for t in (d.materials, d.integrations, d.series, d.recorders)],
        "masses": d.node_mass,
        "transformations": d.transformations,
        "sections": [(t, getattr(s, "cells", None)) for t, s in d.sections.items()],
        "open": (d.section_open, d.pattern_open),
        "regions": d.regions,
        "parameters": d.parameters,
        "changed": d.changed,
        "patterns": [
            (p.tag, p.kind, p.factor, p.held, p.nodal, p.member, p.imposed, p.motions)
            for p in d.patterns.values()
        ],
        "modes": (d.modal_ratios, d.eigenvalues),
        "material": (d.test_tag, [(t, p.strain, p.stress) for t, p in d.tests.items()]),
        "chosen": (chosen.test, chosen.algorithm, chosen.static, chosen.transient, chosen.kind),
        # virgin
        "state": None
        if state is None or not state.vector[state.program.layout.elements :].any()
        else (state.time, state.vector[state.program.layout.u :].tobytes()),
    }
    return "\n".join(f"{name}: {value!r}" for name, value in held.items())


def differs(before: str, after: str) -> str:
    """The first part of two pictures that differs; a state that was not there before is none."""
    for a, b in zip(before.split("\n"), after.split("\n"), strict=False):
        if a != b and a != "state: None":
            return a.partition(":")[0]
    return ""


def poisoned() -> bool:
    """Whether what a script has defined, or where it is, holds a NaN or an infinite number."""
    words, state = set(re.split(r"[^\w.]+", picture().rpartition("\nstate: ")[0])), domain.reached
    return bool({"nan", "inf"} & words) or (
        state is not None and not np.isfinite(state.vector).all()
    )


def says(problem: FemuError, words: Words) -> str:
    """What is wrong with a message; it names the command, and is one sentence or two."""
    text = str(problem).strip()
    if "\n" in text or len(text) > LONGEST_MESSAGE or not text.endswith((".", "?", "!")):
        return f"says {text[:300]!r} ({len(text)} characters)"
    if words[0] not in text:
        return f"does not name the command: {text!r}"
    rest = text.partition(f"{words[0]}")[2]
    return "" if len(rest.split()) > 3 else f"says only {text!r}"


USES: dict[str, str] = {
    "uniaxialMaterial": "element Truss 99 1 3 1e-3 9",
    "section": "element zeroLengthSection 99 3 4 9",
    "fiber": "element zeroLengthSection 99 3 4 9",
    "patch": "element zeroLengthSection 99 3 4 9",
    "layer": "element zeroLengthSection 99 3 4 9",
    "timeSeries": "pattern Plain 99 9; load 3 1.0 1.0 1.0",
    "beamIntegration": "element forceBeamColumn 99 1 3 1 9",
    "geomTransf": "element elasticBeamColumn 99 1 3 0.01 2e11 1e-4 9",
    "pattern": "load 3 1.0 1.0 1.0",
}
"""What makes a step use what a command has defined."""


def probe(words: Words) -> str:
    """Use what a command has defined, take a step and look around.

    What is wrong with the state then.
    """
    made = [
        *commands(USES.get(words[0], "")),
        ("analysis", "Static") if chosen.transient is None else ("analysis", "Transient"),
        ("analyze", 1) if chosen.transient is None else ("analyze", 1, STEP),
        ("record",),
        ("eigen", 1),
        ("nodeDisp", 2),
    ]
    for one in made:
        try:
            answer = call(one)
        except FemuError:
            continue
        except (Exception, Hung) as problem:
            return f"then {one[0]}: {type(problem).__name__}: {problem}"
        if holds_nan(answer) or poisoned():
            return f"then {one[0]} gives NaN"
    return ""


def answered(words: Words, kind: str) -> tuple[bool, str]:
    """Whether a call was refused, and what is wrong with how it was taken, if anything is."""
    before = picture()
    try:
        with patience():
            answer = call(words)
    except FemuError as problem:
        wrong = says(problem, words)
        changed = differs(before, picture())
        return True, wrong or (f"was refused and has changed the {changed}" if changed else "")
    except (Exception, Hung) as problem:
        return False, f"{type(problem).__name__}: {problem}"
    if words[0] in MAY_BE_ANYTHING:
        return False, ""
    if kind in NEVER:
        return False, "was accepted"
    if holds_nan(answer) or poisoned():
        return False, "was accepted and lets NaN in"
    with patience():
        return False, probe(words)


def spoilt(words: Words, quick: bool, start: int) -> Iterator[tuple[str, Words]]:
    """All the calls that are wrong in one word, or have too few words or too many.

    In a short run, some of them.
    """
    for place in range(1, len(words)):
        for k, (kind, value) in enumerate(BAD.items()):
            if kind in TEXTS and isinstance(words[place], str):
                continue
            if kind not in LONG.get(words[0], ()) and (
                not quick or (k + place + start) % SHARE == 0
            ):
                yield kind, (*words[:place], value, *words[place + 1 :])
        if not quick or place == len(words) - 1:
            yield "missing", words[:place]
    for value in EXTRA if not quick else EXTRA[start % len(EXTRA) :][:2]:
        yield "too many", (*words, value)


def shown(words: Words) -> str:
    return " ".join(
        f"{type(w).__name__}" if isinstance(w, (list, dict, np.ndarray)) else str(w)[:30]
        for w in words
    )


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No words on the screen, no warnings, files for those who read some, and the names of the main
    module as they were."""
    # which defaultUnits writes there
    main, names = vars(sys.modules["__main__"]), units("kN", "m", "sec")
    before = {name: main[name] for name in names if name in main}
    Path("samples.txt").write_text("0.0 1.0 2.0\n")
    Path("times.txt").write_text("0.0 0.5 1.0\n")
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            ops.wipe()
            for name in names:
                main.pop(name, None)
            main.update(before)


def words_tried(quick: bool) -> Tally:
    """Every word of every line."""
    tally = Tally()
    with quiet():
        for number, (model, made) in enumerate(lines()):
            *ready, last = made
            valid = False
            for kind, words in spoilt(last, quick, number):
                if not valid:
                    build(model)
                    for one in ready:
                        call(one)
                    valid = True
                refused, wrong = answered(words, kind)
                tally.inputs += refused and not wrong
                valid = refused and not wrong
                if wrong:
                    tally.failures.append(f"{shown(words)} ({kind}): {wrong}")
            build(model)
            for one in made:
                call(one)  # must be accepted
    tally.lines.append(
        (f"words of {len(lines())} commands of the OpenSees front end", f"{tally.inputs} refused")
    )
    return tally


def orders_tried() -> Tally:
    """Wrong orders by hand."""
    tally = Tally()
    Path("words.txt").write_text("these are words\n")
    Path("nan.txt").write_text("0.0 nan 1.0\n")
    Path("bytes.bin").write_bytes(bytes(range(256)))
    with quiet():
        for name, text in ORDERS.items():
            *ready, last = commands(text)
            ops.wipe()
            words: Words = ()
            wrong = "was accepted"
            try:
                with patience():
                    for words in (*ready, last):
                        call(words)
            except FemuError as problem:
                wrong = says(problem, last)
            except (Exception, Hung) as problem:
                wrong = f"{shown(words)}: {type(problem).__name__}: {problem}"
            tally.inputs += not wrong
            tally.failures += [f"{name}: {wrong}"] if wrong else []
    tally.lines.append(
        ("commands of the OpenSees front end in a wrong order", f"{tally.inputs} refused")
    )
    return tally


def outcome(words: Words) -> str:
    """What is wrong with the answer to a command that may come at the wrong time.

    A FemuError is right.
    """
    try:
        with patience():
            answer = call(words)
    except FemuError as problem:
        return says(problem, words)
    except (Exception, Hung) as problem:
        return f"{type(problem).__name__}: {problem}"
    return "gives NaN" if holds_nan(answer) or poisoned() else ""


def stages_tried(quick: bool) -> Tally:
    """Every line at every stage of a script, and lines in random order."""
    tally, tried = Tally(), 0
    chance = random.Random(11)
    known = [made for _, made in lines()]
    with quiet():
        for number, (stage, text) in enumerate(STAGES.items()):
            for place, made in enumerate(known):
                if quick and (place + number) % SHARE:
                    continue
                build(text)
                for words in (*made, ("analysis", "Static"), ("analyze", 1)):
                    wrong = outcome(words)
                    tried += 1
                    if wrong:
                        tally.failures.append(
                            f"{stage}, then {shown(made[-1])}, {shown(words)}: {wrong}"
                        )
        for _ in range(RANDOM[quick]):
            build(chance.choice([*STAGES.values()]))
            story: list[Words] = []
            for made in chance.choices(known, k=LENGTH_OF_A_STORY):
                for words in (
                    *made,
                    *chance.choice((((),), (("analysis", "Static"), ("analyze", 1)))),
                ):
                    if not words:
                        continue
                    story.append(words)
                    wrong = outcome(words)
                    tried += 1
                    if wrong:
                        tally.failures.append(f"{' ; '.join(shown(w) for w in story)}: {wrong}")
                        break
    tally.properties += tried - len(tally.failures)
    tally.lines.append(
        (
            f"commands of the OpenSees front end at {len(STAGES)} stages and in random order",
            f"{tried} answered",
        )
    )
    return tally


def refusals_tried() -> Tally:
    """Commands and kinds that femu does not offer."""
    tally = Tally()
    with quiet():
        build(PLANE)
        cases: list[Words] = [(name, value) for name in REFUSED for value in (1, NAN, THING)]
        cases += [
            (kinds.command, *(["-ele", 1, "-type"] if kinds.command == "eleLoad" else []), name)
            for kinds in KINDS
            for name in kinds.refused
        ]
        for words in cases:
            refused, wrong = answered(words, "object")
            tally.inputs += refused and not wrong
            tally.failures += [f"{shown(words)}: {wrong}"] if wrong else []
    tally.lines.append(
        ("commands and kinds that the OpenSees front end does not offer", f"{tally.inputs} refused")
    )
    return tally


def check(quick: bool) -> Tally:
    """All of it; in a short run, a part of the words and stages."""
    tally = Tally(failures=not_tried())
    for part in (words_tried(quick), orders_tried(), stages_tried(quick), refusals_tried()):
        tally.add(part)
    return tally
