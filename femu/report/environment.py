"""The last section of every report: with what it was computed and written."""

from __future__ import annotations

from collections.abc import Mapping

from femu.environment import environment
from femu.report.page import Page


def environment_section(page: Page, computed: Mapping[str, str], source: str = "") -> None:
    """Versions of the analysis beside those of the report, and where the numbers come from."""
    page.section("Environment")
    now = environment()
    names = list(dict.fromkeys([*computed, *now]))
    rows = [(name, computed.get(name, "not recorded"), now.get(name, "")) for name in names]
    page.table("Versions of the analysis and of this report.", ("", "analysis", "report"), rows)
    if source:
        page.paragraph(f"Source: {source}")
