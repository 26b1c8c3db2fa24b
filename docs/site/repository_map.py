"""Which page of the site belongs to which file of the repository, and how links between files become links of pages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]

_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^()\s]+)\)")
_CODE = re.compile(
    r"^[ ]*(?P<fence>`{3,}).*?^[ ]*(?P=fence)[ ]*$|<!--.*?-->|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)",
    re.MULTILINE | re.DOTALL,
)
_FIXED = {
    "README.md": "index.md",
    "docs/index.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "benchmarks/README.md": "benchmarks.md",
    "lessons/README.md": "lessons/index.md",
    "examples/README.md": "examples.md",
}


class BrokenLink(ValueError):
    """A link of a Markdown file that leads nowhere."""


def page_of(file: str) -> str:
    """The page of the site (its Markdown file there) that shows a file of the repository."""
    if file in _FIXED:
        return _FIXED[file]
    if file.startswith("docs/") and file.endswith(".md"):
        return file.removeprefix("docs/")
    if re.fullmatch(r"lessons/\d.*\.py", file):
        return file.removesuffix(".py") + ".md"
    return f"files/{file}.md"


def is_shown_as_source(file: str) -> bool:
    """Whether a file has no page of its own, only one with its text."""
    return page_of(file).startswith("files/")


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Change what is neither in a fenced block, nor in `code`, nor in a comment."""
    kept: list[str] = []

    def hide(found: re.Match[str]) -> str:
        kept.append(found.group())
        return f"\0{len(kept) - 1}\0"

    return re.sub(r"\0(\d+)\0", lambda hole: kept[int(hole.group(1))], change(_CODE.sub(hide, text)))


def links_of(text: str) -> list[str]:
    """Where the links and pictures of a Markdown text lead."""
    found: list[str] = []

    def note(bare: str) -> str:
        found.extend(target for _, target in _LINK.findall(bare))
        found.extend(re.findall(r"(?:src|srcset|href)=\"([^\"]+)\"", bare))
        return bare

    outside_code(text, note)
    return found


def led_to(file: str, target: str) -> tuple[str, str]:
    """The file of the repository that a link in another one names, and the anchor in it."""
    name, _, anchor = target.partition("#")
    path = os.path.normpath(PurePosixPath(file).parent / name) if name else file
    if path.startswith("..") or not (ROOT / path).exists():
        raise BrokenLink(f"{file}: the link to {target!r} leads to {path}, which is not there")
    if (ROOT / path).is_dir():
        readme = f"{path}/README.md"
        if not (ROOT / readme).exists():
            raise BrokenLink(f"{file}: the link to {target!r} leads to a folder without a README.md")
        path = readme
    return path, anchor


def for_the_site(file: str, text: str, sources: set[str]) -> str:
    """The text of a Markdown file with its links made for the site; files that are shown as source are collected."""

    def each(bare: str) -> str:
        return _LINK.sub(lambda link: f"{link.group(1)}({_target(file, link.group(2), sources)})", bare)

    return outside_code(text, each)


def _target(file: str, target: str, sources: set[str]) -> str:
    if target.startswith(("https://", "http://", "#", "mailto:")):
        return target
    path, anchor = led_to(file, target)
    if path.startswith("docs/pictures/"):
        page = path.removeprefix("docs/")
    else:
        page = page_of(path)
        if is_shown_as_source(path):
            sources.add(path)
    relative = os.path.relpath(page, PurePosixPath(page_of(file)).parent)
    return f"{relative}#{anchor}" if anchor else relative
