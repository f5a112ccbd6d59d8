"""Keywords that a class or function does not have: the error names it, the wrong word and the right
one.

A call with the right keywords is passed on as it is. Only if Python refuses to bind the arguments
are they compared with the signature: by spelling, without capitals and underscores, and by what the
word means in OpenSees and in textbooks.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from types import FunctionType
from typing import Any, NoReturn

from femu.support.errors import InputError

MOST_LISTED = 12  # arguments in a message
ALIKE = 0.6  # of difflib's ratio
MEANT: dict[str, tuple[str, ...]] = {
    # sections and materials
    "a": ("A", "area"),
    "area": ("A",),
    "ag": ("A", "area"),
    "avy": ("alpha_y",),
    "avz": ("alpha_z",),
    "e": ("E", "E0", "Ec", "k", "stiffness"),
    "es": ("E",),
    "emod": ("E",),
    "modulus": ("E",),
    "young": ("E",),
    "youngsmodulus": ("E",),
    "e0": ("E", "Ec"),
    "k": ("k", "K", "E", "stiffness"),
    "k0": ("K", "k", "E"),
    "ec": ("Ec", "E"),
    "stiffness": ("k", "K", "E", "stiffness"),
    "ea": ("EA", "axial"),
    "ei": ("EI", "moment"),
    "g": ("G", "GJ"),
    "shearmodulus": ("G",),
    "i": ("I",),
    "iz": ("I",),
    "izz": ("I",),
    "inertia": ("I",),
    "iyy": ("Iy",),
    "j": ("J", "GJ"),
    "jxx": ("J",),
    "it": ("J",),
    "torsionconstant": ("J",),
    "fy": ("fy", "yield_force", "fy_p", "y"),
    "sigmay": ("fy",),
    "sigy": ("fy",),
    "yieldstress": ("fy",),
    "yieldstrength": ("fy",),
    "yieldforce": ("fy",),
    "fu": ("fu",),
    "my": ("fy", "fy_p", "plastic_moment", "ry"),
    "mp": ("plastic_moment", "fy_p"),
    "hardening": ("b", "alpha"),
    "alpha": ("b",),
    "bs": ("b",),
    "strainhardening": ("b",),
    "hiso": ("H_iso",),
    "hkin": ("H_kin",),
    "fpc": ("fc",),
    "fcp": ("fc",),
    "epsc0": ("peak_strain",),
    "epsc": ("peak_strain",),
    "fpcu": ("fcu",),
    "epsu": ("crushing_strain",),
    "epscu": ("crushing_strain",),
    "fct": ("ft",),
    "ets": ("softening_modulus",),
    "lambda": ("unloading_ratio",),
    "lam": ("unloading_ratio",),
    "sigini": ("initial_stress",),
    "c": ("C", "damping"),
    "h": ("depth",),
    "height": ("depth",),
    "d": ("depth", "diameter"),
    "bf": ("width",),
    "tf": ("flange",),
    "tw": ("web",),
    # members and nodes
    "sec": ("section",),
    "sectag": ("section",),
    "mat": ("material", "laws"),
    "mattag": ("material", "laws"),
    "material": ("material", "laws", "materials"),
    "materials": ("laws", "material"),
    "dirs": ("directions", "laws"),
    "dir": ("direction", "directions", "laws"),
    "dof": ("direction",),
    "dofs": ("directions",),
    "transf": ("geometry",),
    "geomtransf": ("geometry",),
    "transformation": ("geometry",),
    "np": ("points", "integration"),
    "nip": ("points", "integration"),
    "numintgrpts": ("points", "integration"),
    "integrationpoints": ("points", "integration"),
    "rho": ("mass",),
    "massdens": ("mass",),
    "density": ("mass",),
    "m": ("mass",),
    "inode": ("i",),
    "jnode": ("j",),
    "ndm": ("dimensions",),
    "ndf": ("dimensions",),
    "ndim": ("dimensions",),
    "fix": ("fixed",),
    "restraints": ("fixed",),
    "constraints": ("fixed",),
    "support": ("fixed",),
    "supports": ("fixed",),
    "tag": ("name",),
    "eletag": ("element",),
    "ele": ("element",),
    "nodetag": ("node",),
    "masternode": ("node",),
    "slavenode": ("other", "others"),
    # loads
    "fx": ("x",),
    "px": ("x",),
    "wx": ("x",),
    "py": ("y",),
    "wy": ("y",),
    "fz": ("z",),
    "pz": ("z",),
    "wz": ("z",),
    "mx": ("rx",),
    "mz": ("rz",),
    "w": ("y",),
    "q": ("y",),
    "ts": ("series",),
    "timeseries": ("series",),
    "loadpattern": ("pattern",),
    "record": ("motion",),
    "accel": ("motion", "acceleration"),
    "groundmotion": ("motion",),
    "quake": ("motion",),
    "gm": ("motion",),
    "sf": ("factor", "scale"),
    "scalefactor": ("factor",),
    # analyses
    "deltat": ("dt",),
    "timestep": ("dt",),
    "step": ("dt", "steps"),
    "nsteps": ("steps",),
    "numsteps": ("steps",),
    "numincr": ("steps",),
    "incr": ("step",),
    "dincr": ("step",),
    "tol": ("tolerance",),
    "maxiter": ("iterations",),
    "numiter": ("iterations",),
    "iter": ("iterations",),
    "maxiterations": ("iterations",),
    "tmax": ("duration",),
    "tfinal": ("duration",),
    "tend": ("duration",),
    "endtime": ("duration",),
    "zeta": ("ratio", "damping"),
    "xi": ("ratio", "damping"),
    "damping": ("ratio", "damping"),
    "alpham": ("mass",),
    "betak": ("current",),
    "betakinit": ("initial",),
    "betakcomm": ("committed",),
    "target": ("to", "path"),
    "nummodes": ("modes",),
    # tests, batches, files
    "ip": ("host",),
    "ipaddress": ("host",),
    "address": ("host",),
    "ipport": ("port",),
    "njobs": ("workers",),
    "processes": ("workers",),
    "ncores": ("workers",),
    "filename": ("path",),
    "file": ("path",),
    "fname": ("path",),
}
"""What a word means here, by the word in small letters without underscores.

The first that the call has counts.
"""


class KeywordError(InputError, TypeError):
    """A keyword that a class or function does not have.

    Also a TypeError, as Python's own would be.
    """


def explained(function: Any, name: str) -> Any:
    """A function or method, ``name`` in messages, that names the right keyword for a wrong one."""
    if getattr(function, "_explained", False):
        return function

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except TypeError as problem:
            if (
                named
                and problem.__traceback__ is not None
                and problem.__traceback__.tb_next is None
            ):
                refuse_unknown(function, name, given, named)
            raise

    call._explained = True  # type: ignore[attr-defined]
    return call


def explain_all(package: str, names: Iterable[str]) -> None:
    """Explain wrong keywords of the public functions, constructors and methods of a package."""
    module = sys.modules[package]
    for name in names:
        found = vars(module).get(name)
        if not getattr(found, "__module__", "").startswith("femu"):
            continue
        if isinstance(found, FunctionType):
            made = explained(found, name)
            # also in the module that defines it: pickle looks there
            for place in {package, found.__module__}:
                if vars(sys.modules[place]).get(name) is found:
                    setattr(sys.modules[place], name, made)
        elif isinstance(found, type) and not issubclass(found, (BaseException, Enum)):
            explain_class(found)


def explain_class(cls: type, methods: bool = True) -> None:
    """The same for a class and its bases in femu."""
    for base in cls.__mro__:
        if not base.__module__.startswith("femu"):
            continue
        for name, found in list(vars(base).items()):
            inner = found.__func__ if isinstance(found, (classmethod, staticmethod)) else found
            public = name == "__init__" or (methods and not name.startswith("_"))
            if (
                not public
                or not isinstance(inner, FunctionType)
                or not (name == "__init__" or _takes_keywords(inner))
            ):
                continue
            made = explained(inner, "" if name == "__init__" else name)
            if made is not inner:
                setattr(
                    base,
                    name,
                    type(found)(made) if isinstance(found, (classmethod, staticmethod)) else made,
                )


def refuse_unknown(
    function: Callable[..., Any], name: str, given: tuple[Any, ...], named: Mapping[str, Any]
) -> None:
    """Raise a `KeywordError` if a keyword is none of the function's."""
    parameters = inspect.signature(function).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    words = [
        p.name for p in parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    owned = words[:1] in (["self"], ["cls"])
    owner = (
        (given[0] if isinstance(given[0], type) else type(given[0])).__name__
        if owned and given
        else ""
    )
    for wrong, value in named.items():
        if wrong not in words:
            positional = list(parameters)[: len(given)]
            left = [word for word in words[owned:] if word not in named and word not in positional]
            _refuse(
                ".".join(part for part in (owner, name) if part), wrong, value, words[owned:], left
            )


def must_be_words(what: str, named: Mapping[str, Any], words: list[str]) -> None:
    """The same for keywords that are handed on, of which these are the words."""
    for wrong, value in named.items():
        if wrong not in words:
            _refuse(what, wrong, value, words, [word for word in words if word not in named])


def _refuse(what: str, wrong: str, value: Any, words: list[str], left: list[str]) -> NoReturn:
    nearest = right_word(wrong, left)
    shown = ", ".join(words[:MOST_LISTED]) + (", ..." if len(words) > MOST_LISTED else "")
    rule = (
        f"is not an argument; the arguments are {shown}"
        if words
        else "is not an argument; there are none"
    )
    raise KeywordError(
        what, wrong, value, rule, fix=f"write {nearest}=" if nearest else ""
    ) from None


def right_word(wrong: str, words: list[str]) -> str:
    """The one of the words that is meant by a wrong one; nothing if none is like it."""
    plain = _plain(wrong)
    for word in words:
        if _plain(word) == plain:
            return word
    for word in MEANT.get(plain, ()):
        if word in words:
            return word
    by_plain = {_plain(word): word for word in words}
    close = difflib.get_close_matches(plain, by_plain, n=1, cutoff=ALIKE)
    return by_plain[close[0]] if close else ""


def _plain(word: str) -> str:
    return word.replace("_", "").lower()


def _takes_keywords(function: FunctionType) -> bool:
    """Whether calls are likely to have keywords.

    Methods whose arguments are all required are called by position.
    """
    return bool(
        function.__kwdefaults__ or function.__defaults__ or function.__code__.co_kwonlyargcount
    )
