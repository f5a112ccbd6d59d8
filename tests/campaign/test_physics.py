"""Properties of all materials, sections, elements, integrators and filters.

See `tests.campaign.physics`.
"""

from __future__ import annotations

import pytest

from tests.campaign.physics import checks

QUICK = checks(quick=True)


@pytest.mark.parametrize("name", QUICK)
def test_property(name: str) -> None:
    assert QUICK[name]() > 0
