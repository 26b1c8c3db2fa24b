"""Probabilities that are stopped and weigh their own logarithms, over all actions: `(p.detach() * p.log()).sum()`.

The gradient of each logarithm, weighed by its probability, is the gradient of that probability, and together they are
always one: nothing is learned. An expectation is to be taken with the live probabilities. A value for each action
between the two (`p.detach() * log_p * q`) is another matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.idle_terms import trained_by
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.origin import base_name
from whygrad.rules.targets.objective import MINUS, PRODUCT, SHAPING, SUM, size
from whygrad.rules.wording import at_line, plain_subject, quoted

_LOGS = frozenset({"log", "log_softmax"})
_TOTALS = frozenset({"sum", "mean", "reduce_sum", "reduce_mean"})
_SIGNS = frozenset({"neg", "negative", "__neg__"})
_GUARDS = SUM | frozenset({"clamp", "clip", "clamp_min", "maximum"})
_FAR = 12


def own_weights(case: Case) -> Iterator[Finding]:
    """Told once for each line that stops the probabilities."""
    done: set[int] = set()
    for backward in case.recording.backwards:
        if backward.implicit or backward.error or backward.loss not in case.recording.values or backward.stack in done:
            continue
        done.add(backward.stack)
        trained = trained_by(case, backward)
        ops = case.slice(backward).ops if trained else []
        for op in ops:
            for stop in _weighed(case, op) if op.name in PRODUCT and op.carries else ():
                if stop.stack not in done and _summed(case, op, ops):
                    done.add(stop.stack)
                    yield _finding(case, backward, stop, op, trained)


def _weighed(case: Case, op: Op) -> Iterator[Op]:
    """The stop behind one factor, where the other is linear in the logarithm of what was stopped."""
    if len(op.inputs) != 2:
        return
    for weight, other in (op.inputs, op.inputs[::-1]):
        stop = case.made_by.get(_shaped(case, weight))
        if stop is None or stop.kind != "stop" or not stop.inputs:
            continue
        chances = case.made_by.get(_shaped(case, stop.inputs[0]))
        if chances is not None and base_name(chances) == "softmax" and _is_log_of(case, other, chances):
            yield stop


def _is_log_of(case: Case, value: int, chances: Op) -> bool:
    """Whether a value is a sum of which one part is the logarithm of these probabilities, but for a number."""
    todo, seen = [value], {value}
    while todo and len(seen) < _FAR:
        made = case.made_by.get(todo.pop())
        if made is None:
            continue
        if base_name(made) in _LOGS:
            behind = case.made_by.get(_unguarded(case, made.inputs[0]))
            if behind is chances or (base_name(made) == "log_softmax" and made.inputs[0] == chances.inputs[0]):
                return True
            continue
        scaled = made.name in PRODUCT and any(size(case, v) == 1 for v in made.inputs)
        if made.name in SUM | MINUS | SHAPING | _SIGNS or scaled or (made.name in PRODUCT and len(made.inputs) == 1):
            fresh = [v for v in made.inputs if v not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    return False


def _summed(case: Case, op: Op, ops: list[Op]) -> bool:
    """Whether the products are added up before anything else weighs them."""
    one = op
    for _ in range(_FAR):
        users = [user for user in ops if any(v in one.outputs for v in user.inputs)]
        if len(users) != 1:
            return False
        if base_name(users[0]) in _TOTALS:
            return True
        scaled = users[0].name in PRODUCT and any(size(case, v) == 1 for v in users[0].inputs)
        if users[0].name not in _SIGNS and not scaled:
            return False
        one = users[0]
    return False


def _shaped(case: Case, value: int) -> int:
    """What a value was before it was brought into another shape."""
    made = case.made_by.get(value)
    while made is not None and made.name in SHAPING and made.inputs:
        value = made.inputs[0]
        made = case.made_by.get(value)
    return value


def _unguarded(case: Case, value: int) -> int:
    """What a logarithm is taken of, without the small number that is added first."""
    made = case.made_by.get(value)
    while made is not None and (made.name in _GUARDS or made.name in SHAPING) and made.inputs:
        value = made.inputs[0]
        made = case.made_by.get(value)
    return value


def _finding(case: Case, backward: Backward, stop: Op, product: Op, trained: set[int]) -> Finding:
    where, loss, who = case.site(stop.stack), case.loss_site(backward), plain_subject(case, trained)
    steps = [(where, stop.name, "the probabilities are stopped here"),
             (case.site(product.stack), product.name, "and weigh their own logarithms"),
             (loss, "loss", "the loss")]  # fmt: skip
    places: dict[tuple[str, int], PathStep] = {}
    for site, op, role in steps:
        if site is not None:
            places.setdefault((site.file, site.line), PathStep(site, op, role))
    return Finding(
        code="W102", rule="stopped", severity="warning",
        message=f"a term of the loss{at_line(loss, where)} teaches {who} nothing: its probabilities are stopped",
        why="Each logarithm, weighed by its own probability, has the gradient of that probability, and all of them "
        "together are one whatever is learned: the gradient of the sum is zero, but for rounding. What else is in the "
        "sum is weighed by numbers alone.",
        fix=f"let {quoted(where)} keep its gradient: an expectation over all actions is taken with live probabilities",
        variables=case.names(trained), where=where, label="the probabilities are constants here", loss=loss,
        path=tuple(places.values()),
    )  # fmt: skip
