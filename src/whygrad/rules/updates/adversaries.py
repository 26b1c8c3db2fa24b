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
from whygrad.rules.ownership import within_reach
from whygrad.rules.updates.history import history

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
    losses, applied = _losses(case)
    if len(losses) > _LOSSES:
        return
    for one, other in permutations(losses, 2):
        judge, maker = applied[one] & applied[other], applied[one] - applied[other]
        mine, theirs = losses[one][0], losses[other][0]
        if not maker and judge:
            maker = _forgotten(case, mine, theirs, judge)
        if not judge or not maker:
            continue
        if not _through(case, mine, maker, judge):
            continue
        own = [group[0] for stack, group in losses.items() if applied[stack] and applied[stack] <= judge]
        if _contrasts(case, theirs, maker, judge) or _contrasts_outside(case, theirs, own, maker):
            yield Adversaries(mine, theirs, maker, judge)


def given_away(case: Case) -> Iterator[Adversaries]:
    """Pairs of which the judge's own loss was applied to the maker too: it learns to be told apart.

    Only where one optimizer moves both at once by it; a gradient that is left lying in the maker is another fault.
    """
    losses, applied = _losses(case)
    if len(losses) > _LOSSES:
        return
    told = history(case).applied
    for one, other in permutations(losses, 2):
        maker, judge, mine, theirs = applied[one], applied[other] - applied[one], losses[one][0], losses[other][0]
        if not maker or not judge or not maker <= applied[other]:
            continue
        steps = [{s.optimizer for b in losses[other] for s in told.get((b.at, v), ())} for v in (*maker, *judge)]
        if not set.intersection(*steps) or _contrasts(case, mine, maker, judge):
            continue
        if _through(case, mine, maker, judge) and _contrasts(case, theirs, maker, judge):
            yield Adversaries(mine, theirs, maker, judge)


def exchanged(case: Case) -> Iterator[Adversaries]:
    """Pairs of which the maker's loss was applied to the judge alone, and the judge's own to the maker alone."""
    losses, applied = _losses(case)
    if len(losses) > _LOSSES:
        return
    for one, other in permutations(losses, 2):
        judge, maker, mine, theirs = applied[one], applied[other], losses[one][0], losses[other][0]
        if not judge or not maker or judge & maker or not judge <= theirs.got:
            continue
        told = _through(case, mine, maker, judge) and _contrasts(case, theirs, maker, judge)
        if told and not _contrasts(case, mine, maker, judge):
            yield Adversaries(mine, theirs, maker, judge)


def _losses(case: Case) -> tuple[dict[int, list[Backward]], dict[int, set[int]]]:
    """The passes of each loss, and the variables that they were applied to."""
    told = history(case)
    losses: dict[int, list[Backward]] = {}
    for backward in case.recording.backwards:
        if not backward.implicit and backward.loss is not None and not backward.error and backward.call != "check":
            losses.setdefault(backward.stack, []).append(backward)
    applied = {stack: {v for b in group for v in b.got if (b.at, v) in told.applied} for stack, group in losses.items()}
    return losses, applied


def _forgotten(case: Case, mine: Backward, theirs: Backward, judge: set[int]) -> set[int]:
    """What both losses could train and neither does, where only the other one calls the judge on something else."""
    maker = case.unheld & within_reach(case, mine) & within_reach(case, theirs)
    return maker if maker and not _contrasts(case, mine, maker, judge) else set()


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
    joins = (op for op in case.slice(backward, reach.CERTAIN).ops if _joins_rows(case, op))
    return False in made or any(
        len({bool(_variables(case, backward, v) & maker) for v in op.inputs if _floating(case, v)}) == 2 for op in joins
    )


def _joins_rows(case: Case, op: Op) -> bool:
    """Whether batches are put below one another; what is put beside each row is a condition, and no second batch."""
    values = case.recording.values
    if op.name.lower() not in _JOINS:
        return False
    rows = [values[v].shape[0] for v in op.inputs if _floating(case, v)]
    return not any(v in values and values[v].shape[:1] == (rows[0],) for v in op.outputs) if rows else False


def _contrasts_outside(case: Case, backward: Backward, own: list[Backward], maker: set[int]) -> bool:
    """Keras: the judge is shown what `predict` of the maker gave, and other data in a call of its own."""
    if case.recording.framework != "tensorflow" or not _outside(case, backward) & maker:
        return False
    return any(not _outside(case, other) & maker for other in own)


def _outside(case: Case, backward: Backward) -> set[int]:
    """The variables that a loss was computed from, also by way of NumPy."""
    values = case.recording.values
    part = case.slice(backward, reach.PROVED)
    return {v for n in part.values if n in values and (v := values[n].variable) is not None}


def _calls(case: Case, backward: Backward, variables: set[int]) -> list[Op]:
    """The operations of a loss that put something through a layer of these variables."""
    ops, values = case.slice(backward, reach.CERTAIN).ops, case.recording.values
    return [
        op
        for op in ops
        if op.kind != "write"
        and any(case.content.get(v) in variables for v in op.inputs)
        and any(v in values and values[v].floating and v not in case.content for v in op.inputs)
    ]


def _behind(case: Case, backward: Backward, op: Op) -> set[int]:
    return {v for number in op.inputs if number not in case.content for v in _variables(case, backward, number)}


def _variables(case: Case, backward: Backward, number: int) -> set[int]:
    part = reach.backward_slice(case.recording, number, case.made_by, backward.at, reach.CERTAIN)
    return {case.content[n] for n in (*part.values, number) if n in case.content}


def _floating(case: Case, number: int) -> bool:
    value = case.recording.values.get(number)
    return value is not None and value.floating and len(value.shape) > 1
