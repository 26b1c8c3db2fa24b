"""The server of the page. It only ever reads, and only answers whom `access` lets in."""

from __future__ import annotations

import json
import os
import socket
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from whygrad.live.reading import BadRecord
from whygrad.live.run_listing import Runs
from whygrad.view import page_files, report_parts
from whygrad.view.access import Access
from whygrad.view.answers import Unknown
from whygrad.view.routes import Routes

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STYLE = "/page/report.css"


class Server(ThreadingHTTPServer):
    """Listens as soon as it is made; `serve_forever` answers."""

    daemon_threads = True
    # Another process on the same port would be answered in turns otherwise, on Windows.
    allow_reuse_address = os.name == "posix"

    def __init__(self, root: str | os.PathLike[str], host: str = "127.0.0.1", port: int = 0) -> None:
        if ":" in host:
            self.address_family = socket.AF_INET6
        self.closed = False
        self.routes = Routes(Runs(root))
        super().__init__((host, port), _Handler)
        self.access = Access(host, int(self.server_address[1]))

    def server_bind(self) -> None:
        """Without looking the machine's name up, which takes seconds on some."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1 if self.allow_reuse_address else 0)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def server_close(self) -> None:
        """Stop listening, answer nobody who is still connected, and end a game that is being played."""
        self.closed = True
        super().server_close()
        self.routes.games.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away in the middle of an answer is no error."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "whygrad", ""
    timeout = 30

    def do_GET(self) -> None:
        """Check who asks, then answer."""
        if self.server.closed:
            self.close_connection = True
            return
        access, url = self.server.access, urlsplit(self.path)
        query = dict(parse_qsl(url.query, max_num_fields=20)) if len(url.query) < 4096 else {}
        if not access.knows_host(self.headers.get("Host")):
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "This server does not go by that name.")
        elif not access.knows_origin(self.headers.get("Origin")):
            self._refuse(HTTPStatus.FORBIDDEN, "Requests from other pages are not answered.")
        elif url.path == "/" and "token" in query and access.right_token(query["token"]):
            # The token leaves the address bar and the history, and stays where no script can read it.
            cookie = f"{access.cookie}={access.token}; Path=/; HttpOnly; SameSite=Strict"
            self._send(HTTPStatus.SEE_OTHER, "text/plain", b"", {"Location": "/", "Set-Cookie": cookie})
        elif "token" in query or not access.has_cookie(self.headers.get("Cookie")):
            self._refuse(HTTPStatus.FORBIDDEN, "Open the address that `whygrad view` printed: it holds the key.")
        else:
            self._answer(url.path, query)

    def _answer(self, path: str, query: dict[str, str]) -> None:
        files = page_files.table()
        if path in files:
            kind, file = files[path]
            self._send(HTTPStatus.OK, kind, file.read_bytes())
        elif path == _STYLE:
            self._send(HTTPStatus.OK, "text/css; charset=utf-8", report_parts.style().encode())
        elif path.startswith("/api/"):
            self._data(path, query)
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def _data(self, path: str, query: dict[str, str]) -> None:
        status, found = HTTPStatus.OK, None
        try:
            found = self.server.routes.answer(path, query)
        except Unknown as error:
            status, found = HTTPStatus.NOT_FOUND, {"trouble": str(error)}
        except (BadRecord, OSError) as error:
            status, found = HTTPStatus.SERVICE_UNAVAILABLE, {"trouble": str(error)}
        except ValueError:
            status, found = HTTPStatus.BAD_REQUEST, {"trouble": "That is not a question this server knows."}
        body = json.dumps(found, allow_nan=False, separators=(",", ":")).encode()
        self._send(status, "application/json", body)

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        self.close_connection = True
        self._send(status, "text/plain; charset=utf-8", f"whygrad: {sentence}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes, more: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, **(more or {}), "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _only_get(self) -> None:
        self.close_connection = True
        self._send(
            HTTPStatus.METHOD_NOT_ALLOWED,
            "text/plain; charset=utf-8",
            b"whygrad: this server only shows, with GET.\n",
            {"Allow": "GET"},
        )

    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = _only_get

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the terminal is for the address."""
