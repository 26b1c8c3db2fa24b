"""JAX: what gradients are asked of beside the training, with nothing to train: points of an equation, a drawn input."""

from __future__ import annotations

from collections import Counter

from whygrad.rules.case import Case

_ROUNDS = 3


def asked_aside(case: Case) -> set[int]:
    """What only a gradient inside a loss asks for, and what a single gradient was asked of in several updates."""
    return _inputs_of_derivatives(case) | _looked_at_once(case)


def _inputs_of_derivatives(case: Case) -> set[int]:
    """What only a gradient inside a loss asks for: points of an equation, the input of a penalty."""
    backwards = case.recording.backwards
    inside = {v for b in backwards if b.implicit for v in b.wanted}
    return inside - {v for b in backwards if not b.implicit for v in b.wanted}


def _looked_at_once(case: Case) -> set[int]:
    """What a single gradient was asked of in a training of several updates: a map of what a picture is seen by."""
    if len(case.recording.steps) < _ROUNDS:
        return set()
    times = Counter(v for b in case.recording.backwards if not b.implicit for v in b.wanted)
    return {v for v, number in times.items() if number == 1}
