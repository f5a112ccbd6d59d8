"""The version of femu, as in pyproject.toml."""

VERSION = "0.1.0"
