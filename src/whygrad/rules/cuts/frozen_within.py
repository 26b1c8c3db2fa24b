"""TensorFlow: one layer that is frozen among layers that learn.

Keras leaves it out of `trainable_variables`, so that no optimizer is ever given it. A trunk that is frozen on purpose
comes first, and was loaded; here a single layer is fed by what learns, and still has the values that were drawn for it.
"""

from __future__ import annotations

from itertools import islice

from whygrad.flow import reach
from whygrad.flow.operations import Op
from whygrad.rules.case import Case

_WAVES = frozenset({"cos", "sin"})
_FAR = 24


def frozen_within(case: Case) -> set[int]:
    """The kernel of such a layer, and what is frozen with it."""
    recording = case.recording
    if recording.framework != "tensorflow":
        return set()
    written = {w.variable for w in recording.writes} | recording.hand_updated
    off = {v.id for v in recording.variables.values() if v.parameter and not v.trainable and v.owner}
    off = {v for v in off - written - case.trained if not case.variable(v).copied}
    found: set[int] = set()
    for kernel in off:
        layer = case.variable(kernel)
        together = {v for v in off if case.variable(v).frozen == layer.frozen}
        alone = layer.frozen is not None and all(case.variable(v).owner == layer.owner for v in together)
        learns = {v for v in case.trained if case.variable(v).network == layer.network}
        if alone and len(layer.shape) > 1 and learns and _drawn(case, kernel) and _fed(case, kernel, learns):
            found |= together
    return found


def _drawn(case: Case, variable: int) -> bool:
    """Whether its first values came out of a random generator, and not from a table or a formula."""
    first = next((v.id for v in case.recording.values.values() if v.variable == variable), None)
    todo, seen = [first] if first is not None else [], 0
    while todo and seen < _FAR:
        op = case.made_by.get(todo.pop())
        seen += 1
        if op is not None and ("random" in op.name or "normal" in op.name):
            return True
        todo.extend(op.inputs if op is not None else ())
    return False


def _fed(case: Case, variable: int, learns: set[int]) -> bool:
    """Whether a loss of the network meets it together with what the network's own variables make."""
    for backward in case.recording.backwards:
        if backward.loss is None or backward.implicit or not backward.got & learns or not case.uses(backward, variable):
            continue
        part = case.slice(backward, reach.CERTAIN)
        ours, theirs = set[int](), set[int]()
        for place, op in enumerate(part.ops):
            mine = any(v in ours or case.content.get(v) == variable for v in op.inputs)
            learned = any(v in theirs or case.content.get(v) in learns for v in op.inputs)
            if mine and any(v in theirs for v in op.inputs):
                return not _waves(op, islice(part.ops, place + 1, None))
            if mine and len(op.inputs) == 1:
                ours.update(op.outputs)
            if learned and op.kind == "compute":
                theirs.update(op.outputs)
    return False


def _waves(op: Op, later: islice[Op]) -> bool:
    """Random features: what comes out goes through a cosine, with a shift at most in between."""
    near = set(op.outputs)
    for following in islice(later, 4):
        if near & set(following.inputs):
            if following.name in _WAVES:
                return True
            near.update(following.outputs)
    return False
