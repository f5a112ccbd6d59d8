"""A live page for a running hybrid test.

It reads the journal and nothing else, so it can never disturb the test.
"""

from femu.monitor.tail import JournalTail, News
from femu.monitor.thinned import Thinned
from femu.monitor.watch import Watch
from femu.support.keywords import explain_all

__all__ = ["JournalTail", "News", "Thinned", "Watch"]

explain_all(__name__, __all__)
