"""`femu plot`: one picture of a model or of a result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from femu.cli.say import say

HELP = """Draw one picture of a model or of a result.

FILE is the HDF5 file of a result, journal or batch, a model in TOML, or a Python script that
defines a model and, for pictures of a response, a result, or `analysis` (with `motion` and
`duration` if wanted). The ending of --output sets the format: png, pdf, svg; gif or html for an
animation.

\b
Kinds:
{kinds}

\b
Examples:
  femu plot frame.py model
  femu plot portal.h5 moment --si --output moment.pdf
  femu plot portal.h5 loop --element left --end j
  femu plot portal.h5 animation --output portal.gif
"""

KINDS = {
    "model": "supports, loads, names (--local-axes for local axes)",
    "modes": "mode shapes (--modes sets how many)",
    "deformed": "deformed shape (at --time, or when it is largest)",
    "moment": "bending moments, on the side in tension",
    "moment-y": "bending moments about local y, of a model in space",
    "shear": "shear forces",
    "shear-z": "shear forces along local z, of a model in space",
    "axial": "axial forces",
    "torsion": "torsion, of a model in space",
    "history": "displacement of --node in --direction over time",
    "loop": "moment over rotation of --element at --end",
    "interaction": "axial force and moment of --element on its yield surface",
    "energy": "energy balance",
    "timing": "step times of a hybrid test",
    "parameters": "parameters that were updated in a hybrid test",
    "innovation": "innovation of the updater, with the band it expects",
    "consistency": "normalised innovation squared, with its band",
    "drifts": "storey drifts of a batch over the height",
    "ida": "curves of an incremental dynamic analysis",
    "fragility": "probability of collapse of a batch",
    "animation": "moving deformed shape, as gif or html",
}
_OF_MODELS = ("model", "modes")
_OF_BATCHES = ("drifts", "ida", "fragility")
_OF_UPDATERS = ("parameters", "innovation", "consistency")


@dataclass(frozen=True)
class Wanted:
    """What the options ask for."""

    units: Any
    node: str | None
    direction: str
    element: str | None
    end: str
    axis: str
    time: float | None
    scale: float | None
    modes: int
    local_axes: bool


@click.command(
    "plot",
    help=HELP.format(kinds="\n".join(f"  {kind:<12} {shown}" for kind, shown in KINDS.items())),
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Picture to write. Default: FILE-KIND.png.",
)
@click.option("--si", is_flag=True, help="The model is in m and N: show mm, kN and kN m.")
@click.option("--node", help="Node of a history. Default: the one that moves most.")
@click.option(
    "--direction",
    default="x",
    show_default=True,
    help="Direction of a history: x, y, rz; in space also z, rx, ry.",
)
@click.option("--element", help="Element of a loop. Default: the one with the widest loop.")
@click.option(
    "--end",
    type=click.Choice(["i", "j"]),
    default="i",
    show_default=True,
    help="End of the element.",
)
@click.option(
    "--axis",
    type=click.Choice(["z", "y"]),
    default="z",
    show_default=True,
    help="Local axis of a loop, in space.",
)
@click.option(
    "--time",
    type=float,
    help="Time of a shape or diagram. Default: that of the largest displacement.",
)
@click.option(
    "--scale", type=click.FloatRange(min=0.0, min_open=True), help="Enlargement of displacements."
)
@click.option(
    "--modes", type=click.IntRange(min=1), default=3, show_default=True, help="Number of modes."
)
@click.option("--model", "named", metavar="NAME", help="The model of a script that has several.")
@click.option("--local-axes", is_flag=True, help="Draw the local axes of the members.")
def command(
    file: Path, kind: str, output: Path | None, si: bool, named: str | None, **options: Any
) -> None:
    from femu import plots
    from femu.plots.style import AS_MODEL, SI

    wanted = Wanted(SI if si else AS_MODEL, **options)
    path = output or file.with_name(f"{file.stem}-{kind}.{'gif' if kind == 'animation' else 'png'}")
    found = _read(file, kind, named)
    if kind == "animation":
        plots.animate(found, path, scale=wanted.scale)
    else:
        plots.save(_draw(found, kind, wanted, file), path)
    say(f"femu: {path}")


def _read(file: Path, kind: str, named: str | None) -> Any:
    """A model, a result, a journal or a batch."""
    from femu.report.write import file_kind, load_result

    if file.suffix == ".toml":
        from femu.exchange.model_toml import read_model

        _only(file, kind, "a model", _OF_MODELS)
        return read_model(file)
    if file.suffix == ".py":
        return _run(file, kind, named)
    file_is = file_kind(file)
    if file_is.startswith("femu batch"):
        from femu.batch.result import BatchResult

        _only(file, kind, "a batch", _OF_BATCHES)
        return BatchResult.load(file)
    if file_is.startswith("femu journal"):
        from femu.experimental.journal.journal import read_journal

        _only(file, kind, "a journal", ("timing", "parameters", "loop", "history"))
        return read_journal(file)
    if file_is.startswith("femu updating"):
        from femu.updating.history import UpdatingHistory

        _only(file, kind, "the history of an updater", ("parameters", "innovation", "consistency"))
        return UpdatingHistory.load(file)
    result, _, history = load_result(file)
    _only(file, kind, f"the result of {_called(result)}", _of_result(result, history))
    return history if kind in _OF_UPDATERS else result


def _called(result: Any) -> str:
    return "a hybrid test" if result.kind == "hybrid" else f"a {result.kind} analysis"


def _of_result(result: Any, history: Any = None) -> tuple[str, ...]:
    """The kinds of pictures that a result has."""
    from femu.plots.sketch import sketch

    without = {*_OF_BATCHES}
    if history is None:
        without |= {*_OF_UPDATERS}
    if not hasattr(result, "of_step"):
        without |= {"timing"}
    if sketch(result).plane:
        without |= {"moment-y", "shear-z", "torsion"}
    if not result.time[-1] > result.time[0]:
        without |= {"energy"}
    return tuple(kind for kind in KINDS if kind not in without)


def _only(file: Path, kind: str, what: str, kinds: tuple[str, ...]) -> None:
    if kind not in kinds:
        raise click.UsageError(
            f"{file} is {what}: it has pictures of the kinds {', '.join(kinds)}."
        )


def _run(file: Path, kind: str, named: str | None) -> Any:
    """The model of a script, its result, or that of its analysis."""
    import runpy

    from femu.exchange.script_models import the_model, the_only
    from femu.results.result import Result
    from femu.support.errors import FileError

    _only(file, kind, "a script", tuple(k for k in KINDS if k not in (*_OF_BATCHES, *_OF_UPDATERS)))
    path = sys.path[:]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        defined = runpy.run_path(str(file), run_name="femu_model")
    except (SyntaxError, OSError) as problem:
        raise FileError(file, f"cannot be run: {problem}") from problem
    finally:
        sys.path[:] = path
    if kind in _OF_MODELS:
        return the_model(file, defined, named)
    if "analysis" in defined and "result" not in defined:
        given = [defined[name] for name in ("motion",) if name in defined]
        options = {"duration": defined["duration"]} if "duration" in defined else {}
        result = defined["analysis"].run(the_model(file, defined, named), *given, **options)
    else:
        result = the_only(file, defined, "result", Result, "name the intended one result")
    if not isinstance(result, Result):
        raise FileError(
            file,
            f"must define a result, or an analysis and a model, for a picture of the kind {kind!r}",
        )
    _only(file, kind, f"a script with the result of {_called(result)}", _of_result(result))
    return result


def _draw(found: Any, kind: str, wanted: Wanted, file: Path) -> Any:
    from femu import plots
    from femu.experimental.journal.journal import Record
    from femu.updating.history import UpdatingHistory

    if isinstance(found, Record):
        return _draw_journal(found, kind, wanted)
    if isinstance(found, UpdatingHistory):
        return _draw_updating(found, kind)
    if kind in _OF_BATCHES:
        return _draw_batch(found, kind)
    makers: dict[str, Callable[[], Any]] = {
        "model": lambda: plots.plot_model(found, local_axes=wanted.local_axes, units=wanted.units),
        "modes": lambda: _modes(found, wanted),
        "deformed": lambda: plots.plot_deformed(found, time=wanted.time, scale=wanted.scale),
        "history": lambda: plots.plot_displacement(
            found, *_node(found, wanted), units=wanted.units
        ),
        "loop": lambda: plots.plot_element_loop(
            found, _element(found, wanted), wanted.end, axis=wanted.axis, units=wanted.units
        ),
        "interaction": lambda: plots.plot_element_interaction(
            found, _element(found, wanted), wanted.end
        ),
        "energy": lambda: plots.plot_energies(found, units=wanted.units),
        "timing": lambda: _timing(found, file),
    }
    if kind in plots.DIAGRAMS:
        return plots.plot_diagram(found, kind, time=wanted.time, units=wanted.units)
    return makers[kind]()


def _modes(found: Any, wanted: Wanted) -> Any:
    from femu import plots
    from femu.analyses import eigen
    from femu.results.result import Result

    model = found.description() if isinstance(found, Result) else found
    return plots.plot_modes(eigen(model, wanted.modes), numbers=list(range(1, wanted.modes + 1)))


def _node(result: Any, wanted: Wanted) -> tuple[Any, str]:
    from femu.report.of_result import moves_most

    if wanted.node is None:
        moving = moves_most(result)
        if moving is None:
            raise click.UsageError("the result holds no displacements.")
        return moving if wanted.direction == "x" else (moving[0], wanted.direction)
    return _named(wanted.node, result.index["names"]), wanted.direction


def _element(result: Any, wanted: Wanted) -> Any:
    from femu.report.of_result import by_work

    if wanted.element is not None:
        return _named(wanted.element, [e["name"] for e in result.index["elements"]])
    found = by_work(result)
    if not found:
        raise click.UsageError("no beam-column has saved forces: name a truss with --element.")
    return found[0][1]


def _named(text: str, names: list[Any]) -> Any:
    """A name as the model has it: a word, or a whole number."""
    for name in names:
        if str(name) == text:
            return name
    raise click.UsageError(f"there is no {text!r} among {', '.join(map(str, names[:20]))}.")


def _timing(result: Any, file: Path) -> Any:
    from femu import plots

    if not hasattr(result, "of_step"):
        raise click.UsageError(f"{file} is not of a hybrid test: it has no step times.")
    from femu.experimental.late_steps import in_words

    pace = result.pace
    return plots.plot_timing(
        result.of_step("seconds")[1:],
        1.0 / pace.rate if pace is not None else None,
        late=in_words(pace.overruns, pace.steps) if pace is not None else None,
    )


def _draw_journal(record: Any, kind: str, wanted: Wanted) -> Any:
    import numpy as np

    from femu import plots

    if kind == "timing":
        from femu.experimental.late_steps import in_words, late_in_journal
        from femu.report.of_test import step_seconds

        rate, late = record.about.get("rate"), late_in_journal(record.about, record.record)
        return plots.plot_timing(
            step_seconds(record), 1.0 / rate if rate else None, late=in_words(late, record.steps)
        )
    if kind == "parameters":
        rows = record.parameter_history
        values = rows[:, 2:-1] if len(rows) else rows
        changed = (
            [k for k in range(values.shape[1]) if np.ptp(values[:, k]) > 0.0]
            if len(rows) > 1
            else []
        )
        if not changed:
            raise click.UsageError("no parameter changed in this test.")
        return plots.plot_parameters(
            rows[:, 1], values[:, changed], names=[record.parameter_names[k] for k in changed]
        )[0]
    name = _named(wanted.element, record.names) if wanted.element is not None else record.names[0]
    d, f = record.measurements(name)
    from femu.experimental.channels import named, names_in, unit_of
    from femu.plots.style import labelled

    names = names_in(record.about, name, d.shape[1])
    channel = _most_moving(names, d)
    moved, pushed = (named(what, names[channel]) for what in ("displacement", "force"))
    unit = "rad" if unit_of("displacement", names[channel]) == "rotation" else ""
    if kind == "loop":
        return plots.plot_loop(
            d[:, channel], f[:, channel], x=labelled(f"{moved} of {name}", unit), y=pushed
        )
    count = min(len(record.commands(name)), len(d))
    shown = {"command": record.commands(name)[:count, channel], "measured": d[:count, channel]}
    return plots.plot_history(
        record.measured[name][:count, 1], shown, name=f"{moved} of {name}", unit=unit
    )


def _most_moving(names: tuple[str, ...], d: Any) -> int:
    """The channel that moves most.

    A rotation only if nothing else moves, since it is not a length.
    """
    import numpy as np

    from femu.experimental.channels import rotates

    span = np.ptp(d, axis=0)
    lengths = [k for k, n in enumerate(names) if not rotates(n) and span[k] > 0.0]
    return max(lengths or range(len(names)), key=lambda k: float(span[k]))


def _draw_updating(history: Any, kind: str) -> Any:
    from femu import plots

    if kind == "parameters":
        return plots.plot_parameters(
            history.time,
            history.values,
            history.std,
            names=list(history.names),
            bounds=list(history.bounds) or None,
        )[0]
    if kind == "consistency":
        return plots.plot_consistency(history.time, history.nis, history.channels)
    return plots.plot_innovation(
        history.time,
        history.innovation[:, 0],
        history.innovation_std[:, 0],
        name=f"innovation of {history.force_names[0]}",
    )


def _draw_batch(found: Any, kind: str) -> Any:
    from femu.batch import IDACurves, fit_curves, plots

    if kind == "drifts":
        return plots.plot_drifts(found)
    if found.settings.get("kind") != "ida":
        raise click.UsageError(
            f"{found.path} is not an incremental dynamic analysis: it has the picture 'drifts'."
        )
    curves = IDACurves.of(found)
    return (
        plots.plot_ida(curves)
        if kind == "ida"
        else plots.plot_fragility(fit_curves(curves), curves)
    )
