"""Known vulnerabilities of what femu depends on: the newest versions that pip would install today,
and all that they need.

pip-audit is asked first. It looks for a page of each version; where a package cannot be looked up
so (a mirror may have no such pages), the page of the project is asked, which shows its newest
release. A package that is held at an older version cannot be asked about in that way, and is
counted as not asked. Whatever comes from the network is data of others: size, time and form are
checked.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from tests.campaign.versions import python_for, run

SERVICE = "https://pypi.org/pypi"
LARGEST = 64 * 1024 * 1024  # bytes of a page; the largest of a project are some 10 MB
PATIENCE = 20.0  # s of silence
LONGEST = 90.0  # s for a page
AT_ONCE = 6  # pages
CHUNK = 1 << 16
PIP_AUDIT, PROJECT_PAGE, NOBODY = "pip-audit", "project page", ""
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:_-]{0,63}")


@dataclass(frozen=True)
class Package:
    """A package that was looked up: by whom (nobody: not asked), and what is known of it."""

    name: str
    version: str
    by: str = NOBODY
    known: tuple[str, ...] = ()
    why: str = ""
    """Why nobody could be asked."""

    @property
    def statement(self) -> str:
        if self.by == NOBODY:
            return f"{self.name} {self.version} not asked: {self.why}"
        return f"{self.name} {self.version} {'vulnerable: ' + ', '.join(self.known) if self.known else 'clean'} ({self.by})"


class NoAnswer(Exception):
    """A page that cannot be had or understood."""


# --- what pip would install ---


def closure(wanted: Iterable[str], python: str) -> list[tuple[str, str]]:
    """Names and newest versions of packages and of everything they need, as pip chooses them for a
    Python."""
    printed = run(
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--dry-run",
        "--ignore-installed",
        "--report",
        "-",
        *wanted,
    )
    report = json.loads(printed)
    return sorted(
        (normal(one["metadata"]["name"]), one["metadata"]["version"]) for one in report["install"]
    )


def normal(name: str) -> str:
    """A package's name as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


# --- pip-audit ---


def by_pip_audit(packages: list[tuple[str, str]], python: str, folder: Path) -> dict[str, Package]:
    """What pip-audit, which is installed for this Python, says of each package that it can look up."""
    pinned = folder / "pinned.txt"
    pinned.write_text("".join(f"{name}=={version}\n" for name, version in packages))
    done = subprocess.run(
        [
            python,
            "-m",
            "pip_audit",
            "--progress-spinner",
            "off",
            "--format",
            "json",
            "--no-deps",
            "--disable-pip",
            "-r",
            str(pinned),
        ],
        capture_output=True,
        text=True,
    )
    return read_pip_audit(done.stdout)


def read_pip_audit(text: str) -> dict[str, Package]:
    """Packages in what pip-audit prints.

    None if it printed something else, such as an error of the network.
    """
    try:
        listed = json.loads(text)["dependencies"]
        looked_up = [one for one in listed if "skip_reason" not in one]
        return {
            normal(one["name"]): Package(
                normal(one["name"]),
                one["version"],
                PIP_AUDIT,
                tuple(str(found["id"]) for found in one["vulns"]),
            )
            for one in looked_up
        }
    except (ValueError, KeyError, TypeError):
        return {}


# --- the page of a project ---


def fetch(
    url: str, largest: int = LARGEST, patience: float = PATIENCE, longest: float = LONGEST
) -> bytes:
    """A page, if it is not too large and does not keep us waiting."""
    began, parts, size = time.monotonic(), [], 0
    request = urllib.request.Request(url, headers={"Accept": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=patience) as page:
            while part := page.read(CHUNK):
                parts.append(part)
                size += len(part)
                if size > largest:
                    raise NoAnswer(f"its page is larger than {largest} bytes")
                if time.monotonic() - began > longest:
                    raise NoAnswer(f"its page was not here after {longest:g} s")
    except (OSError, ValueError) as problem:  # OSError: also those of urllib and of time
        raise NoAnswer(f"no page ({str(problem)[:80]})") from None
    return b"".join(parts)


def read_page(content: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """Newest release on the page of a project, and the names of what is known against it."""
    try:
        page: Any = json.loads(content)
        said, newest, listed = (
            page["info"]["name"],
            page["info"]["version"],
            page["vulnerabilities"],
        )
        if not isinstance(said, str) or normal(said) != name:
            raise NoAnswer("its page is of another project")
        if not isinstance(listed, list):
            raise TypeError
        Version(newest)
        known = tuple(one["id"] for one in listed if one.get("withdrawn") is None)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InvalidVersion):
        raise NoAnswer("its page cannot be understood") from None
    if not all(isinstance(one, str) and IDENTIFIER.fullmatch(one) for one in known):
        raise NoAnswer("its page cannot be understood")
    return newest, known


def by_project_page(name: str, version: str, get: Callable[[str], bytes] = fetch) -> Package:
    """What the page of its project says of a package, if it is the newest release."""
    try:
        newest, known = read_page(get(f"{SERVICE}/{name}/json"), name)
    except NoAnswer as problem:
        return Package(name, version, why=str(problem))
    if Version(newest) != Version(version):
        return Package(name, version, why=f"the page shows {newest} only")
    return Package(name, version, PROJECT_PAGE, known)


# --- all of it ---


def audit(
    wanted: Iterable[str], folder: Path, get: Callable[[str], bytes] = fetch
) -> list[Package]:
    """Look up packages and everything they need.

    RuntimeError if pip cannot say what that is.
    """
    place = folder / "audit"
    python = str(place / ("Scripts" if os.name == "nt" else "bin") / "python")
    if not place.exists():
        run(python_for("newest"), "-m", "venv", str(place))
        run(python, "-m", "pip", "install", "--quiet", "--upgrade", "pip", "pip-audit")
    packages = closure(wanted, python)
    found = by_pip_audit(packages, python, folder)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        rest = pool.map(
            lambda one: by_project_page(*one, get), [one for one in packages if one[0] not in found]
        )
        return sorted([*found.values(), *rest], key=lambda package: package.name)


def summary(packages: list[Package]) -> str:
    """How many were asked by which way, which are vulnerable, and which nobody was asked about."""
    count = {
        way: sum(package.by == way for package in packages)
        for way in (PIP_AUDIT, PROJECT_PAGE, NOBODY)
    }
    asked = len(packages) - count[NOBODY]
    known = [package.statement for package in packages if package.known]
    said = "; ".join(known) if known else "no known vulnerabilities" if asked else "NOT DONE"
    rest = [f"{p.name} {p.version} ({p.why})" for p in packages if p.by == NOBODY]
    shown = f": {', '.join(rest[:6])}{' ...' if len(rest) > 6 else ''}" if rest else ""
    return (
        f"{said}; asked {asked} of {len(packages)} packages, {count[PIP_AUDIT]} by pip-audit and "
        f"{count[PROJECT_PAGE]} by the page of their project; not asked {len(rest)}{shown}"
    )
