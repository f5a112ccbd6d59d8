"""Settings of the documentation. Build it with ``sphinx-build -W docs docs/_build``."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import femu
from femu.plots import plot_convention, save
from femu.plots.conventions import CONVENTIONS

os.environ.setdefault("FEMU_QUIET", "1")

project = "femu"
author = "femu developers"
copyright = "femu developers, BSD-3-Clause"  # the name that Sphinx requires
release = version = femu.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx-mathjax-offline",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "tutorials/*.md", "tutorials/GALLERY_HEADER.rst"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "femu"
html_static_path = ["_static"]
html_css_files = ["femu.css"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_mock_imports = ["bokeh", "dask", "distributed"]
default_role = "py:obj"
nitpicky = False

sphinx_gallery_conf = {
    "examples_dirs": "tutorials",
    "gallery_dirs": "auto_tutorials",
    "filename_pattern": r"[\\/]\d\d_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "plot_gallery": True,
    "show_memory": False,
    "capture_repr": (),  # show what a script prints, not the value of its last line
    "min_reported_time": 1e9,
}


def draw_signs(app: Any) -> None:
    """Draw the figures of the page on signs at each build."""
    folder = Path(app.srcdir) / "_generated"
    folder.mkdir(exist_ok=True)
    for kind in CONVENTIONS:
        save(plot_convention(kind), folder / f"sign-{kind}.svg")


def draw_pictures(app: Any) -> None:
    """Make the figures of the page on plots with the code of that page."""
    text = (Path(app.srcdir) / "pictures.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    before = Path.cwd()
    os.chdir(Path(app.srcdir) / "_generated")
    try:
        exec("\n".join(blocks), {})
    finally:
        os.chdir(before)


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", draw_signs)
    app.connect("builder-inited", draw_pictures)
