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
from dataclasses import replace

from whygrad.flow.events import Backward, Edit, Failure, Step
from whygrad.flow.site import Site, Stack, shared_site
from whygrad.flow.source import is_statement
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.applied_scaled import applied_scaled, scaled
from whygrad.rules.updates.clipped_by_hand import BY_HAND, clipped_by_hand
from whygrad.rules.updates.clipped_others import clipped_others
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
            yield _before_unscale(case, clips[0], still)
        elif any(clip.made for clip in clips):
            yield from _unapplied(case, clips)
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
    if not steps:
        return
    scaled = [found for clip in clips if (found := _still_scaled(case, clip)) is not None]
    if scaled and len(scaled) == len(clips):
        yield _before_unscale(case, clips[0], scaled[0])
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


def _still_scaled(case: Case, clip: Edit) -> Backward | None:
    """The backward pass of a scaled loss whose gradient is clipped before it was unscaled."""
    pending = history(case).pending.get(clip.at, {})
    shares = [share for found in pending.values() for share in found if not share.spent]
    if not shares:
        return None
    backward = shares[-1].backward
    unscaled = any(
        e.kind == "unscale" and backward.at < e.at < clip.at and e.variables & clip.variables
        for e in case.recording.edits
    )
    return backward if not unscaled and scaled(case, backward) else None


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
        path=_stations((backward, "backward", "the gradient comes here"), (where, clip.call, "clipped here"),
                       (applied, "step", "applied here")),
    )  # fmt: skip


_CUT = "A limit meant for the true gradient then cuts nearly all of it away"
_SCALED = {
    "torch": (
        f"scaler.scale(loss) multiplies every gradient by the scale, often 65536. {_CUT}, and step() divides what is "
        "left by the scale.",
        "call scaler.unscale_(optimizer) before",
    ),
    "tensorflow": (
        f"scale_loss(loss) multiplies every gradient by the scale, often 32768. {_CUT}, and the optimizer divides what "
        "is left by the scale.",
        "let the optimizer inside clip, after the division (Adam(clipnorm=…) in LossScaleOptimizer), in place of",
    ),
    "jax": (
        f"The loss was multiplied by a scale, and every gradient with it. {_CUT}, and what is left is divided by the "
        "scale afterwards.",
        "divide the gradients by the scale before",
    ),
}
"""By framework: why it does harm, and what to do."""


def _before_unscale(case: Case, clip: Edit, backward: Backward) -> Finding:
    where, came = case.site(clip.stack), case.site(backward.stack)
    why, fix = _SCALED[case.recording.framework]
    step = next((s for s in case.recording.steps if s.at > clip.at and s.applied & clip.variables), None)
    applied = case.site(step.stack if step else None)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where, 'clipping')} clips gradients that are still scaled: those of "
        f"{subject(case, clip.variables)} were not unscaled before",
        why=why, fix=f"{fix} {quoted(where, 'the clipping')}",
        variables=case.names(clip.variables), where=where, label="the gradients are still multiplied by the scale",
        path=_stations((came, "backward", "the scaled gradient comes here"), (where, clip.call, "clipped here"),
                       (applied, "step", "unscaled and applied here")),
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
        path=_stations((where, clip.call, "refused here")),
    )  # fmt: skip


# --- gradients that are values ----------------------------------------------------------------------------------------


def _unapplied(case: Case, clips: list[Edit]) -> Iterator[Finding]:
    """Clipped gradients were computed, and the optimizer was given the ones from before."""
    made = {value for clip in clips for value in clip.made}
    given = {value for clip in clips for value in clip.given}
    given |= {source for value in given for source in _read_from(case, value)}
    with_, without = list[Step](), list[Step]()
    for step in case.recording.steps:
        taken = set(step.taken.values())
        if any(_comes_through(case, value, made) for value in taken):
            with_.append(step)
        elif any(_comes_through(case, value, given) for value in taken):
            without.append(step)
    jax = case.recording.framework == "jax"
    if jax and with_:
        yield from _clipped_scaled(case, clips)
    if with_ or not without:
        return
    if jax and any(v in made - given for op in case.recording.ops.values() for v in op.inputs):
        return  # it serves something else: a norm, a similarity, a plot
    clip, step = clips[0], without[0]
    late = clip.at > step.at
    if late and _clipped_before(case, clips):
        return  # the step got clipped ones; what is clipped once more afterwards is for showing
    clipped, applied = case.site(clip.stack), case.site(step.stack)
    if clip.call == BY_HAND or (jax and clip.limit is None):
        clipped = case.seen_from(clip.stack, step.stack)  # in the function that has both
    elif not late:  # a helper may clip and return them; the line that takes nothing from it is the one to change
        clipped = next((site for site in _up_to(case, clip, step) if is_statement(site)), clipped)
    dropped = not late and clipped is not None and (jax or is_statement(clipped))
    yield Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the gradients clipped by {quoted(clipped, clip.call)}"
        f"{at_line(clipped, clipped)} are not the ones "
        f"that are applied to {subject(case, step.applied)}",
        why=f"{clip.call} returns new gradients and leaves the given ones as they are. "
        + ("They are made after the step here." if late else "The step is given the ones from before."),
        fix=f"clip before {quoted(applied, 'the step')}, and give it the result"
        if late
        else f"give the result of {quoted(clipped, clip.call)} to {quoted(applied, 'the step')}",
        variables=case.names(step.applied), where=clipped or applied,
        label="too late: the step has applied them" if late else "its result is dropped" if dropped
        else "the step is not given what this returns",
        path=_stations((clipped, clip.call, "clipped here"), (applied, step.call, "applied here")),
    )  # fmt: skip


def _read_from(case: Case, value: int) -> tuple[int, ...]:
    """TensorFlow: the content of a variable, where a value was read from one: a sum of gradients."""
    made = case.made_by.get(value)
    return made.inputs if made is not None and made.name == "read_value" else ()


def _up_to(case: Case, clip: Edit, step: Step) -> Stack:
    """Where the clipping was called from, out to the function that has the step; further out both are one call."""
    sites = case.stack(clip.stack)
    shared = shared_site(sites, case.stack(step.stack))
    return sites[: sites.index(shared) + 1] if shared is not None else sites


def _clipped_before(case: Case, clips: list[Edit]) -> bool:
    """Whether what is clipped here comes out of another clipping."""
    others = {v for e in case.recording.edits if e.kind == "clip" and e not in clips for v in e.made}
    return bool(others) and all(_comes_through(case, value, others) for clip in clips for value in clip.given)


def _clipped_scaled(case: Case, clips: list[Edit]) -> Iterator[Finding]:
    """JAX: the loss was multiplied by a scale, the gradients are clipped, and divided by that scale only afterwards."""
    made = {value for clip in clips for value in clip.made}
    for op in case.recording.ops.values():
        if op.inside or op.tapes or op.name not in ("div", "mul") or len(op.inputs) != 2:
            continue
        factor = _number(case, op.inputs[1]) or _number(case, op.inputs[0])
        if not factor or op.at < clips[0].at or not any(_comes_through(case, v, made) for v in op.inputs):
            continue
        scale = factor if op.name == "div" else 1 / factor
        asked = [b for b in case.recording.backwards if b.at < clips[0].at and b.got & clips[0].variables]
        clipping = case.made_by.get(clips[0].made[0])
        if scale > 1 and clipping is not None and asked and _multiplied(case, asked[-1], scale):
            yield _before_unscale(case, replace(clips[0], stack=clipping.stack), asked[-1])
            return


def _number(case: Case, value: int) -> float | None:
    """The content of a plain number."""
    known = case.recording.values[value]
    return known.numbers.low if known.numbers is not None and known.numbers.size == 1 and not known.shape else None


def _multiplied(case: Case, backward: Backward, scale: float) -> bool:
    """Whether the last thing that was done to the loss is to multiply it by a scale."""
    made = case.made_by.get(backward.loss) if backward.loss is not None else None
    if made is None or made.name != "mul":
        return False
    return any(n is not None and math.isclose(n, scale, rel_tol=1e-5) for n in (_number(case, v) for v in made.inputs))


def _comes_through(case: Case, value: int, marks: set[int]) -> bool:
    """Whether a value is one of these, or was made from one by operations that keep its shape."""
    values = case.recording.values
    todo, seen = [value], {value}
    while todo:
        number = todo.pop()
        if number in marks:
            return True
        made = case.made_by.get(number)
        if made is None or made.name in ("gradient", "autograd.grad") or number not in values:
            continue
        shape = values[number].shape
        fresh = [v for v in made.inputs if v in values and values[v].shape == shape and v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return False


def _stations(*steps: tuple[Site | None, str, str]) -> tuple[PathStep, ...]:
    return tuple(PathStep(site, op, role) for site, op, role in steps if site is not None)
