"""Keeping a long recording small: what nothing can depend on any more is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from whygrad.flow.recording import Recording


def prune(
    recording: Recording,
    alive: set[int],
    keep_recent: int,
    counts: Callable[[int], bool],
    returned: Mapping[int, list[int]],
) -> None:
    """Drop operations that led to no tensor still alive.

    A rollout of a million steps before the first update leaves nothing behind but what the replay buffer or the
    stored log-probabilities still hold. The most recent operations stay whatever they led to, because data may have
    left the framework there and be on its way back. What `counts` (the first updates, once they are over) stays whole,
    and so does a way out that is known to have led back in (`returned`: by the entry, where it left).
    """
    ops = recording.ops
    ats = sorted(ops)
    oldest_kept = ats[-keep_recent] if len(ats) > keep_recent else 0
    needed = set(alive)
    needed.update(v.id for v in recording.values.values() if v.variable is not None)
    needed.update(b.loss for b in recording.backwards if b.loss is not None)
    keep, left = set[int](), set[int]()
    for at in reversed(ats):
        op = ops[at]
        if at >= oldest_kept or at in left or counts(at) or any(value in needed for value in op.outputs):
            keep.add(at)
            needed.update(op.inputs)
            needed.update(op.outputs)
            left.update(returned.get(at, ()))
    recording.ops = {at: ops[at] for at in ats if at in keep}
    recording.values = {number: value for number, value in recording.values.items() if number in needed}
    recording.writes = [w for w in recording.writes if w.at in keep]
