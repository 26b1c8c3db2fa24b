"""`whygrad run` starts a program as Python does: the same `__main__`, arguments, path, imports and output."""

from __future__ import annotations

import py_compile
import sys
import zipfile

import pytest
from cli_runs import python, same_but_for_the_report, whygrad, write

NOTHING = "neither PyTorch, TensorFlow nor JAX was imported by"

SELF = """
import os, sys
print(sorted(globals()), __name__, __file__, __spec__ and __spec__.name, __package__, __cached__, __doc__)
print(type(__builtins__), type(__loader__), getattr(__loader__, "name", None))
print(sys.argv, sys.path, os.getcwd(), sys.modules["__main__"].__dict__ is globals())
print(input())
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deep" / "pkg" / "sub").mkdir(parents=True)
    deep = tmp_path / "deep"
    write(deep, show=SELF, __main__=SELF, sibling="VALUE = 5\n")
    write(deep / "pkg", __init__="", __main__="from . import part\nfrom .sub import inner\n" + SELF, part="")
    write(deep / "pkg" / "sub", __init__="", inner="import sibling\nprint('inner', __name__)\n" + SELF)
    (tmp_path / "link.py").symlink_to(deep / "show.py")
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        archive.write(deep / "show.py", "__main__.py")
    py_compile.compile(str(deep / "show.py"), str(tmp_path / "show.pyc"))
    return tmp_path


@pytest.mark.parametrize("script", ["deep/show.py", "./deep/show.py", "link.py", "deep", "app.zip", "show.pyc"])
def test_a_script_sees_itself_as_under_python(folder, script):
    arguments = [script, "--json", "x", "--", "-m", "--help", "", "ü"]
    report = same_but_for_the_report(
        python(folder, *arguments, stdin="typed\n"), whygrad(folder, "run", *arguments, stdin="typed\n")
    )
    assert NOTHING in report


@pytest.mark.parametrize("module", ["show", "pkg", "pkg.sub.inner"])
def test_a_module_sees_itself_as_under_python(folder, module):
    deep = folder / "deep"
    plain = python(deep, "-m", module, "--updates", "-h", stdin="typed\ntwice\n")
    same_but_for_the_report(plain, whygrad(deep, "run", "-m", module, "--updates", "-h", stdin="typed\ntwice\n"))
    assert plain.status == 0


def test_without_the_scripts_folder_on_the_path(folder):
    plain = python(folder, "-P", "deep/show.py", stdin="typed\n")
    from cli_runs import execute

    watched = execute([sys.executable, "-P", "-m", "whygrad", "run", "deep/show.py"], folder, "typed\n")
    same_but_for_the_report(plain, watched)


ERRORS = {
    "plain": "def f():\n    1 / 0\nf()\n",
    "cause": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('ä') from e\n",
    "context": "try:\n    {}['a']\nexcept KeyError:\n    int('x')\n",
    "group": "raise ExceptionGroup('all', [ValueError(1), ExceptionGroup('b', [TypeError(2)])])\n",
    "note": "e = ValueError(1)\ne.add_note('a note')\nraise e\n",
    "deep": "def f(n):\n    return f(n - 1) if n else 1 / 0\nf(40)\n",
    "base": "class Odd(BaseException):\n    def __str__(self):\n        raise TypeError\nraise Odd\n",
    "import": "import broken\n",
    "missing": "import no_such_module\n",
    "syntax_inside": "import unreadable\n",
    "ipython": "# %%\nx = 1\n# %%\nget_ipython().system('ls')\n",
    "main": "def main():\n    raise SystemError('x')\nif __name__ == '__main__':\n    main()\n",
    "runpy": "import runpy\nrunpy.run_path('broken.py')\n",
    "exec": "exec('1 / 0')\n",
    "hook": "import sys\nsys.excepthook = lambda k, e, t: print(k, t.tb_frame.f_code.co_name)\n1 / 0\n",
    "hook_exits": "import sys\nsys.excepthook = lambda *a: sys.exit(7)\n1 / 0\n",
    "no_hook": "import sys\ndel sys.excepthook\n1 / 0\n",
    "last": "import atexit, sys\natexit.register(lambda: print(sys.last_value, sys.last_traceback.tb_lineno))\n1 / 0\n",
    "exit_text": "import sys\nsys.exit('that was it')\n",
    "exit_number": "import sys\nsys.exit(5)\n",
    "exit_minus": "import sys\nsys.exit(-1)\n",
    "exit_true": "exit(True)\n",
    "exit_none": "import sys\nsys.exit()\n",
    "exit_object": "import sys\nsys.exit((1, 'a'))\n",
    "thread": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='T')\nt.start()\nt.join()\n",
    "warning": "from warnings import *\ndef f():\n    warn('w', stacklevel=2)\nf()\nwarn('x', DeprecationWarning)\n",
    "warned_import": "import warns\n",
}


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("errors")
    write(folder, **ERRORS, broken="import os\ndef g():\n    os.no_such()\ng()\n", unreadable="x = = 1\n")
    write(folder, warns="import warnings\nwarnings.warn('old', stacklevel=2)\n")
    return folder


@pytest.mark.parametrize("name", ERRORS)
def test_errors_and_exits_look_as_under_python(errors, name):
    plain, watched = python(errors, f"{name}.py"), whygrad(errors, "run", f"{name}.py")
    report = same_but_for_the_report(plain, watched)
    assert f"{NOTHING} {name}.py" in report
    assert "whygrad/" not in watched.err


def test_errors_in_a_module_look_as_under_python(errors):
    same_but_for_the_report(python(errors, "-m", "main"), whygrad(errors, "run", "-m", "main"))


def test_a_hook_that_fails(tmp_path):
    write(tmp_path, hook="import sys\ndef bad(*a):\n    raise KeyError('hook')\nsys.excepthook = bad\n1 / 0\n")
    plain, watched = python(tmp_path, "hook.py"), whygrad(tmp_path, "run", "hook.py")
    same_but_for_the_report(plain, watched)


FEATURES = {
    "pickle": """
import pickle, dataclasses, typing
@dataclasses.dataclass
class Point:
    x: "int"
    other: "Point | None" = None
print(pickle.loads(pickle.dumps(Point(3))), typing.get_type_hints(Point))
""",
    "atexit": """
import atexit
LATE = "late"
class Kept: pass
def last():
    import pickle
    print(LATE, pickle.loads(pickle.dumps(Kept())).__class__.__name__)
atexit.register(last)
""",
    "unicode": "import sys\nsys.stdout.reconfigure(encoding='utf-8')\nprint('grüße ∇')\n",
    "bytes": "import sys\nsys.stdout.buffer.write(bytes(range(256)))\n",
    "fork": """
import os, sys
print("before", flush=True)
pid = os.fork()
if pid == 0:
    print("child", flush=True)
    sys.exit(4)
print("parent", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
""",
    "fork_fails": """
import os, sys
pid = os.fork()
if pid == 0:
    1 / 0
print("parent", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
""",
    "processes": """
import multiprocessing, sys
def square(x):
    return x * x
def sleep():
    import time
    time.sleep(60)
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        with context.Pool(1) as pool:
            print(method, pool.map(square, [1, 2, 3]))
    for _ in range(10):
        slow = multiprocessing.get_context("fork").Process(target=sleep)
        slow.start()
        slow.terminate()
        slow.join()
        print(slow.exitcode)
""",
    "threads": """
import threading, time
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(2)
print(pool.submit(lambda: 3).result())
def work():
    time.sleep(0.3)
    print("the thread is done")
threading.Thread(target=work).start()
print("the script is done")
""",
    "swallows": "try:\n    raise SystemExit(3)\nexcept BaseException:\n    print('went on')\n",
    "argparse": """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1.0)
print(parser.parse_args())
""",
    "chdir": "import os, tempfile\nos.chdir(tempfile.gettempdir())\n",
    "cell": "# %%\nx = 1\n\n# %% [markdown]\n# text\n\n# %%\nprint(x)\n",
    "empty": "",
    "latin": "# -*- coding: latin-1 -*-\nprint(ascii('\u00e4'))\n",
}


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    folder = tmp_path_factory.mktemp("features")
    write(folder, **{f"use_{name}": text for name, text in FEATURES.items()})
    (folder / "use_latin.py").write_bytes(FEATURES["latin"].encode("latin-1"))
    return folder


@pytest.mark.parametrize("name", FEATURES)
def test_programs_work_as_under_python(features, name):
    report = same_but_for_the_report(python(features, f"use_{name}.py"), whygrad(features, "run", f"use_{name}.py"))
    assert report.count(NOTHING) == 1


def test_the_scripts_own_help(features):
    watched = whygrad(features, "run", "use_argparse.py", "--help")
    same_but_for_the_report(python(features, "use_argparse.py", "--help"), watched)
    assert watched.out.startswith("usage: use_argparse.py")
