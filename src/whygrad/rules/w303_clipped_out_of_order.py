"""W303 clipped-out-of-order

What it checks
    Gradients are clipped where it changes nothing: before backward(), before
    the last of several backward passes, after step(), while they are still
    multiplied by a gradient scaler, or for another network than the one that
    steps. Or the optimizer steps on gradients that are still scaled. In
    TensorFlow: clipped gradients are computed, and the optimizer is given
    the ones from before, or a LossScaleOptimizer divides gradients of a loss
    that was never scaled; in JAX a chain in which clipping comes after the
    optimizer.

Why it matters
    Clipping is there for the one batch whose gradient is a hundred times too
    large. Out of order it never sees that gradient, and the run that it was
    to save breaks off. Before unscale_ it does harm: 65536 times the true
    gradient is cut down to the limit, and divided by 65536 afterwards.

Example
    PyTorch
        optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
        loss = F.mse_loss(net(states), targets)
        optimizer.zero_grad()
        nn.utils.clip_grad_norm_(net.parameters(), 0.01)   # nothing yet
        loss.backward()
        optimizer.step()               # the whole gradient
    TensorFlow
        optimizer = keras.optimizers.SGD(1.0)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - targets) ** 2)
        mine = net.trainable_variables
        grads = tape.gradient(loss, mine)
        clipped, norm = tf.clip_by_global_norm(grads, 0.01)
        optimizer.apply_gradients(zip(grads, mine))     # not the clipped
    JAX
        grads = jax.grad(net_loss)(params)
        clipped = jax.tree.map(lambda g: jnp.clip(g, -0.01, 0.01), grads)
        params = jax.tree.map(lambda p, g: p - g, params, grads)

Instead
    PyTorch
        optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
        loss = F.mse_loss(net(states), targets)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.01)
        optimizer.step()
    TensorFlow
        optimizer = keras.optimizers.SGD(1.0)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - targets) ** 2)
        mine = net.trainable_variables
        grads = tape.gradient(loss, mine)
        clipped, norm = tf.clip_by_global_norm(grads, 0.01)
        optimizer.apply_gradients(zip(clipped, mine))
    JAX
        grads = jax.grad(net_loss)(params)
        clipped = jax.tree.map(lambda g: jnp.clip(g, -0.01, 0.01), grads)
        params = jax.tree.map(lambda p, g: p - g, params, clipped)

What does not help
    A smaller limit: is as far out of order.
    Clipping twice, before and after: the one between backward and step does
    the work; the other only hides that it is missing.
    Clipping the loss: makes the gradient zero where it is clipped.
    A limit of 65536 times the size in place of unscale_: the scaler changes
    its scale while the program runs.

When it is meant
    clip_grad_norm_ with an infinite (or huge) limit measures the norm and is
    quiet wherever it stands. clipnorm= of a Keras optimizer is always in
    order. Otherwise write `# whygrad: ok W303` on the line of the clipping.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from whygrad.flow.events import Edit, Failure, Step
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.finding import Finding, PathStep, stations
from whygrad.rules.updates.applied_scaled import applied_scaled
from whygrad.rules.updates.clipped_before_unscaling import before_unscale, still_scaled
from whygrad.rules.updates.clipped_by_hand import BY_HAND, clipped_by_hand
from whygrad.rules.updates.clipped_others import clipped_others
from whygrad.rules.updates.clipped_unapplied import clipped_unapplied
from whygrad.rules.updates.history import history
from whygrad.rules.updates.loss_scaling import clipped_scaled, never_scaled
from whygrad.rules.updates.order import passes
from whygrad.rules.wording import at_line, quoted, subject, verb

CODE, NAME = "W303", "clipped-out-of-order"
SUMMARY = "gradients clipped before backward, before unscale_, after the step, or clipped and not applied"

_HARMLESS = 1e6
"""Nobody clips at such a norm: it is asked for to be printed."""


def check(case: Case) -> Iterator[Finding]:
    """Clipping that cannot reach what the step applies."""
    sites: dict[int, list[Edit]] = {}
    for edit in (*case.recording.edits, *clipped_by_hand(case)):
        if edit.kind == "clip" and (edit.limit is None or (math.isfinite(edit.limit) and edit.limit < _HARMLESS)):
            sites.setdefault(edit.stack, []).append(edit)
    for clips in sites.values():
        late = _behind_optimizer(case, clips) if case.recording.framework == "jax" else None
        still = clipped_scaled(case, clips)
        if late is not None:
            yield late
        elif still is not None:
            yield before_unscale(case, clips[0], still)
        elif any(clip.made for clip in clips):
            yield from clipped_unapplied(case, clips)
        elif case.recording.framework != "jax" and not any(clip.given for clip in clips):
            yield from _misplaced(case, clips)
    yield from applied_scaled(case)
    yield from never_scaled(case)
    yield from _refused(case)


def _behind_optimizer(case: Case, clips: list[Edit]) -> Finding | None:
    """JAX: a chain that clips last: what it limits is no gradient, and is added to the weights as it is.

    A number that the program itself multiplies an update by may be a step that a search found, or a trust ratio.
    """
    if any(clip.call == BY_HAND for clip in clips):
        return None
    gradients = {value for b in case.recording.backwards for value in b.given.values()}
    if any(not clip.made or gradients.intersection(clip.given) for clip in clips):
        return None
    steps = [next((s for s in case.recording.steps if set(s.taken.values()) & set(c.made)), None) for c in clips]
    if any(s is None or not _whole(s, c) <= set(c.made) for s, c in zip(steps, clips, strict=True)):
        return None
    step, clip = steps[0], clips[0]
    where, members = case.site(clip.stack), set(step.taken) & clip.variables if step is not None else set[int]()
    applied = case.site(step.stack) if step is not None else None
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"`{clip.call}` clips what the optimizer has made of the gradients of {subject(case, members)}, not "
        "the gradients",
        why="A chain runs in the order in which it is written. What comes here is multiplied by the learning rate "
        "already, so that a limit for gradients hardly ever takes hold, and a gradient that was too large has gone "
        "into the optimizer's averages.",
        fix=f"put it first: optax.chain(optax.{clip.call}(…), …)",
        variables=case.names(members), where=where, label="comes after the optimizer in its chain",
        path=tuple(PathStep(site, op, role) for site, op, role in (
            (where, clip.call, "clips the update"), (applied, "update", "which is added to the weights here"),
        ) if site is not None), seen=len(clips),
    )  # fmt: skip


def _whole(step: Step, clip: Edit) -> set[int]:
    """What a step applied to the variables of a chain; `multi_transform` gives the others one of their own."""
    return {value for variable, value in step.taken.items() if variable in clip.variables}


# --- gradients that lie in .grad --------------------------------------------------------------------------------------


def _misplaced(case: Case, clips: list[Edit]) -> Iterator[Finding]:
    steps = [s for s in case.recording.steps if any(s.applied & clip.variables for clip in clips)]
    if not steps or any(_within_backward(case, clip) for clip in clips):
        return
    scaled = [found for clip in clips if (found := still_scaled(case, clip)) is not None]
    if scaled and len(scaled) == len(clips):
        yield before_unscale(case, clips[0], scaled[0])
        return
    others = next(clipped_others(case, clips), None)
    if others is not None:
        yield others
        return
    verdicts = [_judged(case, clip) for clip in clips]
    told = [verdict for verdict in verdicts if verdict is not None]
    if not told or any(verdict == "right" for verdict in told):
        return
    # A loop has no beginning: whether clip comes before backward or after the step shows in the first round.
    yield _wrong_place(case, clips[verdicts.index(told[0])], told[0])


def _within_backward(case: Case, clip: Edit) -> bool:
    """Whether a hook clips while backward() runs: each gradient is complete by then, whoever else's is not."""
    around = case.stack(clip.stack)[1:]
    return any(stack and around[-len(stack) :] == stack for b in passes(case) for stack in [case.stack(b.stack)])


def _judged(case: Case, clip: Edit) -> str | None:
    """Whether a clipping does its work, and if not, what it comes too early or too late for. None: cannot be told."""
    pending = history(case).pending.get(clip.at, {})
    waiting = {v for v in clip.variables if any(not share.spent for share in pending.get(v, ()))}
    step = next((s for s in case.recording.steps if s.at > clip.at and s.applied & clip.variables), None)
    before = [s for s in case.recording.steps if s.at < clip.at and s.applied & clip.variables]
    if not waiting:
        later = [e for e in case.recording.edits if e.kind == "clip" and e.stack != clip.stack]
        if step is not None and any(clip.at < e.at < step.at and e.variables & clip.variables for e in later):
            return "right"  # somebody else does the work
        if before:
            return "after the step"
        came = any(step is not None and clip.at < b.at < step.at and b.got & clip.variables for b in passes(case))
        return "before backward" if came else None
    if step is None:
        return None
    added = [b for b in passes(case) if clip.at < b.at < step.at and b.got & waiting]
    again = any(
        added and added[-1].at < e.at < step.at and e.kind == "clip" and e.variables & waiting
        for e in case.recording.edits
    )
    return "before backward" if added and not again else "right"


def _wrong_place(case: Case, clip: Edit, verdict: str) -> Finding:
    where = case.site(clip.stack)
    came = next((b for b in passes(case) if b.got & clip.variables), None)
    step = next((s for s in case.recording.steps if s.applied & clip.variables), None)
    between = came
    if verdict == "before backward":
        between = next((b for b in passes(case) if b.at > clip.at and b.got & clip.variables), came)
    backward, applied = case.site(between.stack if between else None), case.site(step.stack if step else None)
    late = verdict == "after the step"
    why = (
        "The optimizer has applied the gradient at its full size by then; clipping what is left changes nothing."
        if late
        else "backward() adds a gradient after it, and the step applies that one at its full size."
    )
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where, 'clipping')} runs {verdict}{at_line(applied if late else backward, where)}: what the "
        f"optimizer applies to {subject(case, clip.variables)} is never clipped",
        why=why,
        fix=f"clip between backward and step: move {quoted(where, 'it')} between {quoted(backward, 'backward()')} and "
        f"{quoted(applied, 'step()')}",
        variables=case.names(clip.variables), where=where,
        label="the gradient has been applied already" if late else "the gradient is not complete here",
        path=stations((backward, "backward", "the gradient comes here"), (where, clip.call, "clipped here"),
                      (applied, "step", "applied here")),
    )  # fmt: skip


def _refused(case: Case) -> Iterator[Finding]:
    """PyTorch says so itself: unscale_ in the wrong place, or nothing to clip."""
    for failure in case.recording.failures:
        where = case.site(failure.stack)
        if failure.kind == "scaler.unscale_" and where is not None:
            again = "already been called" in failure.message
            yield Finding(
                code=CODE, rule=NAME, severity="error",
                message=f"{quoted(where)} is called {'a second time in one update' if again else 'after the step'}",
                why=f"Gradients are unscaled once, before they are clipped and applied. PyTorch refuses: "
                f"{failure.message.splitlines()[0]}",
                fix="the order is scale(loss).backward(), unscale_, clip, scaler.step, scaler.update, each once",
                variables=(), where=where, label="refused here",
                path=(PathStep(where, "unscale_", "refused here"),),
            )  # fmt: skip
            return
        clip = next((e for e in case.recording.edits if e.stack == failure.stack and e.call == failure.kind), None)
        if clip is not None and not any(b.got & clip.variables for b in passes(case)) and not missing_gradients(case):
            yield _nothing_yet(case, clip, failure)
            return


def _nothing_yet(case: Case, clip: Edit, failure: Failure) -> Finding:
    where = case.site(clip.stack)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where, 'clipping')} runs before backward(): {subject(case, clip.variables)} "
        f"{verb(clip.variables, case, 'has', 'have')} no gradient yet",
        why=f"There is nothing to clip at this point. PyTorch refuses: {failure.message.splitlines()[0]}",
        fix=f"clip between backward and step: move {quoted(where, 'it')} behind backward()",
        variables=case.names(clip.variables), where=where, label="the gradient is not there yet",
        path=stations((where, clip.call, "refused here")),
    )  # fmt: skip
