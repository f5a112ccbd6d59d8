"""The report: one HTML file about a result, a test or a batch, with everything in it.

::

    from femu import report

    report.write(result, "portal.html", units=plots.SI)
    report.write("column.h5")                             # column.html, from a result, a journal or a batch
"""

from femu.report.write import page_of, write
from femu.support.keywords import explain_all

__all__ = ["page_of", "write"]

explain_all(__name__, __all__)
