"""JAX: gradients that are asked for in every round and dropped, in a program that never updates anything with them."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.events import Backward
from whygrad.flow.variables import Begun
from whygrad.rules.case import Case

_APPLIES = re.compile(r"\bapply_updates\(|\bapply_gradients\(")


@dataclass(slots=True)
class NeverApplied:
    """An optimizer's state that was made for these variables, and a request whose gradients nothing is made of."""

    begun: Begun
    backward: Backward
    variables: set[int]
    rounds: int


def never_applied(case: Case) -> Iterator[NeverApplied]:
    """Requests of one line that ask for the gradient of the same content again and again.

    That a state was made for it tells training from looking at a gradient. An update that stands in the source and did
    not run may be waiting for a round that this run did not reach.
    """
    recording = case.recording
    if recording.framework != "jax" or recording.cut_short or recording.failed or update_waits(case):
        return
    moved = {v for step in (*recording.steps, *recording.astray) for v in (*step.applied, *step.without)}
    moved |= recording.moved_later | recording.unmoved.keys()
    asked: dict[int, list[Backward]] = {}
    for backward in recording.backwards:
        if backward.got - moved and not backward.implicit and backward.error is None:
            asked.setdefault(backward.stack, []).append(backward)
    for rounds in asked.values():
        first = rounds[0]
        variables = set(first.got) - moved
        same = [b for b in rounds if all(b.read.get(v) == first.read[v] for v in variables)]
        begun = next((one for one in recording.begun if _for(case, one, first)), None)
        if len(same) > 1 and begun is not None and not any(made_of(case, b) for b in rounds):
            yield NeverApplied(begun, first, variables, len(rounds))


def _for(case: Case, begun: Begun, backward: Backward) -> bool:
    values = case.recording.values
    owners = {values[v].variable for v in begun.values if v in values}
    return bool(begun.values & set(backward.read.values())) or bool(owners & set(backward.got))


def made_of(case: Case, backward: Backward) -> bool:
    """Whether something larger than a number for a log is made of gradients."""
    values, todo = case.recording.values, list(backward.given.values())
    users: dict[int, list[tuple[int, ...]]] = {}
    for op in case.recording.ops.values():
        if op.at > backward.at:
            for number in op.inputs:
                users.setdefault(number, []).append(op.outputs)
    seen = set(todo)
    while todo:
        number = todo.pop()
        after = [n for outputs in users.get(number, ()) for n in outputs]
        if not after and number not in backward.given.values() and number in values and values[number].shape:
            return True
        fresh = [n for n in after if n not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return False


def update_waits(case: Case) -> bool:
    """Whether the program has a line that would apply an update, and that did not run."""
    ran = {(site.file, site.line) for step in case.recording.steps for site in case.stack(step.stack)}
    files = {site.file for stack in case.recording.stacks for site in stack if site.own}
    lines = ((file, at, text) for file in files for at, text in enumerate(linecache.getlines(file), 1))
    return any(_APPLIES.search(text.partition("#")[0]) and (file, at) not in ran for file, at, text in lines)
