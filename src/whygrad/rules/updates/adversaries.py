"""Networks that judge what another makes: a discriminator beside a generator.

Found by structure. The judge's own loss calls it on what the maker made and on something else, and is not applied to
the maker; the maker's loss reaches the maker through the judge. Applied to the judge as well, the second undoes the
first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.dropped_terms import dropped_terms
from whygrad.rules.ownership import within_reach
from whygrad.rules.updates.history import history

_LOSSES = 6
_Place = tuple[int, int | None]
_JOINS = frozenset({"cat", "concat", "concatenate", "concatv2", "concat_v2", "vstack"})


@dataclass(slots=True)
class Adversaries:
    """The maker's loss, the judge's own, and the variables of both networks that the maker's loss was applied to."""

    makers: Backward
    judges: Backward
    maker: set[int]
    judge: set[int]


@dataclass(slots=True)
class Misasked:
    """A request for one network's gradient that is made of the other network's loss, and its own loss, unused."""

    backward: Backward
    own: Op
    moved: set[int]
    meant: set[int]
    kind: Literal["made", "judges", "beside"]
    """Of the network that is moved: it makes what the other judges, judges what the other makes, or neither."""


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
        own = [group[0] for third, group in losses.items() if applied[third] and applied[third] <= judge]
        told = _contrasts(case, theirs, maker, judge) or _contrasts_outside(case, theirs, own, maker)
        if not told and _steps_both(case, losses[one], maker, judge):
            told = _contrasts_apart(case, theirs, own, maker, judge)
        if told:
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


def asked_of_one(case: Case) -> Iterator[Misasked]:
    """Pairs of which one loss is asked for both networks, in two requests, while the other's loss is used by nothing.

    The loss that shows the judge something else beside what the maker made is the judge's; the other is the maker's.
    Where neither judges (the two generators of a cycle), a loss belongs to the network that it calls more often.
    """
    losses, applied = _losses(case)
    if len(losses) > _LOSSES:
        return
    for one, other in permutations(losses, 2):
        maker, judge, mine, theirs = applied[one], applied[other], losses[one][0], losses[other][0]
        if mine.loss != theirs.loss or not maker or not judge or maker & judge:
            continue
        part, judges = case.slice(mine, reach.CERTAIN), _contrasts(case, mine, maker, judge)
        through = _through(case, mine, maker, judge)
        terms = dropped_terms(case.recording, part, maker if judges or not through else judge, mine)
        for term in {op.at: op for op in terms.values()}.values():
            own = reach.backward_slice(case.recording, term.outputs[0], case.made_by, mine.at, reach.CERTAIN)
            shown = through and any(_behind(case, mine.at, op) & maker for op in calls_within(case, own, judge))
            if shown and contrast_within(case, own, mine.at, maker, judge) != judges:
                moved, meant = (maker, judge) if judges else (judge, maker)
                yield Misasked(mine if judges else theirs, term, moved, meant, "made" if judges else "judges")
                break
            elif _rather(case, part, own, judge, maker):
                yield Misasked(mine, term, maker, judge, "beside")
                break


def _rather(case: Case, part: reach.Slice, own: reach.Slice, meant: set[int], moved: set[int]) -> bool:
    """Whether the one loss calls the one network more often than the other loss does, and the other the other."""
    theirs = len(calls_within(case, part, meant)) > len(calls_within(case, own, meant)) > 0
    return theirs and len(calls_within(case, own, moved)) > len(calls_within(case, part, moved)) > 0


def _losses(case: Case) -> tuple[dict[_Place, list[Backward]], dict[_Place, set[int]]]:
    """The passes of each loss, and the variables that they were applied to."""
    told = history(case)
    losses: dict[_Place, list[Backward]] = {}
    for backward in case.recording.backwards:
        if not backward.implicit and backward.loss is not None and not backward.error and backward.call != "check":
            losses.setdefault(case.place(backward), []).append(backward)
    applied = {one: {v for b in group for v in b.got if (b.at, v) in told.applied} for one, group in losses.items()}
    return losses, applied


def _forgotten(case: Case, mine: Backward, theirs: Backward, judge: set[int]) -> set[int]:
    """What both losses could train and neither does, where only the other one calls the judge on something else."""
    maker = case.unheld & within_reach(case, mine) & within_reach(case, theirs)
    return maker if maker and not _contrasts(case, mine, maker, judge) else set()


def _through(case: Case, backward: Backward, maker: set[int], judge: set[int]) -> bool:
    """Whether the judge is computed from the maker, and not the other way round: a shared encoder comes first."""
    return made_through(case, case.slice(backward, reach.CERTAIN), backward.at, maker, judge)


def made_through(case: Case, part: reach.Slice, until: int, maker: set[int], judge: set[int]) -> bool:
    """The same of a part of a loss."""
    return any(_behind(case, until, op) & maker for op in calls_within(case, part, judge)) and not any(
        _behind(case, until, op) & judge for op in calls_within(case, part, maker)
    )


def _contrasts(case: Case, backward: Backward, maker: set[int], judge: set[int]) -> bool:
    """Whether a loss calls the judge on what the maker made and on something else, apart or joined to one batch."""
    return contrast_within(case, case.slice(backward, reach.CERTAIN), backward.at, maker, judge)


def contrast_within(case: Case, part: reach.Slice, until: int, maker: set[int], judge: set[int]) -> bool:
    """The same of a part of a loss."""
    calls = [op for op in calls_within(case, part, judge) if not _behind(case, until, op) & judge]
    made = [bool(_behind(case, until, op) & maker) for op in calls]
    if True not in made:
        return False
    joins = (op for op in part.ops if _joins_rows(case, op))
    return False in made or any(
        len({bool(_variables(case, until, v) & maker) for v in op.inputs if _floating(case, v)}) == 2 for op in joins
    )


def _steps_both(case: Case, passes: list[Backward], maker: set[int], judge: set[int]) -> bool:
    """Whether one optimizer applies a loss to both networks; else the optimizers may have been swapped."""
    told = history(case).applied
    steps = [step for one in passes for v in judge for step in told.get((one.at, v), ())]
    return any((step.applied | case.recording.optimizers[step.optimizer].holds) & maker for step in steps)


def _contrasts_apart(case: Case, backward: Backward, own: list[Backward], maker: set[int], judge: set[int]) -> bool:
    """Whether the judge has a pass of its own for what the maker made, and another one for something else."""

    def made(one: Backward) -> list[bool]:
        behind = [_behind(case, one.at, op) for op in calls_within(case, case.slice(one, reach.CERTAIN), judge)]
        return [bool(variables & maker) for variables in behind if not variables & judge]

    return True in made(backward) and any(given and True not in given for one in own if (given := made(one)))


def _joins_rows(case: Case, op: Op) -> bool:
    """Whether batches are put below one another; what is put beside each row is a condition, and no second batch."""
    values = case.recording.values
    if op.name.lower() not in _JOINS:
        return False
    rows = [values[v].shape[0] for v in op.inputs if _floating(case, v)]
    return not any(v in values and values[v].shape[:1] == (rows[0],) for v in op.outputs) if rows else False


def _contrasts_outside(case: Case, backward: Backward, own: list[Backward], maker: set[int]) -> bool:
    """The judge is shown what the maker gave by way of NumPy: joined there to other data, or those in their own call.

    The second is how Keras is used: a call of `train_on_batch` for what `predict` gave, one for the rest.
    """
    if case.recording.framework != "tensorflow" or not _outside(case, backward) & maker:
        return _joined_outside(case, backward, maker)
    return any(not _outside(case, other) & maker for other in own) or _joined_outside(case, backward, maker)


def _joined_outside(case: Case, backward: Backward, maker: set[int]) -> bool:
    """Whether what the maker gave came back from NumPy with more rows: other data were put below or above it."""
    recording = case.recording
    within = {op.at for op in case.slice(backward, reach.SUGGESTED).ops}
    for link in recording.handovers:
        if link.entered not in within or not within.issuperset((link.left,)):
            continue
        gone, back = recording.ops[link.left], recording.ops[link.entered]
        rows = {_rows(case, v) for v in gone.inputs if _variables(case, link.entered, v) & maker}
        if rows and max(rows) > 1 and any(_rows(case, v) > max(rows) for v in back.outputs if _floating(case, v)):
            return True
    return False


def _rows(case: Case, number: int) -> int:
    value = case.recording.values.get(number)
    return (value.shape[0] or 0) if value is not None and len(value.shape) > 1 else 0


def _outside(case: Case, backward: Backward) -> set[int]:
    """The variables that a loss was computed from, also by way of NumPy."""
    values = case.recording.values
    part = case.slice(backward, reach.PROVED)
    return {v for n in part.values if n in values and (v := values[n].variable) is not None}


def calls_within(case: Case, part: reach.Slice, variables: set[int]) -> list[Op]:
    """The operations of a loss that put something through a layer of these variables."""
    values = case.recording.values
    return [
        op
        for op in part.ops
        if op.kind != "write"
        and any(case.content.get(v) in variables for v in op.inputs)
        and any(v in values and values[v].floating and v not in case.content for v in op.inputs)
    ]


def _behind(case: Case, until: int, op: Op) -> set[int]:
    return {v for number in op.inputs if number not in case.content for v in _variables(case, until, number)}


def _variables(case: Case, until: int, number: int) -> set[int]:
    part = reach.backward_slice(case.recording, number, case.made_by, until, reach.CERTAIN)
    return {case.content[n] for n in (*part.values, number) if n in case.content}


def _floating(case: Case, number: int) -> bool:
    value = case.recording.values.get(number)
    return value is not None and value.floating and len(value.shape) > 1
