"""Terms that are added to a loss and train nobody: a penalty without a graph, an entropy that was detached.

No variable is without a gradient there, since the other terms bring one. But a term that is added, depends on what the
loss trains, and lets no gradient through, is a number beside the loss: the training is the same without it.
"""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import ITS_OWN, Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.added_numbers import added_numbers, has_own_loss
from whygrad.rules.cuts.counted_terms import counted
from whygrad.rules.cuts.intent import is_log_probability, leading_on, only_weighs
from whygrad.rules.cuts.loss_terms import MEANS, PRODUCTS, QUOTIENTS, SIGNS, SUMS, one_number, terms_of
from whygrad.rules.cuts.missing import Missing, applied_after, cuts_of, missing_gradients
from whygrad.rules.cuts.only_penalised import only_penalised
from whygrad.rules.cuts.verdict import Verdict, judge
from whygrad.rules.targets.objective import CONTRACTS, SHAPING
from whygrad.rules.updates.history import applied_of, fresh_since
from whygrad.rules.updates.swapped import swapped_variables

_Place = tuple[int, int, frozenset[int]]
"""Where a gradient was asked for, where the loss was made, and which variables the gradient was applied to."""

_PASSES = 4
"""Passes over one loss that are looked at: as many as each optimizer makes updates while everything is traced."""

_SAMPLES = ("multinomial", "categorical", "bernoulli", "normal", "poisson", "binomial", "sample", "randint", "choice")
_PICKS = frozenset({"min", "minimum", "reduce_min", "max", "maximum", "reduce_max"})
_FAR = 24
_SURROGATE = 14
"""How far back the logarithm may lie in a term that is a clipped ratio of probabilities."""
_INVERSES = frozenset({"__rtruediv__", "__rdiv__", "rdiv", "reciprocal"})


@asked_once
def idle_terms(case: Case) -> list[Verdict]:
    """For each term that trains nobody, in every pass that is looked at, the place where its gradient stops."""
    recording = case.recording
    told: dict[tuple[_Place, str, int], list[Verdict]] = {}
    passes: dict[_Place, int] = {}
    explained = {_lines(case, missing.backward) for missing in missing_gradients(case)}  # its cuts are told as such
    misplaced = swapped_variables(case)  # W204: the loss is not there for what it is applied to
    for backward in recording.backwards:
        if (
            _lines(case, backward) in explained
            or backward.implicit
            or backward.error
            or backward.loss not in recording.values
            or not backward.got
        ):
            continue
        made = case.made_by.get(backward.loss or 0)
        trained = trained_by(case, backward)
        if trained and trained <= misplaced:
            continue
        # One line may ask for several losses in turn, or for one loss on behalf of several optimizers.
        place = backward.stack, made.stack if made is not None else -1, frozenset(trained)
        if passes.get(place, 0) == _PASSES:
            continue
        passes[place] = passes.get(place, 0) + 1
        once = {(v.code, v.op.stack): v for v in _of_loss(case, backward, trained)}
        for (code, stack), verdict in once.items():
            told.setdefault((place, code, stack), []).append(verdict)
    found: list[Verdict] = []
    told_as: dict[tuple[tuple[int, int], str, int], Verdict] = {}
    for (place, code, stack), seen in told.items():
        one = seen[0]
        # Where more is trained at times (a delayed update), the term may be for that.
        wider = [other for other in passes if other[:2] == place[:2] and other[2] >= place[2]]
        lasting = all(len(told.get((other, code, stack), ())) == passes[other] for other in wider)
        if not lasting and not _taken_in_once(case, one):
            continue
        same = next((v for v in found if _same_line(v, one) or told_as.get((place[:2], code, stack)) is v), None)
        if same is None:
            found.append(one)
            told_as[place[:2], code, stack] = one
        else:
            same.variables |= one.variables
    return found


def _lines(case: Case, backward: Backward) -> tuple[Site | None, Site | None]:
    """The line that asks for the gradient and the one of the loss, whoever called the function that they stand in."""
    return case.site(backward.stack), case.loss_site(backward)


def _same_line(one: Verdict, other: Verdict) -> bool:
    """Whether one line takes in all of a network's arrays."""
    return one.op.name == other.op.name == "captured" and _line(one) == _line(other)


def _line(verdict: Verdict) -> tuple[str, int] | None:
    return (verdict.where.file, verdict.where.line) if verdict.where is not None else None


def _taken_in_once(case: Case, verdict: Verdict) -> bool:
    """JAX: parameters from around a compiled function are constants to it in later passes, and not the program's."""
    return verdict.op.name == "captured" and any(v.constant for v in case.recording.variables.values())


def trained_by(case: Case, backward: Backward) -> set[int]:
    """The variables that a loss's gradient is applied to."""
    known = applied_of(case, backward)
    return applied_after(case, backward) if known is None else set(known)


def _of_loss(case: Case, backward: Backward, trained: set[int]) -> list[Verdict]:
    terms, sums = terms_of(case, backward)
    if not sums:
        return []
    part = case.slice(backward, reach.CERTAIN)
    teaching = leading_on(case, part, backward.tape, trained)  # what a critic gets from the actor's loss is not applied
    live = [term for term in terms if term in teaching]
    numbers = added_numbers(case, backward, sums, live, trained)
    if len(terms) < 2:
        return numbers
    found: list[Verdict] = []
    untaught = _untaught(case)
    teaching |= leading_on(case, part, backward.tape, untaught) if untaught else set()
    for term in terms:
        if term in teaching or term not in case.made_by or not live:
            continue
        number = _one_number_alone(case, part, term, teaching)
        rows = not number and not is_log_probability(case.made_by, term, _SURROGATE)
        if rows and not _judges(case, term, trained):
            continue  # a baseline, row by row: it is subtracted for what it does to the numbers
        own, cuts = _stops(case, backward, term, trained, reach.CERTAIN)
        cuts = cuts or (counted(case, backward, own, trained) if number else [])
        if not rows and any(other in own.values for other in live):
            continue  # `a + (b - a).detach()`: the value of one, the gradient of the other
        wider, exits = _stops(case, backward, term, trained, reach.PROVED)
        exits = [cut for cut in exits if _left_on_its_way(case, cut.op, backward)]
        if cuts and all(_weighs_what_left(case, wider, cut, exits) for cut in cuts):
            own, cuts = wider, [cut for cut in exits if not any(cut.op is known.op for known in cuts)]
        elif not cuts and (number or backward.tape is not None or _judges(case, term, trained)):
            own, cuts = wider, exits
        cuts = [cut for cut in cuts if not _divides(own, cut.op)] or cuts  # by its own size: a scale is stopped rightly
        stopped = frozenset(v for cut in cuts for v in cut.variables)
        for cut in cuts:
            verdict = judge(case, Missing(backward, stopped, cuts, own), cut)
            verdict.idle = True
            if not _draws(verdict):
                found.append(verdict)
    return found + numbers + only_penalised(case, backward, terms, trained)


def _untaught(case: Case) -> set[int]:
    """What could be trained and is by nobody: a term that is there for it is no number (W201 and W203 tell of it)."""
    recording = case.recording
    copies = {c.target for c in recording.copies} | {
        v for v, one in recording.variables.items() if one.copy_of is not None
    }
    could = {v for v, one in recording.variables.items() if one.trainable and not one.constant}
    return could - case.trained - copies - recording.moved_later


def _stops(
    case: Case, backward: Backward, term: int, trained: set[int], proofs: frozenset[str]
) -> tuple[reach.Slice, list[reach.Cut]]:
    """What a term was made of, and where the only way from it to what the loss trains is cut."""
    own = reach.backward_slice(case.recording, term, case.made_by, backward.at, proofs)
    read = {case.recording.values[v].variable for v in own.values} & trained
    since = fresh_since(case, backward, trained)
    cuts = cuts_of(case, own, {v for v in read if v is not None}, backward.tape)
    cuts = [cut for cut in cuts if cut.alone and cut.op.at > since and not _is_data(case, cut.op, backward)]
    cuts = [cut for cut in cuts if cut.op.detail != ITS_OWN]
    values = case.recording.values
    made = {v for v in own.values if case.content.get(v) in read or (v not in case.content and values[v].live)}
    for op in own.ops:
        if any(v in made for v in op.inputs):
            made.update(op.outputs)
    blamed = [cut for cut in cuts if not only_weighs(case, own, cut, made)]  # an advantage is stopped rightly
    return own, blamed or _log_probabilities(case, cuts)


def _log_probabilities(case: Case, cuts: list[reach.Cut]) -> list[reach.Cut]:
    """Of stopped values that weigh each other the log-probability: a logarithm lies nearest behind it."""
    for far in range(_SURROGATE):
        near = [cut for cut in cuts if any(is_log_probability(case.made_by, v, far) for v in cut.op.inputs)]
        if near:
            return near
    return []


def _one_number_alone(case: Case, part: reach.Slice, term: int, teaching: set[int]) -> bool:
    """Whether a term is one number, or rows that are summed up before anything that learns is added to them."""
    value = term
    while not one_number(case, value):
        users = [op for op in part.ops if value in op.inputs]
        if len(users) != 1 or not users[0].outputs or any(v in teaching for v in users[0].inputs):
            return False
        value = users[0].outputs[0]
    return True


def _left_on_its_way(case: Case, op: Op, backward: Backward) -> bool:
    """Whether NumPy stands in the middle of what is recorded: what left there was made with a gradient, to be used."""
    leaves = op.kind == "leave" or (backward.tape is None and any(_leaves(case, v) for v in op.outputs))
    return leaves and not has_own_loss(case, op, backward)


def _weighs_what_left(case: Case, part: reach.Slice, cut: reach.Cut, exits: list[reach.Cut]) -> bool:
    """Whether a stopped value is the weight of a log-probability that went through NumPy: then that is the fault."""
    landed: set[int] = set()
    for handover in case.recording.handovers:
        left, entered = case.recording.ops.get(handover.left), case.recording.ops.get(handover.entered)
        if left is None or entered is None or not any(_hands_out(exit.op, left) for exit in exits if exit is not cut):
            continue
        if any(is_log_probability(case.made_by, v, _SURROGATE) for v in left.inputs):
            landed.update(entered.outputs)
    stopped = set(cut.op.outputs)
    for op in part.ops if landed else ():
        ours, theirs = [v for v in op.inputs if v in stopped], [v for v in op.inputs if v in landed]
        if ours and theirs and op.name in PRODUCTS:
            return True
        (stopped if ours else landed if theirs else set()).update(op.outputs)
    return False


def _hands_out(stop: Op, left: Op) -> bool:
    """Whether something leaves at a place where a gradient stops: there, or right after it was detached."""
    return stop is left or any(v in stop.outputs for v in left.inputs)


def _leaves(case: Case, value: int) -> bool:
    return any(op.kind == "leave" and value in op.inputs for op in case.recording.ops.values())


def _divides(own: reach.Slice, cut: Op) -> bool:
    """Whether what is stopped divides: `alpha / q.abs().mean().detach()`."""
    users = [op for op in own.ops if any(v in cut.outputs for v in op.inputs)]
    return bool(users) and all(
        op.name in _INVERSES or (op.name in QUOTIENTS and op.inputs[0] not in cut.outputs) for op in users
    )


def _judges(case: Case, term: int, trained: frozenset[int] | set[int]) -> bool:
    """Whether a term is what a network that is not trained here says of an input: a critic's value of an action."""
    todo, seen = [term], {term}
    while todo and len(seen) < _FAR:
        op = case.made_by.get(todo.pop())
        if op is None or op.kind not in ("compute", "stop"):
            continue
        own = {case.content[v] for v in op.inputs if v in case.content}
        if op.name in CONTRACTS or (op.name in SUMS and own):
            return bool(own) and not own & trained
        if op.kind == "stop" or op.name in SUMS | SIGNS | _PICKS | MEANS | SHAPING:
            fresh = [v for v in op.inputs if v not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    return False


def _is_data(case: Case, op: Op, backward: Backward) -> bool:
    """Whether nothing was recorded there: returns and old values are data to a loss, whatever they come from.

    Parameters that a function takes from around it are no data: it has them as its argument. Nor is what is made of an
    action that was recorded: it was computed with its gradient, to be judged.
    """
    if op.name == "captured":
        return False
    if op.switch is not None and any(case.recording.values[v].live for v in op.inputs if v not in case.content):
        return False
    return op.switch is not None or (backward.tape is not None and backward.tape not in op.tapes)


def _draws(verdict: Verdict) -> bool:
    """Whether the gradient stops at a sample: what becomes of an action has its own rule (W505)."""
    return any(word in verdict.op.name.lower() for word in _SAMPLES)
