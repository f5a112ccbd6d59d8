"""Numbers that OpenSees runs although they are outside the bounds of femu's components: the front
end warns, and runs them too.

Each was compared with openseespy: it gives the same stresses or displacements. What is not here
stays refused, because OpenSees has no answer or nonsense there: NaN, stresses of many times the
strength, a negative stiffness by a wrong sign. `tests/opensees/test_accepted.py` (materials) and
`tests/opensees/test_accepted_models.py` (the other commands) have the table of both.
"""

from __future__ import annotations

import math

from femu.model.doubts import Bounds

_ANY = (-math.inf, math.inf)
_ZERO = (0.0, math.inf)
_SHARE = (-math.inf, 1.0)

_SOFTENING: dict[str, Bounds | None] = {"b": _SHARE, "a1": _ANY, "a3": _ANY}
_PINCHED: dict[str, Bounds | None] = {
    "pinch_x": _ANY,
    "pinch_y": _ANY,
    "damage_1": _ANY,
    "damage_2": _ANY,
    "beta": _ANY,
}
_FAILING: dict[str, Bounds | None] = {"smallest_strain, largest_strain": None}

ACCEPTED: dict[str, dict[str, Bounds | None]] = {
    "Elastic": {"E": _ANY, "E_compression": _ANY},
    "ElasticNoTension": {"E": _ZERO},
    "ElasticPerfectlyPlastic": {"fy": _ZERO, "fy_compression": _ZERO},
    "ElasticGap": {"gap": None},
    "Bilinear": _SOFTENING,
    "BilinearIsotropic": _SOFTENING,
    "MenegottoPinto": {**_SOFTENING, "R0": _ZERO, "cR1": _SHARE},
    "Hardening": {"fy": _ZERO, "H_iso": _ANY, "H_kin": _ANY},
    "KentParkTension": {
        "crushing_strain": None,
        "ft": _ANY,
        "softening_modulus": _ANY,
        "unloading_ratio": (-math.inf, 0.999),
    },
    "PopovicsConcrete": {"crushing_strain": _ZERO, "tension_strain": _ANY, "beta": (1e-12, 1.0)},
    "TrilinearPinching": {**_PINCHED, "s1p": _ZERO, "s1n": (-math.inf, 0.0)},
    "MultilinearPinching": _PINCHED,
    "ModifiedIMK": {
        "alpha_p": _SHARE,
        "alpha_n": _SHARE,
        "lambda_s": _ANY,
        "lambda_c": _ANY,
        "lambda_k": _ANY,
        "c_s": _ANY,
        "c_c": _ANY,
        "c_k": _ANY,
        "theta_p_p": _ZERO,
        "theta_p_n": _ZERO,
        "residual_p": _ANY,
        "residual_n": _ANY,
        "theta_u_p": _ANY,
        "theta_u_n": _ANY,
        "rate_p": _ANY,
        "rate_n": _ANY,
        "n": _ANY,
    },
    "BoucWen": {
        "alpha": _SHARE,
        "A": _ZERO,
        "delta_A": _ANY,
        "delta_nu": _ANY,
        "delta_eta": _ANY,
    },
    "ChangManderSteel": {"fu": _ANY, "Eh": _ANY, "gamma": _ANY},
    "LowCycleFatigue": {"m": _ANY, "E0": _ZERO, **_FAILING},
    "MinMax": _FAILING,
    "ElasticSection": dict.fromkeys(("E", "A", "I", "Iy", "G", "J"), _ZERO),
    "Truss": {"area": _ZERO},
    "NewmarkExplicit": {"gamma": (1e-12, math.inf)},  # OpenSees takes no step with 0
    "AlphaOS": {"alpha": _SHARE},
    "GeneralizedAlphaOS": {"radius": _ANY},
    "KRAlpha": {"radius": _ANY},
    "Stations": {"weights": None},
    "KentParkConcrete": {"crushing_strain": None},
    "QuadrilinearPinching": {
        **{f"gamma_{k}{n}": _ANY for k in "kdf" for n in (3, 4, "_limit")},
        "gamma_e": _ANY,
        "e1p, e2p, e3p, e4p": None,
        "e1n, e2n, e3n, e4n": None,
    },
    # less than 0: a hole, or the concrete that a bar replaces
    "FibreSection": {"GJ": _ZERO, "area": _ANY},
}
"""By class of femu and argument; None omits a rule about several arguments."""
