"""Pictures of models and results.

Each function draws on the axes it is given, or on new ones, and returns them; `save` writes the
picture. ::

    from femu import plots

    plots.save(plots.plot_model(frame), "frame.pdf")
    plots.plot_diagram(result, "moment", ax=ax, units=plots.SI)
"""

from femu.plots.animation import animate
from femu.plots.conventions import plot_convention
from femu.plots.curves import (
    plot_displacement,
    plot_element_loop,
    plot_energies,
    plot_energy,
    plot_history,
    plot_loop,
    plot_timing,
)
from femu.plots.deformed import plot_deformed, plot_modes
from femu.plots.diagrams import KINDS as DIAGRAMS
from femu.plots.diagrams import plot_diagram
from femu.plots.estimation import (
    plot_consistency,
    plot_estimates,
    plot_innovation,
    plot_parameter,
    plot_parameters,
)
from femu.plots.interaction import plot_element_interaction, plot_interaction, yield_surface
from femu.plots.model import plot_model
from femu.plots.statics import section_forces
from femu.plots.style import AS_MODEL, SI, Units, save
from femu.support.keywords import explain_all

__all__ = [
    "AS_MODEL",
    "DIAGRAMS",
    "SI",
    "Units",
    "animate",
    "plot_consistency",
    "plot_convention",
    "plot_deformed",
    "plot_diagram",
    "plot_displacement",
    "plot_element_interaction",
    "plot_element_loop",
    "plot_energies",
    "plot_energy",
    "plot_estimates",
    "plot_history",
    "plot_innovation",
    "plot_interaction",
    "plot_loop",
    "plot_model",
    "plot_modes",
    "plot_parameter",
    "plot_parameters",
    "plot_timing",
    "save",
    "section_forces",
    "yield_surface",
]

explain_all(__name__, __all__)
