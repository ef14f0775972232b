"""Who opened a connection on this machine: Linux says to which user the other end belongs."""

import socket
import sys
from contextlib import suppress
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))  # the second holds programs that speak version 6 to us
ESTABLISHED = "01"
ROOT = 0


def foreign(client: tuple[str, int], port: int, user: int) -> bool:
    """Whether somebody else than this user and root opened a connection; False where the system does not say it.

    Args:
        client: Address and port that the request came from.
        port: Port of the server.
        user: Number of the user who may open one.
    """
    there, here = _hex(*client), _hex("127.0.0.1", port)
    told = False
    for table in TABLES:
        for local, far, state, owner in _connections(table):
            if (local, far) == (there, here) and state == ESTABLISHED and owner in (user, ROOT):
                return False
            told = told or {local, far} == {there, here}
    return told


def _connections(table: Path) -> list[tuple[str, str, str, int]]:
    """Local end, far end, state and user of every connection, without the zeros before an address of version 6."""
    with suppress(OSError):
        rows = map(str.split, table.read_text("ascii").splitlines()[1:])
        return [(row[1][-13:], row[2][-13:], row[3], int(row[7])) for row in rows]
    return []


def _hex(host: str, port: int) -> str:
    """An end as the tables write it."""
    return f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"
