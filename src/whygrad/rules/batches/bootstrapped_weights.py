"""Whether an advantage leans on the value head twice: an estimate for this state, and one for a state after it.

Where returns are sums of rewards, an unstopped advantage still pulls the estimate towards them, as the value loss does,
and tutorials get away with it. A target that was itself made with the value head is another matter: nothing in the
weight holds the estimate to the rewards.
"""

from __future__ import annotations

from whygrad.rules.case import Case
from whygrad.rules.targets.objective import MINUS, PRODUCT, SHAPING, SUM, Objective

_WAY = SHAPING | SUM | MINUS | PRODUCT | frozenset({"div", "truediv", "__truediv__", "neg", "negative", "__neg__",
                                                    "clip", "clamp", "clip_by_value"})  # fmt: skip
_STEPS = 40


def bootstrapped(case: Case, objective: Objective, weight: int, head: int) -> bool:
    """Whether a difference in the weight has the head's own estimate on one side, alive, and the head on the other."""
    todo, seen = [weight], {weight}
    while todo and len(seen) < _STEPS:
        op = case.made_by.get(todo.pop())
        if op is None or op.kind != "compute" or op.name not in _WAY:
            continue
        if op.name in MINUS and len(op.inputs) == 2:
            for one, other in (op.inputs, op.inputs[::-1]):
                both = objective.live.get(one, 0) & head and objective.read.get(other, 0) & head
                if both and not case.is_made_of(one, (other,), _STEPS) and not case.is_made_of(other, (one,), _STEPS):
                    return True
        fresh = [v for v in op.inputs if v not in seen and objective.live.get(v, 0)]
        seen.update(fresh)
        todo.extend(fresh)
    return False
