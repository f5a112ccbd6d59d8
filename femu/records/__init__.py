"""Ground motions: the record and what can be done with it, and one reader for each kind of file."""

from femu.records.ground_motion import GroundMotion
from femu.records.intensity import (
    arias_intensity,
    cumulative_absolute_velocity,
    housner_intensity,
    peak_displacement,
    peak_velocity,
    significant_duration,
)
from femu.records.plausible import RecordWarning
from femu.records.scaling import scaled_to_spectrum
from femu.records.spectrum import Spectrum, response_spectrum, rotated_spectrum
from femu.records.synthetic import spectrum_compatible, synthetic
from femu.support.keywords import explain_all

__all__ = [
    "GroundMotion",
    "RecordWarning",
    "Spectrum",
    "arias_intensity",
    "cumulative_absolute_velocity",
    "housner_intensity",
    "peak_displacement",
    "peak_velocity",
    "response_spectrum",
    "rotated_spectrum",
    "scaled_to_spectrum",
    "significant_duration",
    "spectrum_compatible",
    "synthetic",
]

explain_all(__name__, __all__)
