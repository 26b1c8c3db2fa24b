"""TensorFlow: gradients that a program scales down by itself, with a factor that is made of their norm.

PyTorch changes `.grad` in place, and JAX's recorder tells such a factor while the update is made.
"""

from __future__ import annotations

from whygrad.flow.events import Edit
from whygrad.rules.case import Case

BY_HAND = "the clipping"
_SCALES = frozenset({"mul", "multiply", "div", "truediv", "real_div"})
_FAR = 200


def clipped_by_hand(case: Case) -> list[Edit]:
    """One for each place, with what went in and what came out; those that serve anything further are left out."""
    if case.recording.framework != "tensorflow":
        return []
    given = {value: v for b in case.recording.backwards if not b.implicit for v, value in b.given.items()}
    used = {v for op in case.recording.ops.values() for v in op.inputs}
    found: dict[int, Edit] = {}
    served: set[int] = set()
    for op in case.recording.ops.values():
        if op.name not in _SCALES or len(op.inputs) != 2 or op.inputs[0] not in given or len(op.outputs) != 1:
            continue
        gradient, factor = op.inputs
        if case.recording.values[factor].shape or not case.is_made_of(factor, given, _FAR):
            continue
        if op.outputs[0] in used:
            served.add(op.stack)
        edit = found.setdefault(op.stack, Edit(op.at, "clip", BY_HAND, frozenset(), op.stack))
        edit.variables |= {given[gradient]}
        edit.given += (gradient,)
        edit.made += op.outputs
    return [edit for stack, edit in found.items() if stack not in served]
