"""The packages of femu: the folders next to `femu/` are installed inside it."""

from setuptools import find_packages, setup

OUTSIDE = ("analyses", "benchmarks", "elements", "examples", "experimental", "materials")

setup(
    packages=[
        *find_packages(include=["femu", "femu.*"]),
        *(f"femu.{name}" for name in find_packages(include=[f"{part}*" for part in OUTSIDE])),
    ],
    package_dir={"femu": "femu", **{f"femu.{part}": part for part in OUTSIDE}},
)
