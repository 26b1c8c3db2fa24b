"""Looking on after the first updates, for numbers that go wrong later: the last few updates are kept, the rest goes.

What the other rules see stays what the first updates showed (`Recording`); what came after lies beside it
(`Recording.late`). A gradient that is not finite ends it at once, so that the update in which it happened is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from whygrad.flow.events import Backward, Step
from whygrad.flow.operations import Numbers, Op, Value
from whygrad.flow.recording import Recording
from whygrad.flow.variables import Optimizer
from whygrad.trace.session import Session

_OPERATIONS = 150_000
_PRUNE_EVERY = 8
_KEPT_STEPS = 2
_LYING = 256
_LEADING = 20_000
"""How many operations before a gradient may have led to it, where no tape says when its forward pass began."""


class Ring:
    """The part of a recording that moves with the program. `alive` says which values the program still holds.

    `endless`: in JAX an optimizer's state is computed from the one before, back to the first update. There what is
    older than the last updates is kept one operation deep.
    """

    def __init__(
        self, session: Session, recording: Recording, alive: Callable[[], set[int]], endless: bool = False
    ) -> None:
        self.endless = endless
        self.session = session
        self.recording = recording
        self.alive = alive
        self.running = False
        self._ended = False
        self._windows: list[tuple[int, int]] = []
        self._opened: int | None = 0
        self._steps = 0
        self._ran = False
        self._variables: set[int] = set()
        self._hand_updated: set[int] = set()
        self._stacks: set[int] = set()
        self._lying: set[int] = set()

    def begin(self) -> bool:
        """The first updates have been seen; whether to look on."""
        self._close()
        allowed = self._steps < self.session.ring and not self._ended
        self.running = allowed and not _went_wrong(self.recording)
        self._ran = self._ran or self.running
        return self.running

    def reopen(self, since: int | None = None) -> None:
        """Everything counts (again): an optimizer has appeared that was never seen, or a step was refused."""
        self.running = self._ended = False
        self._opened = self.session.now() if since is None else since

    def end(self) -> None:
        """Nothing is looked at any more."""
        self._close()
        self.running, self._ended = False, True

    def _close(self) -> None:
        if self._opened is not None:
            self._windows.append((self._opened, self.session.now()))
            self._opened = None
            self._variables = set(self.recording.variables)
            self._hand_updated = set(self.recording.hand_updated)
            self._stacks = {op.stack for op in self.recording.ops.values()}

    def stepped(self) -> bool:
        """An update went by; whether it was the last to look at."""
        self._steps += 1
        recording = self.recording
        if _went_wrong(recording):
            return True
        if self._steps % _PRUNE_EVERY == 0:
            self._prune()
        return self._steps >= self.session.ring or self.full()

    def full(self) -> bool:
        """Whether so many operations went by that looking on costs more than it tells."""
        return self.session.now() - self._windows[-1][1] > _OPERATIONS

    def counts_now(self) -> bool:
        """Whether what happens now is part of what every rule sees."""
        return self._opened is not None

    # --- keeping it small -------------------------------------------------------------------------------------

    def _prune(self) -> None:
        """Forget the operations between the first updates and the last ones, and what only they led to."""
        recording = self.recording
        kept = _KEPT_STEPS * max(1, len(recording.optimizers)) + 1
        if len(recording.steps) <= kept:
            return
        recent = recording.steps[-kept].at
        alive = self.alive()
        needed = {v for v in alive if v in recording.values}
        losses = {b.loss for b in recording.backwards if b.loss is not None}
        beside: set[int] = set()
        keep: set[int] = set()
        self._lying.update(self._left_lying(recent, alive | losses))
        for at in reversed(recording.ops):
            op = recording.ops[at]
            wanted = at >= recent or at in self._lying or self._counts(at)
            if wanted or any(value in needed for value in op.outputs):
                keep.add(at)
                (needed if wanted or not self.endless else beside).update((*op.inputs, *op.outputs))
        needed |= beside
        recording.ops = {at: op for at, op in recording.ops.items() if at in keep}
        recording.values = {
            number: value
            for number, value in recording.values.items()
            if number in needed or number in losses or value.variable is not None
        }
        recording.writes = [w for w in recording.writes if w.at in keep]
        for step in recording.steps[:-kept]:
            if step.weights and not self._counts(step.at):
                step.weights = {}
        for backward in recording.backwards:
            if backward.at < recent and backward.gradients and not self._counts(backward.at):
                backward.gradients = {}

    def _left_lying(self, recent: int, used: set[int]) -> list[int]:
        """What lines that the first updates did not reach computed for nobody: an average that no target was given."""
        recording = self.recording
        used = used.union(*(op.inputs for op in recording.ops.values()), *(w.given for w in recording.writes))
        lying = [
            at
            for at, op in recording.ops.items()
            if at < recent and op.outputs and op.stack not in self._stacks and used.isdisjoint(op.outputs)
        ]
        return lying[: max(0, _LYING - len(self._lying))]

    def is_over(self, at: int) -> bool:
        """Whether something belongs to first updates that have been seen to their end."""
        return any(first <= at < last for first, last in self._windows)

    def stays(self) -> Callable[[int], bool]:
        """What is kept whole when much else is forgotten.

        First updates that are over; of those that go on, what led to the first gradient that each line asked for.
        """
        spans, opened = list(self._windows), self._opened
        asked: set[int] = set()
        for backward in self.recording.backwards:
            if opened is not None and backward.at >= opened and backward.stack not in asked:
                asked.add(backward.stack)
                tape = self.recording.tapes.get(backward.tape) if backward.tape is not None else None
                spans.append((tape.opened if tape is not None else backward.at - _LEADING, backward.at + 1))
        return lambda at: any(first <= at < last for first, last in spans)

    def _counts(self, at: int) -> bool:
        return (self._opened is not None and at >= self._opened) or self.is_over(at)

    # --- at the end -------------------------------------------------------------------------------------------

    def split(self, apart: Callable[[Backward], object] | None = None) -> Recording:
        """The recording of the first updates, with all that was seen beside it.

        `apart` says where a gradient was asked for. A later window that shares no such place with those before it is a
        phase of its own (`Recording.then`).
        """
        whole = self.recording
        edges = [edge for window in self._windows for edge in window][1:]
        edges.append(self._opened if self._opened is not None else self.session.now())
        whole.blind = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False) if b > a]
        if not self._ran:
            return whole
        if self._opened is not None:
            self._variables, self._hand_updated = set(whole.variables), whole.hand_updated
            self._windows.append((self._opened, self.session.now()))
            self._opened = None
        groups = _phases(whole, self._windows, apart)
        if len(groups) == 1:
            return replace(self._part(groups[0], self._variables), late=whole)
        parts = [self._part(group, None) for group in groups]
        for part, group in zip(parts, groups, strict=True):
            part.earlier = sum(1 for step in whole.steps if step.at < group[0][0])
            part.begun = [b for b in whole.begun if _nearest(b.at, groups) is group]
        return replace(parts[0], late=whole, then=parts[1:])

    def _part(self, windows: list[tuple[int, int]], known: set[int] | None) -> Recording:
        """What happened in some windows. `known` are their variables; None: those that have a part in it."""

        def counts(at: int) -> bool:
            return any(first <= at < last for first, last in windows)

        whole = self.recording
        ops = _ops(whole, counts)
        stacks = {op.stack for at, op in ops.items() if counts(at)}
        backwards = [b for b in whole.backwards if counts(b.at)]
        steps = [s for s in whole.steps if counts(s.at)]
        if known is None:
            used = {v for op in ops.values() for v in (*op.inputs, *op.outputs)}
            known = {v for n in used if n in whole.values and (v := whole.values[n].variable) is not None}
            known |= {v for b in backwards for v in b.wanted} | {v for s in steps for v in s.applied | s.without}
        only_elsewhere = {s.optimizer for s in whole.steps} - {s.optimizer for s in steps}
        return replace(
            whole,
            ops=ops,
            values=_values(whole, ops.values(), {b.loss for b in backwards}, known),
            variables={n: v for n, v in whole.variables.items() if n in known},
            optimizers={n: _holding(o, known) for n, o in whole.optimizers.items() if n not in only_elsewhere},
            backwards=backwards,
            steps=steps,
            clears=[c for c in whole.clears if counts(c.at)],
            edits=[e for e in whole.edits if counts(e.at)],
            copies=[c for c in whole.copies if c.source in known and c.target in known],
            writes=[w for w in whole.writes if counts(w.at)],
            handovers=[h for h in whole.handovers if h.left in ops and h.entered in ops],
            failures=[f for f in whole.failures if counts(f.at)],
            asked=[a for a in whole.asked if counts(a.at)],
            astray=[s for s in whole.astray if counts(s.at)],
            unmoved={v: stack for v, stack in whole.unmoved.items() if v in known and stack in stacks},
            spare=[tree for tree in whole.spare if tree.originals <= known],
            hand_updated=self._hand_updated,
            updates=len(steps) + whole.updates - len(whole.steps),
            then=[],
        )


def _phases(
    whole: Recording, windows: list[tuple[int, int]], apart: Callable[[Backward], object] | None
) -> list[list[tuple[int, int]]]:
    """The windows, those together that ask for gradients at a common place."""
    groups: list[tuple[set[object], list[tuple[int, int]]]] = []
    for window in windows:
        asks = {apart(b) for b in whole.backwards if window[0] <= b.at < window[1]} if apart is not None else set()
        if groups and (not asks or asks & groups[-1][0] or not groups[-1][0]):
            groups[-1][0].update(asks)
            groups[-1][1].append(window)
        else:
            groups.append((asks, [window]))
    return [group for _, group in groups]


def _nearest(at: int, groups: list[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """The phase that a moment belongs to, or the one that follows on it."""
    return next((group for group in groups if at < group[-1][1]), groups[-1])


def _ops(whole: Recording, counts: Callable[[int], bool]) -> dict[int, Op]:
    """Operations that count, and what they were computed from."""
    keep: set[int] = set()
    needed: set[int] = set()
    for at in reversed(whole.ops):
        op = whole.ops[at]
        if counts(at) or any(value in needed for value in op.outputs):
            keep.add(at)
            needed.update(op.inputs)
    return {at: op for at, op in whole.ops.items() if at in keep}


def _holding(optimizer: Optimizer, known: set[int]) -> Optimizer:
    """An optimizer as it was when only these variables were there."""
    return replace(optimizer, holds=optimizer.holds & known, groups=[g & known for g in optimizer.groups])


def _values(whole: Recording, ops: Iterable[Op], losses: set[int | None], known: set[int]) -> dict[int, Value]:
    """Values of these operations."""
    needed: set[int] = set()
    for op in ops:
        needed.update(op.inputs)
        needed.update(op.outputs)
    return {n: v for n, v in whole.values.items() if n in needed or n in losses or v.variable in known}


def _went_wrong(recording: Recording) -> bool:
    """Whether the last update met something that is not finite."""
    step: Step | None = recording.steps[-1] if recording.steps else None
    if step is not None and not (_finite(step.gradients) and _finite(step.weights)):
        return True
    loss = recording.backwards[-1].loss if recording.backwards else None
    value = recording.values.get(loss) if loss is not None else None
    return value is not None and value.numbers is not None and not value.numbers.finite


def _finite(numbers: dict[int, Numbers]) -> bool:
    return all(one.finite and math.isfinite(one.norm) for one in numbers.values())
