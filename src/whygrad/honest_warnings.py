"""Warnings that a program causes name the program's line, as they would without us."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from whygrad.frames import callers, ours, visible_callers

_module: Any = warnings


@contextmanager
def honest_warnings() -> Iterator[None]:
    """Correct where warnings are said to come from while a program runs.

    A framework's Python code counts the frames to the user's line (`stacklevel`), and ours lie between. Its C++ code
    names the innermost frame, and that is one of ours.
    """
    warn, show = _module.warn, getattr(_module, "_showwarnmsg", None)

    def honest_warn(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **more: Any) -> None:
        warn(message, category, _counted(stacklevel), source, **more)

    def honest_show(message: Any) -> None:
        told = message
        if ours(message.filename):
            try:
                told = _retold(message)
            except Exception:  # the wrong place is better than no warning
                told = message
        if told is not None and show is not None:
            show(told)

    honest_warn.__name__ = honest_warn.__qualname__ = "warn"
    honest_warn.__doc__ = warn.__doc__
    _module.warn = honest_warn
    if show is not None:
        _module._showwarnmsg = honest_show
    try:
        yield
    finally:
        if _module.warn is honest_warn:
            _module.warn = warn
        if show is not None and _module._showwarnmsg is honest_show:
            _module._showwarnmsg = show


def _counted(stacklevel: int) -> int:
    """The level, counted from `honest_warn`, of the frame that the caller means."""
    caller = sys._getframe(2)
    try:
        meant = _counting(visible_callers(caller))[max(stacklevel, 1) - 1]
        return _counting(callers(caller)).index(meant) + 2
    except (IndexError, TypeError):
        return stacklevel + 1


def _counting(frames: list[FrameType]) -> list[FrameType]:
    """Frames that Python counts: not those of its import machinery."""
    return [f for f in frames if not ("importlib" in f.f_code.co_filename and "_bootstrap" in f.f_code.co_filename)]


def _retold(message: Any) -> Any:
    """The same warning at the program's line; None where that line has been warned about already."""
    inner = next((f for f in callers(sys._getframe(2)) if ours(f.f_code.co_filename)), None)
    inner = next(
        (f for f in callers(inner) if f.f_code.co_filename == message.filename and f.f_lineno == message.lineno), inner
    )
    user = next((f for f in visible_callers(inner)), None)
    if inner is None or user is None:
        return message
    text = str(message.message)
    remembered = inner.f_globals.get("__warningregistry__", {})
    if remembered.pop((text, message.category, message.lineno), None):  # not so with the filter "always"
        registry = user.f_globals.setdefault("__warningregistry__", {})
        if registry.get("version") != remembered.get("version"):
            registry.clear()
            registry["version"] = remembered.get("version")
        key = (text, message.category, user.f_lineno)
        if registry.get(key):
            return None
        registry[key] = True
    return warnings.WarningMessage(
        message.message, message.category, user.f_code.co_filename, user.f_lineno, source=message.source
    )
