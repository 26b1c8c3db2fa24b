"""The call that should have used a network and uses something else: where a loss takes the wrong turn."""

from __future__ import annotations

import re
from collections.abc import Collection

from whygrad.flow import reach
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.syntax import called_at, given_at
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import DIFFERENCE
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.roles import LINEAR
from whygrad.rules.targets.objective import CONTRACTS, SHAPING
from whygrad.rules.targets.sync_source import given_twice

_SHOWN = frozenset({"square", "pow", "__pow__", "integer_pow", "abs", "sqrt"})
"""What a loss makes of a difference."""
_SCALES = frozenset({"mul", "__mul__", "__rmul__", "multiply", "div", "truediv", "__truediv__"})


def wrong_turn(case: Case, missing: Missing, members: set[int]) -> Site | None:
    """The line of the training step at which another network is used in place of, or without, these variables.

    None where the variables sit inside a network that the loss does use: there the fault is inside the network.
    """
    part = case.slice(missing.backward, reach.CERTAIN)
    calls = _network_calls(case, missing, part, members)
    if calls is None:
        return None
    if not calls:
        jax, tape = case.recording.framework == "jax", missing.backward.tape
        compared = next((op for op in part.ops if op.name in DIFFERENCE and (not jax or tape in op.tapes)), None)
        if jax and compared is None:
            return case.loss_site(missing.backward)
        return case.seen_from(compared.stack, missing.backward.stack) if compared is not None else None
    shapes = sorted(str(case.variable(v).shape) for v in members)
    if len(calls) == 1 and case.recording.framework != "jax" and not _names_a_part(case, calls):
        calls = _calls_inside(case, part, members, next(iter(calls))) or calls
    alike = [s for s, (_, read) in calls.items() if sorted(str(case.variable(v).shape) for v in read) == shapes]
    if alike:
        # A network of the same build stands in its place. Where it is called twice, the one that was made first is
        # called first, in its own right.
        again = [site for site in alike if calls[site][1] == calls[alike[0]][1]]
        return again[-1] if min(calls[alike[0]][1]) < min(members) else alike[0]
    return min(calls, key=lambda site: calls[site][0])


def _network_calls(
    case: Case, missing: Missing, part: reach.Slice, members: set[int]
) -> dict[Site, tuple[int, set[int]]] | None:
    """Calls of other networks in the training function, with when they ran and what they read."""
    values = case.recording.values
    classes = {case.variable(v).model for v in members if case.variable(v).model}
    roots = {case.variable(v).network for v in members}
    alone = bool(case.held_alone(members))
    calls: dict[Site, tuple[int, set[int]]] = {}
    for op in part.ops:
        read = {v for n in op.inputs if n in values and (v := values[n].variable) is not None} - members
        if not read or op.kind in ("write", "stop"):
            continue  # weights that are stopped are for a copy
        if case.recording.framework == "jax" and missing.backward.tape not in op.tapes:
            continue  # before the function that is differentiated
        site = case.seen_from(op.stack, missing.backward.stack)
        if site is None or op.switch is not None:
            continue  # what ran without a gradient (a rollout) is not where this network is missing
        family = roots & {case.variable(v).network for v in read}
        # Parts of one model count as networks of their own only in that model's training method (a GAN's train_step),
        # or where each has an optimizer of its own.
        own = alone or any(site.function.startswith(f"{c}.") for c in classes)
        if family and (_inside(case, op, site, classes) or not own):
            return None
        first, known = calls.get(site, (op.at, set()))
        calls[site] = min(first, op.at), known | read
    return calls


def _names_a_part(case: Case, calls: dict[Site, tuple[int, set[int]]]) -> bool:
    """Whether the only call says which part of a model it runs: `self.critic.q1_forward` of `policy.critic`."""
    [(site, (_, read))] = calls.items()
    said = called_at(site).split(".")[:-1]
    owners = [case.variable(v).owner.split(".")[1:] for v in read]
    return any(all(part in owner for owner in owners) for part in said)


def _calls_inside(case: Case, part: reach.Slice, members: set[int], around: Site) -> dict[Site, tuple[int, set[int]]]:
    """The same, where one call computes the whole loss: each network's own call, as deep as the networks are named."""
    calls: dict[Site, tuple[int, set[int]]] = {}
    for op in part.ops:
        read = {v for n in op.inputs if (v := case.content.get(n)) is not None} - members
        stack = case.stack(op.stack)
        if (
            not read
            or op.kind in ("write", "stop")
            or op.name == "read_value"
            or op.switch is not None
            or around not in stack
        ):
            continue
        site = named_call(case, op, read, stack.index(around))
        if site is not None:
            first, known = calls.get(site, (op.at, set()))
            calls[site] = min(first, op.at), known | read
    return calls


def named_call(case: Case, op: Op, variables: Collection[int], depth: int | None = None) -> Site | None:
    """The call of a network, outside of its own methods, where it is called by a name that tells which one it is."""
    classes = {case.variable(v).model for v in variables} - {""}
    stack = case.stack(op.stack)[:depth]
    own = [any(site.function.startswith(f"{name}.") for name in classes) for site in stack]
    within = own.index(True) if True in own else 0  # a layer of a class of its own is called by the network's methods
    for site, inside in zip(stack[within:], own[within:], strict=True):
        if not inside and not given_at(site):
            return site
    return None


def _inside(case: Case, op: Op, site: Site, classes: set[str]) -> bool:
    """Whether the operation ran in a method of the very network that the variables belong to."""
    stack = case.stack(op.stack)
    inner = stack[: stack.index(site)] if site in stack else ()
    return any(one.function.startswith(f"{name}.") for one in inner for name in classes)


def constant_term(case: Case, missing: Missing, dropped: Op) -> Site | None:
    """A mean or sum over a batch that goes into the loss and through which no gradient passes; only if there is one.

    Seen from the function in which an output was dropped: one that makes losses of what it is given is not at fault.
    """
    backward, recording = missing.backward, case.recording
    part = case.slice(backward, reach.CERTAIN)
    live: set[int] = {v for v in part.values if v in recording.values and recording.values[v].variable is not None}
    for op in part.ops:
        passing = [v for v in op.inputs if v in live]
        if any(reach.carries(recording, op, v, o, backward.tape) for v in passing for o in op.outputs):
            live.update(op.outputs)
    found: set[Site] = set()
    todo, seen = [backward.loss], {backward.loss}
    while todo:
        number = todo.pop()
        made = case.made_by.get(number) if number is not None else None
        if made is None or made.name not in LINEAR:
            continue
        if recording.framework == "jax" and backward.tape is not None and backward.tape not in made.tapes:
            continue  # made outside of the function that is differentiated: data to it
        reduces = made.name.removeprefix("reduce_") in ("mean", "sum")
        if number not in live and reduces and any(recording.values[v].shape for v in made.inputs):
            functions = {(site.file, site.first_line) for site in case.stack(dropped.stack)}
            inner, outer = ([s for s in case.stack(op.stack) if (s.file, s.first_line) in functions][:1]
                            for op in (_combined(case, made, dropped), made))  # fmt: skip
            found.update(inner or outer or case.stack(made.stack)[:1])
            continue
        if number in live and reduces:
            continue  # what lies before is one entry each
        # What a term is weighed with, or divided by (a count of what is not masked), is no term.
        scaled = number in live and made.name in _SCALES
        fresh = [v for v in made.inputs if v not in seen and (v in live or not scaled)]
        seen.update(fresh)
        todo.extend(fresh)
    return found.pop() if len(found) == 1 else None


def _combined(case: Case, term: Op, dropped: Op) -> Op:
    """Below the reductions of a constant term, what compares or combines two tensors: there the wrong one goes in.

    The term itself where one tensor is all that it is made of, or where it was put together before the output was there
    that it lacks.
    """
    instead = _taken_instead(case, term, dropped)
    if instead is not None:
        return instead
    values, made = case.recording.values, term
    while made.at > dropped.at:
        given = [v for v in made.inputs if v in values and values[v].floating]
        wide = [v for v in given if values[v].shape]
        if len(wide) > 1 and made.name not in SHAPING:
            return made
        below = case.made_by.get((wide or given)[0]) if given else None
        if below is None:
            break
        made = below
    return term


def _taken_instead(case: Case, term: Op, dropped: Op) -> Op | None:
    """The layer behind a term that is given older data of the very shape of the output that was dropped."""
    values = case.recording.values
    shape = values[dropped.outputs[0]].shape if dropped.outputs and dropped.outputs[0] in values else ()
    part = reach.backward_slice(case.recording, term.outputs[0], case.made_by, term.at + 1, reach.CERTAIN)
    for op in part.ops:
        layer = op.at > dropped.at and len(shape) > 1 and op.name in CONTRACTS
        for value in op.inputs if layer else ():
            made = case.made_by.get(value)
            older = made is None or made.at < dropped.at
            if older and value not in case.content and value in values and values[value].shape == shape:
                return op
    return None


def repeated_term(case: Case, missing: Missing, op: Op) -> Site | None:
    """Where the loss computes the same thing once more, of what has the shape of an output that was dropped."""
    again = _same_difference(case, missing, op)
    return case.site(again.stack) if again is not None and _given_one_twice(case, missing, again) is None else None


def _same_difference(case: Case, missing: Missing, op: Op) -> Op | None:
    part, values = case.slice(missing.backward, reach.CERTAIN), case.recording.values
    shapes = {values[v].shape for v in op.outputs if v in values}
    seen: dict[tuple[str, tuple[int, ...]], Site] = {}
    for one in part.ops:
        site = case.site(one.stack)
        alike = one.name in DIFFERENCE and any(values[v].shape in shapes for v in one.inputs if v in values)
        if site is None or not alike or (missing.backward.tape is not None and missing.backward.tape not in one.tapes):
            continue
        first = seen.setdefault((one.name, one.inputs), site)
        after = (first.line, first.column) < (site.line, site.column)  # a loop comes by the same place again
        if (first.file, first.function) == (site.file, site.function) and after:
            return one
    return None


def _given_one_twice(case: Case, missing: Missing, again: Op) -> Site | None:
    """The call of the function that compares, where that is given one thing twice; not the call for the gradient."""
    called = case.stack(again.stack)[1:2]
    return given_twice(called) if called != case.stack(missing.backward.stack)[:1] else None


def repeated_operand(case: Case, missing: Missing, dropped: Op) -> Site | None:
    """Where, after an output that is dropped, one of its shape is taken twice by one operation: `matmul(q, q)`.

    Or by one function, which compares both that it is given: `double_mse(q1, q1, target)`.
    """
    again = _same_difference(case, missing, dropped)
    if again is not None:
        return _given_one_twice(case, missing, again)
    values, site = case.recording.values, case.site(dropped.stack)
    shapes = {values[v].shape for v in dropped.outputs if v in values}
    for op in case.slice(missing.backward, reach.CERTAIN).ops:
        twice = len(op.inputs) > 1 and len(set(op.inputs)) == 1 and values[op.inputs[0]].shape in shapes
        here = case.site(op.stack) if twice and op.at > dropped.at else None
        if here is not None and site is not None and (here.file, here.function) == (site.file, site.function):
            return here
    return None


def stand_in(case: Case, missing: Missing, members: set[int]) -> tuple[Site, str] | None:
    """Where another part of the same build is called a second time, and its name; for parts that are never called."""
    variables = case.recording.variables
    paths = {v.id: steps_of_name(v.name) for v in variables.values()}
    own = paths[min(members)]
    shared = len(own) - 1
    while shared and any(paths[v][:shared] != own[:shared] for v in members):
        shared -= 1
    for depth in range(shared, 1, -1):
        build = sorted((paths[v][depth:], variables[v].shape) for v in members)
        families: dict[str, set[int]] = {}
        for number, steps in paths.items():
            if steps[: depth - 1] == own[: depth - 1] and steps[:depth] != own[:depth] and len(steps) > depth:
                families.setdefault("".join(steps[:depth]), set()).add(number)
        for name, family in families.items():
            if sorted((paths[v][depth:], variables[v].shape) for v in family) == build:
                sites = _uses(case, missing, min(family))
                if len(sites) > 1 and len({site.function for site in sites}) == 1:
                    return max(sites, key=lambda site: (site.line, site.column)), name
    return None


def _uses(case: Case, missing: Missing, variable: int) -> set[Site]:
    """The expressions that read a variable for one loss."""
    values = case.recording.values
    found: set[Site] = set()
    for op in case.slice(missing.backward, reach.CERTAIN).ops:
        if op.name == "read_value" or missing.backward.tape not in op.tapes:
            continue
        if any(v in values and values[v].variable == variable for v in op.inputs):
            found.update(case.stack(op.stack)[:1])
    return found


def steps_of_name(name: str) -> list[str]:
    """`critic`, `.two`, `.layers`, `[0]`, `.weight` of `critic.two.layers[0].weight`."""
    return re.findall(r"^[^.\[]+|\.[^.\[]+|\[[^\]]*\]", name)


def takes(case: Case, missing: Missing, site: Site, dropped: Op) -> bool:
    """Whether a call is given something of the shape of an output that was dropped, so that it could stand there."""
    values = case.recording.values
    shapes = {_without_ones(values[v].shape) for v in dropped.outputs if v in values}
    return any(
        v in values and v not in case.content and _without_ones(values[v].shape) in shapes
        for op in case.slice(missing.backward, reach.CERTAIN).ops
        if site in case.stack(op.stack)
        for v in op.inputs
    )


def goes_past(case: Case, missing: Missing, members: set[int], dropped: Op) -> Site | None:
    """Where the loss takes what went into a layer, and not what came out of it, though that is of the same shape.

    Only in the function that computed and dropped the output, and once it was there.
    """
    values, function = case.recording.values, _function(case.site(dropped.stack))
    shape = values[dropped.outputs[0]].shape if dropped.outputs and dropped.outputs[0] in values else ()
    weights = {v for v in case.content if case.content[v] in members}
    layer = [op for op in case.recording.ops.values() if op.at <= dropped.at and any(v in weights for v in op.inputs)]
    if not any(op.name in CONTRACTS for op in layer):
        return None  # a weight that is multiplied in is no layer that something goes into
    beside = case.reads_under.get(case.stack(layer[-1].stack), set()) - missing.variables
    if case.recording.framework == "tensorflow" and any(case.reads(missing.backward, v) for v in beside):
        return None  # another output of the very call is used: it was not gone past, one of its results was dropped
    todo = [v for op in layer for v in op.inputs]
    entered: set[int] = set()
    while todo:
        value = todo.pop()
        made = case.made_by.get(value)
        if value in entered or value in case.content:
            continue
        entered.add(value)
        if made is not None and made.name in SHAPING:
            todo.extend(made.inputs)
    fitting = {v for v in entered if v in values and values[v].shape == shape}
    for op in case.slice(missing.backward, reach.CERTAIN).ops:
        if op.at > dropped.at and any(v in fitting for v in op.inputs) and _function(case.site(op.stack)) == function:
            return case.site(op.stack)
    return None


def _function(site: Site | None) -> tuple[str, str] | None:
    return (site.file, site.function) if site is not None else None


def _without_ones(shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
    return tuple(size for size in shape if size != 1)


def compared_instead(case: Case, missing: Missing, dropped: Op) -> Site | None:
    """The comparison that a loss is made of, where what was dropped would fit: it is a side of it that is missing."""
    values, backward = case.recording.values, missing.backward
    shape = values[dropped.outputs[0]].shape if dropped.outputs and dropped.outputs[0] in values else ()
    todo, seen, found = [backward.loss], {backward.loss}, list[Op]()
    while todo:
        number = todo.pop()
        made = case.made_by.get(number) if number is not None else None
        if made is None:
            continue
        sides = [v for v in made.inputs if v in values and values[v].shape == shape and values[v].floating]
        if made.name in DIFFERENCE and len(sides) > 1 and len(shape) > 0:
            found.append(made)
        elif (made.name in LINEAR or made.name in _SHOWN) and len(sides) < 2:  # a product of two is no comparison
            fresh = [v for v in made.inputs if v not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    return case.seen_from(found[0].stack, backward.stack) if len(found) == 1 else None
