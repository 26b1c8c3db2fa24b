"""Who may ask the server: whoever has the token of the printed address, from a page of this server, by its own name.

A web page of somebody else can make a browser send requests here. It cannot make it send our cookie (`SameSite`), it
cannot hide that it is another page (`Origin`), and a name of its own that leads to this machine shows in `Host`.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Access:
    """The rules for one server."""

    host: str
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie. Browsers share cookies among ports, so each server has its own."""
        return f"whygrad-{self.port}"

    @property
    def address(self) -> str:
        """What a person opens."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}/?token={self.token}"

    def knows_host(self, header: str | None) -> bool:
        """Whether a `Host` header names this server."""
        if not header:
            return False
        try:
            parts = urlsplit(f"//{header}")
            name, port = parts.hostname, parts.port
        except ValueError:
            return False
        if name is None or parts.username is not None or parts.path or (port or 80) != self.port:
            return False
        if name in _LOOPBACK or name == self.host.lower():
            return True
        # Served to other machines on purpose: by number, for which no name can stand, or by this machine's own name.
        return self.host not in _LOOPBACK and (_is_number(name) or name in _own_names())

    def knows_origin(self, origin: str | None) -> bool:
        """Whether a request comes from a page of this server, or from no page."""
        if origin is None:
            return True
        scheme, _, rest = origin.partition("://")
        return scheme == "http" and "/" not in rest and self.knows_host(rest)

    def right_token(self, given: str) -> bool:
        """Compared in the same time, however much of it is right."""
        return hmac.compare_digest(given.encode(), self.token.encode())

    def has_cookie(self, header: str | None) -> bool:
        """Whether a `Cookie` header holds the token."""
        try:
            found = SimpleCookie(header or "").get(self.cookie)
        except CookieError:
            return False
        return found is not None and self.right_token(found.value)


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _own_names() -> tuple[str, ...]:
    name = socket.gethostname().lower()
    return name, f"{name}.local"
