"""What a stack would look like if whygrad were not on it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import CodeType, FrameType, TracebackType

_HOME = os.path.dirname(os.path.abspath(__file__)) + os.sep
_ROOMS = (_HOME + "trace" + os.sep, _HOME + "cli" + os.sep)
_OVERRIDES = os.path.join("torch", "overrides.py")


def ours(file: str) -> bool:
    """Whether a file belongs to the machinery that runs and watches a program."""
    return file.startswith(_ROOMS) or os.path.dirname(file) + os.sep == _HOME


def visible(codes: Sequence[CodeType]) -> list[bool]:
    """Which frames, outermost first, would be there without us.

    Our own would not; nor would the detours that Python and PyTorch make to come to us: the import machinery around
    a watched import, and a PyTorch function that hands itself to a mode, which calls it again.
    """
    seen = [not ours(code.co_filename) for code in codes]
    for first in range(1, len(codes)):
        if seen[first] or not seen[first - 1]:
            continue
        after = next((i for i in range(first, len(codes)) if seen[i]), None)
        before = first - 1
        if codes[first].co_name == "exec_module":
            while before >= 0 and codes[before].co_filename.startswith("<frozen importlib"):
                seen[before] = False
                before -= 1
        elif codes[before].co_name == "handle_torch_function" and codes[before].co_filename.endswith(_OVERRIDES):
            seen[before] = False
            if after is not None and before and codes[before - 1] is codes[after]:
                seen[before - 1] = False
    return seen


def callers(frame: FrameType | None) -> list[FrameType]:
    """A frame and those that led to it, innermost first."""
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found


def visible_callers(frame: FrameType | None) -> list[FrameType]:
    """The same, as they would be without us."""
    frames = callers(frame)
    seen = visible([one.f_code for one in reversed(frames)])
    return [one for one, kept in zip(frames, reversed(seen), strict=True) if kept]


def clean(error: BaseException) -> BaseException:
    """Take us out of the traceback of an error, of those that led to it and of those inside it."""
    todo: list[BaseException | None] = [error]
    done: set[int] = set()
    while todo:
        one = todo.pop()
        if one is None or id(one) in done:
            continue
        done.add(id(one))
        one.__traceback__ = _without_us(one.__traceback__)
        todo += [one.__cause__, one.__context__]
        if isinstance(one, BaseExceptionGroup):
            todo += one.exceptions
    return error


def _without_us(trace: TracebackType | None) -> TracebackType | None:
    parts = []
    while trace is not None:
        parts.append(trace)
        trace = trace.tb_next
    seen = visible([part.tb_frame.f_code for part in parts])
    following = None
    for part, kept in zip(reversed(parts), reversed(seen), strict=True):
        if kept:
            following = TracebackType(following, part.tb_frame, part.tb_lasti, part.tb_lineno)
    return following
