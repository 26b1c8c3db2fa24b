"""PyTorch, TensorFlow: what an update that the program writes itself (`w -= lr * w.grad`) leaves out.

An optimizer is given its variables; an update by hand names them, and what it does not name may be there for another
reason: a network whose input is sought, data that asks for a gradient. So like is held against like only: parameters of
modules against parameters, plain tensors against plain tensors. A tape is asked for gradients by name: there it is what
the program asks for, and what belongs to one network with it.
"""

from __future__ import annotations

from whygrad.rules.case import Case, asked_once
from whygrad.rules.targets.objective import CONTRACTS, objectives


def not_comparable(case: Case) -> set[int]:
    """Parameters of modules, where all that is ever changed are plain tensors: an input, a perturbation, a code."""
    recording = case.recording
    stepped = {s.optimizer for s in recording.steps if s.applied}
    optimizers = [recording.optimizers[number] for number in stepped]
    if not all(o.by_hand for o in optimizers):
        return _inputs_are_sought(case, {v for o in optimizers for v in o.holds})
    held = {v for o in optimizers for v in o.holds}
    if recording.framework == "tensorflow":
        asked = {v for b in recording.backwards if not b.implicit for v in b.wanted}
        theirs = {case.variable(v).network for v in held}
        return {v.id for v in recording.variables.values() if v.id not in asked and v.network not in theirs}
    if any(case.variable(v).parameter for v in held):
        return set()
    return {v.id for v in recording.variables.values() if v.parameter}


def _inputs_are_sought(case: Case, held: set[int]) -> set[int]:
    """PyTorch: all parameters of modules, where optimizers hold single tensors alone, which a module is given.

    The picture of a style transfer, an attack, a code: the network is passed through, and is to stay as it is.
    """
    if case.recording.framework != "torch" or not held or any(case.variable(v).model for v in held):
        return set()
    for objective in objectives(case):
        mask = sum(objective.bits[v] for v in held if v in objective.bits)
        for op in objective.part.ops if mask else ():
            layer = op.name in CONTRACTS and any((n := case.content.get(v)) is not None and case.variable(n).model
                                                 for v in op.inputs)  # fmt: skip
            if layer and any(objective.live.get(v, 0) & mask for v in op.inputs):
                return {v.id for v in case.recording.variables.values() if v.model}
    return set()


@asked_once
def left_out(case: Case) -> set[int]:
    """Plain tensors that get a gradient beside those that are updated by hand, in every round, and are no data."""
    recording = case.recording
    applied = {v for s in recording.steps if recording.optimizers[s.optimizer].by_hand for v in s.applied}
    mine = {v for v in applied if not case.variable(v).parameter}
    if not mine:
        return set()
    rounds = [b for b in recording.backwards if b.call == "backward" and b.error is None and b.got & mine]
    asked = {v for b in recording.backwards for v in b.wanted}
    written = {w.variable for w in recording.writes}
    held = {v for o in recording.optimizers.values() for v in o.holds}
    found = {v for b in rounds for v in b.got} - held - asked - written - recording.hand_updated
    found -= case.results | case.left_alone
    found = {v for v in found if not case.variable(v).parameter and case.variable(v).trainable}
    return {v for v in found if sum(v in b.got for b in rounds) > 1 and not _one_row_each(case, v)}


def _one_row_each(case: Case, variable: int) -> bool:
    """Whether what is computed of a tensor has its rows: inputs and labels do, weights and biases do not."""
    values, shape = case.recording.values, case.variable(variable).shape
    if not shape or shape[0] == 1:
        return False
    for op in case.recording.ops.values():
        if op.kind == "write" or not any(n in values and values[n].variable == variable for n in op.inputs):
            continue
        if any(n in values and values[n].shape[:1] == shape[:1] for n in op.outputs):
            return True
    return False
