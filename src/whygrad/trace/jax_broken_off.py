"""Bodies whose tracing failed: what a loop or a branch did until then, as a part of what was being traced around it.

Of a function under `jit` the arguments are known where it fails; of `scan`, `while_loop` and `cond` they are read off
the frames of JAX that lead to the error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

import jax

from whygrad.trace.jax_scopes import Scope, replay

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_ROWS = "xs"
_GIVEN = {"scan": ("init", _ROWS), "while_loop": ("init_val",), "cond": ("operands",), "_cond": ("operands",),
          "switch": ("operands",)}  # fmt: skip
"""What JAX's own functions call what a body is given, in the order in which the body gets it."""

Given = list[tuple[Any, bool]]
"""What one loop or branch was given: each array, and whether the body gets a row of it."""


def above(frame: FrameType | None) -> list[FrameType]:
    """The frames that lead to one, the outermost first."""
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found[::-1]


def passed(trace: TracebackType | None) -> list[FrameType]:
    """The frames that an error passed through, the outermost first."""
    found = []
    while trace is not None:
        found.append(trace.tb_frame)
        trace = trace.tb_next
    return found


def given_to_loops(frames: Iterable[FrameType]) -> Iterator[Given]:
    """What each loop or branch among some frames was given."""
    for frame in frames:
        names = _GIVEN.get(frame.f_code.co_name)
        if names is not None and "/jax/" in frame.f_code.co_filename:
            known = frame.f_locals
            yield [(leaf, name == _ROWS) for name in names for leaf in jax.tree_util.tree_leaves(known.get(name))]


def folded(recorder: JaxRecorder, left: list[Scope], calls: list[Given]) -> Scope | None:
    """The outermost of these bodies, each traced inside of the one before it, with what the inner ones had done."""
    for place in range(len(left) - 1, 0, -1):
        written_down(recorder, left[place], left[place - 1], calls)
    return left[0] if left else None


def written_down(recorder: JaxRecorder, body: Scope, scope: Scope, calls: list[Given]) -> None:
    """What a body did until it failed, in the scope around it, with what it was given as far as that is known."""
    own = list(body.inputs.values())
    given = next((call for call in reversed(calls) if len(call) == len(own)), [])
    arguments = {}
    for number, (thing, row) in zip(own, given, strict=False):
        outside = recorder.values.known(thing)
        if outside is None or recorder.calls.value(scope, outside) is None:
            continue
        arguments[number] = recorder.calls.bodies.part(scope, outside, body.base, "row of xs") if row else outside
    if given:
        calls.remove(given)
    replay(body, scope, arguments, body.base)
