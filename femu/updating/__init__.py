"""Online model updating.

A numerical twin learns from the specimen and teaches the members that look like it.
"""

from femu.support.keywords import explain_all
from femu.updating.diagnostics import Diagnosis
from femu.updating.history import UpdatingHistory
from femu.updating.remote import RemoteUpdater
from femu.updating.response_band import ResponseBand, response_band
from femu.updating.unknown import Unknown
from femu.updating.updater import ModelUpdater

__all__ = [
    "Diagnosis",
    "ModelUpdater",
    "RemoteUpdater",
    "ResponseBand",
    "Unknown",
    "UpdatingHistory",
    "response_band",
]

explain_all(__name__, __all__)
