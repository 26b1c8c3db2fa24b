"""The server as a browser, and as an attacker, meets it."""

from __future__ import annotations

import http.client
import json
import socket

import pytest


def request(server, path="/", method="GET", cookie=True, **headers):
    """Status, headers and body. `Host` and the cookie are right unless something else is given."""
    connection = http.client.HTTPConnection("127.0.0.1", server.access.port, timeout=20)
    given = {"Host": f"127.0.0.1:{server.access.port}"}
    if cookie:
        given["Cookie"] = f"{server.access.cookie}={server.access.token}"
    given |= {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in given.items():
        if headers.get(name, "") is not None:
            connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), body


def data(server, path):
    status, _, body = request(server, path)
    assert status == 200, body
    return json.loads(body)


def test_the_token_becomes_a_cookie_and_leaves_the_address(server):
    status, headers, _ = request(server, f"/?token={server.access.token}", cookie=False)
    assert (status, headers["Location"]) == (303, "/")
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    status, _, body = request(server, "/", cookie=False, Cookie=cookie.partition(";")[0])
    assert status == 200
    assert b"<title>whygrad</title>" in body


@pytest.mark.parametrize("path", ["/", "/page/main.js", "/api/runs", "/api/rules/W401"])
def test_without_the_token_nothing_is_shown(server, path):
    for headers in ({}, {"Cookie": f"{server.access.cookie}=wrong"}, {"Cookie": "whygrad-1=x"}):
        status, _, body = request(server, path, cookie=False, **headers)
        assert status == 403
        assert b"Open the address" in body


def test_a_wrong_token_is_refused_even_beside_a_right_cookie(server):
    assert request(server, "/?token=wrong")[0] == 403
    assert request(server, "/?token=", cookie=False)[0] == 403
    assert request(server, f"/api/runs?token={server.access.token}", cookie=False)[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1.nip.io:{port}", ""])
def test_a_foreign_host_is_refused(server, host):
    status, _, body = request(server, "/api/runs", Host=host.format(port=server.access.port))
    assert status == 421
    assert b"td3" not in body
    status, headers, _ = request(server, f"/?token={server.access.token}", Host=host.format(port=server.access.port))
    assert status == 421
    assert "Set-Cookie" not in headers


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://localhost:1"])
def test_a_foreign_origin_is_refused(server, origin):
    assert request(server, "/api/runs", Origin=origin.format(port=server.access.port))[0] == 403


def test_its_own_origin_is_answered(server):
    assert request(server, "/api/runs", Origin=f"http://127.0.0.1:{server.access.port}")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"])
def test_it_only_shows(server, method):
    status, headers, _ = request(server, "/api/runs", method)
    assert (status, headers["Allow"]) == (405, "GET")


def test_an_unknown_method_is_no_way_in(server):
    assert request(server, "/api/runs", "BREW")[0] == 501


@pytest.mark.parametrize(
    "path",
    [
        "/page/../server.py",
        "/page/..%2fserver.py",
        "/page/%2e%2e/server.py",
        "/../../../../etc/passwd",
        "//etc/passwd",
        "/page/",
        "/page/main.js/",
        "/api/runs/../../../etc/overview",
        "/api/runs/td3-walker/overview",
        "/api/runs/%2e%2e/overview",
        "/api/rules/../../x",
        "/favicon.ico",
    ],
)
def test_there_are_no_paths(server, path):
    status, _, body = request(server, path)
    assert status == 404
    assert b"root:" not in body
    assert b"import" not in body


def test_every_answer_has_its_headers(server):
    for path in ("/", "/page/style.css", "/api/runs", "/nothing"):
        _, headers, _ = request(server, path)
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert "Python" not in headers["Server"]


def test_the_page_holds_no_inline_script_or_style(server):
    _, _, body = request(server, "/")
    page = body.decode()
    assert page.count("<script") == page.count("<script src=") + page.count('<script type="module" src=')
    assert "<style" not in page
    assert " style=" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "onclick" not in page


def test_the_files_of_the_page_are_all_there(server):
    for path, kind in (
        ("/page/main.js", "text/javascript"),
        ("/page/style.css", "text/css"),
        ("/page/report.css", "text/css"),
    ):
        status, headers, body = request(server, path)
        assert (status, headers["Content-Type"].partition(";")[0]) == (200, kind)
        assert body


def test_no_script_makes_markup_out_of_text():
    from whygrad.view import page_files

    for kind, file in page_files.table().values():
        if kind.startswith("text/javascript"):
            text = file.read_text(encoding="utf-8")
            for word in (
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "http://",
                "https://",
            ):
                assert word not in text, (file.name, word)


def test_questions_that_are_none(server):
    run = data(server, "/api/runs")["runs"][0]["id"]
    for path, status in (
        (f"/api/runs/{run}/heat?field=evil", 404),
        (f"/api/runs/{run}/moment?group=x&place=1&at=1", 400),
        (f"/api/runs/{run}/moment?at=1", 400),
        (f"/api/runs/{run}/variable?group=99&place=1", 404),
        (f"/api/runs/{run}/nothing", 404),
        ("/api/rules/W999", 404),
        ("/api/", 404),
    ):
        found, _, body = request(server, path)
        assert found == status, path
        assert json.loads(body)["trouble"]


def test_what_has_not_changed_is_not_sent_again(server):
    run = data(server, "/api/runs")["runs"][0]
    assert data(server, f"/api/runs/{run['id']}/overview?version={run['version']}")["same"] is True
    assert "series" in data(server, f"/api/runs/{run['id']}/overview?version=old")


def test_a_rule_comes_with_its_manual_page(server):
    rule = data(server, "/api/rules/w401")
    assert rule["code"] == "W401"
    assert "What it checks" in rule["manual"]


def test_a_client_that_says_nothing_or_nonsense_harms_nobody(server):
    with socket.create_connection(("127.0.0.1", server.access.port), timeout=5) as silent:
        silent.sendall(b"\x16\x03\x01\x02\x00\r\n\r\n")
        assert b"400" in silent.recv(200)
    assert request(server, "/?" + "a" * 5000)[0] == 200
    assert request(server, "/api/runs")[0] == 200
