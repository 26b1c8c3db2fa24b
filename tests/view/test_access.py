"""Who is let in."""

from __future__ import annotations

import pytest

from whygrad.view.access import Access

LOCAL = Access("127.0.0.1", 7474, "key")
OPEN = Access("0.0.0.0", 7474, "key")


@pytest.mark.parametrize("host", ["127.0.0.1:7474", "localhost:7474", "LOCALHOST:7474", "[::1]:7474"])
def test_its_own_names(host):
    assert LOCAL.knows_host(host)


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "127.0.0.1",
        "127.0.0.1:7475",
        "evil.example:7474",
        "localhost.evil.example:7474",
        "127.0.0.1.nip.io:7474",
        "192.168.1.5:7474",
        "user@127.0.0.1:7474",
        "127.0.0.1:7474/x",
        "127.0.0.1:99999",
        "[::1",
    ],
)
def test_other_names(host):
    assert not LOCAL.knows_host(host)


def test_served_to_other_machines_it_goes_by_numbers_and_never_by_a_foreign_name():
    assert OPEN.knows_host("192.168.1.5:7474")
    assert OPEN.knows_host("localhost:7474")
    assert not OPEN.knows_host("evil.example:7474")
    assert OPEN.address == "http://127.0.0.1:7474/?token=key"


def test_origins():
    assert LOCAL.knows_origin(None)
    assert LOCAL.knows_origin("http://127.0.0.1:7474")
    for origin in (
        "null",
        "http://evil.example",
        "https://127.0.0.1:7474",
        "http://127.0.0.1:80",
        "http://127.0.0.1:7474/",
    ):
        assert not LOCAL.knows_origin(origin)


def test_cookies():
    assert LOCAL.has_cookie("a=b; whygrad-7474=key")
    for header in (None, "", "whygrad-7474=kez", "whygrad-7475=key", "whygrad-7474", "whygrad-7474=é", '"'):
        assert not LOCAL.has_cookie(header)


def test_tokens_are_long_and_differ_and_stay_out_of_logs():
    one, other = Access("127.0.0.1", 1), Access("127.0.0.1", 1)
    assert len(one.token) >= 32
    assert one.token != other.token
    assert one.token not in repr(one)
