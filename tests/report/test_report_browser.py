"""The page and the notebook form in a real browser, where there is one: phone and desktop, light and dark."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path

import pytest
from report_pages import report
from rich_reports import hostile, rich

from whygrad.report import html_page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")

# The page stands in a frame of the width to be tested: a window cannot be as narrow as a phone. The frame has the
# origin of the page around it, so that this can look inside; the page's own policy holds in it all the same.
PROBE = Path(__file__).with_name("browser_probe.html").read_text()


def probe(folder, page, width, dark=False):
    file = folder / "probe.html"
    text = PROBE.replace("WIDTH", str(width)).replace("PAGE", escape(page))
    file.write_text(text, encoding="utf-8")
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom",
        f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000", "--virtual-time-budget=2000",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}", file.as_uri(),
    ]  # fmt: skip
    environment = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(command, capture_output=True, timeout=100, env=environment, check=False)
    found = re.search(r"FOUND(\{.*?\})END</pre>", done.stdout.decode(errors="replace"), re.DOTALL)
    if b'<pre id="out">' not in done.stdout:
        pytest.skip(f"the browser does not run here: {done.stderr.decode(errors='replace')[-200:]}")
    return json.loads(unescape(found.group(1)))


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("make", [rich, hostile, lambda folder: report()], ids=["rich", "hostile", "clean"])
def test_the_page(tmp_path, make, dark, width):
    found = probe(tmp_path, html_page.render(make(tmp_path), "0.1.0"), width, dark)
    assert found["styled"]  # the policy lets the page's own style through
    assert found["overflow"] == 0
    assert found["pale"] == []
    assert found["requests"] == []
    assert (found["scripts"], found["alerted"]) == (0, None)
    assert found["small"] == []
    assert found["pictures"] == (0 if found["pictures"] == 0 else 1)  # one of the two
    assert (int(re.findall(r"\d+", found["paper"])[0]) < 60) is dark


@pytest.mark.parametrize("theme", ["true", "false"], ids=["light", "dark"])
def test_the_notebook_form(tmp_path, theme):
    colours = ("#fff", "#212121") if theme == "true" else ("#111", "#e0e0e0")
    for make in (rich, hostile):
        page = (
            f'<!DOCTYPE html><meta charset="utf-8"><body data-jp-theme-light="{theme}" '
            f'style="margin:0;background:{colours[0]};color:{colours[1]};overflow-wrap:anywhere">{make(tmp_path)._repr_html_()}</body>'
        )
        found = probe(tmp_path, page, 700)
        assert found["overflow"] == 0
        assert found["pale"] == []
        assert (found["requests"], found["scripts"], found["alerted"]) == ([], 0, None)
