"""A connection that another user of this machine opened is refused, even with the cookie."""

import os
import socket
from contextlib import closing

import pytest

from incrowd.web import guard, peer

pytestmark = pytest.mark.skipif(not peer.TABLES[0].exists(), reason="this system does not say who opened a connection")
ME, SOMEBODY = os.getuid(), 54_321


@pytest.fixture(params=[socket.AF_INET, socket.AF_INET6], ids=["version 4", "version 6"])
def connection(request):
    """Both ends of a connection to a port of this machine, and the address that the server sees."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    client = socket.socket(request.param)
    host = "127.0.0.1" if request.param == socket.AF_INET else "::ffff:127.0.0.1"
    client.connect((host, listener.getsockname()[1]))
    server, address = listener.accept()
    with closing(listener), closing(client), closing(server):
        yield client, address, listener.getsockname()[1]


def test_the_user_and_root_may_connect_and_others_may_not(connection, monkeypatch):
    _, address, port = connection
    assert not peer.foreign(address, port, ME)
    monkeypatch.setattr(peer, "ROOT", ME)
    assert not peer.foreign(address, port, SOMEBODY)
    monkeypatch.setattr(peer, "ROOT", 54_322)
    assert peer.foreign(address, port, SOMEBODY)


def test_who_closes_at_once_hides_nothing(connection):
    client, address, port = connection
    client.close()  # from now on the system says that it belongs to root
    assert peer.foreign(address, port, SOMEBODY)


def test_what_the_system_does_not_list_is_left_to_the_token(connection, monkeypatch, tmp_path):
    assert not peer.foreign(("127.0.0.1", 1), connection[2], SOMEBODY)
    monkeypatch.setattr(peer, "TABLES", (tmp_path / "none",))
    assert not peer.foreign(connection[1], connection[2], SOMEBODY)


def test_the_cookie_of_another_user_opens_nothing(visitor, monkeypatch):
    assert visitor.get("/data").status == 200
    monkeypatch.setattr(guard.os, "getuid", lambda: SOMEBODY)
    monkeypatch.setattr(
        guard, "foreign", lambda client, port, user: (client[1], port, user) == (50_000, 8700, SOMEBODY)
    )
    answer = visitor.get("/data")
    assert answer.status == 403
    assert "Another user" in answer.text
