"""Terms of a loss whose gradient is zero, update after update, while the rest of the loss trains on.

An advantage that is a thing less itself, beside an entropy bonus: every variable has a gradient, and none of it comes
from the rewards. Zeros that come from outside (rewards that are still zero, a mask of data) are quiet, and so is a
condition that is not met: only a difference counts whose sides are not zero. And a ratio of probabilities whose two
sides are the same, both with their gradient, so that what the one gives the other takes away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Numbers, Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.compared_alone import equal_comparisons
from whygrad.rules.cuts.intent import is_log_probability
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.flatness import DIFFERENCES, behind, cancels, zero_maker
from whygrad.rules.numbers.origin import base_name, numbers_of
from whygrad.rules.numbers.softmaxes import QUOTIENTS
from whygrad.rules.wording import at_line, count, plain_subject, quoted

_PASSES = 8
_ENOUGH = 3
_TWICE = 2
_PRODUCTS = frozenset({"mul", "rmul", "imul", "multiply"})
_SHOWS = frozenset({"detach", "stop_gradient", "view", "reshape", "squeeze", "unsqueeze", "identity", "to", "cast"})
_RATIOS = frozenset({"exp", "div", "truediv", "real_div", "maximum", "minimum", "clip_by_value", "clamp", "clip"})


CODE, NAME = "W401", "zero-gradient"


@dataclass(slots=True)
class _ZeroTerm:
    """A product whose other side, made by `zero`, is zero in every pass, and the variables that learn nothing by it."""

    backward: Backward
    product: Op
    zero: Op
    variables: set[int]
    seen: int


def zero_terms(case: Case, told: set[int]) -> Iterator[Finding]:
    """Those of each loss that were so in all of its passes that were looked at, but for variables that are `told`."""
    losses: dict[int, list[Backward]] = {}
    for backward in case.recording.backwards:
        usable = not backward.implicit and not backward.error and backward.loss in case.recording.values
        if usable and len(case.slice(backward, reach.CERTAIN).ops) > 1:  # else its operations are forgotten by now
            losses.setdefault(backward.stack, []).append(backward)
    for term in _multiplied(case, list(losses.values())):
        if not term.variables & told:
            yield _finding(case, term)
    for passes in losses.values():
        yield from _cancelled(case, passes[-_PASSES:], told)


def _multiplied(case: Case, losses: list[list[Backward]]) -> list[_ZeroTerm]:
    """Products whose other side is zero."""
    found: list[_ZeroTerm] = []
    for passes in losses:
        zero: dict[int, list[_ZeroTerm]] = {}
        other: set[int] = set()
        for backward in passes[-_PASSES:]:
            for product, term in _of_pass(case, backward):
                if term is None:
                    other.add(product.stack)
                else:
                    zero.setdefault(product.stack, []).append(term)
        told: dict[Site | None, _ZeroTerm] = {}
        for stack, terms in zero.items():
            if stack not in other and len(terms) >= _ENOUGH and not _elsewhere(case, terms):
                terms[-1].seen = len(terms)
                told.setdefault(case.site(terms[-1].zero.stack), terms[-1])
        found.extend(told.values())
    return found


def _elsewhere(case: Case, terms: list[_ZeroTerm]) -> bool:
    """Whether the side is zero in some rounds of a loop alone, as a spring is that begins at rest."""
    product, first = terms[0].product, min(term.product.at for term in terms)
    side = next(n for n, v in enumerate(product.inputs) if (own := numbers_of(case, v)) and own.all_zero)
    alike = (op for op in case.recording.ops.values() if op.stack == product.stack and op.at >= first)
    others = (numbers_of(case, op.inputs[side]) for op in alike if op.name == product.name)
    return any(numbers is not None and not numbers.all_zero for numbers in others)


def _of_pass(case: Case, backward: Backward) -> Iterator[tuple[Op, _ZeroTerm | None]]:
    """Each product of a loss that carries a gradient and whose sides are known, with what it says of a zero term."""
    part = case.slice(backward, reach.CERTAIN)
    told: set[int] = set()  # a loop over rows says the same for each of them
    for op in part.ops:
        if base_name(op) not in _PRODUCTS or len(op.inputs) != 2:
            continue
        for source, other in (op.inputs, op.inputs[::-1]):
            known = numbers_of(case, other)
            if known is not None and known.all_zero and op.stack in told:
                continue
            nothing = _times_nothing(case, other) if known is not None and known.all_zero else None
            if nothing is not None and (not _is_chance(case, source) or behind(case, part, other, backward)):
                nothing = None
            if known is None or other in case.content or (nothing is None and _learns(case, part, other, backward)):
                continue  # a deviation that is zero and learns (from an old policy, from a mean) has a gradient itself
            if not reach.carries(case.recording, op, source, op.outputs[0], backward.tape):
                continue
            maker = nothing or (zero_maker(case, other) if known.all_zero else None)
            if maker is None or (nothing is None and not _less_itself(case, maker)):
                yield op, None
                continue
            variables = behind(case, part, source, backward) & backward.got
            if variables:
                told.add(op.stack)
                yield op, _ZeroTerm(backward, op, maker, variables, 1)


def _learns(case: Case, part: reach.Slice, value: int, backward: Backward) -> bool:
    """Whether a value has a gradient to give; JAX does not say so of a value: there it is what variables lead to."""
    if case.recording.framework == "jax":
        return bool(behind(case, part, value, backward))
    return case.recording.values[value].live


def _less_itself(case: Case, maker: Op) -> bool:
    """Whether zeros are the difference of two things that are not zero."""
    sides = [_content(case, v) for v in maker.inputs]
    return base_name(maker) in DIFFERENCES and bool(sides) and all(n is not None and not n.all_zero for n in sides)


def _times_nothing(case: Case, value: int) -> Op | None:
    """The product of something that is not zero and the plain number 0, by which a weight was lost."""
    made = case.made_by.get(value)
    while made is not None and made.inputs and base_name(made) in _SHOWS | {"neg"}:
        made = case.made_by.get(made.inputs[0])
    if made is None or base_name(made) not in _PRODUCTS or len(made.inputs) != 2:
        return None
    for number, thing in (made.inputs, made.inputs[::-1]):
        plain, kept = numbers_of(case, number), _content(case, thing)
        entered = case.made_by.get(number)
        alone = case.recording.values[number].shape == () and entered is not None and entered.kind == "enter"
        if alone and plain is not None and plain.all_zero and not (kept is not None and kept.all_zero):
            return made
    return None


def _is_chance(case: Case, value: int) -> bool:
    """Whether a value is a log-probability or a ratio of two: what it is weighed with is an advantage."""
    made = case.made_by.get(value)
    return is_log_probability(case.made_by, value) or (made is not None and base_name(made) in _RATIOS)


def _content(case: Case, value: int) -> Numbers | None:
    """What is known of a value's numbers; those of a view or a detached value are the numbers of what it shows."""
    known = numbers_of(case, value)
    made = case.made_by.get(value)
    while known is None and made is not None and made.inputs and base_name(made) in _SHOWS:
        known, made = numbers_of(case, made.inputs[0]), case.made_by.get(made.inputs[0])
    return known


def _finding(case: Case, term: _ZeroTerm) -> Finding:
    where, loss, used = case.site(term.zero.stack), case.loss_site(term.backward), case.site(term.product.stack)
    made, who = quoted(where), plain_subject(case, term.variables)
    lost = base_name(term.zero) in DIFFERENCES
    steps = [(where, term.zero.name, "all zeros"), (used, term.product.name, "multiplied by them"),
             (loss, "loss", "the loss")]  # fmt: skip
    places = {(s.file, s.line): PathStep(s, op, role) for s, op, role in reversed(steps) if s is not None}
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"{quoted(used)} trains nothing: the other side of the product is zero in every entry",
        why=f"{made} {'is a difference that comes out as zero' if lost else 'multiplies by zero'}, and {quoted(used)}"
        f"{at_line(used, where)} multiplies by it. "
        f"What {who} learns comes from the other terms of the loss alone. "
        f"It was so in every one of {count(term.seen, 'update')} that were looked at.",
        fix=f"check what {made} is computed from: a difference of a thing with itself, a normalisation over one entry"
        if lost
        else f"take the factor 0 out of {made}, or leave the term out",
        variables=case.names(term.variables), where=where, label="all zeros", loss=loss,
        path=tuple(reversed(places.values())), seen=term.seen,
    )  # fmt: skip


def _written_out(case: Case, op: Op) -> bool:
    """TensorFlow: whether a difference is one of log-probabilities; a library's cross-entropy has others inside.

    `relu(x) - x * label` is zero with the same gradient on both sides, where all logits are above zero.
    """
    if base_name(op) in QUOTIENTS or case.recording.framework != "tensorflow":
        return True
    return all(is_log_probability(case.made_by, v) for v in op.inputs)


def _cancelled(case: Case, passes: list[Backward], told: set[int]) -> Iterator[Finding]:
    """Differences and quotients of equal sides that both carry the gradient of the same variables, in every pass."""
    seen: dict[int, list[tuple[Backward, Op]]] = {}
    for backward in passes:
        here: dict[int, list[Op]] = {}  # a loop over rows has one for each of them
        for op in case.slice(backward, reach.CERTAIN).ops:
            if base_name(op) in DIFFERENCES | QUOTIENTS and _written_out(case, op):
                here.setdefault(op.stack, []).append(op)
        for stack, ops in here.items():
            if all(cancels(case, op, backward) for op in ops):
                seen.setdefault(stack, []).append((backward, ops[-1]))
    meant = case.trained.union(*(o.holds for o in case.recording.optimizers.values()))
    for found in seen.values():
        backward, op = found[-1]
        variables = behind(case, case.slice(backward, reach.CERTAIN), op.inputs[0], backward) & backward.got
        variables &= meant or variables
        by_chance = (len(found) < _TWICE and len(set(op.inputs)) > 1) or op.stack in equal_comparisons(case)  # W105
        if len(found) < len(passes) or by_chance or not variables or variables & told:
            continue
        where, loss = case.site(op.stack), case.loss_site(backward)
        who = plain_subject(case, variables)
        stop = {"torch": ".detach()", "tensorflow": "tf.stop_gradient"}.get(
            case.recording.framework, "jax.lax.stop_gradient"
        )
        kind, itself = ("quotient", "over") if base_name(op) in QUOTIENTS else ("difference", "less")
        steps = [(where, op.name, f"a thing {itself} itself"), (loss, "loss", "the loss")]
        yield Finding(
            code=CODE, rule=NAME, severity="warning",
            message=f"the {kind} in {quoted(where)} trains nothing: its two sides are the same, with the same gradient",
            why=f"Both sides are computed from {who}, so that what the one side gives the other takes away. What is "
            f"learned comes from the other terms of the loss alone. It was so in every one of "
            f"{count(len(found), 'update')} that were looked at.",
            fix=f"keep the side that is meant to stay (an old policy's) as a constant, from before the update: {stop}",
            variables=case.names(variables), where=where,
            label=f"a thing {itself} itself: both sides carry the same gradient", loss=loss,
            path=tuple(PathStep(site, name, role) for site, name, role in steps if site is not None), seen=len(found),
        )  # fmt: skip
