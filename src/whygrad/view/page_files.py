"""The files of the page. What is not in this table does not exist, so no request can lead to another file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("page")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@cache
def table() -> dict[str, tuple[str, Path]]:
    """What a browser asks for, with its type and its file."""
    files = [file for file in sorted(_FOLDER.iterdir()) if file.suffix in _TYPES]
    found = {f"/page/{file.name}": (_TYPES[file.suffix], file) for file in files}
    found["/"] = (_TYPES[".html"], _FOLDER / "index.html")
    return found
