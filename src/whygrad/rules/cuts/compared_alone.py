"""Terms of a loss that hold a network which is not trained against itself: `kl(teacher, teacher)`.

Found by the numbers: a difference that is zero, or a quotient that is one, in every entry and every pass, of two sides
that are not constant. Nothing that the loss trains is in the term, so that no variable is without its gradient.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.loss_terms import terms_of
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.flatness import DIFFERENCES
from whygrad.rules.numbers.origin import base_name, numbers_of
from whygrad.rules.numbers.softmaxes import QUOTIENTS
from whygrad.rules.targets.teachers import ended
from whygrad.rules.updates.exchanged_terms import exchanged_terms
from whygrad.rules.updates.history import applied_of
from whygrad.rules.wording import at_line, count, plain_subject, quoted

_PASSES = 8
_ENOUGH = 2


@asked_once
def equal_comparisons(case: Case) -> dict[int, tuple[Backward, Op, set[int], int]]:
    """For each such term, by the stack of its comparison: the loss, the comparison, the network and how often."""
    passes: dict[int, list[Backward]] = {}
    for backward in case.recording.backwards:
        if not backward.implicit and not backward.error and backward.loss in case.recording.values:
            passes.setdefault(backward.stack, []).append(backward)
    alone: dict[int, tuple[Backward, Op, set[int], int]] = {}
    # What stands still for want of a gradient, or of somebody who applies it, is equal to what it said before.
    waiting = case.unheld.union(*(missing.variables for missing in missing_gradients(case)))
    waiting = waiting.union(*(pair.ours | pair.theirs for pair in exchanged_terms(case)))  # W204
    for same in passes.values():
        looked = same[-_PASSES:]
        found: dict[int, list[tuple[Op, set[int]]]] = {}
        for backward in looked:
            for op, network in _of_pass(case, backward):
                if not network & waiting:
                    found.setdefault(op.stack, []).append((op, network))
        for stack, told in found.items():
            if len(told) >= max(_ENOUGH, len(looked)):
                alone[stack] = (looked[-1], *told[-1], len(told))
                break
    return alone


def compared_alone(case: Case) -> Iterator[Finding]:
    """Each such term, told once."""
    for backward, op, network, seen in equal_comparisons(case).values():
        yield _finding(case, backward, op, network, seen)


def _of_pass(case: Case, backward: Backward) -> Iterator[tuple[Op, set[int]]]:
    """The comparisons of equal sides in the terms that nothing is learned from, with the network that is compared."""
    trained = applied_of(case, backward) or set()
    terms, sums = terms_of(case, backward)
    for term in terms if sums and trained else ():
        own = reach.backward_slice(case.recording, term, case.made_by, backward.at, reach.CERTAIN)
        read = {case.content[v] for v in own.values if v in case.content}
        if not read or (read & trained and not _learned_before(case, read, backward)):
            continue
        for op in own.ops:
            network = equal_sides(case, op, backward)
            if network:
                yield op, network
                break


def _learned_before(case: Case, network: set[int], backward: Backward) -> bool:
    """Whether these learned by another loss, which had ended: a teacher, though it may be moved too."""
    others = set(backward.got) - network
    return bool(others) and any(
        b.stack != backward.stack and network <= b.got and not b.got & others and ended(case, b, backward)
        for b in case.recording.backwards
    )


def equal_sides(case: Case, op: Op, backward: Backward) -> set[int]:
    """The variables that both sides are computed from, where these are the same in every entry and no constants."""
    divides = base_name(op) in QUOTIENTS
    if (not divides and base_name(op) not in DIFFERENCES) or len(set(op.inputs)) != 2:
        return set()
    result, sides = numbers_of(case, op.outputs[0]), [numbers_of(case, v) for v in op.inputs]
    if result is None or not (result.low == result.high == 1 if divides else result.all_zero):
        return set()
    if any(side is None or side.low == side.high for side in sides):
        return set()
    one, other = (_read(case, v, backward) for v in op.inputs)
    return one if one == other else set()


def _read(case: Case, value: int, backward: Backward) -> set[int]:
    part = reach.backward_slice(case.recording, value, case.made_by, backward.at, reach.CERTAIN)
    return {case.content[v] for v in (*part.values, value) if v in case.content}


def _finding(case: Case, backward: Backward, op: Op, network: set[int], seen: int) -> Finding:
    where, loss = case.seen_from(op.stack, backward.stack), case.loss_site(backward)
    if where == case.site(backward.stack):
        where = case.site(op.stack)  # `fit` calls the program's own loss
    others = set(backward.got) - network
    who, learns = plain_subject(case, network), plain_subject(case, others)
    steps = [(where, op.name, "compares a thing with itself"), (loss, "loss", "the loss")]
    return Finding(
        code="W105", rule="loss-ignores", severity="warning",
        message=f"a term of the loss{at_line(loss, where)} compares {who} with itself: {learns} is not in it",
        why=f"Both sides of the comparison in {quoted(where)} are what {who} says, so that the term is the same "
        f"whatever {learns} does. It was so in every one of {count(seen, 'update')} that were looked at.",
        fix=f"give one side what {learns} says", variables=case.names(others), where=where,
        label=f"both sides come from {who}", loss=loss,
        path=tuple(PathStep(site, name, role) for site, name, role in steps if site is not None), seen=seen,
    )  # fmt: skip
