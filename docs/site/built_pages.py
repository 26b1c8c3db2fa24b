"""Checks the built site: every link inside of it leads somewhere, and no page loads anything from elsewhere."""

from __future__ import annotations

import os
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {("script", "src"), ("img", "src"), ("img", "srcset"), ("source", "srcset"), ("iframe", "src")}


class _Page(HTMLParser):
    """What a page has: its anchors, where its links lead, what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        given = {name: value or "" for name, value in attrs}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        self.loads.update(given[name] for name in given if (tag, name) in _LOADED)
        if tag == "link" and given.get("rel") in ("stylesheet", "preload", "icon", "shortcut icon"):
            self.loads.add(given["href"])
        if tag == "a" and "href" in given:
            self.links.add(given["href"])


def check(folder: Path) -> tuple[list[str], list[str]]:
    """What is wrong, as sentences, and all addresses outside of the site."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    wrong: list[str] = []
    outside: set[str] = set()
    for path, page in pages.items():
        name = path.relative_to(folder)
        for loaded in page.loads:
            if urlsplit(loaded).scheme in ("http", "https") or loaded.startswith("//"):
                wrong.append(f"{name} loads {loaded}: the site has to work without a network")
            elif not loaded.startswith("data:") and not _file(path, loaded).is_file():
                wrong.append(f"{name} loads {loaded}, which is not there")
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                outside.add(link)
                if parts.scheme != "https" or "." not in parts.netloc or " " in link:
                    wrong.append(f"{name}: {link!r} is no address of the form https://host/path")
                continue
            target = _file(path, link) if parts.path else path
            if not target.is_file():
                wrong.append(f"{name}: the link to {link} leads to no file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{name}: {link} names an anchor that is not there")
    return sorted(wrong), sorted(outside)


def _file(page: Path, link: str) -> Path:
    return Path(os.path.normpath(page.parent / unquote(urlsplit(link).path)))
