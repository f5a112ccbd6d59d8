"""`femu serve`: host a specimen for OpenSees, OpenFresco or femu on another machine."""

from __future__ import annotations

import click

from femu.cli.say import say

HELP = """Host a specimen for OpenSees, OpenFresco or another femu.

FILE is a TOML file that describes an emulated specimen, its actuator, sensors and limits. The
server waits for one client, hosts the specimen until the client ends, and reports how it ended. A
client that is refused, or whose command is beyond a limit, is answered with NaN until it ends. A
specimen with numerical = true keeps its history even if the client sends no commits: a command with
a later time begins another step. With a table [motion] (step = 0.02, rate = 1024.0, and all other
arguments of MotionGenerator) a specimen without numerical = true moves between the steps of the
client too. Frozen sensors are detected by the client, if it is femu.

By default only this computer can connect. A host that others reach needs a list of those that may
(--allow, or allow = [...] in the file). Messages of OpenSees and OpenFresco carry no password: across
other networks keep the default host and use a tunnel, ssh -L 8090:127.0.0.1:8090 laboratory. Clients
of femu can share a secret with the server (--secret-file, and secret= of RemoteSite and the others):
then only they are served. Who is not allowed, does not know the secret or does not begin as a
client is sent away, and the server keeps waiting.

\b
Example specimen.toml:
  [specimen]
  numerical = true          # the client may send Newton iterates; a later time or a commit ends a step
  [specimen.of]
  type = "BoucWen"
  alpha = 0.05
  k = 4.0e6
  n = 2
  gamma = 4000.0
  beta = 4000.0
  [limits]
  displacement = 0.08
  [server]
  actuators = ["x"]         # names in messages and in the journal; default: numbers from 1
  # host = "192.168.7.1"    # default: 127.0.0.1
  # allow = ["192.168.7.2"] # addresses, networks or names of the clients
  # secret_file = "femu.secret"  # clients of femu with the same secret only
  # log = "server.log"      # who connected, what was commanded

\b
Examples:
  femu serve specimen.toml --port 8090
  in OpenSees: element genericClient 1 -node 2 -dof 1 -server 8090 127.0.0.1
"""


@click.command("serve", help=HELP)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port; 0 means any free one. Default: the file's, or 8090.",
)
@click.option(
    "--host",
    help="Numeric address to listen on. Default: the file's, or 127.0.0.1, which only this machine "
    "can reach.",
)
@click.option(
    "--allow",
    multiple=True,
    metavar="ADDRESS",
    help="Address, network or name of a client; repeat it for more. Required with a host that other "
    "computers reach.",
)
@click.option(
    "--secret-file",
    type=click.Path(exists=True, dir_okay=False),
    help="File with a secret that clients of femu share; others are sent away.",
)
@click.option(
    "--log",
    type=click.Path(dir_okay=False),
    help="Append who connected and what was commanded to this text file.",
)
@click.option("--udp", is_flag=True, default=None, help="UDP instead of TCP.")
@click.option(
    "--protocol",
    type=click.Choice(["application", "site"]),
    help="application: OpenSees' genericClient, OpenFresco's site and element servers. site: the "
    "laboratory's end of an OpenFresco remote site.",
)
@click.option(
    "--version",
    type=float,
    help="Version of OpenFresco that both ends of a remote site must name. Default: 2.8.",
)
@click.option(
    "--journal",
    type=click.Path(dir_okay=False),
    help="Write commands and measurements to this HDF5 file.",
)
@click.option(
    "--silence",
    type=click.FloatRange(min=0.0, min_open=True),
    help="Seconds to wait for a message. Default: 300.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Wait for the next client after one has ended, with a fresh specimen.",
)
def command(
    file: str,
    port: int | None,
    host: str | None,
    allow: tuple[str, ...],
    secret_file: str | None,
    log: str | None,
    udp: bool | None,
    protocol: str | None,
    version: float | None,
    journal: str | None,
    silence: float | None,
    again: bool,
) -> None:
    from femu.cli.main import EXPLAINED_ERROR, STOPPED
    from femu.experimental.errors import Ending
    from femu.experimental.network.description import read_description
    from femu.experimental.network.secret import read_secret
    from femu.experimental.network.server import SpecimenServer

    if again and journal is not None:
        raise click.UsageError("--journal holds one test; it cannot be used together with --again")
    given = {
        "port": port,
        "host": host,
        "allow": list(allow) or None,
        "secret": read_secret(secret_file) if secret_file is not None else None,
        "log": log,
        "udp": udp,
        "protocol": protocol,
        "version": version,
        "silence": silence,
    }
    while True:
        described = read_description(file)
        options = {
            "port": 8090,
            **described.server,
            **{k: v for k, v in given.items() if v is not None},
        }
        server = SpecimenServer(
            described.specimen,
            limits=described.limits,
            journal=journal,
            say=lambda line: say(f"femu: {line}"),
            **options,
        )
        served = server.serve()
        say(f"femu: {served.moves} moves, {served.commits} committed steps")
        if not again or served.ending is Ending.STOPPED_BY_USER:
            if served.ending is Ending.STOPPED_BY_USER:
                click.get_current_context().exit(STOPPED)
            if not served.ending.ok:
                click.get_current_context().exit(EXPLAINED_ERROR)
            return
