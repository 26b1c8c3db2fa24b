"""W108 overwritten

What it checks
    A value that the backward pass needs was overwritten between forward and
    backward: by optimizer.step(), by an in-place operation (+=, x[i] = y,
    relu(inplace=True), copy_), by a write into a leaf. Or it was replaced as
    a whole before the loss (h[:] = y, h.at[:].set(y)): then its gradient is
    zero. In TensorFlow: a
    result that reaches the loss through variable.assign(). In JAX: arrays
    that were given away (donate_argnums) and are used again. The finding
    names the writer, which the framework's error does not.

Why it matters
    The gradient of a product needs the factors as they were. PyTorch notices
    the write and refuses ("modified by an inplace operation"). TensorFlow
    reads the variable as a fresh start: no gradient goes through a store, and
    what was assigned gets None.

Example
    PyTorch
        actor_loss = -critic(states, actor(states)).mean()
        critic_loss = F.mse_loss(critic(states, actions), targets)
        critic_loss.backward()
        critic_optimizer.step()        # writes the critic's weights in place
        actor_loss.backward()          # RuntimeError: inplace operation
    TensorFlow
        chosen = tf.Variable(tf.zeros((8, 2)))
        with tf.GradientTape() as tape:
            chosen.assign(actor(states))
            loss = -tf.reduce_mean(critic([states, chosen]))
        grads = tape.gradient(loss, actor.trainable_variables)  # all None
    JAX
        def train_step(params):
            grads = jax.grad(net_loss)(params)
            return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

        step = jax.jit(train_step, donate_argnums=0)
        target_params = params           # the same arrays
        params = step(params)            # which are gone after this
        net(target_params, states)       # ValueError: deleted or donated

Instead
    PyTorch
        critic_loss = F.mse_loss(critic(states, actions), targets)
        critic_loss.backward()
        critic_optimizer.step()
        actor_loss = -critic(states, actor(states)).mean()
        actor_loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            chosen = actor(states)
            loss = -tf.reduce_mean(critic([states, chosen]))
        grads = tape.gradient(loss, actor.trainable_variables)
    JAX
        def train_step(params):
            grads = jax.grad(net_loss)(params)
            return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

        step = jax.jit(train_step, donate_argnums=0)
        target_params = jax.tree.map(jnp.copy, params)
        params = step(params)
        net(target_params, states)

What does not help
    Detaching Q in the actor loss: no error, and no gradient for the actor
    (W102).
    retain_graph=True: keeps the graph, not the old values. The error stays.
    Downgrading PyTorch: releases before 1.5 did not notice an optimizer step
    and computed the gradient from mixed old and new weights.
    Writing through .data: escapes the check in the same way. The gradient is
    wrong, silently.
    .clone() of the loss: copies one number. What was overwritten is the
    weight or the activation.

When it is meant
    A parameter that is updated by hand is written under torch.no_grad(),
    after backward(); target networks too. An assign() that stores a copy for
    later is quiet when the loss uses the value itself. Otherwise write
    `# whygrad: ok W108` on the line of the write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.adapted_in_place import adapted_in_place
from whygrad.rules.cuts.carried_over_step import carried_over_step
from whygrad.rules.cuts.verdict import verdicts
from whygrad.rules.cuts.written_over import written_over
from whygrad.rules.finding import Finding, PathStep, stations
from whygrad.rules.updates.swapped import swapped
from whygrad.rules.w502_target_is_online import aliases
from whygrad.rules.wording import at_line, from_verdict, quoted, subject, verb

CODE, NAME = "W108", "overwritten"
SUMMARY = "an in-place write, an assign or an optimizer step between forward and backward"


def check(case: Case) -> Iterator[Finding]:
    """Values that the backward pass needs and that are no longer what they were."""
    for backward in case.recording.backwards:
        if backward.error and "modified by an inplace operation" in backward.error:
            if carried_over_step(case, backward) is not None:
                break  # W107: it is a state of a round before that should not be here
            finding = _clash(case, backward)
            synced = {sync for _, _, sync, _ in aliases(case) if sync is not None}
            # W502: the target's sync writes into the network that is being trained; W204: the wrong optimizer steps
            if finding.where not in synced | _steps_of_swapped(case):
                yield finding
            break
    for failure in case.recording.failures:
        if "leaf Variable that requires grad" in failure.message or "view of a leaf Variable" in failure.message:
            where = case.site(failure.stack)
            yield Finding(
                code=CODE, rule=NAME, severity="error",
                message=f"{quoted(where)} writes into a leaf that autograd is to differentiate",
                why="The old value of a leaf is needed for its gradient; an in-place write would lose it.",
                fix="to update a parameter by hand, write under `with torch.no_grad():`; to compute with it, use the "
                "out-of-place form (x = x + 1, torch.where, torch.cat)",
                variables=(), where=where, label="this writes into a leaf that requires a gradient",
            )  # fmt: skip
            break
    yield from _read_again(case)
    yield from _given_away(case)
    yield from _replaced(case)
    yield from _adapted(case)
    for verdict in verdicts(case):
        if verdict.code == CODE:
            yield from_verdict(
                case, verdict, NAME,
                f"the gradient stops here: .{verdict.op.name}() stores the value in a variable, and no gradient goes "
                "through a store",
                "A variable's content has no history. What was assigned arrives at the loss as if it were a constant.",
                f"use the computed value itself in the loss, not the variable that {quoted(verdict.where)} wrote",
            )  # fmt: skip


def _steps_of_swapped(case: Case) -> set[Site | None]:
    """Where optimizers step that hold each other's variables."""
    swapped_ones = {optimizer.id for pair in swapped(case) for optimizer in (pair.one, pair.other)}
    return {case.site(step.stack) for step in case.recording.steps if step.optimizer in swapped_ones}


def _given_away(case: Case) -> Iterator[Finding]:
    """JAX: arrays whose memory a compiled function was given for its results (`donate_argnums`), used once more."""
    failure = next((f for f in case.recording.failures if f.kind == "deleted"), None)
    where = case.site(failure.stack) if failure is not None else None
    if failure is None or where is None:
        return
    writer = case.site(failure.origin) if failure.origin is not None else None
    what = f"`{failure.about}`" if failure.about else "what was given away"
    steps = [(writer, "call", "their memory is given away here"), (where, "use", "and they are used again here")]
    yield Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where)} uses {what}, whose arrays were given away to {quoted(writer, 'a compiled function')}"
        f"{at_line(writer, where)}",
        why="With donate_argnums a compiled function writes its results into the memory of its arguments. After the "
        "call those arrays are gone, under every name that they had.",
        fix="go on with what the function returned (params = step(params)); keep a copy of what is to stay as it was: "
        "target = jax.tree.map(jnp.copy, params); or take the argument out of donate_argnums",
        variables=(), where=where, label="these arrays are gone",
        path=tuple(PathStep(site, op, role) for site, op, role in dict.fromkeys(steps) if site is not None),
    )  # fmt: skip


def _replaced(case: Case) -> Iterator[Finding]:
    """A write to every entry of a result, so that what computed it has a gradient of zeros."""
    for one in written_over(case):
        where, made, loss = case.site(one.op.stack), case.made_by.get(one.before), case.loss_site(one.backward)
        gets = verb(one.variables, case, "gets", "get")
        before = [(case.site(made.stack), made.name, "computed here")] if made is not None else []
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{subject(case, one.variables)} {gets} a gradient of exactly zero from the loss"
            f"{at_line(loss, where)}: {quoted(where)} writes over all that was computed from "
            f"{'it' if len(one.variables) == 1 else 'them'}",
            why="The write reaches every entry. Nothing of what was there before goes into the loss, so its gradient "
            "is zero, and no framework says a word.",
            fix="write to the entries that are meant (an index, a mask), combine the two values, or leave out what is "
            "computed in vain",
            variables=case.names(one.variables), where=where, label="every entry is written over", loss=loss,
            path=stations(*before, (where, one.op.name, "every entry is written over"), (loss, "loss", "the loss")),
        )  # fmt: skip


def _adapted(case: Case) -> Iterator[Finding]:
    """An inner step of a meta-learner that is stored in the variables themselves; one finding for a loop over tasks."""
    for one in adapted_in_place(case):
        where, asked = case.site(one.stack), case.site(one.outer.stack)
        inner, loss = case.site(one.inner.stack), case.loss_site(one.outer)
        functional = {"torch": "torch.func.functional_call(model, weights, x)"}.get(
            case.recording.framework, "a forward pass that takes the weights as arguments"
        )
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{quoted(where)} stores the inner step in {subject(case, one.variables)}: the gradient"
            f"{at_line(asked, where)} does not go through it",
            why="A store has no derivative. The outer loss is differentiated at the adapted weights, as if they had "
            "been there from the beginning, and adapted they stay: the next task begins where this one ended.",
            fix="keep the adapted weights as values, `adapted = [w - rate * g for w, g in …]`, and compute the outer "
            f"loss with {functional}; a first-order method puts the old weights back after each task",
            variables=case.names(one.variables), where=where, label="the weights themselves are changed here",
            loss=loss,
            path=stations((inner, "gradient", "the inner gradient"), (where, "write", "stored in the weights"),
                          (loss, "loss", "the outer loss"), (asked, "gradient", "asked of the same weights")),
        )  # fmt: skip
        return


def _read_again(case: Case) -> Iterator[Finding]:
    """TensorFlow: a gradient function that runs later reads a variable again, and finds another value in it."""
    recording = case.recording
    for backward in recording.backwards:
        if backward.tape is None or backward.loss is None:
            continue
        for op in case.slice(backward, reach.CERTAIN).ops:
            if op.detail != "custom_gradient":
                continue
            read = {recording.values[v].variable for v in op.inputs if v in recording.values} - {None}
            write = next((w for w in recording.writes if w.variable in read and op.at < w.at < backward.at), None)
            if write is None:
                continue
            where, used, asked = case.site(write.stack), case.site(op.stack), case.site(backward.stack)
            steps = [(used, op.name, "reads the variable, and again when its gradient is computed"),
                     (where, write.by, "changes it in between"), (asked, "gradient", "the gradient")]  # fmt: skip
            yield Finding(
                code=CODE, rule=NAME, severity="warning",
                message=f"{quoted(where)} changes a variable between the forward pass and its gradient",
                why=f"The gradient of {quoted(used)} is computed by code that reads the variable again (a "
                "custom gradient, "
                "recomputation); it would use the new value with the old forward pass, without an error.",
                fix="compute the gradient first, then change the variable",
                variables=case.names({v for v in read if v is not None and v == write.variable}),
                where=where, label="changed before the gradient has been computed", loss=case.loss_site(backward),
                path=tuple(PathStep(site, op_name, role) for site, op_name, role in steps if site is not None),
            )  # fmt: skip
            return


def _clash(case: Case, backward: Backward) -> Finding:
    step, write_site, by, names = _writer(case, backward)
    loss = case.loss_site(backward)
    path = []
    if write_site is not None:
        path.append(PathStep(write_site, by, "overwrites a value that the backward pass needs"))
    here = case.site(backward.stack)
    if here is not None:
        path.append(PathStep(here, "backward", "the backward pass"))
    if step:
        label = f"this step changes {names} between the forward pass of a loss and its backward()"
        why = (
            "The loss was computed with the old weights; an optimizer step writes new ones in place, and the "
            "backward pass "
            "through the network would mix the two."
        )
        fix = (
            "order it as: backward of one loss, its step, then compute the next loss anew; or call every "
            "backward() before "
            "the first step(). Detaching the critic's value in the actor loss, or an older PyTorch, only hides "
            "it: the actor "
            "would not learn"
        )
    else:
        label = "this overwrites, in place, a value that the backward pass needs"
        why = "Autograd kept the value for the backward pass; after the write it is another one."
        fix = (
            f"use the out-of-place form in {quoted(write_site)} (x = x + y, F.relu(x), torch.where), or write "
            "into a clone()"
        )
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the backward pass{at_line(here, write_site)} needs a value that "
        f"{quoted(write_site, 'a write')} has overwritten",
        why=why, fix=fix, variables=(), where=write_site or here, label=label, loss=loss, path=tuple(path),
    )  # fmt: skip


def _writer(case: Case, backward: Backward) -> tuple[bool, Site | None, str, str]:
    """Who overwrote it: (an optimizer step?, where, the call, what it changed)."""
    recording = case.recording
    part = case.slice(backward)
    # What lies behind a detach was kept for no backward pass: who writes there does no harm.
    reached = reach.gradient_reach(recording, part, backward.tape)
    ops = [op for op in part.ops if any(number in reached for number in op.outputs)] or part.ops
    used_at: dict[int, int] = {}
    for op in ops:
        for number in op.inputs:
            used_at.setdefault(number, op.at)
    shape = _shape(backward.error or "")
    saved = {n for op in ops for n in (*op.inputs, *op.outputs)}
    writes = []
    for write in recording.writes:
        forward = used_at.get(write.before)
        made = case.made_by.get(write.before)
        touched = forward is not None or write.before in saved
        since = forward if forward is not None else made.at if made is not None else write.at
        if touched and since <= write.at < backward.at:
            writes.append(write)
    fits = [w for w in writes if shape is None or _same_shape(recording.values[w.before].shape, shape)]
    on_way = {recording.values[v].variable: at for v, at in used_at.items() if v in recording.values}
    steps = []
    for step in recording.steps:
        changed = [v for v in step.applied if v in on_way and on_way[v] < step.at < backward.at]
        if changed and (shape is None or any(_same_shape(recording.variables[v].shape, shape) for v in changed)):
            steps.append((step, frozenset(changed)))
    if steps and (not fits or _names_parameter(backward.error or "")):
        step, changed_variables = steps[-1]
        return True, case.site(step.stack), "step", subject(case, changed_variables)
    # What the write itself reads is no use by others: a rectifier in place goes behind every layer, and does no harm.
    read = [w for w in fits if used_at.get(w.before, w.at) < w.at]
    kept = [w for w in fits if _made_by(case, w.before, backward.error or "")]
    chosen = next((some[-1] for some in (read, kept, fits, writes) if some), None)
    if chosen is not None:
        return False, case.site(chosen.stack), chosen.by, ""
    return False, None, "write", ""


def _made_by(case: Case, value: int, error: str) -> bool:
    """Whether PyTorch names the operation that made a value, and kept it: "output 0 of SigmoidBackward0"."""
    found = re.search(r"output \d+ of (\w+?)(?:Backward\d*)?,", error)
    made = case.made_by.get(value)
    return found is not None and made is not None and made.name.strip("_") == found.group(1).lower()


def _shape(error: str) -> tuple[int, ...] | None:
    found = re.search(r"\[torch\.\w+ \[([\d, ]*)\]\]", error)
    if not found:
        return None
    return tuple(int(n) for n in found.group(1).split(",") if n.strip())


def _same_shape(one: tuple[int | None, ...], other: tuple[int, ...]) -> bool:
    return tuple(one) == other or tuple(reversed(one)) == other


def _names_parameter(error: str) -> bool:
    """A parameter shows up as itself or as its transpose, not as the output of a computing operation."""
    return "output" not in error or "AsStridedBackward" in error or "TBackward" in error
