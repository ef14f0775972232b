"""Only the browser that opened the printed link may speak to the studio, and only from the studio's own pages."""

import pytest

from web.asking import HOST, PORT, Browser


def test_a_request_without_the_cookie_is_refused_and_told_where_the_link_is(visitor):
    answer = visitor.get("/data", cookie=None)
    assert answer.status == 403
    assert "incrowd serve" in answer.text
    assert visitor.get("/data", cookie="incrowd_studio_8700=guess").status == 403
    assert visitor.get("/static/studio.css", cookie=None).status == 403
    assert visitor.get("/data").status == 200


def test_the_link_works_once_and_gives_a_cookie_that_scripts_and_other_sites_do_not_get(visitor):
    link = visitor.app.link.removeprefix(f"http://{HOST}")
    wrong = visitor.get("/?token=guess", cookie=None)
    first = visitor.get(link, cookie=None)
    second = visitor.get(link, cookie=None)
    assert wrong.status == 403
    assert first.status == 200
    assert "/data" in first.text
    assert visitor.app.link not in first.text
    assert first.headers["referrer-policy"] == "no-referrer"
    assert {"HttpOnly", "SameSite=strict"} <= set(first.headers["set-cookie"].split("; "))
    assert second.status == 403


def test_the_cookie_outlives_a_restart_and_the_token_does_not(folder, visitor):
    again = Browser(folder)
    assert again.app.session == visitor.app.session
    assert again.app.token != visitor.app.token


def test_studios_of_two_ports_do_not_take_each_other_s_cookie(visitor):
    link = visitor.app.link.removeprefix(f"http://{HOST}")
    assert visitor.get(link, cookie=None).headers["set-cookie"].startswith(f"incrowd_studio_{PORT}=")
    assert (
        visitor.get("/data", cookie=f"incrowd_studio_9000=other; {visitor.app.cookie}={visitor.app.session}").status
        == 200
    )


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1:1", "", f"localhost.evil:{PORT}"])
def test_another_name_of_the_host_is_refused(visitor, host):
    assert visitor.get("/data", host=host).status == 421


def test_the_name_localhost_is_the_studio_too(visitor):
    assert visitor.get("/data", host=f"localhost:{PORT}").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://{HOST}", "http://127.0.0.1:1", None])
def test_a_form_of_another_site_changes_nothing(visitor, origin):
    answer = visitor.post("/data", {"kind": "city", "users": 10, "days": 1}, origin=origin, sec_fetch_site="cross-site")
    assert answer.status == 403
    assert visitor.studio.store.jobs() == []


def test_a_change_without_an_origin_is_refused_even_if_it_claims_the_same_site(visitor):
    assert visitor.post("/data", {"kind": "city", "users": 10, "days": 1}, origin=None).status == 403
    assert visitor.studio.store.jobs() == []


def test_a_picture_or_frame_on_another_site_gets_nothing(visitor):
    assert visitor.get("/data", sec_fetch_site="cross-site").status == 403
    assert visitor.get("/data", sec_fetch_site="same-site").status == 403


@pytest.mark.parametrize("path", ["/data", "/risk", "/static/studio.css", "/nothing", "/openapi.json"])
def test_every_answer_carries_the_strict_policy(visitor, path):
    headers = visitor.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http:" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"


def test_an_internal_error_says_its_kind_and_nothing_of_the_data(visitor, monkeypatch):
    def broken():
        raise KeyError("alice at 4.4444, 51.5555")

    monkeypatch.setattr(visitor.studio.store, "dataset", broken)
    answer = visitor.get("/data")
    assert answer.status == 500
    assert "Something broke" in answer.words
    assert visitor.printed == ["incrowd: an internal error (KeyError), not your fault; the studio goes on."]
    assert "alice" not in answer.text
    assert "4.4444" not in answer.text
