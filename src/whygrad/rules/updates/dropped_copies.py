"""Copies of a network that are trained and then dropped, while the network itself keeps its first values.

Federated clients whose weights nobody loads back, a worker that trains its own copy. A restart on purpose (k-fold, a
search over learning rates) looks the same from outside: there the trained copy is evaluated, saved or handed on, or
the runs differ. So a copy counts as dropped only where all operations after its last step were seen and none uses it.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.events import Step
from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import CONTRACTS
from whygrad.rules.targets.twins import target_networks

_PASSING = frozenset({"detach", "data.__get__", "clone", "copy_", "view", "contiguous", "to", "cpu", "read_value"})


@dataclass(slots=True)
class Run:
    """One training of a copy: from when it was given the values of the original, by which steps, until when."""

    start: int
    end: int
    members: frozenset[int]
    steps: list[Step]


@dataclass(slots=True)
class DroppedCopies:
    """Trained copies of `base`, none of which is used."""

    base: set[int]
    runs: list[Run]
    last: Op | None
    """What was computed from them last, where that was dropped in its turn (an average that nobody loads)."""


def dropped_copies(case: Case) -> DroppedCopies | None:
    """Copies of an untrained network that are trained again and again, and whose new values go nowhere."""
    recording = case.recording
    if recording.framework == "jax" or recording.cut_short:
        return None
    moved = {v for s in recording.steps for v in s.applied} | recording.moved_later
    moved |= {w.variable for w in recording.writes if w.variable is not None} | {c.target for c in recording.copies}
    sources = {c.source for c in recording.copies if c.share == 1.0 and c.source not in moved}
    for source in sorted(sources):
        runs = _runs(recording, source)
        if len(runs) < 2:
            continue
        base = {v.id for v in recording.variables.values() if v.network == case.variable(source).network} & sources
        if any(base <= twin.members for twin in target_networks(case)):
            return None  # a target that is copied into the trained network, rather than the other way round: W503
        ends = [_what_becomes(case, run) for run in runs]
        if any(end is None for end in ends):
            return None
        last = next((op for op in ends if isinstance(op, Op)), None)
        if last is not None or _goes_on_with(case, base, runs) or _repeats(runs) or _reset_each_time(runs):
            return DroppedCopies(base, runs, last)
        return None
    return None


def _runs(recording: Recording, source: int) -> list[Run]:
    """The trainings that began with the content of one variable, as far as all of it was seen."""
    copies = [c for c in recording.copies if c.source == source and c.share == 1.0]
    found = []
    for copy in copies:
        again = [c.at for c in recording.copies if c.target == copy.target and c.at > copy.at]
        end = min(again, default=max(recording.ops, default=0) + 1)
        steps = [s for s in recording.steps if copy.at < s.at < end and copy.target in s.applied]
        if not steps:
            continue
        members = frozenset(v for s in steps for v in s.applied)
        if any(first < end and last > copy.at for first, last in recording.blind):
            continue
        found.append(Run(copy.at, end, members, steps))
    return found


def _what_becomes(case: Case, run: Run) -> Op | bool | None:
    """After the last step: False where nothing reads the copy, the last result where that is dropped; None if used."""
    recording = case.recording
    content = {v.id for v in recording.values.values() if v.variable in run.members}
    shapes = {case.variable(v).shape for v in run.members}
    follow: dict[int, Op] = {}
    read = None
    losses = {b.loss for b in recording.backwards}
    for op in recording.ops.values():
        reads = run.steps[-1].at < op.at < run.end and any(v in content for v in op.inputs)
        if not reads and not any(v in follow for v in op.inputs):
            continue
        if op.kind in ("leave", "write") or op.name in CONTRACTS or any(v in losses for v in op.outputs):
            return None  # kept, or run: what a program prints of that is not seen
        follow.update(dict.fromkeys(op.outputs, op))
        read = op
    if read is None:
        return False
    computed = [op for op in follow.values() if op.name not in _PASSING]
    last = max(computed, key=lambda op: op.at, default=None)
    weights = last is not None and recording.values[last.outputs[0]].shape in shapes
    return last if weights else None


def _goes_on_with(case: Case, base: set[int], runs: list[Run]) -> bool:
    """Whether the original itself is run after a training, other than for a loss: it is what the program counts on."""
    recording = case.recording
    since = min(run.steps[-1].at for run in runs)
    content = {v.id for v in recording.values.values() if v.variable in base}
    for op in recording.ops.values():
        if op.at > since and op.kind == "compute" and op.name not in _PASSING and any(v in content for v in op.inputs):
            return not any(op.at in {one.at for one in case.slice(b).ops} for b in recording.backwards if b.at > op.at)
    return False


def _repeats(runs: list[Run]) -> bool:
    """Whether one training is another one over again, gradient by gradient."""
    seen = set()
    for run in runs:
        told = tuple((step.rate, *(n.norm for n in step.gradients.values())) for step in run.steps)
        if told in seen and any(norm for step in told for norm in step[1:]):
            return True
        seen.add(told)
    return False


def _reset_each_time(runs: list[Run]) -> bool:
    """Whether a copy is given the old values again after every single step."""
    members = {run.members for run in runs}
    return len(runs) > 2 * len(members) and all(len(run.steps) == 1 for run in runs)
