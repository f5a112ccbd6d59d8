"""Every argument of public functions and constructors in turn, with every kind of value that it may not have.

Other components (materials, elements, analyses) are in tests/test_bad_input.py. Here the invariant is one: a call with a bad
value is refused with an exception of femu that names the argument, or the value is one that may be; no other exception comes out.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from femu import FemuError, GroundMotion, InputError
from femu import analyses as an
from femu import batch as ba
from femu import experimental as ex
from femu import filters as fi
from femu import records as re
from tests.campaign.tally import Tally

BAD: list[Any] = [float("nan"), float("inf"), -1.0, "word", None, [], np.zeros((3, 3, 3)), object()]


def good_calls() -> dict[Callable[..., Any], tuple[Any, ...]]:
    """Public callables with arguments that are right."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "filters"))
    from systems import linear_model

    space, quake = linear_model(), GroundMotion("quake", 0.01, np.sin(0.1 * np.arange(300)))
    filtered, bounds = (space, 1.0, 1.0), fi.Bounds([-9.0, -9.0], [9.0, 9.0])
    vary, spectrum = {"a": ba.Uniform(0.0, 1.0)}, ([0.2, 1.0], [3.0, 3.0])
    return {
        **dict.fromkeys((re.arias_intensity, re.cumulative_absolute_velocity, re.housner_intensity, re.peak_displacement,
                         re.peak_velocity, re.significant_duration), (quake,)),
        re.response_spectrum: (quake, [0.5, 1.0]), re.rotated_spectrum: (quake, quake, [0.5, 1.0]), re.synthetic: (1,),
        re.spectrum_compatible: (1, *spectrum), re.scaled_to_spectrum: ([quake], *spectrum),
        **dict.fromkeys((an.BFGS, an.Broyden, an.ModifiedNewton, an.FixedIterations, an.TRBDF2, an.AlphaOS, an.GeneralizedAlphaOS,
                         an.KRAlpha, an.NewmarkExplicit), ()),
        an.RelativeEnergy: (1e-6,), an.RelativeIncrement: (1e-6,),
        **dict.fromkeys((fi.EKF, fi.UKF, fi.AdaptiveUKF, fi.CubatureKF, fi.EnsembleKF, fi.SquareRootUKF, fi.ParticleFilter,
                         fi.UnscentedPF, fi.ExtendedPF, fi.AuxiliaryUnscentedPF), filtered),
        fi.IntervalUKF: (*filtered, bounds), fi.ConstrainedUKF: (*filtered, bounds),
        ba.Normal: (1.0, 0.1), ba.Lognormal: (1.0, 0.1), ba.Uniform: (0.0, 1.0), ba.latin_hypercube: (vary, 4, 1),
        ba.sobol: (vary, 4, 1), ba.fit_counts: ([1.0, 2.0, 3.0], [1, 2, 5], [6, 6, 6]),
        **dict.fromkeys((ex.BFGSTangent, ex.BroydenTangent, ex.EigenvectorTangent, ex.InitialTangent, ex.TransposeTangent), ()),
        ex.IntrinsicTangent: ([[1.0]],), ex.RemoteApplication: (1, 80), ex.RemoteSite: (1, 80), ex.RemoteController: (1, 80),
        ex.PolynomialCompensation: (0.01,), ex.AdaptiveCompensation: (0.01,), ex.OneActuator: (1.0,),
        ex.TwoActuators: (1.0, 1.0, 1.0), ex.ThreeActuators: (1.0,) * 5, ex.Cantilever: (1.0,), ex.Scaled: (1,), ex.Direct: (1,),
        ex.Linear: ([[1.0]],), ex.SensorCheck: (),
    }


def sweep() -> Tally:
    """All callables, all arguments, all values."""
    tally = Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calls = good_calls()
        for call, good in calls.items():
            call(*good)  # must be accepted
            for place, (name, parameter) in enumerate(inspect.signature(call).parameters.items()):
                if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                    continue
                for value in BAD:
                    given, named = list(good), {}
                    if place < len(given):
                        given[place] = value
                    else:
                        named[name] = value
                    what = f"{call.__name__}, {name} = {str(value)[:20]}"
                    try:
                        call(*given, **named)
                    except InputError as problem:
                        tally.inputs += 1
                        if not problem.argument or not problem.rule:
                            tally.failures.append(f"{what}: the message {str(problem)!r} names no argument or no rule")
                    except FemuError:
                        tally.inputs += 1
                    except Exception as problem:
                        tally.failures.append(f"{what}: {type(problem).__name__}: {problem}")
    tally.lines.append(("arguments of functions and constructors", f"{tally.inputs} refused, of {len(calls)} callables"))
    return tally
