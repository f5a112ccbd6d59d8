"""`femu monitor`: a live page of a running hybrid test."""

from __future__ import annotations

import click

from femu.cli.say import say

HELP = """Show a running hybrid test in the browser.

TEST.h5 is the journal that the test writes. The page reads it and nothing else, without a lock, so
it cannot disturb the test; it may be opened before the test begins, and stays open when the test
ends or restarts. It needs no network beyond this computer. Press Ctrl-C to end.

\b
Example:
  femu monitor column.h5
"""


@click.command("monitor", help=HELP)
@click.argument("journal", metavar="TEST.h5", type=click.Path(dir_okay=False))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=5006,
    show_default=True,
    help="Port of the page; 0 means any free one.",
)
@click.option(
    "--address",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; by default only this computer can see the page. With any other, "
    "whoever has the printed address with its token can, and what is sent is not encrypted.",
)
@click.option("--open/--no-open", "show", default=True, help="Open the page in the browser.")
def command(journal: str, port: int, address: str, show: bool) -> None:
    import logging

    from femu.monitor import JournalTail

    logging.getLogger("bokeh").setLevel(logging.ERROR)  # a browser that leaves is nothing to report
    JournalTail(journal).look()  # reports a bad file before a server starts
    try:
        from femu.monitor.page import serve
    except ModuleNotFoundError as missing:
        if missing.name != "bokeh":
            raise
        raise click.ClickException("the page needs Bokeh: pip install 'femu[monitor]'") from None
    try:
        server = serve(journal, port, address)
    except OSError as problem:
        raise click.UsageError(
            f"port {port} of {address} cannot be used ({problem.strerror or problem}); choose "
            "another with --port or --address"
        ) from None
    if "?" in server.url:
        say(
            f"femu: warning: everybody who has the address below can read {journal} over the "
            "network, and it is not encrypted. An SSH tunnel to a page on 127.0.0.1 is safer",
            err=True,
        )
    say(f"femu: the page of {journal} is at {server.url} (Ctrl-C ends it)")
    if show:
        server.io_loop.add_callback(click.launch, server.url)
    try:
        server.io_loop.start()
    except KeyboardInterrupt:
        say("femu: page closed")
