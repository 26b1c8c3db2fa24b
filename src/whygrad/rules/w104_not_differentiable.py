"""W104 not-differentiable

What it checks
    The variable reaches the loss only through an operation that has no
    derivative, or a derivative of zero everywhere: argmax and other indices,
    a cast to int or bool, a comparison, one-hot of an index, round, floor,
    sign, a plain sample, an operation without a registered gradient.
    A warning, where the variable learns from the rest of the loss, and one
    term of it is such a constant.

Why it matters
    Which entry is the largest, or on which side of a threshold a value lies,
    does not change when the value moves a little, so there is nothing to
    follow. For an index PyTorch drops the history and TensorFlow returns
    None. For round, floor and sign PyTorch gives zeros, and so does JAX for
    all of them, with no warning: the optimizer steps and nothing moves.

Example
    PyTorch
        best = q_net(states).argmax(dim=1)
        loss = -best.float().mean()
        loss.backward()    # RuntimeError: element 0 of tensors does not ...
    TensorFlow
        with tf.GradientTape() as tape:
            best = tf.argmax(q_net(states), axis=1)
            loss = -tf.reduce_mean(tf.cast(best, tf.float32))
        grads = tape.gradient(loss, q_net.trainable_variables)  # all None
    JAX
        def loss_fn(q_params):
            best = jnp.argmax(q_net(q_params, states), axis=1)
            return -jnp.mean(best.astype(jnp.float32))

        grads = jax.grad(loss_fn)(q_params)                     # all zeros

Instead
    Use the value, not its index. In place of a continuous sample take a
    reparameterised one (dist.rsample(), mean + std * noise); for a discrete
    one put -log_prob(action) * advantage into the loss. For a step, pass the
    gradient straight through: x + (x.round() - x).detach().
    PyTorch
        best = q_net(states).max(dim=1).values
        loss = -best.mean()
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            best = tf.reduce_max(q_net(states), axis=1)
            loss = -tf.reduce_mean(best)
        grads = tape.gradient(loss, q_net.trainable_variables)
    JAX
        def loss_fn(q_params):
            best = jnp.max(q_net(q_params, states), axis=1)
            return -jnp.mean(best)

        grads = jax.grad(loss_fn)(q_params)

What does not help
    .float(), tf.cast, astype after the fact: the type is a float again, the
    way back is not there again.
    one_hot(argmax(q)): a constant made from a constant. Multiply it with q to
    reach the value that it selects.
    loss.requires_grad = True: silences the error, trains nothing.
    tape.watch, persistent=True: the operation was recorded. It has no
    gradient.
    Another version of the framework: an index has no derivative in any.

When it is meant
    Greedy acting, accuracy, masks and indices are right as they are: whygrad
    is quiet while the values they select carry the gradient, as in
    q.gather(1, best). Straight-through estimators and Gumbel-softmax are
    quiet too. Otherwise write `# whygrad: ok W104` on the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.reach import step_function
from whygrad.rules.batches.plain_samples import latent_samples
from whygrad.rules.case import Case
from whygrad.rules.cuts.idle_terms import idle_terms
from whygrad.rules.cuts.verdict import Verdict, verdicts
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.origin import base_name
from whygrad.rules.wording import from_verdict, quoted

CODE, NAME = "W104", "not-differentiable"
SUMMARY = "argmax, a cast to int or bool, a comparison, rounding, plain sampling, an operation without a gradient"

_NO_DERIVATIVE = re.compile(r"derivative for '?(?:aten::)?(\w+)'? is not implemented")
_INDEX = ("argmax", "argmin", "argsort", "topk", "sort", "max", "min", "nonzero", "unique", "searchsorted", "where")
_COMPARE = ("gt", "ge", "lt", "le", "eq", "ne", "greater", "less", "equal", "isclose", "logical", "__eq__", "__ne__")
_SAMPLE = ("multinomial", "categorical", "bernoulli", "normal", "poisson", "binomial", "sample")


def check(case: Case) -> Iterator[Finding]:
    """Cuts at operations that have no derivative."""
    for verdict in [*verdicts(case), *idle_terms(case)]:
        if verdict.code == CODE:
            yield from_verdict(case, verdict, NAME, *_words(case, verdict))
    if case.recording.framework == "jax":
        yield from _endless(case)
    elif case.recording.framework == "torch":
        yield from _without_derivative(case)
    yield from latent_samples(case)


def _without_derivative(case: Case) -> Iterator[Finding]:
    """PyTorch says so itself, as it comes to an operation that it cannot differentiate."""
    for backward in case.recording.backwards:
        named = _NO_DERIVATIVE.search(backward.error or "")
        ops = case.slice(backward, reach.CERTAIN).ops if named is not None and backward.loss is not None else []
        op = next((op for op in reversed(ops) if named is not None and base_name(op) == named.group(1)), None)
        where = case.site(op.stack) if op is not None else None
        if op is None or where is None:
            continue
        loss = case.loss_site(backward)
        step = base_name(op) in ("heaviside", "sign", "floor", "ceil", "round", "trunc")
        fix = f"replace {quoted(where)} by operations that have a derivative"
        if step:
            fix += "; for a step a surrogate: sigmoid(k * x) in the backward pass (torch.autograd.Function)"
        steps = ((where, op.name, "the gradient stops here"), (loss, "loss", "the loss"))
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"PyTorch cannot differentiate {quoted(where)}: there is no derivative of {base_name(op)}",
            why="The backward pass comes to this operation and has no rule for it. PyTorch refuses: "
            f"{(backward.error or '').splitlines()[0]}",
            fix=fix, variables=(), where=where, label=f"{base_name(op)} has no derivative", loss=loss,
            path=tuple(PathStep(site, name, role) for site, name, role in steps if site is not None),
        )  # fmt: skip
        return


def _endless(case: Case) -> Iterator[Finding]:
    """JAX: a loop whose length is not known when it is traced runs forward only."""
    failure = next((f for f in case.recording.failures if "Reverse-mode differentiation" in f.message), None)
    where = case.site(failure.stack) if failure is not None else None
    if where is None:
        return
    yield Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"JAX cannot differentiate {quoted(where)}: the loop has no fixed number of steps",
        why="The backward pass walks the steps of a loop in reverse and needs what each of them computed. How many "
        "there will be is known to a while_loop only as it runs, so no memory is set aside for them.",
        fix="give the loop a fixed length: jax.lax.scan, or jax.lax.fori_loop with Python integers as bounds; keep "
        "values that are done unchanged with jnp.where",
        variables=(), where=where, label="the gradient cannot go back through this loop",
        path=(PathStep(where, "while_loop", "the gradient stops here"),),
    )  # fmt: skip


def _words(case: Case, verdict: Verdict) -> tuple[str, str, str]:
    op, torch = verdict.op, case.recording.framework == "torch"
    name = op.name.lower().strip("_")
    text = quoted(verdict.where)
    inside = verdict.switch.inside if verdict.switch is not None else ""
    if "sample" in inside or any(word in name for word in _SAMPLE):
        what = inside or op.name
        label = f"the gradient stops here: {what} draws a number, and a draw has no derivative"
        why = "A plain sample is a constant to the gradient; the distribution's parameters are not reached through it."
        fix = (
            "for a continuous distribution use the reparameterised sample, dist.rsample(); for a discrete one put "
            "-dist.log_prob(action) * advantage into the loss"
            if torch
            else "for a continuous distribution write mean + std * noise; for a discrete one put "
            "-log_prob(action) * advantage into the loss"
        )
        return label, why, fix
    if op.detail == "custom_function" and op.carries:
        label = f"the gradient stops here: the backward of {op.name} returns None for it"
        why = "What a custom autograd.Function returns in backward is the gradient; None there means none, silently."
        return label, why, f"return a gradient for each differentiable argument in the backward of {op.name}"
    if step_function(op):
        label = f"the gradient stops here: {op.name.lower()} is flat, its derivative is zero everywhere"
        why = "A step function changes nothing when its input moves a little, so nothing can be learned through it."
        fix = (
            "use the value before it, or a straight-through estimator: x + (round(x) - "
            f"x).{'detach()' if torch else '…'}"
        )
        if not torch:
            stop, rounded = ("jax.lax", "jnp") if case.recording.framework == "jax" else ("tf", "tf")
            fix = (
                "use the value before it, or a straight-through estimator: x + "
                f"{stop}.stop_gradient({rounded}.round(x) - x)"
            )
        return label, why, fix
    if any(name.startswith(word) for word in _COMPARE):
        label = "the gradient stops here: a comparison is true or false, and neither has a derivative"
        why = "A comparison returns bool; turning it into 0.0 and 1.0 afterwards does not bring the gradient back."
        fix = f"replace {text} by something smooth: a sigmoid of the difference, or a margin (relu of the difference)"
        return label, why, fix
    if any(name.startswith(word) for word in _INDEX):
        label = f"the gradient stops here: {name} returns an index, and an index has no derivative"
        why = "Which entry is the largest does not change when an entry moves a little; its value does."
        best = {"torch": "q.max(dim=1).values", "jax": "jnp.max(q, axis=1)"}.get(
            case.recording.framework, "tf.reduce_max(q, axis=1)"
        )
        fix = f"use the value, not its index, in place of {text} (such as {best}), or gather the entry that was taken"
        if verdict.penalised:  # a codebook: what is picked goes on in place of the code
            stopped = {"torch": "(picked - code).detach()", "jax": "jax.lax.stop_gradient(picked - code)"}.get(
                case.recording.framework, "tf.stop_gradient(picked - code)"
            )
            fix = f"hand the gradient past it (a straight-through estimator): code + {stopped} goes on"
        return label, why, fix
    if op.detail or op.kind == "discrete":
        kind = op.detail or "an integer type"
        label = f"the gradient stops here: the result is {kind}, and only floating-point values carry a gradient"
        why = "A cast to an integer or bool rounds; casting back to float does not undo it for the gradient."
        return (
            label,
            why,
            f"keep {text} in floating point; cast a copy where an integer is needed for indexing or logging",
        )
    label = f"the gradient stops here: {op.name} has no gradient"
    why = "The framework does not know how to differentiate this operation."
    return label, why, f"replace {text} by operations that have a gradient, or give it one (a custom gradient function)"
