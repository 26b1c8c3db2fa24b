"""Flax NNX refuses layers that a module keeps where it does not look: what the error tells about them.

It does so at the assignment, or once the module is made: a list that was empty when it was assigned has layers by then.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, TracebackType
from typing import Any

from whygrad.trace.jax_broken_off import passed
from whygrad.trace.user_line import SKIP, classify

CONTAINER, STATIC, LATE = "layers in a plain container", "layers marked as static", "layers where there were none"


@dataclass(frozen=True, slots=True)
class Refused:
    """Layers that were refused."""

    kind: str
    about: str
    """The class and the attribute."""
    assigned: tuple[CodeType, int] | None
    """The instruction that assigned the attribute, where that was before."""


def refused_layers(trace: TracebackType | None) -> Refused | None:
    """What Flax was looking at when it raised an error; None where that was no layer, or the error is another one."""
    for frame in passed(trace):
        code, names = frame.f_code, frame.f_locals
        if code.co_name != "_check_value" or "/flax/" not in code.co_filename.replace("\\", "/"):
            continue
        keeper, key, status = (names.get(name) for name in ("self", "key", "new_status"))
        late = "data_leaves" not in names  # it has not looked inside
        leaves = [names.get("value")] if late else names["data_leaves"]
        if "tags" in names or not isinstance(key, str) or not any(map(_is_layer, leaves)):
            return None
        kind = LATE if late else STATIC if getattr(status, "explicit", False) else CONTAINER
        assigned = next(_assignments(type(keeper), key), None) if status is None else None
        return Refused(kind, f"{type(keeper).__qualname__}.{key}", assigned)
    return None


def _is_layer(leaf: Any) -> bool:
    """A module, or a parameter by itself. Not an optimizer, a random stream, a bare array."""
    kinds = {base.__name__ for base in type(leaf).__mro__ if base.__module__.startswith("flax.nnx")}
    return bool(kinds & {"Module", "Param"})


def _assignments(model: type, attribute: str) -> Iterator[tuple[CodeType, int]]:
    """Where the methods of a class assign an attribute; `__init__` comes first."""
    for kind in model.__mro__:
        methods = [one for one in vars(kind).values() if isinstance(one, FunctionType)]
        for method in sorted(methods, key=lambda one: one.__name__ != "__init__"):
            code = method.__code__
            if classify(code.co_filename) != SKIP:
                for step in dis.get_instructions(code):
                    if step.opname == "STORE_ATTR" and step.argval == attribute:
                        yield code, step.offset
