"""`femu info`: what a report of a problem should contain."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
from pathlib import Path

import click
import numpy as np

from femu.kernels.kernel_cache import cache_folder
from femu.support.tables import Row, Table, finish

PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "h5py", "matplotlib", "click", "rich")

# a package that an extra of femu needs
EXTRA = re.compile(r"^([\w.-]+).*; *extra == ['\"](\w+)['\"]$")
MANY = 4  # packages of an extra that are listed

MEGABYTE = 1e6


@click.command("info")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def command(as_json: bool) -> None:
    """Show versions, cores, cache and what is installed.

    \b
    Example:
      femu info --json
    """
    finish(collect(), as_json)


def collect() -> Table:
    """The table of `femu info`."""
    rows = [
        Row("femu", version("femu") or "not installed"),
        Row("Python", platform.python_version()),
    ]
    rows += [Row(package, version(package) or "not installed") for package in PACKAGES]
    rows += [
        Row("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        Row("cores", str(usable_cores())),
        Row("BLAS", blas()),
    ]
    folder, kernels, size = cache_folder(), *cached_kernels(cache_folder())
    rows += [
        Row("cache folder", str(folder)),
        Row("compiled kernels", f"{kernels} ({size / MEGABYTE:.2f} MB)"),
    ]
    rows += [Row(f"extra {extra}", presence(packages)) for extra, packages in extras().items()]
    return Table("femu info", rows)


def extras() -> dict[str, list[str]]:
    """The extras of the install, each with the packages it needs."""
    try:
        needed = importlib.metadata.requires("femu") or []
    except importlib.metadata.PackageNotFoundError:
        needed = []
    found: dict[str, list[str]] = {}
    for match in filter(None, map(EXTRA.match, needed)):
        found.setdefault(match[2], []).append(match[1])
    return found


def presence(packages: list[str]) -> str:
    """Versions of packages, or which of them are missing."""
    missing = [package for package in packages if version(package) is None]
    if missing:
        return (
            "not installed"
            if len(missing) == len(packages)
            else f"incomplete, without {', '.join(missing)}"
        )
    more = f" and {len(packages) - MANY} more" if len(packages) > MANY else ""
    return ", ".join(f"{package} {version(package)}" for package in packages[:MANY]) + more


def version(package: str) -> str | None:
    """Version of an installed package, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def usable_cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def blas() -> str:
    """Name and version of the BLAS that numpy was built with."""
    built = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return f"{built.get('name', 'unknown')} {built.get('version', '')}".strip()


def cached_kernels(folder: Path) -> tuple[int, int]:
    """Number of compiled kernels in the cache, and their size in bytes."""
    sizes = [file.stat().st_size for file in folder.glob("*.bin")] if folder.is_dir() else []
    return len(sizes), sum(sizes)
