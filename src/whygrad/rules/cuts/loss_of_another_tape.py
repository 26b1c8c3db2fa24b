"""TensorFlow: a tape that is asked for a loss from before it was opened, while its own loss is asked for by nobody.

`gen_tape.gradient(disc_loss, generator.trainable_variables)`: what the tape has seen is the generator's loss. That the
networks ran before the tape was opened is true, and not the fault.
"""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case


def own_loss(case: Case, backward: Backward) -> Op | None:
    """The last scalar that the tape has seen, that trains what is asked for, and that nothing is made of."""
    recording = case.recording
    tape = recording.tapes.get(backward.tape) if backward.tape is not None else None
    made = case.made_by.get(backward.loss) if backward.loss is not None else None
    if recording.framework != "tensorflow" or tape is None or made is None or made.at > tape.opened:
        return None
    if backward.got or backward.implicit or backward.error or not backward.wanted:
        return None
    same = [b for b in recording.backwards if b.loss == backward.loss and b.got]
    if not any(set(b.wanted).isdisjoint(backward.wanted) for b in same):
        return None  # asked of nobody else: it is the one that is meant, and came too early
    asked = {b.loss for b in recording.backwards}
    seen = [op for op in recording.ops.values() if tape.opened < op.at < backward.at and backward.tape in op.tapes]
    used = {value for op in seen for value in op.inputs}
    for op in reversed(seen):
        for value in op.outputs if op.kind == "compute" else ():
            one = value in recording.values and all(size == 1 for size in recording.values[value].shape)
            if one and value not in used | asked and _trains(case, value, backward):
                return op
    return None


def _trains(case: Case, value: int, backward: Backward) -> bool:
    part = reach.backward_slice(case.recording, value, case.made_by, backward.at, reach.CERTAIN)
    arrived = reach.gradient_reach(case.recording, part, backward.tape)
    return set(backward.wanted) <= {case.content[n] for n in arrived if n in case.content}
