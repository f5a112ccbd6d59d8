"""Frames from 1x1 to 10x5, strongly yielding, under El Centro and a far-field record."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import numpy as np

from femu.analyses import HHT, Newmark, Transient
from femu.elements import DisplacementBeamColumn
from femu.model.model import Model
from femu.opensees.comparison.case import DYNAMIC, Case, ModelCase
from femu.opensees.comparison.suite.elements import GRAVITY
from femu.opensees.comparison.suite.models import frame
from femu.opensees.translation.translate import Stage
from femu.records import GroundMotion
from femu.units import g

RECORDS = "FEMU_RECORDS"
"""Environment variable that names a folder with the far-field set of FEMA P-695.

``eqData.dat`` and the records it lists.
"""
SIZES = ((1, 1), (2, 2), (3, 3), (5, 3), (10, 5))


def far_field(number: int = 0) -> GroundMotion | None:
    """A record of the P-695 set, if its folder is there; the set may not be passed on with femu."""
    folder = Path(os.environ.get(RECORDS, ""))
    listing = folder / "eqData.dat"
    if not os.environ.get(RECORDS) or not listing.exists():
        return None
    name, dt = listing.read_text().splitlines()[number].split()[:2]
    file = next(p for p in (folder / name, folder / f"{name}.rec") if p.exists())
    return GroundMotion.from_text(file, float(dt), "g")


def artificial(seed: int = 11) -> GroundMotion:
    """A motion of far-field kind that comes with femu: filtered noise (Kanai 1957, Tajimi 1960)
    under an envelope.

    Ground frequency 2.5 Hz, ground damping 0.6, strong from 4 to 14 s of 24 s.
    """
    dt, rng = 0.01, np.random.default_rng(seed)
    t = np.arange(0.0, 24.0, dt)
    omega, ratio = 2.0 * np.pi * 2.5, 0.6
    noise, x, v, a = rng.normal(size=len(t)), 0.0, 0.0, np.zeros(len(t))
    for k, w in enumerate(noise):
        force = -2.0 * ratio * omega * v - omega**2 * x
        a[k] = force
        v += dt * (force - w)
        x += dt * v
    envelope = np.minimum(1.0, t / 4.0) * np.exp(-0.35 * np.maximum(0.0, t - 14.0))
    return GroundMotion("artificial far-field motion", dt, a * envelope - np.mean(a * envelope))


def _with_damping(storeys: int, bays: int, kind: str) -> Model:
    model = frame(storeys, bays, kind)
    model.rayleigh(0.03)
    return model


def cases() -> list[Case]:
    """The cases of this group."""
    made: list[Case] = []
    real = far_field()
    motions = {
        "El Centro": GroundMotion.el_centro().scaled(pga=0.65 * g),
        "artificial motion": artificial().scaled(pga=0.6 * g),
    }
    if real is not None:
        motions["far-field record"] = real.scaled(pga=0.7 * g)
    for label, motion in motions.items():
        for storeys, bays in SIZES:
            for kind in ("uncoupled", "fibre"):
                seconds = 12.0 if storeys < 10 else 8.0
                made.append(
                    ModelCase(
                        f"{storeys}x{bays} frame, {kind}, {label}",
                        partial(_with_damping, storeys, bays, kind),
                        [GRAVITY, Stage(Transient(Newmark(), dt=0.01), motion, seconds)],
                        limit=DYNAMIC,
                        quick=label == "El Centro" and storeys in (1, 3),
                    )
                )
    made.append(
        ModelCase(
            "3x2 frame, corotational, HHT, El Centro",
            partial(frame, 3, 2, "fibre", "corotational"),
            [GRAVITY, Stage(Transient(HHT(0.9), dt=0.01), motions["El Centro"], 10.0)],
            limit=DYNAMIC,
        )
    )
    made.append(
        ModelCase(
            "3x2 frame, DisplacementBeamColumn, El Centro",
            partial(frame, 3, 2, "fibre", "p-delta", DisplacementBeamColumn),
            [GRAVITY, Stage(Transient(Newmark(), dt=0.01), motions["El Centro"], 10.0)],
            limit=DYNAMIC,
        )
    )
    return made
