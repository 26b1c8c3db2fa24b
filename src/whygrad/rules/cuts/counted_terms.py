"""Terms of a loss that count: what was predicted is made an index, compared, and what differs is added up.

An index that is compared, and a comparison that chooses between constants, are two walls and one thought: the gradient
stops where the index is made.
"""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import cuts_of
from whygrad.rules.updates.history import fresh_since

_COUNTS = frozenset({
    "eq", "ne", "__eq__", "__ne__", "equal", "not_equal", "logical_and", "logical_or", "logical_not", "__and__",
    "__or__", "__invert__", "where", "select", "select_n", "cast", "float", "to", "type", "type_as", "one_hot",
})  # fmt: skip


def counted(case: Case, backward: Backward, own: reach.Slice, trained: set[int]) -> list[reach.Cut]:
    """Where the indices are made that such a term consists of; nothing where it has another way to what is trained."""
    read = {v for number in own.values if (v := case.recording.values[number].variable) in trained and v is not None}
    cuts = [c for c in cuts_of(case, own, read, backward.tape) if c.op.at > fresh_since(case, backward, trained)]
    if not cuts or not all(cut.op.kind == "discrete" and cut.op.switch is None for cut in cuts):
        return []
    follow = {v for cut in cuts for v in cut.op.outputs}
    for op in own.ops:
        indices = [v for v in op.inputs if v in follow]
        if indices and not any(case.recording.values[v].floating for v in indices) and op.name not in _COUNTS:
            return []  # an index that picks something out of what another network says
        if indices:
            follow.update(op.outputs)
    return cuts
