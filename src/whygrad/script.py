"""Running somebody's program as if Python itself had started it, with the recorders on."""

from __future__ import annotations

import atexit
import builtins
import importlib.machinery
import io
import os
import pkgutil
import runpy
import signal
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from whygrad.frames import clean, ours
from whygrad.honest_warnings import honest_warnings
from whygrad.stop_signals import Terminated, stopping, termination
from whygrad.trace import user_line
from whygrad.trace.session import Session

_runpy: Any = runpy
_RUNPY: str = _runpy._run_module_as_main.__code__.co_filename

_OUR_FRAMES = 50
"""What we need of the recursion limit."""
_GRACE = 2.0
"""Seconds that the other threads of a stopped program have to end by themselves."""


class BadScript(Exception):
    """The script cannot be started at all; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the program ended: its exit status, the error that ended it, and whether it was made to stop."""

    status: int
    error: str | None = None
    stopped: bool = False


def run(
    target: str, arguments: Sequence[str], session: Session, give_up: Callable[[], None], module: bool = False
) -> Outcome:
    """Run a script, a folder with a `__main__.py`, or (with `module`) a module, as `python` would.

    `give_up` is called, before the process is ended, where the program will not stop after its last update.
    """
    start = _module(target) if module else _file(target)
    user_line.outside.update(frame.f_code for frame, _ in traceback.walk_stack(None))
    sys.argv = ["-m" if module else target, *arguments]
    sys.setrecursionlimit(sys.getrecursionlimit() + _OUR_FRAMES)
    with honest_warnings(), _honest_threads(), termination(), stopping(session, give_up):
        outcome = _guarded(start, session)
        if outcome.error is None and not outcome.stopped:
            waited = _guarded(_wait_for_threads, session)
            outcome = waited if waited != Outcome(0) else outcome
    return outcome


# --- starting it --------------------------------------------------------------------------------------------------


def _file(path: str) -> Callable[[], None]:
    if not os.path.exists(path):
        raise BadScript(f"there is no file {path!r}. Give the path of a Python script, or -m and the name of a module.")
    full = _absolute(path)
    if os.path.isdir(path) and not _has_main(path):
        raise BadScript(f"{path!r} is a folder without a __main__.py. Give the path of the script in it.")
    if path.endswith(".ipynb"):
        raise BadScript(f"{path!r} is a notebook. Export it first: jupyter nbconvert --to script {path}")
    if pkgutil.get_importer(full) is not None:  # a folder or an archive
        return lambda: _run_as_main("__main__", full)
    code = _code(path, full)
    return lambda: _execute(code, full)


def _absolute(path: str) -> str:
    """As Python makes a script's `__file__`: joined to the working directory, and otherwise as given."""
    return os.getcwd() if path == "." else os.path.join(os.getcwd(), path)


def _has_main(folder: str) -> bool:
    suffixes = [*importlib.machinery.SOURCE_SUFFIXES, *importlib.machinery.BYTECODE_SUFFIXES]
    return any(os.path.exists(os.path.join(folder, "__main__" + suffix)) for suffix in suffixes)


def _code(path: str, full: str) -> types.CodeType:
    try:
        with io.open_code(full) as file:
            code = pkgutil.read_code(file)  # a .pyc
            if isinstance(code, types.CodeType):
                return code
        with io.open_code(full) as file:
            return compile(file.read(), full, "exec", dont_inherit=True)
    except OSError as error:
        raise BadScript(f"{path!r} cannot be read: {error.strerror}.") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise BadScript(_invalid(path, error)) from None


def _invalid(path: str, error: BaseException) -> str:
    line = getattr(error, "lineno", None)
    text = (getattr(error, "text", None) or "").strip()
    place = f"line {line}: " if line else ""
    shown = f" in `{text}`" if text and len(text) < 200 else ""
    reason = getattr(error, "msg", None) or str(error) or type(error).__name__
    return f"{path} is not valid Python, so nothing was run: {place}{reason}{shown}"


def _fresh_main() -> types.ModuleType:
    """A `__main__` of its own, kept after the run: threads and exit handlers of the program still need it."""
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    sys.modules["__main__"] = main
    return main


def _execute(code: types.CodeType, full: str) -> None:
    main = _fresh_main()
    main.__file__ = full
    main.__dict__["__cached__"] = None
    loaders = importlib.machinery.SourceFileLoader, importlib.machinery.SourcelessFileLoader
    main.__loader__ = loaders[full.endswith(".pyc")]("__main__", full)
    _first_on_path(os.path.dirname(os.path.realpath(full)))
    exec(code, main.__dict__)


def _module(name: str) -> Callable[[], None]:
    return lambda: _run_as_main(name, os.getcwd(), is_module=True)


def _run_as_main(name: str, folder: str, is_module: bool = False) -> None:
    """What Python itself calls for `-m` and for folders; its frames belong to the traceback that users know."""
    _fresh_main()
    _first_on_path(folder, always=not is_module)
    try:
        _runpy._run_module_as_main(name, alter_argv=is_module)
    except SystemExit as end:
        if _said_by_runpy(end):
            reason = str(end.code).removeprefix(f"{sys.executable}: ")
            advice = "Give the name as for python -m, and run from the folder that contains it." if is_module else ""
            raise BadScript(f"{reason}. {advice}".strip()) from None
        raise
    except SyntaxError as error:
        if not _inside_user_code(error):
            raise BadScript(_invalid(error.filename or name, error)) from None
        raise


def _said_by_runpy(end: SystemExit) -> bool:
    return isinstance(end.code, str) and _files(end)[-1] == _RUNPY


def _inside_user_code(error: BaseException) -> bool:
    """Whether code of the program ran before the error: then it is the program's, with its traceback."""
    return any(not (ours(file) or file == _RUNPY or file.startswith("<frozen importlib")) for file in _files(error))


def _files(error: BaseException) -> list[str]:
    found, trace = [], error.__traceback__
    while trace is not None:
        found.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    return found


def _first_on_path(folder: str, always: bool = False) -> None:
    """In the place where Python has put the folder of whygrad's own starter; `python -P` wants no such place."""
    if not sys.flags.safe_path:
        sys.path[0] = folder
    elif always:
        sys.path.insert(0, folder)


# --- how it ends --------------------------------------------------------------------------------------------------


def _guarded(start: Callable[[], None], session: Session) -> Outcome:
    failed: BaseException
    try:
        start()
        return Outcome(0)
    except BadScript:
        raise
    except Terminated:
        return Outcome(128 + signal.SIGTERM, "terminated", stopped=True)
    except SystemExit as end:
        return Outcome(0, stopped=True) if session.stopped_early else _exited(end)
    except BaseException as error:
        failed = error
    if session.stopped_early and _comes_from_the_stop(failed):
        return Outcome(0, stopped=True)
    session.ended_by(failed)
    chosen = _show(failed)
    if isinstance(failed, KeyboardInterrupt):
        return Outcome(128 + signal.SIGINT, "KeyboardInterrupt")
    return Outcome(1 if chosen is None else chosen, _in_words(failed))


def _exited(end: SystemExit) -> Outcome:
    if end.code is None or isinstance(end.code, int):
        return Outcome(int(end.code or 0))
    text = _text(end.code)
    _print_error(text)
    return Outcome(1, text)


def _comes_from_the_stop(error: BaseException) -> bool:
    """An error that the program made of our request to stop is not the program's."""
    one: BaseException | None = error
    for _ in range(20):
        if one is None:
            break
        if isinstance(one, SystemExit):
            return True
        one = one.__cause__ or one.__context__
    return False


def _in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {_text(error)}".rstrip(": ")


def _text(thing: object) -> str:
    try:
        return str(thing)
    except Exception:  # the program's own __str__
        return f"<{type(thing).__name__} without a text>"


def _show(error: BaseException) -> int | None:
    """The program's own traceback, without our frames, through the hook it has installed, which may choose a status."""
    clean(error)
    kind, trace = type(error), error.__traceback__
    _flush(sys.stdout)
    state: Any = sys
    state.last_type, state.last_value, state.last_traceback = kind, error, trace
    if sys.version_info >= (3, 12):
        state.last_exc = error
    hook = getattr(sys, "excepthook", None)
    if hook is None:
        _print_error("sys.excepthook is missing")
        hook = sys.__excepthook__
    try:
        hook(kind, error, trace)
    except SystemExit as end:
        return _exited(end).status
    except BaseException as second:
        clean(second)
        _print_error("Error in sys.excepthook:")
        sys.__excepthook__(type(second), second, second.__traceback__)
        _print_error("\nOriginal exception was:")
        sys.__excepthook__(kind, error, trace)
    return None


def _print_error(text: str) -> None:
    try:
        if sys.stderr is not None:
            print(text, file=sys.stderr)
    except (OSError, ValueError, AttributeError):
        pass  # the program closed it, or put something of its own there


def _flush(stream: Any) -> None:
    try:
        stream.flush()
    except (OSError, ValueError, AttributeError):
        pass


def _wait_for_threads() -> None:
    """Python waits for a program's threads before it ends; what they train belongs into the report."""
    here = threading.current_thread()
    if any(thread is not here and not thread.daemon for thread in threading.enumerate()):
        waiting: Any = threading
        waiting._shutdown()


def leave(status: int) -> NoReturn:
    """End a process whose threads do not end by themselves; its exit handlers run."""
    atexit._run_exitfuncs()
    _flush(sys.stdout)
    _flush(sys.stderr)
    os._exit(status & 0xFF)


def threads_end() -> bool:
    """Whether the other threads of a stopped program end soon."""
    here = threading.current_thread()
    end = time.monotonic() + _GRACE
    while any(thread is not here and not thread.daemon for thread in threading.enumerate()):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


# --- what surrounds it --------------------------------------------------------------------------------------------


@contextmanager
def _honest_threads() -> Iterator[None]:
    """An error that ends a thread shows the program's frames only."""
    original = threading.excepthook

    def hook(args: Any) -> None:
        if args.exc_value is not None:
            clean(args.exc_value)
            trace = args.exc_value.__traceback__
            args = threading.ExceptHookArgs((args.exc_type, args.exc_value, trace, args.thread))
        original(args)

    threading.excepthook = hook
    try:
        yield
    finally:
        if threading.excepthook is hook:
            threading.excepthook = original
