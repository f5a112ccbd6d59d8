"""What a user describes: models, components and their parameters, loads, series and damping."""

from femu.model.component import Material, Section
from femu.model.constitutive import law
from femu.model.element import Element, Plan
from femu.model.loads import DistributedLoad, Pattern, PointLoad, UniformLoad
from femu.model.model import Model
from femu.model.moment_curvature import moment_curvature
from femu.model.parameters import Parameter, Parameters, number, positive
from femu.model.series import Constant, Linear, Motion, Pulse, Sampled, Series, Sine
from femu.model.strain_path import drive

__all__ = [
    "Constant",
    "DistributedLoad",
    "Element",
    "Linear",
    "Material",
    "Model",
    "Motion",
    "Parameter",
    "Parameters",
    "Pattern",
    "Plan",
    "PointLoad",
    "Pulse",
    "Sampled",
    "Section",
    "Series",
    "Sine",
    "UniformLoad",
    "drive",
    "law",
    "moment_curvature",
    "number",
    "positive",
]
