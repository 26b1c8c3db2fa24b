"""Results that were computed from a variable once, and stand in for it ever after.

`self.scale = torch.tril(self.raw)` in a constructor: the gradient arrives at `raw` in every update, the step changes
it, and the loss goes on with the numbers of the first one. Where the operation keeps nothing for its backward pass
(a sum, a triangle, a concatenation), PyTorch does not object.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case

_VIEWS = frozenset({
    "t", "T.__get__", "mT.__get__", "transpose", "permute", "view", "view_as", "reshape", "flatten", "unflatten",
    "squeeze", "unsqueeze", "expand", "expand_as", "broadcast_to", "getitem", "__getitem__", "select", "narrow",
    "split", "chunk", "unbind", "diagonal", "swapaxes", "movedim", "contiguous", "to", "float", "swapdims", "adjoint",
    "broadcast_tensors", "real.__get__", "imag.__get__",
})  # fmt: skip
"""What may lie in the variable's own memory: a step changes it along with the variable."""

_UPDATES = 3


@dataclass(slots=True)
class Once:
    """Variables of which the loss only knows what one operation made of them before their first update."""

    op: Op
    variables: set[int]
    backward: Backward
    updates: int


def computed_once(case: Case) -> list[Once]:
    """For each such operation the variables behind it, in programs that have made several updates of them."""
    recording = case.recording
    if recording.framework != "torch":
        return []
    first: dict[int, int] = {}
    for step in recording.steps:
        for variable in step.applied:
            first.setdefault(variable, step.at)
    late: dict[int, list[Backward]] = {}
    for backward in recording.backwards:
        if backward.call != "backward" or backward.error is not None or backward.loss is None:
            continue
        for variable in backward.got:
            if backward.at > first.get(variable, backward.at):
                late.setdefault(variable, []).append(backward)
    suspects = {v: passes for v, passes in late.items() if len(passes) >= _UPDATES}
    found: dict[int, Once] = {}
    readers: dict[int, dict[int, list[Op]]] = {}
    for variable, passes in suspects.items():
        for backward in passes:
            if backward.at not in readers:
                readers[backward.at] = _readers(case, backward)
        ops = [readers[b.at].get(variable, []) for b in passes]
        if all(ops) and all(op.at < first[variable] for each in ops for op in each):
            op = ops[-1][0]
            found.setdefault(op.stack, Once(op, set(), passes[-1], len(passes))).variables.add(variable)
    return list(found.values())


def _readers(case: Case, backward: Backward) -> dict[int, list[Op]]:
    """For each variable the operations that the gradient of a loss comes through, and that made new numbers of it."""
    recording = case.recording
    part = case.slice(backward, reach.CERTAIN)
    arrived = reach.gradient_reach(recording, part, backward.tape)
    content = {n: v for n in part.values if (v := recording.values[n].variable) is not None}
    found: dict[int, list[Op]] = {}
    for op in part.ops:
        if not any(o in arrived for o in op.outputs):
            continue
        for value in dict.fromkeys(op.inputs):
            if value not in content:
                continue
            if op.name in _VIEWS:
                content.update(dict.fromkeys(op.outputs, content[value]))
            else:
                found.setdefault(content[value], []).append(op)
    return found
