"""A process that has imported torch, and forks one child per request: importing it costs seconds, a fork does not.

One request per line of standard input, as JSON; one line of answer, the child's exit status.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import types

import torch

import whygrad.cli.main
import whygrad.trace.torch_recorder


def child(request: dict) -> None:
    os.chdir(request["folder"])
    for path, number in ((request["out"], 1), (request["err"], 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv = ["whygrad", *request["arguments"]]
    if request["whygrad"]:
        sys.exit(whygrad.cli.main.main())
    plain(*request["arguments"])


def plain(script: str, *arguments: str) -> None:
    """As Python would: a stand-in that costs no import."""
    full = os.path.join(os.getcwd(), script)
    main = types.ModuleType("__main__")
    main.__file__ = full
    sys.modules["__main__"], sys.argv, sys.path[0] = main, [script, *arguments], os.getcwd()
    with open(full, encoding="utf-8") as file:
        code = compile(file.read(), full, "exec", dont_inherit=True)
    try:
        exec(code, main.__dict__)
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
    torch.set_num_threads(1)
    net = torch.nn.Linear(1, 1)
    torch.optim.SGD(net.parameters()).step()  # imports half of PyTorch
    print("ready", flush=True)
    task = serve()
    if task is not None:
        status: object = 0
        try:
            child(task)
        except SystemExit as end:
            status = end.code
        end_like_python(status)
