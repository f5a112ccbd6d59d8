"""Elements and geometric transformations, one file each with its kernel."""

from femu.elements.displacement_beam_column import DisplacementBeamColumn
from femu.elements.elastic_beam_column import ElasticBeamColumn
from femu.elements.force_beam_column import ForceBeamColumn
from femu.elements.lumped_mass import LumpedMass
from femu.elements.quadrature import Hinges, Stations
from femu.elements.truss import Truss
from femu.elements.two_node_link import TwoNodeLink
from femu.elements.viscous_dashpot import ViscousDashpot
from femu.elements.zero_length import ZeroLength
from femu.elements.zero_length_section import ZeroLengthSection
from femu.support.keywords import explain_all

__all__ = [
    "DisplacementBeamColumn",
    "ElasticBeamColumn",
    "ForceBeamColumn",
    "Hinges",
    "LumpedMass",
    "Stations",
    "Truss",
    "TwoNodeLink",
    "ViscousDashpot",
    "ZeroLength",
    "ZeroLengthSection",
]

explain_all(__name__, __all__)
