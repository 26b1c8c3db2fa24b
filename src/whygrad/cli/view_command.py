"""whygrad view: the page that shows runs, live."""

from __future__ import annotations

import argparse
import errno
import importlib.util
import os
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Any

from whygrad.cli.numbers import at_least
from whygrad.cli.output import fail, say

NAME = "view"
PORT = 7474

DESCRIPTION = """\
Show the runs of a folder in the browser, live while they train: returns, losses
and norms, a heat map of every layer's gradient over time, histograms, events
and findings. The page is served to this machine only, at an address that holds
a key; nothing is sent anywhere. Ctrl-C ends it.
"""


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        NAME,
        help="show runs in the browser, live",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "folder", metavar="FOLDER", nargs="?", default="runs", help="of runs, or of one run (default: runs)"
    )
    parser.add_argument(
        "--port", type=at_least(0), metavar="N", help=f"to serve at (default: {PORT}, or one that is free)"
    )
    parser.add_argument("--host", default="127.0.0.1", metavar="H", help="to serve other machines too (0.0.0.0: all)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.set_defaults(run=execute)


def execute(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    folder = Path(options.folder)
    if not folder.is_dir():
        return fail(_missing(options.folder))
    if importlib.util.find_spec("numpy") is None:
        return fail("this needs numpy, not installed here: pip install 'whygrad[watch]'")
    server = _server(options)
    if isinstance(server, str):
        return fail(server)
    say(f"showing    {options.folder}\nopen       {server.access.address}\n           Ctrl-C ends it")
    sys.stdout.flush()
    if not options.no_browser and _has_display():
        # Some browsers keep the caller waiting, and the page waits for the server.
        threading.Thread(target=webbrowser.open, args=(server.access.address,), daemon=True).start()
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0


def _server(options: argparse.Namespace) -> Any:
    """A server, or why there is none."""
    from whygrad.view.server import Server

    try:
        return Server(options.folder, options.host, PORT if options.port is None else options.port)
    except OverflowError:
        return f"ports go up to 65535, got {options.port}."
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            return f"nothing can be served at {options.host!r}: {error.strerror or error}."
        if options.port is not None:
            return f"port {options.port} is taken or not allowed here ({error.strerror}): give another, or none."
        return Server(options.folder, options.host, 0)


def _missing(folder: str) -> str:
    if os.path.exists(folder):
        return f"{folder!r} is a file; give a folder of runs, or the folder of one run."
    if folder == "runs":
        return "there is no folder 'runs' here. Train something first (whygrad train, whygrad.watch), or give another."
    return f"there is no folder {folder!r}."


def _has_display() -> bool:
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
