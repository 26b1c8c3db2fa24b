"""Running somebody's program as if Python itself had started it, with the recorders on."""

from __future__ import annotations

import importlib.util
import io
import os
import runpy
import signal
import sys
import types
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from whygrad.trace.session import EnoughUpdates

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep


class BadScript(Exception):
    """The script cannot be started at all; the message says why and what to do."""


class _Terminated(BaseException):
    """SIGTERM arrived."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the program ended: its exit status, and the error that ended it, if one did."""

    status: int
    error: str | None = None


def run(target: str, arguments: Sequence[str], module: bool = False) -> Outcome:
    """Run a script, a folder with a `__main__.py`, or (with `module`) a module, as `python` would."""
    start = _module(target) if module else _file(target)
    sys.argv = [sys.argv[0] if module else target, *arguments]
    with _termination(), _honest_warnings():
        return _guarded(start)


def _file(path: str) -> Any:
    if not os.path.exists(path):
        raise BadScript(f"there is no file {path!r}. Give the path of a Python script, or -m and the name of a module.")
    if os.path.isdir(path):
        if not os.path.exists(os.path.join(path, "__main__.py")):
            raise BadScript(f"{path!r} is a folder without a __main__.py. Give the path of the script in it.")
        return lambda: runpy.run_path(path, run_name="__main__")
    full = os.path.abspath(path)
    try:
        with io.open_code(full) as file:
            source = file.read()
        code = compile(source, full, "exec", dont_inherit=True)
    except OSError as error:
        raise BadScript(f"{path!r} cannot be read: {error.strerror}.") from None
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        text = (getattr(error, "text", None) or "").strip()
        place = f"line {line}: " if line else ""
        shown = f" in `{text}`" if text else ""
        raise BadScript(
            f"{path} is not valid Python, so nothing was run: {place}{getattr(error, 'msg', error)}{shown}"
        ) from None
    return lambda: _execute(code, full)


def _execute(code: types.CodeType, full: str) -> None:
    """A `__main__` of its own, kept after the run: threads and exit handlers of the program still need it."""
    main = types.ModuleType("__main__")
    main.__file__ = full
    main.__dict__["__builtins__"] = __builtins__
    main.__dict__["__cached__"] = None
    sys.modules["__main__"] = main
    sys.path[0] = os.path.dirname(full)
    exec(code, main.__dict__)


def _module(name: str) -> Any:
    sys.path.insert(0, os.getcwd())
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        raise BadScript(f"the module {name!r} cannot be found: {error}.") from None
    if spec is None:
        raise BadScript(f"there is no module {name!r} on the path. Run from the folder that contains it.")
    return lambda: runpy.run_module(name, run_name="__main__", alter_sys=True)


def _guarded(start: Any) -> Outcome:
    try:
        start()
    except EnoughUpdates:
        return Outcome(0)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return Outcome(end.code or 0)
        print(end.code, file=sys.stderr)
        return Outcome(1, str(end.code))
    except _Terminated:
        return Outcome(128 + signal.SIGTERM, "terminated")
    except KeyboardInterrupt as error:
        _show(error)
        return Outcome(128 + signal.SIGINT, "KeyboardInterrupt")
    except BaseException as error:
        _show(error)
        return Outcome(1, f"{type(error).__name__}: {error}")
    return Outcome(0)


def _show(error: BaseException) -> None:
    """The program's own traceback, without our frames, through whatever hook it has installed."""
    trace = without_our_frames(error)
    sys.stdout.flush()
    sys.excepthook(type(error), error.with_traceback(trace), trace)


def without_our_frames(error: BaseException) -> types.TracebackType | None:
    """The traceback of an error as it would be if we were not there."""
    kept = []
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not (file.startswith(_OWN) or file == "<frozen runpy>"):
            kept.append(trace)
        trace = trace.tb_next
    following = None
    for one in reversed(kept):
        following = types.TracebackType(following, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return following


@contextmanager
def _termination() -> Iterator[None]:
    """Let SIGTERM end the program in an orderly way, so that there is a report (of a run under a time limit, say)."""

    def end(number: int, frame: object) -> None:
        raise _Terminated

    ours = signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if ours:
        signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        if ours and signal.getsignal(signal.SIGTERM) is end:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def _honest_warnings() -> Iterator[None]:
    """A framework's warning names the innermost Python line, which would be ours: name the caller's instead."""
    original = warnings.showwarning

    def showwarning(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: str | None = None,
    ) -> None:
        if filename.startswith(_OWN):
            frame: types.FrameType | None = sys._getframe(1)
            while frame is not None and (
                frame.f_code.co_filename.startswith(_OWN) or frame.f_code.co_filename == warnings.__file__
            ):
                frame = frame.f_back
            if frame is not None:
                filename, lineno, line = frame.f_code.co_filename, frame.f_lineno, None
        original(message, category, filename, lineno, file, line)

    warnings.showwarning = showwarning
    try:
        yield
    finally:
        if warnings.showwarning is showwarning:
            warnings.showwarning = original
