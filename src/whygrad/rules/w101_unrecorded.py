"""W101 unrecorded

What it checks
    A variable reaches the loss only through operations that nobody recorded:
    a forward pass before or outside the tf.GradientTape block, under
    torch.no_grad() or torch.inference_mode(), in a function that carries one
    of them as a decorator, after torch.set_grad_enabled(False), under
    tape.stop_recording(), in torch.autograd.grad without create_graph=True,
    or in a reentrant checkpoint whose inputs ask for no gradient.
    A warning, where a variable learns from the rest of the loss, and one term
    of it is such a constant.

Why it matters
    A framework differentiates what it recorded and nothing else. To the
    gradient, an unrecorded result is a constant. PyTorch raises "element 0 of
    tensors does not require grad" only when no part of the loss was recorded;
    when one part was, it says nothing. TensorFlow returns None. JAX returns
    zeros.

Example
    PyTorch
        with torch.no_grad():
            chosen = actor(states)
        loss = -critic(states, chosen).mean()
        loss.backward()                # the critic gets one, the actor none
    TensorFlow
        predictions = net(states)      # before the tape is opened
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((predictions - targets) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)    # all None
    JAX
        predictions = net(params, states)      # outside the function

        def loss_fn(params):
            return jnp.mean((predictions - targets) ** 2)

        grads = jax.grad(loss_fn)(params)      # all zeros

Instead
    PyTorch
        chosen = actor(states)
        loss = -critic(states, chosen).mean()
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            predictions = net(states)
            loss = tf.reduce_mean((predictions - targets) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
    JAX
        def loss_fn(params):
            predictions = net(params, states)
            return jnp.mean((predictions - targets) ** 2)

        grads = jax.grad(loss_fn)(params)

What does not help
    loss.requires_grad = True: the error goes away and the fault stays. The
    loss becomes a leaf of its own, and no network behind it learns.
    tape.watch(net.trainable_variables): the tape watches them already. What
    it needs is to be open when the network is called.
    GradientTape(persistent=True): keeps what was recorded, records no more.
    net.train(), net.eval(): switch dropout and batch normalisation, not the
    recording of gradients.
    Another version of the framework: all versions do this.

When it is meant
    Acting, evaluation and targets need no gradient. whygrad is quiet about
    them as long as the network gets its gradient on another way. Where a
    network is not to be trained at all, do not give it to the optimizer.
    Otherwise write `# whygrad: ok W101` on the line of the call, or on the
    line that switches the recording off.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.source import expression
from whygrad.rules.case import Case
from whygrad.rules.cuts.idle_terms import idle_terms
from whygrad.rules.cuts.verdict import CHECKPOINT, GRAD, Verdict, verdicts
from whygrad.rules.finding import Finding
from whygrad.rules.wording import at_line, from_verdict, quoted

CODE, NAME = "W101", "unrecorded"
SUMMARY = "the forward pass ran where nothing was recorded: outside the tape, under no_grad, with recording stopped"


def check(case: Case) -> Iterator[Finding]:
    """Cuts that are nothing but a recorder switched off."""
    for verdict in [*verdicts(case), *idle_terms(case)]:
        if verdict.code == CODE:
            yield from_verdict(case, verdict, NAME, *_words(case, verdict))


def _words(case: Case, verdict: Verdict) -> tuple[str, str, str]:
    call = quoted(verdict.where, "this call")
    switch, tape = verdict.switch, verdict.tape
    if verdict.op.name == GRAD:
        label = "not recorded: without create_graph=True the gradients that it returns are constants"
        why = "A loss that is computed from a gradient needs the graph of that gradient, to differentiate it once more."
        return label, why, f"give create_graph=True in {call}"
    if verdict.op.name == CHECKPOINT:
        label = "not recorded: none of its inputs asks for a gradient, and the block runs under torch.no_grad()"
        why = (
            "A reentrant checkpoint runs its block unrecorded and runs it again in backward; it learns of the backward "
            "pass from its inputs alone. Where they are frozen, the block's own variables get nothing."
        )
        return label, why, f"give use_reentrant=False in {call}, or let its input ask for a gradient (requires_grad_())"
    if switch is not None:
        name = {"no_grad": "torch.no_grad()", "inference_mode": "torch.inference_mode()"}.get(
            switch.name, "tape.stop_recording()"
        )
        if verdict.switch_site is not None and "set_grad_enabled" in expression(verdict.switch_site, limit=400):
            name = "torch.set_grad_enabled(False)"
        opened = at_line(verdict.switch_site, verdict.where)
        label = f"not recorded: it runs under {name}, opened{opened}" if opened else f"not recorded: {name} is on"
        why = (
            f"What runs under {name} leaves no trace to differentiate, so the loss is a constant to "
            "everything before it."
        )
        fix = f"compute {call} outside {name}; keep {name} for targets, evaluation and acting"
        if verdict.where == verdict.switch_site:
            label = "gradients are switched off here, and never on again"
            fix = "use `with torch.no_grad():` around the part that needs no gradient, so that it ends by itself"
        if switch.decorator:
            fix = (
                f"take the decorator{opened} off the function that the loss is computed with, or call the "
                "network itself"
            )
        return label, why, fix
    if tape is not None and case.recording.framework == "jax":
        label = "computed outside the function that is differentiated, so that its result is a constant there"
        why = (
            "jax.grad differentiates what the function computes from its argument; an array that was computed before "
            "has no derivative."
        )
        return label, why, f"compute {call} inside the function that is differentiated, from its argument"
    if verdict.built is not None:
        label = f"computed once, in {verdict.built.function.rpartition('.')[2]}(), where no tape is open"
        why = "A GradientTape differentiates only what runs while it is open. Every call uses the result of this one."
        return label, why, f"compute {call} in call(), from the variables as they are then"
    if tape is not None:
        opened = at_line(case.site(tape.stack), verdict.where)
        if verdict.op.at < tape.opened:
            label = f"computed before the tape{opened} was opened, so the tape never saw it"
        else:
            label = f"the tape{opened} was not recording here"
        why = "A GradientTape differentiates only what runs while it is open."
        fix = f"move {call} into the `with tf.GradientTape() as tape:` block"
        return label, why, fix
    return "nothing was recorded here", "Gradients were switched off for this thread.", f"record {call}"
