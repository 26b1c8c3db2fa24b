"""How a run ends: exit statuses, signals, closed streams, bad input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from cli_runs import WHYGRAD, environment, execute, python, same_but_for_the_report, whygrad, write

NOTHING = "neither PyTorch, TensorFlow nor JAX was imported by"
KEYS = {"schema", "script", "frameworks", "updates", "script_error", "findings", "notes"}


def start(folder, *arguments):
    process = subprocess.Popen(
        [*WHYGRAD, "run", *arguments],
        cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    return process


SLEEP = "import time\ntry:\n    print('ready', flush=True)\n    time.sleep(60)\nfinally:\n    print('cleaned up')\n"


def test_ctrl_c(tmp_path):
    write(tmp_path, sleep=SLEEP)
    process = start(tmp_path, "sleep.py")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == "cleaned up\n"
    assert err.startswith("Traceback (most recent call last):\n")
    assert "\nKeyboardInterrupt\n" in err
    assert "whygrad/" not in err
    assert NOTHING in err.splitlines()[-1]


def test_sigterm(tmp_path):
    write(tmp_path, sleep=SLEEP)
    process = start(tmp_path, "--json", "out.json", "sleep.py")
    process.terminate()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (143, "cleaned up\n")
    assert "Traceback" not in err
    assert "the script stopped with: terminated" in err
    assert json.loads((tmp_path / "out.json").read_text())["script_error"] == "terminated"


def test_sigterm_with_a_thread_that_does_not_end(tmp_path):
    endless = "import threading, time, atexit\natexit.register(print, 'at exit')\n"
    endless += "threading.Thread(target=time.sleep, args=(60,)).start()\n"
    write(tmp_path, sleep=endless + SLEEP)
    process = start(tmp_path, "sleep.py")
    process.terminate()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (143, "cleaned up\nat exit\n")
    assert "terminated" in err


def test_a_program_that_sees_to_sigterm_itself(tmp_path):
    own = "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *a: sys.exit(9))\n"
    write(tmp_path, sleep=own + SLEEP)
    process = start(tmp_path, "sleep.py")
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == 9


def test_sigterm_that_is_swallowed(tmp_path):
    deaf = "import time\nprint('ready', flush=True)\nwhile True:\n    try:\n        time.sleep(60)\n"
    write(tmp_path, deaf=deaf + "    except BaseException:\n        print('no', flush=True)\n")
    process = start(tmp_path, "deaf.py")
    for _ in range(2):
        time.sleep(0.5)  # it must be asleep, and not about to swallow the signal before
        process.terminate()
        assert process.stdout.readline() == "no\n"
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGTERM


def sentence(result):
    """One clear sentence, nothing else."""
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith("whygrad: ")
    assert result.err.count("\n") == 1
    return result.err.removeprefix("whygrad: ").strip()


def test_bad_scripts(tmp_path):
    write(tmp_path, syntax="x = 1\nif x = 2:\n    pass\n", nul="x = 1\0\n", tabs="if 1:\n\tx\n        y\n")
    (tmp_path / "bytes.py").write_bytes("print('ä')\n".encode("latin-1"))
    (tmp_path / "book.ipynb").write_text("{}")
    (tmp_path / "empty").mkdir()
    (tmp_path / "pkg").mkdir()
    write(tmp_path / "pkg", __init__="")
    for arguments, expected in [
        (["nowhere.py"], "there is no file 'nowhere.py'"),
        (["-"], "there is no file '-'"),
        (["empty"], "is a folder without a __main__.py"),
        (["syntax.py"], "syntax.py is not valid Python, so nothing was run: line 2: invalid syntax"),
        (["nul.py"], "nul.py is not valid Python"),
        (["tabs.py"], "tabs.py is not valid Python, so nothing was run: line 3"),
        (["bytes.py"], "bytes.py is not valid Python"),
        (["book.ipynb"], "is a notebook"),
        (["-m", "nowhere"], "No module named nowhere"),
        (["-m", "nowhere.inside"], "nowhere"),
        (["-m", "pkg"], "'pkg' is a package and cannot be directly executed"),
        (["-m", "syntax"], "syntax.py is not valid Python"),
        (["-m"], "what is to be run?"),
        ([], "what is to be run?"),
        (["--updates", "3"], "what is to be run?"),
        (["--nope", "syntax.py"], "has no option --nope"),
    ]:
        assert expected in sentence(whygrad(tmp_path, "run", *arguments)), arguments


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_script_that_may_not_be_read(tmp_path):
    write(tmp_path, secret="")
    (tmp_path / "secret.py").chmod(0)
    assert "cannot be read" in sentence(whygrad(tmp_path, "run", "secret.py"))


def test_bad_options(tmp_path):
    write(tmp_path, ran="print('ran')\n")
    for arguments in [("--updates", "0"), ("--updates", "many"), ("--fail-on", "note"), ("--updates",)]:
        result = whygrad(tmp_path, "run", *arguments, "ran.py")
        assert (result.status, result.out) == (2, ""), arguments
        assert "Traceback" not in result.err
    for path, expected in [("no/such/x.json", "does not exist"), (".", "is a folder"), ("", "is empty")]:
        assert expected in sentence(whygrad(tmp_path, "run", "--json", path, "ran.py"))


def test_the_json_form(tmp_path):
    write(tmp_path, work="import os\nos.chdir('/')\nprint('output')\n")
    old = tmp_path / "old.json"
    old.write_text("old")
    old.chmod(0o600)
    (tmp_path / "new.json").symlink_to(old)
    assert whygrad(tmp_path, "run", "--json=new.json", "work.py").status == 0
    assert set(json.loads(old.read_text())) >= KEYS
    assert old.stat().st_mode & 0o777 == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new.json", "old.json", "work.py"]
    result = whygrad(tmp_path, "run", "--json", "-", "work.py")
    assert result.out.startswith("output\n{")
    report = json.loads(result.out.removeprefix("output\n"))
    assert {key: report[key] for key in KEYS} == {
        "schema": 1, "script": "work.py", "frameworks": [], "updates": 0, "script_error": None, "findings": [],
        "notes": [],
    }  # fmt: skip
    assert whygrad(tmp_path, "run", "--json", "/dev/null", "work.py").status == 0
    assert not os.path.isfile("/dev/null")


def test_a_json_file_that_cannot_be_written_in_the_end(tmp_path):
    (tmp_path / "there").mkdir()
    write(tmp_path, work="import os\nos.rmdir('there')\n")
    result = whygrad(tmp_path, "run", "--json", "there/x.json", "work.py")
    assert result.status == 2
    assert "could not be written" in result.err.splitlines()[-1]


STREAMS = {
    "closes_stdout": "import sys\nprint('a')\nsys.stdout.close()\n",
    "no_stdout": "import sys\nsys.stdout = None\n",
    "closes_1": "import os\nprint('a', flush=True)\nos.close(1)\n",
    "own_stderr": "import sys, io\nsys.stderr = io.StringIO()\n",
    "closes_stderr": "import sys\nsys.stderr.close()\n",
    "no_stderr": "import sys\nsys.stderr = None\n",
    "odd_stderr": "import sys\nsys.stderr = object()\n",
    "removed_folder": "import os, tempfile\nd = tempfile.mkdtemp()\nos.chdir(d)\nos.rmdir(d)\n",
}


@pytest.mark.parametrize("name", STREAMS)
def test_the_report_comes_whatever_happens_to_the_streams(tmp_path, name):
    write(tmp_path, script=STREAMS[name])
    plain, watched = python(tmp_path, "script.py"), whygrad(tmp_path, "run", "script.py")
    assert NOTHING in same_but_for_the_report(plain, watched)


def test_no_standard_error_at_all(tmp_path):
    write(tmp_path, script="import os\nprint('out')\nos.close(2)\n", fails="import os\nos.close(2)\n1 / 0\n")
    assert whygrad(tmp_path, "run", "--json", "x.json", "script.py").out == "out\n"
    assert (tmp_path / "x.json").exists()
    assert whygrad(tmp_path, "run", "fails.py").status == 1
    shell = " ".join(WHYGRAD)
    assert execute(["sh", "-c", f"{shell} run script.py 2>&-"], tmp_path).out == "out\n"


def test_broken_pipes(tmp_path):
    write(tmp_path, script="print('out')\n", lots="for i in range(100000):\n    print(i)\n")
    shell = " ".join(WHYGRAD)
    for command, status in [
        (f"{shell} run script.py 2>&1 >/dev/null | true; echo ${{PIPESTATUS[0]}}", "0"),
        (f"{shell} rules | true; echo ${{PIPESTATUS[0]}}", "141"),
        (f"{shell} explain W104 | true; echo ${{PIPESTATUS[0]}}", "141"),
        (f"{shell} run lots.py | head -1 >/dev/null; echo ${{PIPESTATUS[0]}}", "1"),
    ]:
        result = execute(["bash", "-c", f"sleep 0; {command}"], tmp_path)
        assert result.out.strip() == status, command
        assert "whygrad/" not in result.err


def test_plain_characters(tmp_path):
    write(tmp_path, skript_ä="print(ascii('ä'))\nraise ValueError('∇ ä')\n")
    result = whygrad(tmp_path, "run", "skript_ä.py", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert result.status == 1
    assert result.err.isascii()
    assert "the script stopped with: ValueError: \\u2207" in result.err


def test_no_framework_installed(tmp_path):
    write(
        tmp_path,
        blocked="""
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name in ("torch", "tensorflow", "jax"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocker())
try:
    import torch
except ImportError as error:
    print(error)
""",
    )
    result = whygrad(tmp_path, "run", "blocked.py")
    assert (result.status, result.out) == (0, "No module named 'torch'\n")
    assert "neither PyTorch, TensorFlow nor JAX is installed for" in result.err
    assert "pip install" in result.err


def test_a_framework_that_is_too_old(tmp_path):
    (tmp_path / "torch").mkdir()
    write(tmp_path / "torch", __init__="__version__ = '1.13.1+cu117'\n")
    write(tmp_path, old="import torch\nimport importlib.util\nprint(type(torch.__loader__).__name__)\n")
    plain, result = python(tmp_path, "old.py"), whygrad(tmp_path, "run", "--json", "x.json", "old.py")
    same_but_for_the_report(plain, result)
    [note] = json.loads((tmp_path / "x.json").read_text())["notes"]
    assert note == "torch 1.13.1+cu117 is too old to be followed; whygrad needs torch 2.4 or later"


def test_a_framework_that_cannot_be_imported(tmp_path):
    (tmp_path / "torch").mkdir()
    write(tmp_path / "torch", __init__="def load():\n    raise OSError('libtorch.so: no such file')\nload()\n")
    write(tmp_path, script="import torch\n")
    report = same_but_for_the_report(python(tmp_path, "script.py"), whygrad(tmp_path, "run", "script.py"))
    assert "the script stopped with: OSError: libtorch.so" in report


def test_a_framework_that_is_none(tmp_path):
    (tmp_path / "torch").mkdir()
    write(tmp_path / "torch", __init__="__version__ = object()\n")
    write(tmp_path, script="import torch\nprint('went on')\n")
    result = whygrad(tmp_path, "run", "script.py")
    assert (result.status, result.out) == (0, "went on\n")


@pytest.mark.parametrize(("setting", "coloured"), [({"NO_COLOR": "1"}, False), ({}, True)])
def test_a_narrow_terminal(tmp_path, setting, coloured):
    import pty

    write(tmp_path, script="raise ValueError('a long text ' * 20)\n")
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    command = [*WHYGRAD, "run", "script.py"]
    env = {**environment(**setting), "COLUMNS": "62", "TERM": "xterm"}
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        text, end = b"", time.monotonic() + 30
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        text = os.read(ours, 100_000)
    report = text.decode().replace("\r\n", "\n").partition("\n\n")[2]
    assert ("\x1b[" in report) is coloured
    assert coloured or all(len(line) <= 62 for line in report.splitlines())


def test_python_dash_m_and_the_command_are_the_same(tmp_path):
    command = os.path.join(os.path.dirname(sys.executable), "whygrad")
    if not os.path.exists(command):
        pytest.skip("whygrad is not installed in this environment")
    write(tmp_path, script="import sys\nprint(sys.path, sys.argv)\n")
    assert execute([command, "run", "script.py", "a"], tmp_path) == whygrad(tmp_path, "run", "script.py", "a")
