"""W404 exploding

What it checks
    The gradient grows by orders of magnitude from update to update (or until
    it overflows to NaN, with no single operation to blame), or it is larger
    than the weights by a factor of a hundred million in every update (of a
    thousand, where the numbers grow from layer to layer or from round to
    round), or so large that clipping finds its norm infinite. Said
    is what clipping left of it, where there is clipping.

Why it matters
    Each step overshoots further than the last. A few updates later the loss
    is inf, then NaN, and the network is lost. Before that it looks like bad
    luck with the seed.

Example
    PyTorch
        optimizer = torch.optim.SGD(net.parameters(), lr=30.0)
        for update in range(4):
            optimizer.zero_grad()
            loss = F.mse_loss(net(10 * states), targets)
            loss.backward()
            optimizer.step()             # each step overshoots the last one
    TensorFlow
        sgd = keras.optimizers.SGD(30.0)
        for update in range(4):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((net(10 * states) - targets) ** 2)
            grads = tape.gradient(loss, net.trainable_variables)
            sgd.apply_gradients(zip(grads, net.trainable_variables))
    JAX
        for update in range(4):
            grads = jax.grad(net_loss)(params)
            params = jax.tree.map(lambda p, g: p - 30.0 * g, params, grads)

Instead
    PyTorch
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        for update in range(4):
            optimizer.zero_grad()
            loss = F.mse_loss(net(states), targets)
            loss.backward()
            optimizer.step()
    TensorFlow
        sgd = keras.optimizers.SGD(0.01)
        for update in range(4):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((net(states) - targets) ** 2)
            grads = tape.gradient(loss, net.trainable_variables)
            sgd.apply_gradients(zip(grads, net.trainable_variables))
    JAX
        for update in range(4):
            grads = jax.grad(net_loss)(params)
            params = jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)

What does not help
    nan_to_num on gradients or loss: the weights are already far off.
    Clipping each value (clip_grad_value_) at a high limit: the direction is
    lost and the step is as large as before. Clip the norm.
    float64: it overflows some updates later.

When it is meant
    Gradients that are large and stay as they are, and a first update that is
    larger than the rest, are quiet. Otherwise write
    `# whygrad: ok W404` on the line that the finding names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from whygrad.flow.events import Backward, Edit, Step
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.source import named_argument
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.flatness import pass_before
from whygrad.rules.numbers.growth import Growth, beyond_clipping, blown_up, norm_of
from whygrad.rules.numbers.layers import (
    STEEP,
    growing_layers,
    growing_rounds,
    layers_site,
    overshot,
    reached,
    rounds_in,
    runaway,
    steep_at_first,
)
from whygrad.rules.numbers.origin import first_trouble
from whygrad.rules.numbers.thrown import Thrown, thrown
from whygrad.rules.updates.crossings import led_astray
from whygrad.rules.updates.passed_over import passed_over
from whygrad.rules.w304_never_cleared import piled_up
from whygrad.rules.wording import plain_subject, quoted

CODE, NAME = "W404", "exploding"
SUMMARY = "the gradient grows by orders of magnitude over updates, or over the steps of a loop"

_HUGE = 1e8
_FIRST = 4
_OVERSHOOTS = "A step that is too large lands where the slope is steeper still, so each one is larger than the last."
_SLOWLY = (
    "The loss grows with them, in nearly every update: a target that is computed from the network's own output and "
    "runs away from it, or steps that are too large."
)


def check(case: Case) -> Iterator[Finding]:
    """Growth over time; else growth over a loop or over layers."""
    if passed_over(case):
        return  # it climbs, and W206 says why
    heaped, begun = piled_up(case), case
    case = case.over_time
    trouble = first_trouble(case)
    if trouble is not None and led_astray(begun, trouble.at):
        return  # W204
    growth = blown_up(case, trouble)
    if growth is not None:
        if not any(s.applied & heaped for s in growth.steps):  # W304: each update adds to the sum of all before
            yield _from_the_start(begun, growth) or _over_time(case, growth)
        return
    step, loop = overshot(case, trouble), runaway(case, trouble)
    if step is None and loop is not None and trouble is not None and trouble.backward is not None:
        yield _over_loop(case, loop, trouble.backward, trouble.variables, "overflows", trouble.seen, "error")
        return
    if step is not None:
        size = f"{_against_weights(step.step)}, and {'soon it' if step.at_first else 'the next one'} is not finite"
        if step.loop is not None:
            yield _over_loop(case, step.loop, step.backward, step.step.applied, size, 1, "error")
        else:
            yield _over_layers(case, step.layers, step.backward, step.step.applied, size, 1, "error")
    if trouble is not None:
        return
    away = thrown(case)
    if away is not None:
        yield _thrown(case, away)
        return
    beyond = beyond_clipping(case)
    if beyond is not None:
        edit, of = beyond
        loop, size = rounds_in(case, of), "is so large that its norm is infinite"
        if loop is not None:
            yield _over_loop(case, loop, of, edit.variables, size, 1, "error")
            return
        if layers := growing_layers(case, of):
            yield _over_layers(case, layers, of, edit.variables, size, 1, "error")
            return
    steps = [s for s in case.recording.steps if s.gradients and s.weights and s.error is None]
    for optimizer in {s.optimizer for s in steps}:
        # A sample whose loss is saturated has a gradient of zeros, which says nothing of the others.
        own = [s for s in steps if s.optimizer == optimizer and norm_of(s.gradients) > 0]
        if len(own) < 2:
            continue
        ratio = min(norm_of(s.gradients) / max(1.0, norm_of(s.weights)) for s in own[:_FIRST])
        always = ratio > _HUGE and all(norm_of(s.gradients) > _HUGE * max(1.0, norm_of(s.weights)) for s in own)
        backward = pass_before(case, own[0], min(own[0].applied)) if ratio > STEEP else None
        if backward is None:
            continue
        loop = rounds_in(case, backward) if backward.loss is not None else None
        size = _against_weights(own[0])
        if loop is not None and (always or (ratio > STEEP and growing_rounds(case, backward))):
            yield _over_loop(case, loop, backward, own[0].applied, size, len(own), "warning")
        elif loop is None and (layers := growing_layers(case, backward)):
            yield _over_layers(case, layers, backward, own[0].applied, size, len(own), "warning")


def _from_the_start(case: Case, growth: Growth) -> Finding | None:
    """The steps are too large because the gradient is, and was before any step."""
    first = steep_at_first(case, growth.optimizer)
    if first is None:
        return None
    end = f"is no longer finite by update {growth.until}" if growth.overflow else "grows with every update"
    return _over_layers(
        case, first.layers, first.backward, first.step.applied, f"{_against_weights(first.step)}, and {end}",
        len(growth.steps), "error" if growth.overflow else "warning",
    )  # fmt: skip


def _against_weights(step: Step) -> str:
    return f"is {norm_of(step.gradients):.1e} against weights of {norm_of(step.weights):.1e}"


def _over_time(case: Case, growth: Growth) -> Finding:
    optimizer = case.recording.optimizers[growth.optimizer]
    members = frozenset(v for step in growth.steps for v in step.applied)
    passes = [b for b in case.recording.backwards if b.got & members]
    where = case.site(optimizer.created) or case.site(growth.steps[-1].stack)
    if growth.slow and passes:
        where = case.site(passes[-1].stack) or where
    who = plain_subject(case, members)
    norms = [f"{norm:.1e}" for norm in growth.norms]
    shown = ", ".join(norms if len(norms) <= 5 else [*norms[:3], "…", norms[-1]])
    end = f", and is no longer finite by update {growth.until}" if growth.overflow else ""
    rate = growth.steps[-1].rate
    loss = case.loss_site(passes[-1]) if passes else None
    step = case.site(growth.steps[-1].stack)
    chosen = "the gradient comes from here" if growth.slow else "the step size is chosen here"
    stations = [(where, "optimizer", chosen), (loss, "loss", "the loss"),
                (step, "step", "each step goes further than the last")]  # fmt: skip
    places = {(s.file, s.line): PathStep(s, op, role) for s, op, role in reversed(stations) if s is not None}
    clip = "torch.nn.utils.clip_grad_norm_" if case.recording.framework == "torch" else (
        "global_clipnorm=1.0" if case.recording.framework == "tensorflow" else "optax.clip_by_global_norm"
    )  # fmt: skip
    return Finding(
        code=CODE,
        rule=NAME,
        severity="warning" if not growth.overflow else "error",
        message=f"the gradient of {who} grows from update to update: {shown}{end}",
        why=f"The norms of the gradient in the order of the updates. {_SLOWLY if growth.slow else _OVERSHOOTS}"
        f"{_left_over(case, members)}",
        fix=f"lower the learning rate{f' ({rate:g} now)' if rate else ''}, bring inputs and targets to a size around "
        f"1, and clip the norm ({clip})",
        variables=case.names(members),
        where=where,
        label="its loss grows in every update" if growth.slow else "its steps overshoot, each further than the last",
        loss=loss,
        path=tuple(reversed(places.values())),
        seen=len(growth.steps),
    )


def _thrown(case: Case, away: Thrown) -> Finding:
    members = frozenset(v for step in away.steps for v in step.applied)
    step, rate = case.site(away.steps[0].stack), away.steps[0].rate
    where = case.site(away.optimizer.created) or step
    passes = [b for b in case.recording.backwards if b.got & members]
    loss = case.loss_site(passes[0]) if passes else None
    stations = [(where, "optimizer", "the step size is chosen here"), (loss, "loss", "the loss"),
                (step, "step", "goes too far")]  # fmt: skip
    places = {(s.file, s.line): PathStep(s, op, role) for s, op, role in reversed(stations) if s is not None}
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"the first steps throw the weights of {plain_subject(case, members)} from {away.weights[0]:.1e} to "
        f"{away.weights[1]:.1e}, and the loss from {away.losses[0]:.1e} to {away.losses[1]:.1e}",
        why="The norms of all weights before the first step and a few steps later; the loss did not come back. So far "
        "from where they began, units are dead or saturated, and small steps do not bring them back to life.",
        fix=f"lower the learning rate{f' ({rate:g} now)' if rate else ''} by orders of magnitude, bring inputs and "
        "targets to a size around 1",
        variables=case.names(members), where=where, label="its first steps go many times too far", loss=loss,
        path=tuple(reversed(places.values())), seen=len(away.steps),
    )  # fmt: skip


def _over_loop(
    case: Case, loop: tuple[Op, int], backward: Backward, members: frozenset[int], size: str, seen: int,
    severity: Literal["error", "warning"],
) -> Finding:  # fmt: skip
    op, times = loop
    where: Site | None = case.site(op.stack)
    loss = case.loss_site(backward)
    stations = [(where, op.name, "multiplied again in every round"), (loss, "loss", "the loss")]
    places = {(s.file, s.line): PathStep(s, name, role) for s, name, role in reversed(stations) if s is not None}
    return Finding(
        code=CODE,
        rule=NAME,
        severity=severity,
        message=f"the gradient of {plain_subject(case, members)} {size}: a loop multiplies by the same weights {times} "
        "times",
        why=f"{quoted(where)} multiplies by the same variable in every round, and the numbers grow each time."
        f"{_left_over(case, members)}",
        fix="use a gated cell (LSTM, GRU) or orthogonal first weights, squash the state (tanh), stop the gradient "
        "every few rounds (truncated backpropagation), and clip the norm",
        variables=case.names(members),
        where=where,
        label=f"computed {times} times in a row with the same weights",
        loss=loss,
        path=tuple(reversed(places.values())),
        seen=seen,
    )


def _over_layers(
    case: Case, layers: list[Op], backward: Backward, members: frozenset[int], size: str, seen: int,
    severity: Literal["error", "warning"],
) -> Finding:  # fmt: skip
    where, loss = layers_site(case, layers), case.loss_site(backward)
    where = (named_argument(where, "initializer") or where) if where is not None else None
    sizes = [f"{reached(case, op):.1e}" for op in layers]
    shown = ", ".join(sizes) if len(sizes) < 5 else f"{', '.join(sizes[:3])} … {sizes[-1]}"
    stations = [(where, layers[-1].name, "each layer makes the numbers larger"), (loss, "loss", "the loss")]
    places = {(s.file, s.line): PathStep(s, name, role) for s, name, role in reversed(stations) if s is not None}
    return Finding(
        code=CODE,
        rule=NAME,
        severity=severity,
        message=f"the gradient of {plain_subject(case, members)} {size}: the numbers grow from layer to layer",
        why=f"What comes out of the layers reaches {shown}. On the way back the "
        f"gradient is multiplied by the same weights once more.{_left_over(case, members)}",
        fix="make the first weights smaller (the framework's default, or He initialisation: a spread of "
        "sqrt(2 / inputs)), and normalise between the layers",
        variables=case.names(members),
        where=where,
        label="the numbers grow from layer to layer",
        loss=loss,
        path=tuple(reversed(places.values())),
        seen=seen,
    )


def _left_over(case: Case, members: frozenset[int]) -> str:
    """What clipping left of the last gradient."""
    clips: list[Edit] = [e for e in case.recording.edits if e.kind == "clip" and e.variables & members]
    clips = [e for e in clips if e.norm and e.limit]
    if not clips:
        return ""
    last = clips[-1]
    if not math.isfinite(last.norm or 0.0):
        return f" Clipping ({last.call}) divides by that norm, which leaves nothing of the gradient."
    share = min(1.0, (last.limit or 0.0) / (last.norm or 1.0))
    return (
        f" Clipping ({last.call}, {last.limit:g}) left {share:.0e} of the last one; it "
        "limits the step and does not change where it goes."
    )
