"""Variables that a loss should train and does not: which they are, and where their gradient stops."""

from __future__ import annotations

import math
from bisect import bisect, bisect_left
from collections import Counter
from dataclasses import dataclass, field

from whygrad.flow import reach
from whygrad.flow.events import Backward, Clear, Step
from whygrad.flow.operations import Op
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.called_in_vain import without_older_data
from whygrad.rules.cuts.dropped_terms import dropped_terms
from whygrad.rules.cuts.intent import (
    advantages,
    feeds_copy,
    is_compared,
    is_straight_through,
    is_target,
    without_targets,
)
from whygrad.rules.cuts.logged_means import is_logged, is_logged_mean
from whygrad.rules.cuts.never_begun import never_begun
from whygrad.rules.cuts.rebound import rebound_under_no_grad
from whygrad.rules.cuts.second_slopes import without_slope
from whygrad.rules.cuts.selections import chooses_for_target, one_of_compared, without_selections
from whygrad.rules.targets.averages import averaged_with


@dataclass(slots=True)
class Missing:
    """Variables that one loss should train and does not, with the places where their gradient stops."""

    backward: Backward
    variables: frozenset[int]
    cuts: list[reach.Cut]
    part: reach.Slice
    """The data flow in which the cuts were found."""
    update: int = 1
    """The first update in which they were missing."""
    seen: int = 1
    unreached: frozenset[int] = field(default_factory=frozenset)
    """Those that the loss is not computed from at all."""
    dropped: dict[int, Op] = field(default_factory=dict)
    """Those for which a loss term was computed and then left out of the loss, with that term."""
    only_weight: frozenset[int] = frozenset()
    """Those that reach the loss only as the (rightly stopped) weight of a log-probability."""


@asked_once
def missing_gradients(case: Case) -> list[Missing]:
    """For each loss, the variables it should have trained and did not."""
    groups: dict[int, set[int]] = {}
    backwards: dict[int, Backward] = {}
    for variable, backward in _lost(case).items():
        groups.setdefault(backward.at, set()).add(variable)
        backwards[backward.at] = backward
    for backward, variables in never_begun(case):
        groups[backward.at], backwards[backward.at] = variables, backward
    return [one for at in sorted(groups) for one in _explained(case, backwards[at], groups[at])]


def _explained(case: Case, backward: Backward, variables: set[int]) -> list[Missing]:
    """Explain lost variables with the most certain data flow that explains them.

    First what stayed in the framework, then round trips that are proved, then those that the source suggests; at
    last ways with more than one wall on them.
    """
    update = 1 + sum(1 for step in case.recording.steps if step.at < backward.at)
    seen = max(1, sum(1 for step in case.recording.steps if variables & step.without))
    found: list[Missing] = []
    left = set(variables)
    tried = 0, 0
    ways = [(proofs, True) for proofs in (reach.CERTAIN, reach.PROVED, reach.SUGGESTED)] + [(reach.PROVED, False)]
    for proofs, alone in ways:
        part = case.slice(backward, proofs)
        if alone and tried == (id(part), len(left)):
            continue  # no round trip is believed that was not before
        tried = id(part), len(left)
        cuts = cuts_of(case, part, left, backward.tape)
        cuts = [c for c in cuts if c.alone or not (alone or feeds_copy(case, part, c))]
        cuts = _widest(without_older_data(case, backward, part, cuts))
        if alone and all(is_target(case, part, cut) for cut in cuts):
            continue  # it only makes a target; what should have been the prediction is still to be found
        cuts = cuts if alone else [c for c in cuts if not chooses_for_target(case, part, c, backward)]
        one = _weigh(case, backward, part, cuts)
        one.update, one.seen = update, seen
        if one.variables:
            found.append(one)
            left -= one.variables
    for cut in _swallowed(case, backward, left):
        found.append(Missing(backward, cut.variables, [cut], case.slice(backward, reach.CERTAIN), update, seen))
        left -= cut.variables
    left -= without_slope(case, backward, left)
    if left:
        part = case.slice(backward, reach.CERTAIN)
        dropped = _dropped(case, part, left, backward, tracked=True)
        found.append(Missing(backward, frozenset(left), [], part, update, seen, frozenset(left), dropped))
    return found


def _widest(cuts: list[reach.Cut]) -> list[reach.Cut]:
    """Without a stop of which all variables, and more, lie behind another: mending that one brings them all back.

    Of the two sides of a similarity one is stopped by design; the fault stops the side with the predictor on it.
    """
    stops = [c for c in cuts if c.alone and c.op.kind == "stop"]
    return [c for c in cuts if c not in stops or not any(c.variables < other.variables for other in stops)]


def _swallowed(case: Case, backward: Backward, variables: set[int]) -> list[reach.Cut]:
    """PyTorch: custom functions whose backward returned None for variables that a gradient should arrive at."""
    recording, part = case.recording, case.slice(backward, reach.CERTAIN)
    if recording.framework != "torch" or backward.error or not variables:
        return []
    arrived = reach.gradient_reach(recording, part, None)
    behind = {v: owner for v in arrived if (owner := recording.values[v].variable) in variables - backward.got}
    found: list[reach.Cut] = []
    for op in part.ops:
        passing = {behind[v] for v in op.inputs if v in behind}
        if passing and op.detail == "custom_function":
            found.append(reach.Cut(op, frozenset(v for v in passing if v is not None), True))
    return _by_place(found)


def cuts_of(case: Case, part: reach.Slice, variables: set[int], tape: int | None) -> list[reach.Cut]:
    """The places where the gradient of variables stops, without those that make a target."""
    cuts = _by_place(reach.cuts(case.recording, part, variables, tape))
    cuts = without_selections(case, part, cuts, tape)
    compared = [c for c in cuts if is_compared(case, part, c, tape)]
    others = {v for c in cuts if c not in compared for v in c.variables}
    cuts = [c for c in cuts if c not in compared or not c.variables <= others]
    cuts = one_of_compared(case, part, cuts, compared, tape)
    open_ways = {v for cut in cuts if cut.alone for v in cut.variables}
    cuts = [c for c in cuts if c.alone or not c.variables <= open_ways]
    return without_targets(case.recording, part, cuts)


def _weigh(case: Case, backward: Backward, part: reach.Slice, cuts: list[reach.Cut]) -> Missing:
    """Set aside the cuts that are right, where the fault is a term that the loss does not have."""
    behind = frozenset(v for cut in cuts for v in cut.variables)
    meant = [cut for cut in cuts if cut.op.kind in ("stop", "leave") or cut.op.switch is not None]
    stopped = {v for cut in meant for v in cut.variables}.difference(*(c.variables for c in cuts if c not in meant))
    dropped = _dropped(case, part, stopped, backward) if stopped else {}
    # No gradient is meant to come through a straight-through estimator: what it hides has a term of its own.
    through = [cut for cut in cuts if cut.op.kind == "stop" and is_straight_through(case, part, cut, backward.tape)]
    hidden = stopped.difference(dropped, *(c.variables for c in cuts if c not in through))
    dropped |= _dropped(case, part, hidden, backward, tracked=True) if hidden else {}
    if backward.error is not None:  # nothing of it is alive: what is cut was to be, and a number for a log was not
        dropped = {v: op for v, op in dropped.items() if not is_logged(case, op)}
    weights = [c for c in advantages(case, part, cuts, backward.tape) if not _all_that_is_asked(case, backward, c)]
    only_weight = {v for c in weights for v in c.variables}.difference(*(c.variables for c in cuts if c not in weights))
    others = {v for c in cuts if c not in weights for v in c.variables}
    # An advantage, a temperature: its stop is right, and where there is another one that is to blame.
    cuts = [c for c in cuts if c not in weights or not c.variables <= others]
    cuts = [cut for cut in cuts if not cut.variables <= dropped.keys() | only_weight]
    without = frozenset(dropped.keys() | only_weight)
    return Missing(backward, behind, cuts, part, unreached=without, dropped=dropped,
                   only_weight=frozenset(only_weight - dropped.keys()))  # fmt: skip


def _all_that_is_asked(case: Case, backward: Backward, cut: reach.Cut) -> bool:
    """Whether a loss is asked for one number alone (a temperature), and that is what is stopped."""
    values = case.recording.values
    single = all(size == 1 for v in cut.op.outputs if v in values for size in values[v].shape)
    return single and bool(backward.wanted) and cut.variables >= set(backward.wanted)


def _dropped(
    case: Case, part: reach.Slice, variables: set[int], backward: Backward, tracked: bool = False
) -> dict[int, Op]:
    """Terms that the loss was put together without; the mean of a network's own output is for a log."""
    found = dropped_terms(case.recording, part, variables, backward, tracked)
    return {v: op for v, op in found.items() if not is_logged_mean(case, op, variables)}


def _lost(case: Case) -> dict[int, Backward]:
    """Each variable that never receives a gradient, with the backward pass that should have given it one."""
    recording = case.recording
    lost: dict[int, Backward] = {}
    used_up = {b.tape for b in recording.backwards if b.tape is not None and _used_up(b)}
    broken = [b for b in recording.backwards if b.tape is None and _stopped_half_way(b)]
    for backward in recording.backwards:
        if backward.implicit or backward.loss is None or backward.tape in used_up:
            continue
        failed = backward.error is not None or _step_failed(case, backward)
        expected = _cut_off(case, backward) if _broke_down(backward) else _expected(case, backward)
        for variable in expected - case.left_alone:
            fed = variable in case.trained and not failed and not _second_in_vain(case, backward, variable)
            fed = fed and not (backward.stack in _in_vain(case) and case.uses(backward, variable))
            frozen = not recording.variables[variable].trainable and variable not in backward.got
            frozen = frozen and not case.asks(backward, variable)
            due = any(b is not backward and case.asks(b, variable) for b in broken)  # its turn came, and failed
            if not fed and not frozen and not due and variable not in case.replaced.stale:
                better = variable not in lost or _explains_better(case, backward, lost[variable], variable)
                if better:
                    lost[variable] = backward
    return {v: backward for v, backward in lost.items() if not _follows(case, v, lost)}


def _follows(case: Case, variable: int, lost: dict[int, Backward]) -> bool:
    """JAX: whether it is a target in one tree with what is trained: shares of its network are added to it."""
    return case.recording.framework == "jax" and any(
        v in case.trained and v not in lost for v in averaged_with(case).get(variable, ())
    )


def _second_in_vain(case: Case, backward: Backward, variable: int) -> bool:
    """PyTorch: whether this loss's optimizer, given a network beside its own one's, never gets a gradient for it.

    InfoGAN: the generator has an optimizer of its own, and another holds it once more, with the judge, for a second
    loss. What holds everything alike says nothing of what a loss is for.
    """
    step = next((s for s in case.recording.steps if s.at > backward.at), None)
    never = _never_fed(case).get(step.optimizer, frozenset()) if step is not None else frozenset()
    return variable in never and case.uses(backward, variable)


@asked_once
def _in_vain(case: Case) -> set[int]:
    """PyTorch: where a pass is made, again and again, after which a step has nothing to apply to anybody.

    The same weights may learn from another loss, in an earlier phase of the training.
    """
    recording = case.recording
    held = {v for o in recording.optimizers.values() for v in o.holds}
    passes = [b for b in recording.backwards if b.call == "backward" and b.error is None]
    of_use, times = set[int](), Counter[int]()
    for backward, following in zip(passes, [*passes[1:], None], strict=False):
        until = following.at if following is not None else math.inf
        steps = [s for s in recording.steps if backward.at < s.at < until]
        trains = any(v in held or recording.variables[v].parameter for v in backward.got)
        if steps and not trains and not any(s.applied for s in steps):
            times[backward.stack] += 1
        else:
            of_use.add(backward.stack)
    return {stack for stack, number in times.items() if number > 1 and stack not in of_use}


@asked_once
def _never_fed(case: Case) -> dict[int, frozenset[int]]:
    """For each optimizer the networks that have one of their own besides, and that no step of it had a gradient for."""
    if case.recording.framework != "torch":
        return {}
    held = [o.holds for o in case.recording.optimizers.values() if o.holds]
    found: dict[int, frozenset[int]] = {}
    for optimizer in case.recording.optimizers.values():
        steps = [s for s in case.recording.steps if s.optimizer == optimizer.id and s.error is None]
        parts = [holds for holds in held if holds < optimizer.holds]
        if len(steps) > 1 and set().union(*parts) == optimizer.holds:
            without = frozenset.intersection(*(s.without for s in steps))
            found[optimizer.id] = frozenset(v for part in parts if part <= without for v in part)
    return found


def _step_failed(case: Case, backward: Backward) -> bool:
    """Whether the optimizer refused what this backward pass gave it."""
    steps = case.recording.steps
    first = bisect(steps, backward.at, key=_when)
    return first < len(steps) and steps[first].error is not None


def _expected(case: Case, backward: Backward) -> set[int]:
    """The variables that this backward pass was there to train."""
    recording = case.recording
    if backward.wanted:
        got = backward.got - case.zero_by_construction
        return set(backward.wanted) - got if not _used_up(backward) else set()
    if backward.error is not None:
        return _expected_of_failure(case, backward)
    expected: set[int] = set()
    for step in _steps_after(case, backward):
        missed = step.without | (step.applied & case.zero_by_construction)
        clears = recording.clears
        between = bisect(clears, backward.at, key=_when), bisect_left(clears, step.at, key=_when)
        expected |= missed.difference(*(c.variables for c in clears[slice(*between)]))
    return expected


def _cut_off(case: Case, backward: Backward) -> set[int]:
    """Of what a pass that broke down was asked for: what the loss is made of, and no gradient could have come back to.

    TensorFlow itself stumbles over a py_function whose body leaves for NumPy.
    """
    values, part = case.recording.values, case.slice(backward, reach.SUGGESTED)
    arrived = reach.gradient_reach(case.recording, part, backward.tape)
    used, reached = ({values[v].variable for v in some if v in values} for some in (part.values, arrived))
    return {v for v in backward.wanted if v in used - reached}


def applied_after(case: Case, backward: Backward) -> set[int]:
    """The variables that got a gradient in a pass and were changed by it."""
    applied = {v for step in _steps_after(case, backward) for v in step.applied}
    return set(backward.got) & applied


def _steps_after(case: Case, backward: Backward) -> list[Step]:
    """The first step of each optimizer after a backward pass: those that this pass was for."""
    first: dict[int, Step] = {}
    steps = case.recording.steps
    for step in steps[bisect(steps, backward.at, key=_when) :]:
        first.setdefault(step.optimizer, step)
        if len(first) == len(case.recording.optimizers):
            break
    return list(first.values())


def _expected_of_failure(case: Case, backward: Backward) -> set[int]:
    if backward.error is None or "does not require grad" not in backward.error:
        return set()
    recording = case.recording
    given = {v for o in recording.optimizers.values() for v in o.holds}
    own = {v.id for v in recording.variables.values() if v.parameter and v.trainable}
    candidates = given or own or _plain_leaves(case, backward)
    cleared = [c for c in recording.clears if c.at < backward.at]
    last_step = max((s.at for s in recording.steps if s.at < backward.at), default=0)
    fresh = [c.variables for c in cleared if c.at > last_step]
    part = case.slice(backward)
    on_way = {recording.values[v].variable for v in part.values if v in recording.values}
    chosen = set().union(*fresh) & candidates if fresh else candidates
    if chosen & on_way:
        return chosen & on_way
    return (candidates & on_way) or chosen or candidates


def _plain_leaves(case: Case, backward: Backward) -> set[int]:
    """Where a program has neither optimizer nor module: the tensors asking for a gradient that the loss is made of."""
    leaves = {v.id for v in case.recording.variables.values() if v.trainable and case.uses(backward, v.id)}
    return leaves - case.results - rebound_under_no_grad(case, backward).keys()


@asked_once
def _first_missed(case: Case) -> dict[int, Step]:
    """The step that each variable first came to without a gradient."""
    found: dict[int, Step] = {}
    for step in case.recording.steps:
        for variable in step.without:
            found.setdefault(variable, step)
    return found


def _explains_better(case: Case, new: Backward, old: Backward, variable: int) -> bool:
    """Of two losses in one update, the one that is computed from the variable; of two such, the later.

    The first update tells the story; later ones repeat it. Where several optimizers hold the variable, the first update
    goes on until one of them begins again, and a loss after the first step counts if it alone is computed from it.
    """
    missed = _first_missed(case).get(variable)
    if missed is not None and new.at > missed.at:
        later = (s.at for s in case.recording.steps if s.at > missed.at and s.optimizer == missed.optimizer)
        return new.at < next(later, 0) and case.uses(new, variable) > case.uses(old, variable)
    return case.uses(new, variable) >= case.uses(old, variable)


def _when(event: Step | Clear) -> int:
    return event.at


def _by_place(cuts: list[reach.Cut]) -> list[reach.Cut]:
    """Cuts at one expression (in a loop, over a rollout) are one cut; the first stands for all."""
    places: dict[tuple[str, int, int | None], reach.Cut] = {}
    for cut in cuts:
        key = cut.op.name, cut.op.stack, cut.op.switch if cut.op.switch is None else 0
        known = places.get(key)
        if known is None:
            places[key] = cut
        else:
            places[key] = reach.Cut(known.op, known.variables | cut.variables, known.alone or cut.alone)
    return list(places.values())


def _used_up(backward: Backward) -> bool:
    return backward.error is not None and ("persistent" in backward.error or "second time" in backward.error)


def _stopped_half_way(backward: Backward) -> bool:
    """PyTorch: whether a pass began and met a graph that was freed, or values that were overwritten."""
    return backward.error is not None and ("second time" in backward.error or "inplace" in backward.error)


def _broke_down(backward: Backward) -> bool:
    """Whether an operation of the backward pass itself could not be computed: that says nothing of the way."""
    kind = (backward.error or "").partition(":")[0]
    return kind in ("InvalidArgumentError", "UnimplementedError", "ResourceExhaustedError", "InternalError")
