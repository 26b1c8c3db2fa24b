"""Terms of a loss that are multiplied by zeros, update after update, while the rest of the loss trains on.

An advantage that is a thing less itself, beside an entropy bonus: every variable has a gradient, and none of it comes
from the rewards. Zeros that come from outside (rewards that are still zero, a mask of data) are quiet, and so is a
condition that is not met: only a difference counts whose sides are not zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.recording import Backward, Numbers, Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.flatness import behind, zero_maker
from whygrad.rules.origin import base_name, numbers_of

_PASSES = 8
_ENOUGH = 3
_PRODUCTS = frozenset({"mul", "rmul", "imul", "multiply"})
_SHOWS = frozenset({"detach", "stop_gradient", "view", "reshape", "squeeze", "unsqueeze", "identity", "to", "cast"})
_DIFFERENCES = frozenset({"sub", "rsub", "isub", "subtract"})


@dataclass(slots=True)
class ZeroTerm:
    """A product whose other side, made by `zero`, is zero in every pass, and the variables that learn nothing by it."""

    backward: Backward
    product: Op
    zero: Op
    variables: set[int]
    seen: int


def zero_terms(case: Case) -> list[ZeroTerm]:
    """Those of each loss that were so in all of its passes that were looked at."""
    losses: dict[int, list[Backward]] = {}
    for backward in case.recording.backwards:
        if not backward.implicit and not backward.error and backward.loss in case.recording.values:
            losses.setdefault(backward.stack, []).append(backward)
    found: list[ZeroTerm] = []
    for passes in losses.values():
        zero: dict[int, list[ZeroTerm]] = {}
        other: set[int] = set()
        for backward in passes[-_PASSES:]:
            for product, term in _of_pass(case, backward):
                if term is None:
                    other.add(product.stack)
                else:
                    zero.setdefault(product.stack, []).append(term)
        told: dict[Site | None, ZeroTerm] = {}
        for stack, terms in zero.items():
            if stack not in other and len(terms) >= _ENOUGH:
                terms[-1].seen = len(terms)
                told.setdefault(case.site(terms[-1].zero.stack), terms[-1])
        found.extend(told.values())
    return found


def _of_pass(case: Case, backward: Backward) -> Iterator[tuple[Op, ZeroTerm | None]]:
    """Each product of a loss that carries a gradient and whose sides are known, with what it says of a zero term."""
    part = case.slice(backward, reach.CERTAIN)
    for op in part.ops:
        if base_name(op) not in _PRODUCTS or len(op.inputs) != 2:
            continue
        for source, other in (op.inputs, op.inputs[::-1]):
            known = numbers_of(case, other)
            if known is None or other in case.content or case.recording.values[other].live:
                continue  # a deviation that is zero and learns (from an old policy, from a mean) has a gradient itself
            if not reach.carries(case.recording, op, source, op.outputs[0], backward.tape):
                continue
            maker = zero_maker(case, other) if known.all_zero else None
            if maker is None or not _less_itself(case, maker):
                yield op, None
                continue
            variables = behind(case, part, source, backward) & backward.got
            if variables:
                yield op, ZeroTerm(backward, op, maker, variables, 1)


def _less_itself(case: Case, maker: Op) -> bool:
    """Whether zeros are the difference of two things that are not zero."""
    sides = [_content(case, v) for v in maker.inputs]
    return base_name(maker) in _DIFFERENCES and bool(sides) and all(n is not None and not n.all_zero for n in sides)


def _content(case: Case, value: int) -> Numbers | None:
    """What is known of a value's numbers; those of a view or a detached value are the numbers of what it shows."""
    known = numbers_of(case, value)
    made = case.made_by.get(value)
    while known is None and made is not None and made.inputs and base_name(made) in _SHOWS:
        known, made = numbers_of(case, made.inputs[0]), case.made_by.get(made.inputs[0])
    return known
