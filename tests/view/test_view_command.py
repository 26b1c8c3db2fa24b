"""`whygrad view` as a person starts it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"


def command(*words, cwd):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    return subprocess.Popen(
        [sys.executable, "-m", "whygrad", "view", *words],
        cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def refused(*words, cwd):
    process = command(*words, cwd=cwd)
    out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert error.count("\n") == 1
    return error


def test_it_prints_an_address_that_works_and_ends_quietly(made):
    process = command(str(made), "--port", "0", "--no-browser", cwd=made)
    try:
        lines = [process.stdout.readline() for _ in range(3)]
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", "".join(lines)).group()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(), urllib.request.ProxyHandler({}))
        with opener.open(address, timeout=20) as page:
            assert b"whygrad" in page.read()
    finally:
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=20)
    assert (process.returncode, error) == (0, "")


def test_one_run_alone(made):
    from whygrad.live.run_listing import Runs

    assert [run.name for run in Runs(made / "td3-walker").all()] == ["td3-walker"]


def test_a_folder_that_is_not_there(tmp_path):
    assert "no folder 'runs' here" in refused(cwd=tmp_path)
    assert "no folder 'else'" in refused("else", cwd=tmp_path)
    (tmp_path / "file").write_text("")
    assert "is a file" in refused("file", cwd=tmp_path)


def test_a_port_that_is_taken(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} is taken" in refused(".", "--port", str(port), cwd=tmp_path)


def test_places_where_nothing_can_be_served(tmp_path):
    assert "ports go up to 65535" in refused(".", "--port", "70000", cwd=tmp_path)
    assert "nothing can be served" in refused(".", "--host", "192.0.2.1", cwd=tmp_path)
    assert "nothing can be served" in refused(".", "--host", "no such name", cwd=tmp_path)


def test_the_server_imports_no_framework():
    code = (
        "import sys, whygrad.view.server\n"
        "print([n for n in ('torch', 'tensorflow', 'keras', 'jax') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "[]\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at sockets of Linux")
def test_it_listens_on_this_machine_only(made):
    from conftest import serving

    with serving(made) as server:
        assert server.server_address[0] == "127.0.0.1"
