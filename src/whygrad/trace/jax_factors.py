"""Plain numbers inside compiled functions: `1 - tau`, worked out from what the function was given.

What a compiled function computes is looked at only where it trains. A sync of its own is not run again for one number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording

_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
}  # fmt: skip
_SAME = frozenset({"astype", "broadcast", "reshape", "squeeze", "copy", "captured", "array", "asarray"})
_DEEP = 12


def factor_of(recording: Recording, scalars: Mapping[int, float], value: int) -> float | None:
    """A single number, where it is known or follows from numbers that are."""
    made: dict[int, Op] = {}

    def known(number: int, depth: int) -> float | None:
        found = recording.values.get(number)
        if found is None or any(size != 1 for size in found.shape):
            return None
        if found.numbers is not None:
            return found.numbers.low
        if number in scalars:
            return scalars[number]
        if not made:
            made.update({v: op for op in recording.ops.values() for v in op.outputs})
        op = made.get(number)
        if op is None or depth == _DEEP:
            return None
        parts = [known(v, depth + 1) for v in op.inputs]
        if op.name in _SAME and len(parts) == 1:
            return parts[0]
        if op.name == "neg" and len(parts) == 1 and parts[0] is not None:
            return -parts[0]
        if op.name not in _ARITHMETIC or len(parts) != 2 or parts[0] is None or parts[1] is None:
            return None
        return None if op.name == "div" and not parts[1] else _ARITHMETIC[op.name](parts[0], parts[1])

    return known(value, 0)
