"""What commands print: names of others must not command a terminal."""

from __future__ import annotations

import click

from femu.support.printable import printable


def say(text: str, err: bool = False, nl: bool = True) -> None:
    """Print a text, with escapes in place of control characters."""
    click.echo(printable(text), err=err, nl=nl)
