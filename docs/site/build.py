"""Builds the site: `python docs/site/build.py [FOLDER]` (`make docs`). No network; warnings and bad links are errors.

FOLDER (default: build/docs) gets `source`, the gathered pages, `html`, the site, and `external_links.txt`, the
addresses outside of it, whose form is all that can be checked here.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "torch")

from built_pages import check
from gather import HERE, gather
from repository_map import ROOT


def build(folder: Path) -> int:
    """Gather, build, check; the exit status."""
    from sphinx.cmd.build import build_main

    source, html = folder / "source", folder / "html"
    gather(source)
    asked = ["-b", "html", "-c", str(HERE), "-d", str(folder / "doctrees"), "-E", "-W", "--keep-going", "-n", "-q"]
    status = build_main([*asked, str(source), str(html)])
    if status:
        return status
    wrong, outside = check(html)
    (folder / "external_links.txt").write_text("".join(f"{link}\n" for link in outside), encoding="utf-8")
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    pages = len(list(html.rglob("*.html")))
    where = os.path.relpath(html / "index.html")
    print(f"{pages} pages, {len(wrong)} bad links, {len(outside)} addresses outside (external_links.txt): {where}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/docs"))
