"""Samples that go into a trained layer: a latent drawn without its gradient, told apart from an action of a rollout."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import CONTRACTS, Objective


def first_decoded(case: Case, objective: Objective, sources: list[Op]) -> tuple[Op, Op] | None:
    """The first continuous sample that goes into a trained layer, which nothing takes the log-probability of; and both.

    All samples are followed at once, each by a bit: a rollout draws thousands.
    """
    follow: dict[int, int] = {}
    for number, source in enumerate(sources):
        if _is_continuous(case, source):
            follow.update(dict.fromkeys(source.outputs, 1 << number))
    layers: dict[int, Op] = {}
    scored = 0
    for op in objective.part.ops if follow else ():
        arriving = 0
        for value in op.inputs:
            arriving |= follow.get(value, 0)
        if not arriving:
            continue
        if op.name in CONTRACTS:
            if any(value in objective.reached for value in op.outputs):
                decoded = 0
                for value in op.inputs:
                    if value in case.content and objective.read[value] & objective.trained:
                        decoded |= arriving & ~follow.get(value, 0)
                for bit in _bits(decoded):
                    layers.setdefault(bit, op)
            continue
        for value in op.inputs:
            if objective.live.get(value, 0) & objective.trained:
                scored |= arriving & ~follow.get(value, 0)  # its distance from the mean, or a weight: a score function
        for value in op.outputs:
            follow[value] = follow.get(value, 0) | arriving
    found = min((bit for bit in layers if not scored >> bit & 1), default=None)
    return None if found is None else (sources[found], layers[found])


def _is_continuous(case: Case, source: Op) -> bool:
    switch = case.recording.switches.get(source.switch) if source.switch is not None else None
    normal = source.name == "normal" or (switch is not None and switch.inside == "Normal.sample")
    return normal and all(case.recording.values[v].floating for v in source.outputs)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
