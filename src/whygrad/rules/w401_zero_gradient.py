"""W401 zero-gradient

What it checks
    The gradient reaches the variables and is exactly zero in every update
    that was looked at. Said is why, and in which layer it starts: a ReLU
    that is off for the whole batch (how many units), a tanh, sigmoid or
    softmax at its flat end, a softmax over one entry, a clamp that cuts
    everything off, a minimum that always takes the other side, a factor
    that is zero (an advantage, a mask), weights that are all zero. A term
    that is multiplied by such zeros is told too where the rest of the loss
    trains on (an entropy bonus beside an advantage of zero), and so is a
    ratio of a policy to itself, a custom backward that returns zeros, and
    in JAX a second derivative of a network of ReLUs.

Why it matters
    Nothing is None, no framework warns, the loss may even move because
    other layers learn. A layer whose gradient is zero stays as it is, and
    with plain ReLU it never comes back.

Example
    PyTorch
        td = (net(states) - (targets + 50)).clamp(-1, 1)
        loss = (td ** 2).mean()
        loss.backward()          # every error is beyond 1: the clamp is flat
    TensorFlow
        with tf.GradientTape() as tape:
            td = tf.clip_by_value(net(states) - (targets + 50), -1.0, 1.0)
            loss = tf.reduce_mean(td ** 2)
        grads = tape.gradient(loss, net.trainable_variables)      # all zeros
    JAX
        def loss_fn(params):
            td = jnp.clip(net(params, states) - (targets + 50), -1, 1)
            return jnp.mean(td ** 2)

        grads = jax.grad(loss_fn)(params)                         # all zeros

Instead
    PyTorch
        loss = F.smooth_l1_loss(net(states), targets + 50)
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            loss = keras.losses.huber(targets + 50, net(states))
        grads = tape.gradient(loss, net.trainable_variables)
    JAX
        def loss_fn(params):
            td = net(params, states) - (targets + 50)
            far = jnp.abs(td)
            return jnp.mean(jnp.where(far < 1, td ** 2 / 2, far))

        grads = jax.grad(loss_fn)(params)

What does not help
    A larger learning rate: zero times anything is zero. After a dead ReLU it
    is often what killed it.
    Clamping the TD error (td.clamp(-1, 1) ** 2): that clamps the value and
    so removes the gradient. To limit the gradient use the Huber loss, or
    clip the gradient.
    Weight decay: moves the weights, teaches them nothing.

When it is meant
    A first update with zero-initialised weights (LoRA, a residual branch, a
    policy's last layer), single dead units, a hinge loss that is satisfied
    and rewards that are still zero are quiet. Otherwise write
    `# whygrad: ok W401` on the line that the finding names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad.flow.events import Step
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.chosen_stops import chosen_stops
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.flat_place import place_of
from whygrad.rules.numbers.flatness import (
    Dead,
    dead_ends,
    ends_layer,
    is_nothing,
    leads_through_weights,
    own_backwards,
    pass_before,
    satisfied,
    was_alive,
    zero_gradients,
    zero_maker,
)
from whygrad.rules.numbers.handed_zeros import handed_zeros
from whygrad.rules.numbers.masked_away import masked_away
from whygrad.rules.numbers.origin import base_name, numbers_of
from whygrad.rules.numbers.saturated import saturated_layers
from whygrad.rules.numbers.single_class import single_class
from whygrad.rules.numbers.softmaxes import QUOTIENTS, is_softmax, structural
from whygrad.rules.numbers.straight_pieces import straight_pieces
from whygrad.rules.numbers.thrown import thrown
from whygrad.rules.numbers.unmoved_state import unmoved_states
from whygrad.rules.numbers.zero_terms import zero_terms
from whygrad.rules.numbers.zero_words import RECTIFIERS, SQUASHERS, leaky, story, zero_weights
from whygrad.rules.wording import at_line, count, quoted, subject, verb

CODE, NAME = "W401", "zero-gradient"
SUMMARY = "the gradient arrives and is exactly zero: dead ReLU, saturation, a clamp, a factor that is zero"

_MOST = 0.9
_ROUNDING = 1e-5
_SINCE = 3
_OFTEN = 0.3
_IN_A_ROW, _BY_CHANCE = 16, 1e-9
_ON_THE_WAY = 3


def check(case: Case) -> Iterator[Finding]:
    """Variables whose gradient is zero by value, by the operation that lets none through."""
    first, case = case, case.over_time
    groups: dict[tuple[str, Site | None], Dead] = {}
    told: set[Site | None] = set()
    steps_of = {**_constant(case), **zero_gradients(case)}
    for variable, steps in steps_of.items():
        if not case.variable(variable).trainable or variable not in case.trained:
            continue
        dead = _explained(case, variable, steps)
        if dead is not None and dead.op.stack not in chosen_stops(case):  # the side that is taken is stopped: W102
            groups.setdefault((dead.why, place_of(case, dead)), dead).variables.add(variable)
    if case is not first:
        yield from _at_times(first, case, {v for dead in groups.values() for v in dead.variables})
    for dead in _merged(case, list(groups.values())):
        itself = dead.why == "flat" and case.content.get(dead.source) in dead.variables
        if itself or any(len(case.variable(v).shape) > 1 or not case.variable(v).parameter for v in dead.variables):
            seen = max(len(steps_of[v]) for v in dead.variables)
            finding = _finding(case, dead, seen)
            if finding is not None:
                told.add(finding.where)
                yield finding
    yield from zero_terms(case, set(steps_of))  # what has no gradient at all was told above
    yield from (found for found in handed_zeros(case) if found.code == CODE)
    yield from straight_pieces(case)
    yield from single_class(case, set(steps_of))
    yield from unmoved_states(case)
    yield from _mostly_dead(case)
    yield from (found for found in saturated_layers(case) if found.where not in told)


def _at_times(first: Case, case: Case, told: set[int]) -> Iterator[Finding]:
    """Saturated in all of the first updates and in many of the later ones: a row slips through now and then."""
    groups: dict[Site | None, tuple[Dead, int]] = {}
    for variable, steps in zero_gradients(first).items():
        seen = [is_nothing(n) for s in case.recording.steps if (n := s.gradients.get(variable)) is not None]
        if variable in told or variable not in case.trained or sum(seen) < _OFTEN * len(seen):
            continue
        dead = _explained(first, variable, steps)
        if dead is not None and dead.why == "flat" and base_name(dead.op) in SQUASHERS:
            groups.setdefault(place_of(first, dead), (dead, len(steps)))[0].variables.add(variable)
    for dead, seen_in in groups.values():
        finding = _finding(first, dead, seen_in)
        if finding is not None:
            yield finding


def _explained(case: Case, variable: int, steps: list[Step]) -> Dead | None:
    last = next((s for s in reversed(steps) if s.gradients[variable].all_zero), steps[-1])
    backward = pass_before(case, last, variable)
    if backward is None:
        return None
    ends = sorted(dead_ends(case, backward, last, {variable}), key=_from_outside)
    for dead in ends or own_backwards(case, backward, {variable}, zero_gradients(case).keys()):
        if dead.why == "zero input":
            mask = masked_away(case, dead.entering) if dead.entering is not None else None
            if dead.zero is not None and dead.zero.flat:
                dead = Dead(dead.zero, dead.zero.flat[0], "flat", backward, dead.variables)
            elif mask is not None and dead.zero is not None and dead.zero.inputs:
                dead = Dead(mask, mask.inputs[0], "zero factor", backward, dead.variables, dead.zero)
            else:
                continue
        dead = _first_flat(case, dead)
        if was_alive(case, variable) and not structural(case, dead.op):
            if thrown(case) is not None:
                return None  # W404: it died of the first steps
            flat = dead.why == "flat" and base_name(dead.op) in (*RECTIFIERS, *SQUASHERS)
            died = flat and len(steps) >= _SINCE and _for_long(case, variable, steps)
            output = ends_layer(case, dead) and not satisfied(case, dead)
            return dead if died and (output or leads_through_weights(case, dead)) else None
        if len(steps) > 1 or structural(case, dead.op):
            return dead
    return None


def _from_outside(dead: Dead) -> bool:
    """Whether zeros are a plain number or data: where another term has zeros that were computed, those say more."""
    made = dead.why == "zero factor" and dead.zero is not None and dead.zero.kind != "enter" and dead.zero.inputs
    return dead.why in ("zero constant", "zero factor") and not made


def _first_flat(case: Case, dead: Dead) -> Dead:
    """A layer that is off because it is given nothing but zeros: the layer before it is to blame."""
    while dead.why == "flat":
        entering = numbers_of(case, dead.source)
        maker = zero_maker(case, dead.source) if entering is not None and entering.all_zero else None
        if maker is None or not maker.flat or maker.at >= dead.op.at:
            break
        dead = Dead(maker, maker.flat[0], "flat", dead.backward, dead.variables)
    certain = _certain_softmax(case, dead) if dead.why == "flat" else None
    return Dead(certain, certain.inputs[0], "flat", dead.backward, dead.variables) if certain is not None else dead


def _certain_softmax(case: Case, dead: Dead) -> Op | None:
    """The softmax before a limit that a distribution sets its probabilities, where every row is 0 and 1 already."""
    made, depth = case.made_by.get(dead.source), 0
    while made is not None and depth < _ON_THE_WAY and base_name(made) in QUOTIENTS and not is_softmax(case, made):
        made, depth = case.made_by.get(made.inputs[0]), depth + 1
    if made is None or not made.outputs or not is_softmax(case, made):
        return None
    known = numbers_of(case, made.outputs[0])
    return made if known is not None and known.low < _ROUNDING and known.high > 1 - _ROUNDING else None


def _for_long(case: Case, variable: int, steps: list[Step]) -> bool:
    """Whether a layer that had a gradient once has lost it: a single batch may miss every unit by chance.

    So many one after the other do not: with what it was like before, that would be a wonder.
    """
    known = [(step.at, n) for step in case.recording.steps if (n := step.gradients.get(variable)) is not None]
    seen = [is_nothing(n) for _, n in known]
    if len(steps) >= len(seen) // 4 or sum(seen) >= 0.9 * len(seen):
        return True
    before = [nothing for (at, _), nothing in zip(known, seen, strict=True) if at < steps[0].at]
    chance = math.comb(len(seen) - len(before), len(steps)) * (sum(before) / len(before)) ** len(steps)
    return len(steps) >= _IN_A_ROW and chance < _BY_CHANCE


def _constant(case: Case) -> dict[int, list[Step]]:
    """Variables behind a softmax over one entry: rounding may leave them a gradient that is not quite zero."""
    found: dict[int, list[Step]] = {}
    for step in case.recording.steps:
        for variable, numbers in step.gradients.items():
            if not numbers.all_zero and numbers.norm < _ROUNDING * (1 + numbers.size):
                found.setdefault(variable, []).append(step)
    return {v: s for v, s in found.items() if (dead := _explained(case, v, s)) and structural(case, dead.op)}


def _merged(case: Case, dead: list[Dead]) -> list[Dead]:
    """With weights of zero every unit is off as well: that is one fault."""
    zero = next((d for d in dead if d.why == "zero weights"), None)
    if zero is None:
        return dead
    for other in dead:
        entering = numbers_of(case, other.source)
        if other.why == "flat" and entering is not None and entering.all_zero:
            zero.variables |= other.variables
            other.variables = set()
    zero.zero_variable = min(zero_weights(case, zero), default=zero.zero_variable)
    return [d for d in dead if d.variables]


def _finding(case: Case, dead: Dead, seen: int) -> Finding | None:
    told = story(case, dead)
    if told is None:
        return None
    severity, what, why, fix = told
    where, loss = place_of(case, dead), case.loss_site(dead.backward)
    members = dead.variables
    gets = verb(members, case, "gets", "get")
    steps = [(where, dead.op.name, "the gradient becomes zero here"), (loss, "loss", "the loss")]
    places = {(s.file, s.line): PathStep(s, op, role) for s, op, role in reversed(steps) if s is not None}
    return Finding(
        code=CODE,
        rule=NAME,
        severity=severity,
        message=f"{subject(case, members)} {gets} a gradient of exactly zero from the loss{at_line(loss, where)}",
        why=f"{why[:1].upper()}{why[1:]} {_lately(case, members if not structural(case, dead.op) else set(), seen)}",
        fix=fix,
        variables=case.names(members),
        where=where,
        label=what,
        loss=loss,
        path=tuple(reversed(places.values())),
        seen=seen,
    )


def _lately(case: Case, members: set[int], seen: int) -> str:
    if any(was_alive(case, v) for v in members):
        since = max(_since(case, v) for v in members)
        often = f"the last {seen}" if since <= seen else f"{seen} of the last {since}"
        return f"It was so in {often} updates that were looked at; before that there was a gradient."
    return f"It was so in {'every' if seen > 1 else 'the'} update that was looked at."


def _since(case: Case, variable: int) -> int:
    """How many updates lie between the first of those that had no gradient and the last one."""
    first = zero_gradients(case)[variable][0] if variable in zero_gradients(case) else None
    return sum(1 for s in case.recording.steps if first is not None and s.at >= first.at and variable in s.gradients)


def _mostly_dead(case: Case) -> Iterator[Finding]:
    """A layer of which nearly all units are off, in every forward pass that a loss was computed from."""
    losses = [b for b in case.recording.backwards if not b.implicit and b.error is None and b.loss is not None]
    share: dict[Site, list[float]] = {}
    ops: dict[Site, tuple[Op, int]] = {}
    for index, backward in enumerate(losses[-8:]):
        for op in case.slice(backward).ops:
            units = op.units
            if units is None or units.total < 8 or not op.carries or base_name(op) not in ("relu", "relu6"):
                continue
            site = case.site(op.stack)
            if site is not None:
                share.setdefault(site, []).append(units.dead / units.total)
                ops[site] = op, index
    for site, parts in share.items():
        op, index = ops[site]
        if op.units is None or len(parts) < 2 or min(parts) <= _MOST or min(parts) == 1:
            continue
        yield Finding(
            code=CODE,
            rule=NAME,
            severity="note",
            message=f"{op.units.dead} of {count(op.units.total, 'unit')} are off for the whole batch",
            why=f"The input of {quoted(site)} is negative for every row, so these units learn nothing.",
            fix=f"a lower learning rate, other first weights, or {leaky(case)}",
            variables=(),
            where=site,
            label=f"{op.units.dead} of {op.units.total} units are off for the whole batch",
            loss=case.loss_site(losses[-8:][index]),
            seen=len(parts),
        )
