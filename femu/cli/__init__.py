"""The command line: `femu`, one file a command."""

from femu.cli.main import main

__all__ = ["main"]
