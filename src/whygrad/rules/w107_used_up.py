"""W107 used-up

What it checks
    A second pass over what one pass has freed: backward() twice over one
    graph (a hidden state carried into the next update, a tensor computed once
    before the loop), gradient() twice on a tape that is not persistent. Also
    a result that PyTorch lets pass again and again, though no update changes
    it, and a loss that is computed after its tape was closed. In JAX: a
    value that was kept from a function which JAX has finished with.

Why it matters
    A backward pass frees the values it used. The error comes at the second
    pass, and its line is not the line of the fault: that is the one which
    carried the old graph along. A loss after the tape raises nothing; every
    gradient is None.

Example
    PyTorch
        hidden = torch.zeros(8, 16)
        for update in range(2):
            hidden = cell(states, hidden)
            loss = hidden.pow(2).mean()
            loss.backward()    # second update: RuntimeError, a second time
    TensorFlow
        with tf.GradientTape() as tape:
            actor_loss = -tf.reduce_mean(critic([states, actor(states)]))
            error = critic([states, actions]) - targets
            critic_loss = tf.reduce_mean(error**2)
        tape.gradient(actor_loss, actor.trainable_variables)
        tape.gradient(critic_loss, critic.trainable_variables)
        # RuntimeError: a non-persistent GradientTape can only be used ...
    JAX
        hidden = jnp.zeros((8, 1))

        def loss_fn(params):
            global hidden
            hidden = net(params, states) + 0.5 * hidden
            return jnp.mean((hidden - targets) ** 2)

        grads = jax.grad(loss_fn)(params)
        grads = jax.grad(loss_fn)(params)    # UnexpectedTracerError

Instead
    PyTorch
        hidden = torch.zeros(8, 16)
        for update in range(2):
            hidden = cell(states, hidden.detach())
            loss = hidden.pow(2).mean()
            loss.backward()
    TensorFlow
        with tf.GradientTape() as actor_tape:
            actor_loss = -tf.reduce_mean(critic([states, actor(states)]))
        with tf.GradientTape() as critic_tape:
            error = critic([states, actions]) - targets
            critic_loss = tf.reduce_mean(error**2)
        a = actor_tape.gradient(actor_loss, actor.trainable_variables)
        c = critic_tape.gradient(critic_loss, critic.trainable_variables)
    JAX
        def loss_fn(params, hidden):
            hidden = net(params, states) + 0.5 * hidden
            return jnp.mean((hidden - targets) ** 2), hidden

        hidden = jnp.zeros((8, 1))
        grads, hidden = jax.grad(loss_fn, has_aux=True)(params, hidden)
        grads, hidden = jax.grad(loss_fn, has_aux=True)(params, hidden)

What does not help
    retain_graph=True: the error goes, and the graph of every update is kept
    and walked again. Memory and time grow with each update, and once an
    optimizer steps in between the error returns as W108. It is right only for
    two losses over one graph in one update, and there loss_1 + loss_2 and one
    backward() is better.
    persistent=True for a loss after the tape: keeps what was recorded. The
    loss was not.
    One gradient() call over the sum of actor and critic loss: no error, but
    each network is trained by the other's loss too.

When it is meant
    Backpropagation through time over several steps: collect the losses, add
    them, call backward() once, then detach the state. Several gradients from
    one tape: GradientTape(persistent=True), and `del tape` afterwards. Where
    the error is caught on purpose, write `# whygrad: ok W107` on the line.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.computed_once import Once, computed_once
from whygrad.rules.cuts.escaped import escaped
from whygrad.rules.cuts.verdict import verdicts
from whygrad.rules.cuts.walked_twice import walked_twice
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.w203_unregistered import made_over
from whygrad.rules.wording import at_line, from_verdict, quoted, subject, verb

CODE, NAME = "W107", "used-up"
SUMMARY = "a tape used twice, a graph backpropagated twice, a loss computed after the tape closed"


def check(case: Case) -> Iterator[Finding]:
    """Second passes over what one pass has freed, and losses that came too late for their tape."""
    for backward in case.recording.backwards:
        if backward.error and "second time" in backward.error:
            if not made_over(case):  # W203: a parameter that the model keeps only a result of
                yield walked_twice(case, backward)
            break
        if backward.error and "persistent" in backward.error:
            yield _second_gradient(case, backward)
            break
    for once in computed_once(case):
        yield _never_again(case, once)
    yield from _too_late_for_value(case)
    yield from escaped(case)
    for verdict in verdicts(case):
        if verdict.code == CODE:
            tape = case.site(verdict.tape.stack) if verdict.tape is not None else None
            yield from_verdict(
                case, verdict, NAME,
                f"computed after the tape{at_line(tape, verdict.where)} was closed, so the tape never saw it",
                "A GradientTape records only while its `with` block is open; tape.gradient may be called later, "
                "but the "
                "loss must be computed inside.",
                f"move {quoted(verdict.where)} into the `with tf.GradientTape() as tape:` block",
            )  # fmt: skip


def _never_again(case: Case, once: Once) -> Finding:
    """PyTorch: a result that is from before the first update, where nothing is freed and nobody objects."""
    where, loss = case.site(once.op.stack), case.loss_site(once.backward)
    who, them = subject(case, once.variables), verb(once.variables, case, "it", "them")
    steps = [(where, once.op.name, "computed once, before the first update"), (loss, "loss", "the loss")]
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where)} is computed once: the loss{at_line(loss, where)} never sees what the updates make of "
        f"{who}",
        why=f"The gradient arrives and the step changes {them}, but every loss is computed from the result of the "
        "first time, as if there had been no update.",
        fix=f"compute {quoted(where)} anew for each loss, in forward()",
        variables=case.names(once.variables), where=where, label="computed once, and used in every update", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None), seen=once.updates,
    )  # fmt: skip


def _too_late_for_value(case: Case) -> Iterator[Finding]:
    """A gradient asked of a tensor (an input, an inner gradient) whose computation went on after the tape closed."""
    recording = case.recording
    seen: set[Site | None] = set()
    for backward in recording.backwards:
        tape = recording.tapes.get(backward.tape) if backward.tape is not None else None
        if tape is None or tape.closed is None:
            continue
        for number in set(backward.asked_values) - backward.got_values:
            part = case.slice(backward, reach.PROVED)
            late = [c.op for c in reach.value_cuts(recording, part, number, tape.id) if c.op.at > tape.closed]
            where = case.seen_from(late[0].stack, backward.stack) if late else None
            if where is None or where in seen:
                continue
            seen.add(where)
            opened, asked = case.site(tape.stack), case.site(backward.stack)
            steps = [(opened, "GradientTape", "the tape"), (where, late[0].name, "computed after it closed"),
                     (asked, backward.call, "its gradient is asked for here")]  # fmt: skip
            yield Finding(
                code=CODE, rule=NAME, severity="error",
                message=f"{quoted(where)} runs after the tape{at_line(opened, where)} has closed, so its "
                "gradient is None",
                why="A GradientTape records only while its `with` block is open.",
                fix=f"move {quoted(where)} into the block of the tape that differentiates it",
                variables=(), where=where, label="the tape does not see this any more",
                path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
            )  # fmt: skip


def _second_gradient(case: Case, backward: Backward) -> Finding:
    where = case.site(backward.stack)
    earlier = [b for b in case.recording.backwards if b.tape == backward.tape and b.at < backward.at and not b.error]
    path = []
    first = case.site(earlier[-1].stack) if earlier else None
    if first is not None:
        path.append(PathStep(first, "gradient", "the tape was used up here"))
    if where is not None:
        path.append(PathStep(where, "gradient", "and is asked again here"))
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message="a GradientTape that is not persistent is asked for gradients twice",
        why="A tape frees what it recorded as soon as gradient() has been called once.",
        fix="ask once for everything, tape.gradient(loss, [*actor_vars, *critic_vars]), or use one tape per loss, or "
        "tf.GradientTape(persistent=True) and `del tape` afterwards",
        variables=(), where=where, label="this tape has been used up", loss=None, path=tuple(path),
    )  # fmt: skip
