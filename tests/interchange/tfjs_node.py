"""Running real TF.js, in Node and in Chromium."""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import subprocess
import threading
from functools import partial
from html import unescape
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
TFJS = HERE / "node_modules" / "@tensorflow" / "tfjs"
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not TFJS.is_dir(),
    reason="TF.js is not installed: it takes Node, and `npm ci` in tests/interchange",
)
needs_browser = pytest.mark.skipif(BROWSER is None or not TFJS.is_dir(), reason="there is no Chromium, or no TF.js")


def run(script, *folders):
    done = subprocess.run(
        ["node", str(HERE / script), *map(str, folders)], capture_output=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")


def predict(folder, inputs):
    """What TF.js in Node says to some arrays, and everything else it was asked."""
    (folder / "inputs.json").write_text(json.dumps([plain(array) for array in inputs]))
    run("run_models.js", folder)
    found = json.loads((folder / "outputs.json").read_text())
    return [array(one) for one in found["outputs"]], found


def predict_in_browser(folder, profile, inputs):
    """The same in Chromium, which loads the model over HTTP as a page would."""
    (folder / "inputs.json").write_text(json.dumps([plain(array) for array in inputs]))
    shutil.copy(HERE / "page.html", folder / "page.html")
    shutil.copy(TFJS / "dist" / "tf.min.js", folder / "tf.min.js")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        command = [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom",
            f"--user-data-dir={profile}", "--virtual-time-budget=60000",
            f"http://127.0.0.1:{server.server_port}/page.html",
        ]  # fmt: skip
        environment = {**os.environ, "HOME": str(profile)}
        done = subprocess.run(command, capture_output=True, timeout=200, env=environment, check=False)
    finally:
        server.shutdown()
        server.server_close()
    page = done.stdout.decode(errors="replace")
    if "<pre" not in page:
        pytest.skip(f"the browser does not run here: {done.stderr.decode(errors='replace')[-200:]}")
    found = re.search(r"FOUND(\{.*?\})END", page, re.DOTALL)
    assert found, page[:2000]
    return [array(one) for one in json.loads(unescape(found.group(1)))["outputs"]]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def plain(array):
    return {"shape": list(array.shape), "values": np.ravel(array).tolist()}


def array(found):
    return np.array(found["values"], np.float32).reshape(found["shape"])
