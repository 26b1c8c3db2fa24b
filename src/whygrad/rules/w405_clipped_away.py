"""W405 clipped-away

What it checks
    Clipping leaves nothing of the gradient: the limit is zero or negative,
    or it is so small against the norm that was found that the step cannot
    move the weights, in every update that was looked at.

Why it matters
    The gradient was right and is thrown away between backward and step.
    Nothing warns, and the loss stands still as if the learning rate were
    zero.

Example
    PyTorch
        loss = F.mse_loss(critic(states, actions), targets)
        loss.backward()
        nn.utils.clip_grad_norm_(critic.parameters(), 0.0)
        critic_optimizer.step()              # every gradient is zero by now
    TensorFlow
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - targets) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
        grads = [tf.clip_by_value(g, 0.0, 0.0) for g in grads]    # all zeros
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
    JAX
        grads = jax.grad(net_loss)(params)
        norm = jnp.sqrt(sum(jnp.sum(g ** 2) for g in jax.tree.leaves(grads)))
        grads = jax.tree.map(lambda g: g * 0.0 / norm, grads)     # all zeros

Instead
    PyTorch
        loss = F.mse_loss(critic(states, actions), targets)
        loss.backward()
        nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
        critic_optimizer.step()
    TensorFlow
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - targets) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
        grads, norm = tf.clip_by_global_norm(grads, 1.0)
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
    JAX
        grads = jax.grad(net_loss)(params)
        norm = jnp.sqrt(sum(jnp.sum(g ** 2) for g in jax.tree.leaves(grads)))
        grads = jax.tree.map(lambda g: g / jnp.maximum(norm, 1.0), grads)

What does not help
    A larger learning rate against a limit that is too small: it works until
    the gradient is small by itself, and then the step is far too large.
    Clipping harder because training is unstable: choose the limit from the
    norms that are seen, about their median.

When it is meant
    Adam and its relatives divide the scale out again, so a small limit is no
    finding with them unless it falls below their epsilon. Otherwise write
    `# whygrad: ok W405` on the line that the finding names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from whygrad.flow.events import Edit, Step
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.growth import norm_of
from whygrad.rules.updates.clipped_by_hand import BY_HAND
from whygrad.rules.updates.clipped_in_parts import norm, whole_clipping
from whygrad.rules.wording import at_line, quoted, subject, verb

CODE, NAME = "W405", "clipped-away"
SUMMARY = "clipping leaves nothing of the gradient: a limit of zero, or one far below the norm that was found"

_LEFT = 1e-3
_MOVES = 1e-6
_CRAWLS = 1e-5
"""JAX: with clipping a thousand times below the norm so small a step is its doing; Adam's own are a thousandth."""
_EPSILON = 1e-9
_BY_OPTIMIZER = frozenset({"clipnorm", "global_clipnorm", "clipvalue"})
_SCALE_FREE = frozenset({
    "Adam", "AdamW", "NAdam", "Nadam", "RAdam", "Adamax", "Adagrad", "RMSprop", "Adadelta", "Lion", "Rprop",
    "Adafactor", "SparseAdam", "adam", "adamw", "rmsprop", "adagrad", "lion", "Lamb", "Muon",
})  # fmt: skip


def check(case: Case) -> Iterator[Finding]:
    """Every place that clips, with what it left in each update."""
    case = case.over_time
    places: dict[Site | None, list[Edit]] = {}
    for edit in map(partial(_with_limit, case), case.recording.edits):
        if edit.kind == "clip" and edit.limit is not None and edit.variables:
            places.setdefault(_limited(case, edit), []).append(edit)
    for where, edits in places.items():
        if all(edit.limit is not None and edit.limit <= 0 for edit in edits):
            yield _nothing(case, where, edits)
            continue
        known = [edit for edit in edits if (step := _step_after(case, edit)) is not None and step.weights]
        if len(known) > 1 and all(_too_small(case, edit) for edit in known):
            yield _hardly(case, where, known)


def _with_limit(case: Case, edit: Edit) -> Edit:
    """JAX: a program that clips by itself names no limit; what little it leaves of the norm is the limit."""
    if edit.call != BY_HAND or case.recording.framework != "jax" or len(edit.given) != len(edit.made):
        return edit
    edit = whole_clipping(case, edit)
    before, left = norm(case, edit.given), norm(case, edit.made)
    known = before is not None and left is not None and 0 < left < _LEFT * before
    return replace(edit, limit=left, norm=before) if known else edit


def _limited(case: Case, edit: Edit) -> Site | None:
    """Where the limit is chosen: a Keras optimizer that clips by itself got it when it was made."""
    step = _step_after(case, edit) if edit.call in _BY_OPTIMIZER else None
    made = case.recording.optimizers[step.optimizer].created if step is not None else None
    return (case.site(made) if made is not None else None) or case.site(edit.stack)


def _too_small(case: Case, edit: Edit) -> bool:
    step = _step_after(case, edit)
    norm = _norm(case, edit)
    if step is None or norm is None or edit.limit is None or not step.weights:
        return False
    size = sum(n.size for v, n in step.weights.items() if v in edit.variables)
    by_value = edit.call in ("jnp.clip", "clip", "clipvalue") or "value" in edit.call or "clamp" in edit.call
    left = edit.limit * math.sqrt(max(1, size)) if by_value else edit.limit
    if left >= _LEFT * norm:
        return False
    if case.recording.framework == "jax":
        moved = _moved(case, step, edit)
        # What is so small in each entry is small beside Adam's epsilon, too; a step by signs alone goes on as before.
        return moved is not None and (moved < _CRAWLS or (moved < _LEFT and left / math.sqrt(max(1, size)) < _EPSILON))
    optimizer = case.recording.optimizers[step.optimizer]
    if optimizer.name in _SCALE_FREE:
        return left / math.sqrt(max(1, size)) < max(_EPSILON, (optimizer.epsilon or 0.0) / 100)
    moves = (step.rate if step.rate is not None else 1.0) * left
    return moves < _MOVES * norm_of({v: n for v, n in step.weights.items() if v in edit.variables})


def _moved(case: Case, step: Step, edit: Edit) -> float | None:
    """JAX: the share of the weights that the step changed; what Adam makes of a small gradient may not be small."""
    values = case.recording.values
    taken = {v: values[n] for v, n in step.taken.items() if v in step.weights and v in edit.variables and n in values}
    changes = {v: value.numbers for v, value in taken.items() if value.numbers is not None}
    weights = norm_of({v: step.weights[v] for v in changes})
    return norm_of(changes) / weights if weights > 0 else None


def _step_after(case: Case, edit: Edit) -> Step | None:
    return next((s for s in case.recording.steps if s.at >= edit.at and s.applied & edit.variables), None)


def _norm(case: Case, edit: Edit) -> float | None:
    """The norm before clipping: what the call said, else what the backward pass left."""
    if edit.norm is not None:
        return edit.norm
    passes = [b for b in case.recording.backwards if b.at < edit.at and b.gradients.keys() & edit.variables]
    if not passes:
        return None
    return norm_of({v: n for v, n in passes[-1].gradients.items() if v in edit.variables and n.finite})


def _variables(edits: list[Edit]) -> frozenset[int]:
    return frozenset(v for edit in edits for v in edit.variables)


def _nothing(case: Case, where: Site | None, edits: list[Edit]) -> Finding:
    members, limit = _variables(edits), edits[-1].limit
    norms = [n for edit in edits if (n := _norm(case, edit)) is not None]
    had = f" It had a norm of {norms[-1]:.3g}." if norms else ""
    zero = limit == 0
    return _finding(
        case, where, edits, "error",
        f"{subject(case, members)} {verb(members, case, 'loses', 'lose')} "
        f"{verb(members, case, 'its', 'their')} whole gradient to clipping{at_line(where)}",
        "the limit is 0: nothing is left" if zero else f"a limit of {limit:g} turns the gradient around",
        f"`{edits[-1].call}` scales the gradient down to the limit, and the limit is {limit:g}.{had}",
        f"give {quoted(where)} a positive limit, about the norm that a normal update has",
    )  # fmt: skip


def _hardly(case: Case, where: Site | None, edits: list[Edit]) -> Finding:
    members, limit = _variables(edits), edits[-1].limit or 0.0
    norms = [n for edit in edits if (n := _norm(case, edit)) is not None]
    return _finding(
        case, where, edits, "warning",
        f"{subject(case, members)} {verb(members, case, 'keeps', 'keep')} less than a thousandth of "
        f"{verb(members, case, 'its', 'their')} gradient after clipping{at_line(where)}",
        f"a limit of {limit:.3g} against a norm of {norms[-1]:.3g}",
        f"In every update that was looked at the norm was between {min(norms):.3g} and {max(norms):.3g}; after "
        f"{_called(edits[-1])} with {limit:.3g} the step moves the weights by {_as_share(case, edits)} of their size.",
        f"raise the limit of {quoted(where)} to about the norm that a normal update has, or leave the clipping out",
    )  # fmt: skip


def _as_share(case: Case, edits: list[Edit]) -> str:
    """In words how far the steps go at most."""
    steps = [(step, edit) for edit in edits if (step := _step_after(case, edit)) is not None]
    jax = case.recording.framework == "jax"
    most = max((m for step, edit in steps if (m := _moved(case, step, edit)) is not None), default=0.0) if jax else 0.0
    return "less than a millionth" if most < _MOVES else f"{most:.0e}"


def _called(edit: Edit) -> str:
    return edit.call if edit.call == BY_HAND else f"`{edit.call}`"


def _finding(
    case: Case, where: Site | None, edits: list[Edit], severity: str, message: str, label: str, why: str, fix: str
) -> Finding:
    step = _step_after(case, edits[0])
    site = case.site(step.stack) if step is not None else None
    role = "the limit is chosen here" if edits[0].call in _BY_OPTIMIZER else "the gradient is clipped here"
    path = [PathStep(where, edits[0].call, role)] if where is not None else []
    if site is not None and site != where:
        path.append(PathStep(site, "step", "what is left is applied here"))
    return Finding(
        code=CODE,
        rule=NAME,
        severity="error" if severity == "error" else "warning",
        message=message,
        why=why,
        fix=fix,
        variables=case.names(_variables(edits)),
        where=where,
        label=label,
        path=tuple(path),
        seen=len(edits),
    )
