"""The last section of every report: the versions it was computed and written with."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone

from femu.report.page import Page
from femu.support.environment import environment


def environment_section(page: Page, computed: Mapping[str, str], source: str = "") -> None:
    """Versions of the analysis next to those of the report, and where the numbers come from."""
    page.section("Environment")
    now = environment()
    if "date" in computed:
        now["date"] = f"{datetime.now(tz=timezone.utc):%Y-%m-%d %H:%M} UTC"
    names = list(dict.fromkeys([*computed, *now]))
    rows = [(name, computed.get(name, "not recorded"), now.get(name, "")) for name in names]
    page.table("Versions of the analysis and of this report.", ("", "analysis", "report"), rows)
    if source:
        page.paragraph(f"Source: {source}")
