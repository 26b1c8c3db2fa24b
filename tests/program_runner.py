"""Runs one program of `tests/programs` under the recorders, in this process, and says what was found.

A fresh thread for each program keeps them apart: autograd's switches, Keras's name counters and TensorFlow's callbacks
are per thread. And the program's stack begins with the program, as it does under `whygrad run`: the frame that starts
it has a file name in angle brackets, which the recorders leave out.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import sys
import threading
import types
import warnings
from pathlib import Path
from typing import Any

from whygrad.recording_api import collect
from whygrad.report.report import Report
from whygrad.rules.finding import Finding
from whygrad.trace import loading
from whygrad.trace.session import Session

PROGRAMS = Path(__file__).parent / "programs"

# What a framework itself says about a program that is broken on purpose. Everything else stays an error.
_FRAMEWORK_WARNINGS = (
    r"Using a target size",  # W504: PyTorch has noticed
    r"The \.grad attribute of a Tensor that is not a leaf",  # W106: asked of a non-leaf
    r"Gradients do not exist for variables",  # Keras, of a layer that a loss ignores
    r"The model does not have any trainable weights",  # Keras, of a frozen model
    r"You are using a softmax over axis",  # W401: Keras has noticed
    r"Converting a tensor with requires_grad=True to a scalar",  # W103: float() in a loss
    r"None of the inputs have requires_grad=True",  # W101: a reentrant checkpoint has noticed
    r"__array__ implementation doesn't accept a copy keyword",  # Keras on torch: ops.convert_to_numpy of any tensor
)

_FIRES = re.compile(r"# fires: (W\d{3}(?:, W\d{3})*)")


def programs(framework: str) -> list[Path]:
    """The programs of one folder, in order."""
    return sorted((PROGRAMS / framework).glob("*.py"))


def marked(program: Path) -> list[tuple[str, int]]:
    """What must be found: (code, line) of every `# fires: W102` comment."""
    return sorted(
        (code, number)
        for number, line in enumerate(program.read_text().splitlines(), 1)
        for match in _FIRES.finditer(line)
        for code in match.group(1).split(", ")
    )


def faults(report: Report) -> list[tuple[str, int]]:
    """What was found: (code, line) of every error and warning."""
    return sorted((f.code, f.where.line if f.where is not None else 0) for f in report.findings if f.severity != "note")


def only(report: Report, code: str) -> Finding:
    """The one finding of a rule."""
    [finding] = [f for f in report.findings if f.code == code]
    return finding


def said(finding: Finding) -> dict[str, Any]:
    """Everything a user reads of a finding, for comparison word for word."""
    return {
        "severity": finding.severity,
        "message": finding.message,
        "label": finding.label,
        "why": finding.why,
        "fix": finding.fix,
        "variables": finding.variables,
        "path": station_lines(finding),
    }


def assert_as_marked(program: Path) -> None:
    """Exactly the marked faults, each once; nothing that could not be followed; a healthy program runs to its end."""
    report = run(program)
    assert faults(report) == marked(program), str(report)
    assert report.notes == ()
    if not marked(program):
        assert report.script_error is None


def station_lines(finding: Finding) -> list[tuple[int, str]]:
    """The way from the variable to the loss as (line, role)."""
    return [(step.site.line, step.role) for step in finding.path]


@functools.cache
def run(program: Path) -> Report:
    """Run a program and diagnose it, once for all tests that ask."""
    box: list[Any] = []
    session = Session()
    saved = sys.argv, sys.modules["__main__"], list(sys.path)
    thread = threading.Thread(target=_hidden, args=(program, session, box))
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            for text in _FRAMEWORK_WARNINGS:
                warnings.filterwarnings("ignore", message=text)
            thread.start()
            thread.join()
    finally:
        sys.argv, sys.modules["__main__"], sys.path[:] = saved
    [result] = box
    if isinstance(result, BaseException):
        raise result
    return result


def _start(program: Path, session: Session, box: list[Any]) -> None:
    """What `whygrad run` does, less the signals (which only a main thread can have)."""
    try:
        main = types.ModuleType("__main__")
        main.__file__ = str(program)
        code = compile(program.read_text(), str(program), "exec", dont_inherit=True)
        sys.argv = [str(program)]
        sys.modules["__main__"] = main
        sys.path.insert(0, str(program.parent))
        watch = loading.begin(session)
        error = None
        try:
            exec(code, main.__dict__)
        except SystemExit:
            pass
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
            session.ended_by(raised)
        finally:
            watch.end()
            report = collect(session, str(program), error)
        box.append(report)
    except BaseException as broken:
        box.append(broken)


_hidden = types.FunctionType(_start.__code__.replace(co_filename="<program runner>"), globals())


def _print_literals(arguments: list[str]) -> None:
    """`python tests/program_runner.py tensorflow w104_argmax_loss …` prints findings as the message tests hold them."""
    import pprint

    if arguments[0] == "tensorflow":
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    for name in arguments[1:]:
        program = PROGRAMS / arguments[0] / f"{name}.py"
        code = name.split("_")[0].upper()
        print(f"{name!r}: {pprint.pformat(said(only(run(program), code)), width=110, sort_dicts=False)},")


if __name__ == "__main__":
    _print_literals(sys.argv[1:])
