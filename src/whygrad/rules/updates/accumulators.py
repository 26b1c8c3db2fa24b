"""Variables in which gradients are summed up over several batches, and what became of the sum."""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.events import Backward, Step, Write
from whygrad.rules.case import Case
from whygrad.rules.updates.history import trace

_FAR = 24


@dataclass(slots=True)
class Emptied:
    """Sums of gradients that were overwritten before the step that takes them."""

    write: Write
    filled: Write
    backward: Backward
    step: Step
    variables: set[int]
    times: int = 0


def emptied(case: Case) -> list[Emptied]:
    """Calls that give an optimizer zeros each time, because what held the gradients was emptied just before."""
    writes = {write.after: write for write in case.recording.writes}
    found: dict[tuple[int, int], Emptied] = {}
    spoiled: set[tuple[int, int]] = set()
    for step in case.recording.steps:
        numbers, call = step.gradients, (step.optimizer, step.stack)
        if not step.taken or any(v not in numbers or not numbers[v].all_zero for v in step.applied):
            spoiled.add(call)
            continue
        lost = {v: fate for v, value in step.taken.items() if (fate := _lost(case, writes, value)) is not None}
        if not lost or set(lost) != set(step.applied):
            spoiled.add(call)
            continue
        write, filled, backward = next(iter(lost.values()))
        one = found.setdefault(call, Emptied(write, filled, backward, step, set()))
        one.variables |= set(lost)
        one.times += 1
    return [one for call, one in found.items() if call not in spoiled]


def _lost(case: Case, writes: dict[int, Write], value: int) -> tuple[Write, Write, Backward] | None:
    """The write that emptied a sum of gradients, the write that had added one, and where that came from."""
    last = writes.get(_held(case, value))
    if last is None or trace(case, last.after) or any(trace(case, v) for v in last.given):
        return None
    before = writes.get(last.before)
    if before is None:
        return None
    shares = trace(case, before.after) or next((s for v in before.given if (s := trace(case, v))), ())
    return (last, before, shares[0].backward) if shares else None


def _held(case: Case, value: int) -> int:
    """The content of a variable that a value was read from, scaled or averaged."""
    values = case.recording.values
    todo, seen = [value], {value}
    while todo and len(seen) < _FAR:
        number = todo.pop()
        if number in values and values[number].variable is not None:
            return number
        made = case.made_by.get(number)
        for source in made.inputs if made is not None else ():
            if source not in seen and source in values and values[source].shape == values[number].shape:
                seen.add(source)
                todo.append(source)
    return value
