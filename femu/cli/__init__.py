"""The command line: `femu`, one file per command."""

from femu.cli.main import main

__all__ = ["main"]
