"""Which computers may connect to a server: addresses, networks and names."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence

from femu.support.errors import InputError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def address_of(host: str) -> Address:
    """A numeric address; one of IPv4 that came over IPv6 is one of IPv4."""
    made = ipaddress.ip_address(host.split("%")[0])
    mapped = getattr(made, "ipv4_mapped", None)
    return mapped if mapped is not None else made


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches a numeric address."""
    return address_of(host).is_loopback


class AddressList:
    """Addresses that may connect: ``allow`` has numeric addresses ("192.168.7.2"), networks
    ("192.168.7.0/24") and names, which are looked up once, at the start.

    Without a list only loopback may, and a server that others could reach is refused. With a list
    nobody else may, this computer included.
    """

    def __init__(self, who: str, host: str, allow: Sequence[str] | None) -> None:
        if allow is None:
            if not is_loopback(host):
                raise InputError(
                    who,
                    "host",
                    host,
                    "lets other computers connect, and nothing says which of them may",
                    fix='give allow=["192.168.7.2"] with the addresses, networks or names of the '
                    "clients, or leave the host at 127.0.0.1 and use an SSH tunnel",
                )
            self.networks: list[Network] = [
                ipaddress.ip_network("127.0.0.0/8"),
                ipaddress.ip_network("::1/128"),
            ]
            self.given: tuple[str, ...] = ("this computer",)
            return
        if isinstance(allow, str) or not len(allow) or not all(isinstance(e, str) for e in allow):
            raise InputError(
                who, "allow", allow, "must be a list of addresses", fix='give ["192.168.7.2"]'
            )
        self.given = tuple(allow)
        self.networks = [network for entry in allow for network in _networks(who, entry)]

    def __contains__(self, host: object) -> bool:
        try:
            address = address_of(str(host))
        except ValueError:
            return False
        return any(address in network for network in self.networks)

    def __str__(self) -> str:
        return ", ".join(self.given)


def _networks(who: str, entry: str) -> list[Network]:
    """What an entry of the list stands for."""
    try:
        network = ipaddress.ip_network(entry.strip(), strict=False)
    except ValueError:
        return _of_name(who, entry)
    if network.prefixlen == 0:
        raise InputError(
            who,
            "allow",
            entry,
            "allows every computer that there is",
            fix="name the addresses of the clients",
        )
    return [network]


def _of_name(who: str, name: str) -> list[Network]:
    try:
        found = socket.getaddrinfo(name.strip(), None, type=socket.SOCK_STREAM)
        return [ipaddress.ip_network(address_of(str(one[4][0]))) for one in found]
    except (OSError, UnicodeError, ValueError) as problem:
        raise InputError(
            who,
            "allow",
            name,
            f"is neither an address nor a network, and no name that can be looked up: {problem}",
            fix='give for example "192.168.7.2" or "192.168.7.0/24"',
        ) from None
