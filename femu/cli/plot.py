"""`femu plot`: one picture of a model or of a result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

HELP = """Draw one picture of a model or of a result.

FILE is the HDF5 file of a result, journal or batch, a model in TOML, or a Python script that defines `model` (and, for pictures
of a response, `analysis`, and `motion` and `duration` if wanted). The ending of --output says the format: png, pdf, svg; gif or
html for an animation.

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
    "modes": "mode shapes (--modes says how many)",
    "deformed": "deformed shape (--time, or where it is largest)",
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


@click.command("plot", help=HELP.format(kinds="\n".join(f"  {kind:<12} {told}" for kind, told in KINDS.items())))
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Picture to write; FILE-KIND.png if left out.")
@click.option("--si", is_flag=True, help="The model is in m and N: show mm, kN and kN m.")
@click.option("--node", help="Node of a history; the one that moves most if left out.")
@click.option("--direction", default="x", show_default=True, help="Direction of a history: x, y, rz; in space also z, rx, ry.")
@click.option("--element", help="Element of a loop; the one with the widest loop if left out.")
@click.option("--end", type=click.Choice(["i", "j"]), default="i", show_default=True, help="End of the element.")
@click.option("--axis", type=click.Choice(["z", "y"]), default="z", show_default=True, help="Local axis of a loop, in space.")
@click.option("--time", type=float, help="Time of a shape or diagram; that of the largest displacement if left out.")
@click.option("--scale", type=click.FloatRange(min=0.0, min_open=True), help="Enlargement of displacements.")
@click.option("--modes", type=click.IntRange(min=1), default=3, show_default=True, help="Number of modes.")
@click.option("--local-axes", is_flag=True, help="Draw the local axes of the members.")
def command(file: Path, kind: str, output: Path | None, si: bool, **options: Any) -> None:
    from femu import plots
    from femu.plots.style import AS_MODEL, SI

    wanted = Wanted(SI if si else AS_MODEL, **options)
    path = output or file.with_name(f"{file.stem}-{kind}.{'gif' if kind == 'animation' else 'png'}")
    found = _read(file, kind)
    if kind == "animation":
        plots.animate(found, path, scale=wanted.scale)
    else:
        plots.save(_draw(found, kind, wanted, file), path)
    click.echo(f"femu: {path}")


def _read(file: Path, kind: str) -> Any:
    """A model, a result, a journal or a batch."""
    from femu.report.write import file_kind, load_result

    if file.suffix == ".toml":
        from femu.exchange.model_toml import read_model

        _only(file, kind, "a model", _OF_MODELS)
        return read_model(file)
    if file.suffix == ".py":
        return _run(file, kind)
    told = file_kind(file)
    if told.startswith("femu batch"):
        from femu.batch.result import BatchResult

        _only(file, kind, "a batch", _OF_BATCHES)
        return BatchResult.load(file)
    if told.startswith("femu journal"):
        from femu.experimental.journal import read_journal

        _only(file, kind, "a journal", ("timing", "parameters", "loop", "history"))
        return read_journal(file)
    if told.startswith("femu updating"):
        from femu.updating.history import UpdatingHistory

        _only(file, kind, "the history of an updater", ("parameters", "innovation", "consistency"))
        return UpdatingHistory.load(file)
    if kind in ("parameters", "innovation", "consistency"):
        history = load_result(file)[2]
        if history is None:
            raise click.UsageError(f"{file} holds no history of an updater.")
        return history
    return load_result(file)[0]


def _only(file: Path, kind: str, what: str, kinds: tuple[str, ...]) -> None:
    if kind not in kinds:
        raise click.UsageError(f"{file} is {what}: it has pictures of the kinds {', '.join(kinds)}.")


def _run(file: Path, kind: str) -> Any:
    """The model of a script, or the result of its analysis."""
    import runpy

    from femu.errors import FileError
    from femu.model import Model

    defined = runpy.run_path(str(file), run_name="femu_model")
    if not isinstance(defined.get("model"), Model):
        raise FileError(file, "must define model, a femu.Model")
    if kind in _OF_MODELS:
        return defined["model"]
    if "analysis" not in defined:
        raise FileError(file, f"must define analysis for a picture of the kind {kind!r}")
    given = [defined[name] for name in ("motion",) if name in defined]
    options = {"duration": defined["duration"]} if "duration" in defined else {}
    return defined["analysis"].run(defined["model"], *given, **options)


def _draw(found: Any, kind: str, wanted: Wanted, file: Path) -> Any:
    from femu import plots
    from femu.experimental.journal import Record
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
        "history": lambda: plots.plot_displacement(found, *_node(found, wanted), units=wanted.units),
        "loop": lambda: plots.plot_element_loop(found, _element(found, wanted), wanted.end, axis=wanted.axis, units=wanted.units),
        "interaction": lambda: plots.plot_element_interaction(found, _element(found, wanted), wanted.end),
        "energy": lambda: plots.plot_energies(found, units=wanted.units),
        "timing": lambda: _timing(found, file),
    }
    if kind in plots.DIAGRAMS:
        return plots.plot_diagram(found, kind, time=wanted.time, units=wanted.units)
    return makers[kind]()


def _modes(found: Any, wanted: Wanted) -> Any:
    from femu import plots
    from femu.analyses import eigen
    from femu.results import Result

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
    return plots.plot_timing(result.of_step("seconds")[1:], 1.0 / result.pace.rate if result.pace is not None else None)


def _draw_journal(record: Any, kind: str, wanted: Wanted) -> Any:
    import numpy as np

    from femu import plots

    if kind == "timing":
        return plots.plot_timing(np.diff(record.state[:, -1]))
    if kind == "parameters":
        rows = record.parameter_history
        values = rows[:, 2:-1] if len(rows) else rows
        changed = [k for k in range(values.shape[1]) if np.ptp(values[:, k]) > 0.0] if len(rows) > 1 else []
        if not changed:
            raise click.UsageError("no parameter changed in this test.")
        return plots.plot_parameters(rows[:, 1], values[:, changed], names=[record.parameter_names[k] for k in changed])[0]
    name = _named(wanted.element, record.names) if wanted.element is not None else record.names[0]
    d, f = record.measurements(name)
    channel = int(np.ptp(d, axis=0).argmax())
    if kind == "loop":
        return plots.plot_loop(d[:, channel], f[:, channel], x=f"displacement {channel + 1} of {name}", y="force")
    count = min(len(record.commands(name)), len(d))
    told = {"command": record.commands(name)[:count, channel], "measured": d[:count, channel]}
    return plots.plot_history(record.measured[name][:count, 1], told, name=f"displacement {channel + 1} of {name}")


def _draw_updating(history: Any, kind: str) -> Any:
    from femu import plots

    if kind == "parameters":
        return plots.plot_parameters(
            history.time, history.values, history.std, names=list(history.names), bounds=list(history.bounds) or None
        )[0]
    if kind == "consistency":
        return plots.plot_consistency(history.time, history.nis, history.channels)
    return plots.plot_innovation(
        history.time, history.innovation[:, 0], history.innovation_std[:, 0], name="innovation of force 1"
    )


def _draw_batch(found: Any, kind: str) -> Any:
    from femu.batch import IDACurves, fit_curves, plots

    if kind == "drifts":
        return plots.plot_drifts(found)
    if found.settings.get("kind") != "ida":
        raise click.UsageError(f"{found.path} is not an incremental dynamic analysis: it has the picture 'drifts'.")
    curves = IDACurves.of(found)
    return plots.plot_ida(curves) if kind == "ida" else plots.plot_fragility(fit_curves(curves), curves)
