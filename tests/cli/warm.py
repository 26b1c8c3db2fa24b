"""A process that has imported what takes seconds, and forks one child per request: a fork takes none.

`warm.py torch` has PyTorch and its recorder, `warm.py agents` Keras on the backend that is set, and what trains agents.
One request per line of standard input, as JSON; one line of answer, the child's exit status.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import json
import os
import sys
import threading
import types

from whygrad.cli.main import main


def child(request: dict) -> None:
    os.chdir(request["folder"])
    for path, number in ((request["out"], 1), (request["err"], 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.update(request["variables"])
    sys.argv = ["whygrad", *request["arguments"]]
    if request["kind"] == "whygrad":
        sys.exit(main())
    elif request["kind"] == "several":
        several(json.loads(request["arguments"][0]))
    else:
        plain(*request["arguments"])


def several(commands: list[list[str]]) -> None:
    """Commands of whygrad one after the other; a line of output for each says what became of it."""
    for words in commands:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status: object = main(words)
            except SystemExit as end:
                status = end.code
        print(json.dumps([status, out.getvalue(), err.getvalue()]))


def plain(script: str, *arguments: str) -> None:
    """As Python would: a stand-in that costs no import."""
    full = os.path.join(os.getcwd(), script)
    module = types.ModuleType("__main__")
    module.__file__ = full
    sys.modules["__main__"], sys.argv, sys.path[0] = module, [script, *arguments], os.getcwd()
    with open(full, encoding="utf-8") as file:
        code = compile(file.read(), full, "exec", dont_inherit=True)
    try:
        exec(code, module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        for one in (error, error.__cause__, error.__context__):
            if one is not None and one.__traceback__.tb_frame.f_code.co_filename == __file__:
                one.__traceback__ = one.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


def end_like_python(status: object) -> None:
    """Wait for threads, run the exit handlers; taking PyTorch down, which costs more than a second, is left out."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(status or 0) & 0xFF)


def have(what: str) -> None:
    """Import what a kind of test needs; nothing is computed, and no layer is made: names of layers are counted."""
    if what == "torch":
        torch = importlib.import_module("torch")
        importlib.import_module("whygrad.trace.torch_recorder")
        torch.set_num_threads(1)
        torch.optim.SGD(torch.nn.Linear(1, 1).parameters()).step()  # imports half of PyTorch
    else:
        for name in ("catalogue", "training", "restoring", "probing"):
            importlib.import_module(f"whygrad.rl.{name}")


def serve() -> dict | None:
    """The request that the child has to see to; None in the parent, at the end."""
    for line in sys.stdin:
        number = os.fork()
        if number == 0:
            return json.loads(line)
        status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
        print(status, flush=True)
    return None


if __name__ == "__main__":
    have(sys.argv[1])
    print("ready", flush=True)
    task = serve()
    if task is not None:
        status: object = 0
        try:
            child(task)
        except SystemExit as end:
            status = end.code
        end_like_python(status)
