"""Losses that move a network they only look through: `-critic(s, actor(s)).mean()` applied to the critic.

Found by structure. A loss makes a network's bare output large and reaches another network through its input; a second
loss trains the first network without that other one. The first loss is there for what feeds the network. Applied to
the network itself it only inflates its output.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from whygrad.flow import reach
from whygrad.flow.events import Backward, Step
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.roles import LINEAR
from whygrad.rules.numbers.softmaxes import is_chance
from whygrad.rules.targets.objective import PRODUCT
from whygrad.rules.targets.teachers import teachers
from whygrad.rules.updates.adversaries import Adversaries, adversaries, given_away
from whygrad.rules.updates.history import Share, history

Kind = Literal["holds both", "piled", "summed", "stepped too", "wrong step"]
"""How a leak came to be applied: one optimizer holds both networks, the gradient was left for the next step, both
losses are backpropagated as one sum, the other optimizer stepped beside the right one, or in its place."""
_PASSES = 3
"""How many passes of one loss are looked at: the first tell the story."""
_SUMS = frozenset({
    "add", "__add__", "__radd__", "sub", "__sub__", "__rsub__", "rsub", "neg", "__neg__", "negative", "mul", "__mul__",
    "__rmul__", "multiply", "div", "truediv", "__truediv__", "losses", "add_n", "addn", "iadd", "__iadd__", "identity",
})  # fmt: skip


@dataclass(slots=True)
class Term:
    """One summand of a loss: the variables its gradient reaches, and the network whose bare output it is, if any."""

    backward: Backward
    value: int
    reached: set[int]
    bare: set[int] = field(default_factory=set)
    """Variables of the last layer of a network whose output the term is, but for sums and means."""
    fed: set[int] = field(default_factory=set)
    """Variables that the gradient reaches through the input of that last layer."""


@dataclass(slots=True)
class Leak:
    """A loss that is applied to a network it should leave alone."""

    backward: Backward
    variables: set[int]
    """Of the network that is moved."""
    meant: set[int]
    """What the loss is there to train."""
    own: Backward
    """The loss that the network itself learns from."""
    step: Step
    kind: Kind
    judged: bool = False
    """The network that is moved judges what the other one makes: `whygrad.rules.updates.adversaries`."""
    made: bool = False
    """The network that is moved makes what the other one judges."""
    taught: bool = False
    """The network that is moved had learned before what the other is to learn: `whygrad.rules.targets.teachers`."""


@asked_once
def leaks(case: Case) -> list[Leak]:
    """Every leak that was applied, once for each place of a loss."""
    found: dict[tuple[int, int], Leak] = {}
    terms = list(_terms(case))
    for term in terms:
        own = [one for one in terms if one is not term and one.reached & term.bare and not one.bare & term.bare]
        owned = _taught(case, own)
        if own and term.fed - owned:
            leak = _applied(case, term, own, owned, term.fed - owned)
            if leak is not None:
                found.setdefault((leak.backward.stack, leak.step.optimizer), leak)
    if not found:
        for pair in adversaries(case):
            leak = _judged(case, pair)
            found.setdefault((leak.backward.stack, leak.step.optimizer), leak)
        for pair in given_away(case) if not found else ():
            leak = _made(case, pair)
            found.setdefault((leak.backward.stack, leak.step.optimizer), leak)
    for taught in teachers(case):
        step = history(case).applied[taught.backward.at, min(taught.teacher)][0]
        key = taught.backward.stack, step.optimizer
        leak = Leak(taught.backward, taught.teacher, taught.student, taught.earlier, step, "holds both", taught=True)
        found.setdefault(key, leak)
    return list(found.values())


def _taught(case: Case, own: list[Term]) -> set[int]:
    """What these losses train: a tape also sees what only made the targets, and nobody asks for that."""
    applied = history(case).applied
    return {v for one in own for v in one.reached if (one.backward.at, v) in applied} or {
        v for one in own for v in one.reached
    }


def _judged(case: Case, pair: Adversaries) -> Leak:
    told, moved = history(case), min(pair.judge)
    backward = _first_applied(case, pair.makers, moved)
    step = told.applied[backward.at, moved][0]
    both = (step.applied | case.recording.optimizers[step.optimizer].holds) & pair.maker
    return Leak(backward, pair.judge, pair.maker, pair.judges, step, "holds both" if both else "piled", judged=True)


def _first_applied(case: Case, loss: Backward, moved: int) -> Backward:
    """The first pass of a loss of which a variable was given something."""
    applied, same = history(case).applied, case.place(loss)
    return next(b for b in case.recording.backwards if case.place(b) == same and (b.at, moved) in applied)


def _made(case: Case, pair: Adversaries) -> Leak:
    told, moved = history(case), min(pair.maker)
    backward = _first_applied(case, pair.judges, moved)
    step = told.applied[backward.at, moved][0]
    return Leak(backward, pair.maker, pair.judge, pair.makers, step, "holds both", judged=True, made=True)


def _applied(case: Case, term: Term, owners: list[Term], owned: set[int], meant: set[int]) -> Leak | None:
    told, optimizers = history(case), case.recording.optimizers
    held = {v for o in optimizers.values() for v in o.holds}
    own = next((o for o in owners if any((o.backward.at, v) in told.applied for v in term.bare & o.reached)), None)
    if case.recording.framework == "tensorflow":
        held |= case.unheld  # an optimizer holds there what it was given, and this one was asked for the other
    if own is None or not meant & held:
        return None
    moved = term.reached & owned
    for variable in sorted(term.bare & owned):
        for step in told.applied.get((term.backward.at, variable), ()):
            shares = told.fed.get(step.at, {}).get(variable, ())
            if not any(share.backward is term.backward for share in shares):
                continue  # it went to another variable, which is another rule's affair
            hit = {v for v in moved if any(s.backward is term.backward for s in told.fed[step.at].get(v, ()))}
            # One line in a loop over the losses may be a pass for each of them.
            together = own.backward.stack == term.backward.stack and any(o.backward is term.backward for o in owners)
            if together and not any((term.backward.at, v) in told.applied for v in meant):
                return None  # a sum of the network's own, like that of a WGAN's critic: what fed it is left alone
            kind = _kind(case, step, shares, term, owners, meant)
            if kind in ("stepped too", "wrong step") and together:
                kind = "summed"
            return Leak(term.backward, hit | {variable}, meant, own.backward, step, kind)
    return None


def _kind(case: Case, step: Step, shares: tuple[Share, ...], term: Term, owners: list[Term], meant: set[int]) -> Kind:
    if (step.applied | case.recording.optimizers[step.optimizer].holds) & meant:
        return "holds both"
    passes = {o.backward.at for o in owners} - {term.backward.at}
    others = [
        share
        for share in shares
        if not share.spent and (share.backward.stack != term.backward.stack or share.backward.at in passes)
    ]
    if others or step.taken:
        return "piled"
    learned = any((term.backward.at, v) in history(case).applied for v in meant)
    return "stepped too" if learned else "wrong step"


def _terms(case: Case) -> Iterator[Term]:
    seen: dict[tuple[int, int | None], int] = {}
    for backward in case.recording.backwards:
        if backward.implicit or backward.loss is None or backward.error or backward.call == "check":
            continue
        one = case.place(backward)
        seen[one] = seen.get(one, 0) + 1
        if seen[one] > _PASSES or backward.loss not in case.recording.values:
            continue
        for value in _summands(case, backward):
            yield _term(case, backward, value)


def _summands(case: Case, backward: Backward) -> list[int]:
    """The numbers that a loss is the sum of, whatever they are weighed with."""
    values = case.recording.values
    todo, found = [backward.loss], list[int]()
    while todo and len(found) < 16:
        number = todo.pop()
        made = case.made_by.get(number) if number is not None else None
        if number is None:
            continue
        scalar = made is not None and all(all(n == 1 for n in values[v].shape) for v in made.inputs if v in values)
        if made is not None and scalar and made.name in _SUMS and made.inputs:
            todo.extend(made.inputs)
        elif comes_alive(case, number, backward):
            found.append(number)
    return found


def comes_alive(case: Case, number: int, backward: Backward) -> bool:
    """Whether a gradient can pass through a value: a weight of the sum is a constant."""
    value = case.recording.values.get(number)
    return value is not None and value.floating and value.live and number in case.made_by


def _term(case: Case, backward: Backward, value: int) -> Term:
    term = Term(backward, value, _variables_behind(case, backward, value))
    todo, seen = [value], {value}
    weighing: set[int] = set()
    while todo:
        made = case.made_by.get(todo.pop())
        if made is None:
            continue
        if made.name in PRODUCT:  # the mean over what a policy may do: its chances weigh what the critic says of each
            chances = [v for v in made.inputs if is_chance(case, v)]
            weighing |= {v for one in chances for v in _variables_behind(case, backward, one)}
        read = {
            case.content[v]
            for v in made.inputs
            if v in case.content and any(reach.carries(case.recording, made, v, t, backward.tape) for t in made.outputs)
        }
        if read:
            rest = [v for v in made.inputs if v not in case.content]
            behind = {v for source in rest for v in _variables_behind(case, backward, source)}
            if behind:  # a parameter that stands alone (a temperature, a log-deviation) is no network
                term.bare |= read
                term.fed |= behind
        elif made.name in LINEAR:
            fresh = [v for v in made.inputs if v not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    term.bare &= term.reached
    term.fed |= weighing if term.bare else set()
    return term


def _variables_behind(case: Case, backward: Backward, value: int) -> set[int]:
    part = reach.backward_slice(case.recording, value, case.made_by, backward.at, reach.CERTAIN)
    arrived = reach.gradient_reach(case.recording, part, backward.tape)
    return {case.content[n] for n in arrived if n in case.content}
