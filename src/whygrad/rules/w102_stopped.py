"""W102 stopped

What it checks
    Every way from the variable to the loss passes through an operation that
    is there to stop gradients: .detach(), .detach_(), .data,
    tf.stop_gradient, keras.ops.stop_gradient, jax.lax.stop_gradient. In
    PyTorch also a loss that is computed with a deep copy of the network,
    made anew for each update.
    A warning, where the variable learns from the rest of the loss, and one
    term of it is such a constant; and where stopped probabilities weigh their
    own logarithms, over all actions, which teaches nothing.

Why it matters
    The operation returns the same numbers as a constant, so the loss looks
    right and the network behind it stands still. If another network still
    gets a gradient, PyTorch prints nothing. A stop is right on one side of a
    loss (the target, the advantage) and fatal on the other.

Example
    PyTorch
        chosen = actor(states).detach()
        loss = -critic(states, chosen).mean()
        loss.backward()                # actor: every .grad stays None
    TensorFlow
        with tf.GradientTape() as tape:
            chosen = tf.stop_gradient(actor(states))
            loss = -tf.reduce_mean(critic([states, chosen]))
        grads = tape.gradient(loss, actor.trainable_variables)  # all None
    JAX
        def loss_fn(actor_params):
            chosen = jax.lax.stop_gradient(actor(actor_params, states))
            return -jnp.mean(critic(critic_params, states, chosen))

        grads = jax.grad(loss_fn)(actor_params)                 # all zeros

Instead
    PyTorch
        chosen = actor(states)
        loss = -critic(states, chosen).mean()
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            chosen = actor(states)
            loss = -tf.reduce_mean(critic([states, chosen]))
        grads = tape.gradient(loss, actor.trainable_variables)
    JAX
        def loss_fn(actor_params):
            chosen = actor(actor_params, states)
            return -jnp.mean(critic(critic_params, states, chosen))

        grads = jax.grad(loss_fn)(actor_params)

What does not help
    Detaching Q in the actor loss: the usual origin of this fault. It is put
    in so that the actor loss does not train the critic, or to silence an
    in-place error (W108). It cuts the only way to the actor. The critic is
    safe without it when the actor's optimizer holds the actor alone and the
    critic's gradients are cleared before its own backward().
    .detach().requires_grad_(): makes a new leaf. The gradient ends there.
    loss.requires_grad = True: silences the error, trains nothing.
    with torch.enable_grad(): records new operations; a detached value stays
    detached.

When it is meant
    A target such as r + gamma * q_next.detach(), an advantage, an encoder
    that only the critic trains, a random prior that is added to a trained
    network of its own build. whygrad is quiet there, where the network gets
    its gradient on another way, and where no optimizer holds it. A stop
    behind a setting (`if self.frozen:`) is a note. Otherwise
    write `# whygrad: ok W102` on the line, or take the variables away from
    the optimizer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whygrad.flow.source import expression
from whygrad.rules.case import Case
from whygrad.rules.cuts.by_setting import stopped_by_setting
from whygrad.rules.cuts.chosen_stops import chosen_stops
from whygrad.rules.cuts.fixed_addend import is_fixed_addend
from whygrad.rules.cuts.idle_terms import idle_terms
from whygrad.rules.cuts.named_constants import is_named_constant
from whygrad.rules.cuts.never_begun import ASKED
from whygrad.rules.cuts.never_thawed import never_thawed
from whygrad.rules.cuts.own_weights import own_weights
from whygrad.rules.cuts.taught_copies import taught_copies, taught_finding
from whygrad.rules.cuts.verdict import Verdict, verdicts
from whygrad.rules.finding import Finding
from whygrad.rules.updates.crossings import crossed
from whygrad.rules.updates.leaks import leaks
from whygrad.rules.updates.losses_mixed_up import losses_mixed_up
from whygrad.rules.wording import from_verdict, quoted

CODE, NAME = "W102", "stopped"
SUMMARY = "detach, stop_gradient or .data on the only way from the variable to the loss"


def check(case: Case) -> Iterator[Finding]:
    """Cuts that the program asked for."""
    found = [v for v in (*verdicts(case), *idle_terms(case), *chosen_stops(case).values()) if v.code == CODE]
    misasked = crossed(case) if found else set()  # W204: what was to learn is another one, and this stop is right
    for verdict in found:
        if is_fixed_addend(case, verdict) or is_named_constant(case, verdict) or _is_leak(case, verdict):
            continue
        if verdict.idle and _trains_what_froze(case, verdict):
            continue
        if verdict.variables <= misasked or (verdict.idle and losses_mixed_up(case)):
            continue  # W204: the term is there for somebody else
        finding = from_verdict(case, verdict, NAME, *_words(case, verdict))
        setting = stopped_by_setting(verdict.where) if verdict.where is not None else ""
        yield _by_setting(finding, setting) if setting else finding
    for taught in taught_copies(case):
        yield taught_finding(case, taught, CODE, NAME)
    told = {v.where for v in found}
    yield from (finding for finding in own_weights(case) if finding.where not in told)


def _by_setting(finding: Finding, setting: str) -> Finding:
    """A stop that a setting of the program asks for is meant, unless the setting is not."""
    return replace(
        finding, severity="note", why=f"{finding.why} The program makes it because `{setting}` is set.",
        fix=f"nothing, if `{setting}` is meant; else change the setting",
    )  # fmt: skip


def _is_leak(case: Case, verdict: Verdict) -> bool:
    """Whether a loss should not have trained these at all (W205): that a penalty stops them is right then."""
    told = (leak for leak in leaks(case) if leak.backward.stack == verdict.backward.stack)
    return verdict.penalised and any(verdict.variables <= leak.variables | leak.meant for leak in told)


def _trains_what_froze(case: Case, verdict: Verdict) -> bool:
    """Whether the term is there for a network that was frozen and not thawed (W109)."""
    passes = (b for b in case.recording.backwards if b.stack == verdict.backward.stack)
    return any(b.got & never_thawed(case) for b in passes)


def _words(case: Case, verdict: Verdict) -> tuple[str, str, str]:
    plain = "tf.stop_gradient" if case.recording.framework == "tensorflow" else "stop_gradient"
    written = {
        "detach": ".detach()", "detach_": ".detach_()", "data.__get__": ".data", "Variable": "Variable(…)",
    }.get(verdict.op.name, plain)  # fmt: skip
    if verdict.where is not None and "stop_gradient" in expression(verdict.where, limit=400):
        written = "stop_gradient"
    if verdict.op.name == "Variable":
        return (
            "the gradient stops here: Variable(…) makes a new tensor that comes from nowhere",
            "It keeps the numbers and forgets what they were computed from. Since PyTorch 0.4 a tensor has its "
            "gradient without it.",
            f"use the tensor itself in place of {quoted(verdict.where)}",
        )
    label = f"the gradient stops here: {written} returns the value as a constant"
    why = f"Every way from these variables to the loss passes through {written}, which is there to stop a gradient."
    if verdict.penalised:
        why = f"The term that compares with data depends on these variables through {written} alone. What is left for "
        why += "them to learn from is a penalty on their own output."
    elif verdict.idle:
        why = f"The term depends on these variables through {written} alone: it is a number beside the loss."
    if verdict.backward.call == ASKED:
        why = f"{written[0].upper()}{written[1:]} is there to stop a gradient: the answer is no each time, and what "
        why += "depends on it never runs."
    text = quoted(verdict.where)
    fix = f"take {written} away in {text}, or stop only the side that is meant to be a constant (the target)"
    return label, why, fix
