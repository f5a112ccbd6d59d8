"""A shared secret between a client and a server of femu.

Both sides begin with a random number (a nonce) and prove that they know the secret::

    client   MAGIC, 32 random bytes
    server   MAGIC, 32 random bytes
    client   HMAC(key, "client")        key = HMAC(secret, MAGIC, server's nonce, client's nonce)
    server   HMAC(key, "server")

From then on every message carries a counter and HMAC-SHA256(key, direction, counter, message). A
message that was changed, repeated, sent by somebody else or taken from another session has another
code, or an old counter. Nothing is encrypted: who listens can read, and cannot command.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import struct
from hashlib import sha256

from femu.support.arguments import typed
from femu.support.errors import FileError, InputError
from femu.support.ordinary_file import must_be_ordinary

MAGIC = b"femu hmac-sha256"
NONCE_BYTES = CODE_BYTES = 32
HELLO_BYTES = len(MAGIC) + NONCE_BYTES
COUNTER = struct.Struct("<Q")
SHORTEST = 16  # characters; whoever hears the beginning of a session can try secrets on it
MAKE_ONE = 'python -c "import secrets; print(secrets.token_hex(32))"'


class Session:
    """The codes of one session, for one of its two sides."""

    def __init__(
        self, secret: bytes, server_nonce: bytes, client_nonce: bytes, client: bool
    ) -> None:
        self._key = _code(secret, MAGIC + server_nonce + client_nonce)
        self._mine, self._theirs = (b"C", b"S") if client else (b"S", b"C")
        self._sent = self._seen = 0

    def proof(self, side: bytes) -> bytes:
        """That one side (``client``, ``server``) knows the secret."""
        return _code(self._key, side)

    def is_proof(self, side: bytes, given: bytes) -> bool:
        return hmac.compare_digest(self.proof(side), given)

    def seal(self, message: bytes) -> bytes:
        """Counter, message and code."""
        self._sent += 1
        counted = COUNTER.pack(self._sent) + message
        return counted + _code(self._key, self._mine + counted)

    def unseal(self, sealed: bytes) -> bytes | None:
        """The message, or None for one that is forged or was seen before."""
        if len(sealed) <= COUNTER.size + CODE_BYTES:
            return None
        counted, code = sealed[:-CODE_BYTES], sealed[-CODE_BYTES:]
        (counter,) = COUNTER.unpack_from(counted)
        if counter <= self._seen:
            return None
        if not hmac.compare_digest(_code(self._key, self._theirs + counted), code):
            return None
        self._seen = counter
        return counted[COUNTER.size :]


SEAL_BYTES = COUNTER.size + CODE_BYTES


def hello() -> bytes:
    """How each side begins; its nonce is at the end."""
    return MAGIC + secrets.token_bytes(NONCE_BYTES)


def nonce_of(message: bytes) -> bytes | None:
    """The nonce of the other side, unless it began with something else."""
    if len(message) != HELLO_BYTES or not message.startswith(MAGIC):
        return None
    return message[len(MAGIC) :]


def as_secret(who: str, given: str | bytes | None) -> bytes | None:
    """The bytes of a secret; one that can be guessed is refused."""
    if given is None:
        return None
    made = given.encode() if isinstance(given, str) else given
    if not isinstance(made, bytes) or len(made) < SHORTEST:
        raise InputError(
            who,
            "secret",
            "(not shown)",
            f"must be text of at least {SHORTEST} characters, the same on both sides",
            fix=f"make one: {MAKE_ONE}",
        )
    return made


@typed
def read_secret(path: str | os.PathLike[str]) -> bytes:
    """A secret from a file that only its owner can read."""
    path = os.fspath(path)
    must_be_ordinary(path)
    try:
        with open(path, "rb") as stream:
            shared = stat.S_IMODE(os.fstat(stream.fileno()).st_mode) & 0o077
            made = stream.read(1 << 16).strip()
    except OSError as problem:
        raise FileError(path, f"cannot be read: {problem}") from problem
    if os.name == "posix" and shared:
        raise FileError(path, f"can be read by other users. Fix: run chmod 600 {path}")
    if len(made) < SHORTEST:
        raise FileError(
            path,
            f"has {len(made)} characters; a secret has at least {SHORTEST}. Fix: make one with "
            f"{MAKE_ONE}",
        )
    return made


def _code(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, sha256)
