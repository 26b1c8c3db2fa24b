"""Networks that judge what another makes: a discriminator beside a generator.

Found by structure. The judge's own loss calls it on what the maker made and on something else, and is not applied to
the maker; the maker's loss reaches the maker through the judge. Applied to the judge as well, the second undoes the
first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from whygrad.flow import reach
from whygrad.flow.recording import Backward, Op
from whygrad.rules.case import Case
from whygrad.rules.history import history

_LOSSES = 6
_JOINS = frozenset({"cat", "concat", "concatenate", "concatv2", "concat_v2", "vstack"})


@dataclass(slots=True)
class Adversaries:
    """The maker's loss, the judge's own, and the variables of both networks that the maker's loss was applied to."""

    makers: Backward
    judges: Backward
    maker: set[int]
    judge: set[int]


def adversaries(case: Case) -> Iterator[Adversaries]:
    """Pairs of losses of which the first trains the maker and was applied to the judge too."""
    told = history(case)
    losses: dict[int, list[Backward]] = {}
    for backward in case.recording.backwards:
        if not backward.implicit and backward.loss is not None and not backward.error and backward.call != "check":
            losses.setdefault(backward.stack, []).append(backward)
    applied = {stack: {v for b in group for v in b.got if (b.at, v) in told.applied} for stack, group in losses.items()}
    if len(losses) > _LOSSES:
        return
    for one, other in permutations(losses, 2):
        judge, maker = applied[one] & applied[other], applied[one] - applied[other]
        if not judge or not maker:
            continue
        mine, theirs = losses[one][0], losses[other][0]
        if _through(case, mine, maker, judge) and _contrasts(case, theirs, maker, judge):
            yield Adversaries(mine, theirs, maker, judge)


def _through(case: Case, backward: Backward, maker: set[int], judge: set[int]) -> bool:
    """Whether the judge is computed from the maker, and not the other way round: a shared encoder comes first."""
    return any(_behind(case, backward, op) & maker for op in _calls(case, backward, judge)) and not any(
        _behind(case, backward, op) & judge for op in _calls(case, backward, maker)
    )


def _contrasts(case: Case, backward: Backward, maker: set[int], judge: set[int]) -> bool:
    """Whether a loss calls the judge on what the maker made and on something else, apart or joined to one batch."""
    calls = [op for op in _calls(case, backward, judge) if not _behind(case, backward, op) & judge]
    made = [bool(_behind(case, backward, op) & maker) for op in calls]
    if True not in made:
        return False
    joins = (op for op in case.slice(backward, reach.CERTAIN).ops if op.name.lower() in _JOINS)
    return False in made or any(
        len({bool(_variables(case, backward, v) & maker) for v in op.inputs if _floating(case, v)}) == 2 for op in joins
    )


def _calls(case: Case, backward: Backward, variables: set[int]) -> list[Op]:
    """The operations of a loss that put something through a layer of these variables."""
    ops = case.slice(backward, reach.CERTAIN).ops
    return [
        op
        for op in ops
        if op.kind != "write" and len(op.inputs) > 1 and any(case.content.get(v) in variables for v in op.inputs)
    ]


def _behind(case: Case, backward: Backward, op: Op) -> set[int]:
    return {v for number in op.inputs if number not in case.content for v in _variables(case, backward, number)}


def _variables(case: Case, backward: Backward, number: int) -> set[int]:
    part = reach.backward_slice(case.recording, number, case.made_by, backward.at, reach.CERTAIN)
    return {case.content[n] for n in (*part.values, number) if n in case.content}


def _floating(case: Case, number: int) -> bool:
    value = case.recording.values.get(number)
    return value is not None and value.floating and len(value.shape) > 1
