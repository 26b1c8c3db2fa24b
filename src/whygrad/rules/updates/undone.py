"""Updates that are undone: after each step the old weights are written back, and each begins where the first did.

`net.load_state_dict(best)` in the loop, where it should stand after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from whygrad.flow.recording import Step, Write
from whygrad.rules.case import Case

_ROUNDS = 4


@dataclass(slots=True)
class Undone:
    """The steps of one optimizer, the variables that each of them found unchanged, and what wrote the old content."""

    steps: list[Step]
    variables: set[int]
    write: Write


def undone(case: Case) -> Iterator[Undone]:
    """Optimizers whose steps all began from the same weights, though each had a gradient and a rate."""
    recording = case.recording
    for number in recording.optimizers:
        steps = [s for s in recording.steps if s.optimizer == number and s.error is None and s.applied]
        if len(steps) < _ROUNDS or any(s.rate == 0 for s in steps):
            continue
        common = frozenset.intersection(*(s.applied for s in steps))
        known = {v for v in common if all(v in s.weights and v in s.gradients for s in steps)}
        same = {v for v in known if len({s.weights[v] for s in steps}) == 1}
        moved = {v for v in same if all(s.gradients[v].norm > 0 for s in steps[:-1])}
        if not moved or moved < {v for v in known if any(s.gradients[v].norm > 0 for s in steps)}:
            continue
        between = [_between(case, moved, one.at, other.at) for one, other in pairwise(steps)]
        if all(write is not None for write in between) and between[-1] is not None:
            yield Undone(steps, moved, between[-1])


def _between(case: Case, variables: set[int], begin: int, end: int) -> Write | None:
    """What was written last between two steps, where all of these variables were given content of before them."""
    written = [w for w in case.recording.writes if begin < w.at < end and w.variable in variables]
    writes = [w for w in written if _of_before(case, w, begin)]
    return writes[-1] if variables <= {w.variable for w in writes} else None


def _of_before(case: Case, write: Write, begin: int) -> bool:
    """Whether what is written was there before the step: a norm that is kept at 1, a clamp are computed after it."""
    op = case.recording.ops.get(write.at)
    given = write.given or tuple(v for v in (op.inputs if op is not None else ()) if v != write.before)
    made = [case.made_by.get(v) for v in given]
    return bool(given) and all(one is None or one.at < begin for one in made)
