"""How a server that will not move its specimen any more lets its client come to an end.

The protocols have no message of failure. A client of OpenSees or OpenFresco whose server goes away
waits for ever, so the server stays and answers what it is asked with NaN, without moving: the step
does not converge, and the script gets the control back. Every byte is 255, which is NaN wherever a
double begins. The near end of a remote site compares versions when it opens, and ends by itself if
they differ.
"""

from __future__ import annotations

import contextlib
import time

import numpy as np

from femu.experimental.errors import BadMessage, ExperimentError
from femu.experimental.network.transport import Link
from femu.experimental.network.wire import (
    DEFAULT_DATA,
    DOUBLE,
    ENDIAN_CHECK,
    IDS_BYTES,
    INTEGER,
    MATRICES,
    READINGS,
    RECEIVED,
    Action,
    Terms,
    vector,
)

LONGEST = 600.0  # seconds that a client is answered which never ends
LONGEST_MESSAGE = 1 << 24  # doubles
OTHER_VERSION = 0.0  # of no OpenFresco: the near end of a site leaves when it reads it
IDS_WITHIN = 5.0  # seconds for the rest of a first message of which a part has come


class Refusal:
    """What must be known of a client to refuse it.

    ``length`` is that of its messages in doubles, 0 while it is not known.
    """

    def __init__(self, tag: float, silence: float, site: bool) -> None:
        self.tag, self.silence, self.site = tag, silence, site
        self.length = 0
        self.owed = False  # an answer is due
        # a site opens its end: True if it has sent so, False if it is about to
        self.opening: bool | None = None

    def ids(self, data: bytes) -> Terms:
        """The first message of a client of OpenSees or of an application server."""
        if len(data) == IDS_BYTES:
            declared = int(np.frombuffer(data, INTEGER)[-1])
            self.length = declared if 0 < declared <= LONGEST_MESSAGE else 0
        return Terms.of(data)

    def request(self, data: bytes) -> bytes:
        """A request that has come: note whether it wants an answer."""
        self.owed = np.frombuffer(data, DOUBLE, 1)[0] in (*READINGS, *MATRICES)
        return data

    def answer(self, link: Link) -> None:
        """Answer until the client ends, says nothing for ``silence`` seconds, or `LONGEST` is over."""
        with contextlib.suppress(ExperimentError):
            if self.opening is not None:
                if not self.opening:
                    link.send(ENDIAN_CHECK)
                    link.receive(8 * DEFAULT_DATA, within=self.silence)
                link.send(vector(DEFAULT_DATA, [0.0, self.tag, OTHER_VERSION]))
                self.length = DEFAULT_DATA
            if not self.length:
                return
            nothing = b"\xff" * (8 * self.length)
            if self.owed:
                link.send(nothing)
            deadline = time.monotonic() + LONGEST
            while (left := deadline - time.monotonic()) > 0.0:
                try:
                    data = self.request(
                        link.receive(8 * self.length, within=min(left, self.silence))
                    )
                except BadMessage:
                    continue  # a datagram of another size
                if np.frombuffer(data, DOUBLE, 1)[0] in (Action.DIE, Action.SHUTDOWN):
                    if self.site:
                        link.send(vector(self.length, [RECEIVED, self.tag]))
                    return
                if self.owed:
                    link.send(nothing)
