"""Updates that are undone: after each step the old weights are written back, and each begins where the first did.

`net.load_state_dict(best)` in the loop, where it should stand after it. Or after a few steps, with what was saved just
before them, while nothing looks at what the steps have made: an outer loop that forgets its inner one (Reptile).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from whygrad.flow.events import Step, Write
from whygrad.rules.case import Case

_ROUNDS = 4
_INNER_ROUNDS = 3


@dataclass(slots=True)
class Undone:
    """The steps of one optimizer, the variables that each of them found unchanged, and what wrote the old content."""

    steps: list[Step]
    variables: set[int]
    write: Write
    rounds: int = 0
    """How often several steps in a row were undone together; 0 where each step was undone by itself."""


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


def put_back(case: Case) -> Iterator[Undone]:
    """PyTorch: rounds of several steps, each of which begins where the first did, and ends in what it had saved."""
    if case.recording.framework != "torch":
        return
    steps = [s for s in case.recording.steps if s.error is None and s.applied and s.rate != 0]
    for variables in dict.fromkeys(s.applied for s in steps):
        found = _put_back(case, set(variables), [s for s in steps if s.applied == variables])
        if found is not None:
            yield found


def _put_back(case: Case, variables: set[int], steps: list[Step]) -> Undone | None:
    rounds: list[list[Step]] = [[]]
    restores: list[Write] = []
    for step, after in pairwise(steps):
        rounds[-1].append(step)
        write = _between(case, variables, step.at, after.at, rounds[-1][0].at)
        if write is not None:
            restores.append(write)
            rounds.append([])
    rounds = rounds[: len(restores)]
    if len(rounds) < _INNER_ROUNDS or max(map(len, rounds)) < 2:
        return None
    same = all(len({one[0].weights.get(v) for one in rounds}) == 1 for v in variables)
    learned = all(s.gradients[v].norm > 0 for one in rounds for s in one for v in variables if v in s.gradients)
    begun = [0, *(write.at for write in restores)]
    saved = all(_saved_at(case, write) > begin for write, begin in zip(restores, begun, strict=False))
    unseen = all(_unseen(case, variables, one, write) for one, write in zip(rounds, restores, strict=True))
    every = [s for one in rounds for s in one]
    return Undone(every, variables, restores[-1], len(rounds)) if same and learned and saved and unseen else None


def _saved_at(case: Case, write: Write) -> int:
    """When what is written back was taken aside."""
    op = case.recording.ops.get(write.at)
    made = [case.made_by.get(v) for v in (op.inputs if op is not None else ()) if v != write.before]
    return min((one.at for one in made if one is not None), default=-1)


def _unseen(case: Case, variables: set[int], steps: list[Step], write: Write) -> bool:
    """Whether nothing looks at the new weights before they are gone: no evaluation, no copy, no difference to them."""
    between = [op for at, op in case.recording.ops.items() if steps[-1].at < at < write.at and op.kind != "write"]
    reading = [op for op in between if any(case.content.get(v) in variables for v in op.inputs)]
    taken = {v for op in reading for v in op.outputs}
    used = any(v in taken for op in case.recording.ops.values() for v in op.inputs)
    return not used and all(op.kind == "stop" for op in reading) and not any(op.kind == "enter" for op in between)


def _between(case: Case, variables: set[int], begin: int, end: int, before: int | None = None) -> Write | None:
    """What was written last between two steps, where all of these variables were given content of before them.

    `before`: an earlier step that it has to be older than.
    """
    written = [w for w in case.recording.writes if begin < w.at < end and w.variable in variables]
    writes = [w for w in written if _of_before(case, w, begin if before is None else before)]
    return writes[-1] if variables <= {w.variable for w in writes} else None


def _of_before(case: Case, write: Write, begin: int) -> bool:
    """Whether what is written was there before the step: a norm that is kept at 1, a clamp are computed after it."""
    op = case.recording.ops.get(write.at)
    given = write.given or tuple(v for v in (op.inputs if op is not None else ()) if v != write.before)
    made = [case.made_by.get(v) for v in given]
    return bool(given) and all(one is None or one.at < begin for one in made)
