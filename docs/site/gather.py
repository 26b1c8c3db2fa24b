"""Gathers the pages of the site in one folder: those under docs/, lessons, rules, the API, commands, and sources."""

from __future__ import annotations

import re
import shutil
from pathlib import Path, PurePosixPath

from api_pages import api_pages
from command_pages import command_page, settings_page
from lesson_pages import lesson_page
from repository_map import ROOT, BrokenLink, for_the_site, page_of
from rule_pages import rule_pages

HERE = Path(__file__).parent
_ON_THE_SITE = re.compile(r"<!-- on the site: (.*?) -->")
_PICTURE = re.compile(
    r"<picture>\s*<source[^>]*srcset=\"([^\"]+)\"[^>]*>\s*<img src=\"([^\"]+)\" alt=\"([^\"]*)\"[^>]*>\s*</picture>"
)
_LANGUAGES = {".py": "python", ".toml": "toml", ".json": "json", ".sh": "sh", ".js": "javascript"}
_OTHER_PAGES = ("benchmarks/README.md", "lessons/README.md", "examples/README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def gather(folder: Path) -> None:
    """Write the pages into a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs/pictures", folder / "pictures")
    sources: set[str] = set()
    written = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md"))]
    for file in (*written, *_OTHER_PAGES):
        text = (ROOT / file).read_text(encoding="utf-8")
        text = _PICTURE.sub(r"![\3](\2){.only-light}\n![\3](\1){.only-dark}", text)
        text = for_the_site(file, text, sources)
        if file == "docs/index.md":
            text = _landing(text)
        elif file == "lessons/README.md":
            text += _toctree("", [lesson.stem for lesson in _lessons()])
        _write(folder, page_of(file), text)
    for lesson in _lessons():
        file = str(lesson.relative_to(ROOT))
        _write(folder, page_of(file), for_the_site(file, lesson_page(lesson), sources))
    reference = {"reference/commands.md": command_page(), "reference/settings.md": settings_page()}
    for place, text in {**rule_pages(), **api_pages(), **reference}.items():
        _write(folder, place, text)
    for source in sorted(sources):
        _write(folder, page_of(source), _source_page(source))


def _lessons() -> list[Path]:
    return sorted((ROOT / "lessons").glob("[0-9]*.py"))


def _landing(text: str) -> str:
    """The first page: its lists of links, under their headings, are the order of the whole site."""
    text = _ON_THE_SITE.sub(r"\1", text)
    text = re.sub(r"^On the built site.*?\n\n", "", text, flags=re.DOTALL | re.MULTILINE)
    groups: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if heading := re.match(r"## (.*)", line):
            groups.append((heading.group(1), []))
        elif link := re.match(r"- \[([^\]]*)\]\(([^()#]+)\.md\)", line):
            groups[-1][1].append(f"{link.group(1)} <{link.group(2)}>")
    groups = [(title, pages) for title, pages in groups if pages]
    listed = {page.partition("<")[2].rstrip(">") for _, pages in groups for page in pages}
    docs = ROOT / "docs"
    found = [str(path.relative_to(docs).with_suffix("")) for path in sorted(docs.rglob("*.md"))]
    left = [page for page in found if page not in listed and page != "index"]
    if left:  # a page that is new, or comes from elsewhere, is in the site before the list knows it
        groups.append(("More", left))
    title, _, rest = text.partition("\n")
    claim, _, rest = rest.strip().partition("\n\n")
    return f"{title}\n\n:::{{container}} claim\n{claim}\n:::\n\n{rest}" + "".join(_toctree(*group) for group in groups)


def _toctree(caption: str, pages: list[str]) -> str:
    lines = ["", "", "```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), "", *pages, "```", ""]
    return "\n".join(lines)


def _source_page(file: str) -> str:
    """A page with the text of a file that pages link to."""
    text = (ROOT / file).read_text(encoding="utf-8")
    language = _LANGUAGES.get(PurePosixPath(file).suffix, "text")
    fence = "`" * 4
    return f"---\norphan: true\n---\n# {file}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def _write(folder: Path, place: str, text: str) -> None:
    path = folder / place
    if path.exists():
        raise BrokenLink(f"two pages of the site would be {place}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
