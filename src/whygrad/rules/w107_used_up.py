"""W107 used-up

What it checks
    A second pass over what one pass has freed: backward() twice over one
    graph (a hidden state carried into the next update, a tensor computed once
    before the loop), gradient() twice on a tape that is not persistent. Also
    a state that was kept with its graph while a step changed the weights, a
    result that PyTorch lets pass again and again, though no update changes
    it, and a loss that is computed after its tape was closed. In JAX: a value
    that was kept from a function which JAX has finished with.

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
from whygrad.flow.kept import is_store, keeps_own_state, put_away
from whygrad.flow.operations import Op
from whygrad.flow.site import Site, shared_site
from whygrad.rules.case import Case
from whygrad.rules.cuts.carried_over_step import Carried, carried_over_step
from whygrad.rules.cuts.computed_once import Once, computed_once
from whygrad.rules.cuts.escaped import escaped
from whygrad.rules.cuts.shared_graphs import crossing, intrusion, network_call, shared
from whygrad.rules.cuts.verdict import verdicts
from whygrad.rules.finding import Finding, PathStep, stations
from whygrad.rules.targets.objective import SHAPING
from whygrad.rules.w203_unregistered import made_over
from whygrad.rules.wording import at_line, from_verdict, quoted, subject, verb

CODE, NAME = "W107", "used-up"
SUMMARY = "a tape used twice, a graph backpropagated twice, a loss computed after the tape closed"


def check(case: Case) -> Iterator[Finding]:
    """Second passes over what one pass has freed, and losses that came too late for their tape."""
    for backward in case.recording.backwards:
        if backward.error and "second time" in backward.error:
            if not made_over(case):  # W203: a parameter that the model keeps only a result of
                yield _second_backward(case, backward)
            break
        if backward.error and "persistent" in backward.error:
            yield _second_gradient(case, backward)
            break
        carried = carried_over_step(case, backward)
        if carried is not None:
            yield _over_step(case, backward, carried)
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


def _over_step(case: Case, backward: Backward, carried: Carried) -> Finding:
    made, taken = (case.led_from(op.stack, backward.stack) for op in (carried.made, carried.taken))
    asked, stepped = case.site(backward.stack), case.site(carried.step.stack)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the backward pass{at_line(asked, made)} runs into the graph of a round before: its weights have been "
        f"changed since{at_line(stepped, made)}",
        why=f"What {quoted(made)} computed was kept with its whole history, and goes into this loss as a state. The "
        "pass follows it back to a forward pass with weights that a step has overwritten.",
        fix="keep the numbers alone: .detach() the state where it is put away (for an LSTM both parts), or run the "
        "rollout under torch.no_grad()",
        variables=(), where=made, label="kept for a later loss, with its whole history", loss=case.loss_site(backward),
        path=stations(
            (made, carried.made.name, "made in a round before, with its whole history"),
            (stepped, "step", "the weights that it was made with are changed here"),
            (taken, carried.taken.name, "goes into this loss"), (asked, "backward", "and is walked here"),
        ),
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


def _second_backward(case: Case, backward: Backward) -> Finding:
    where = case.site(backward.stack)
    earlier = [b for b in case.recording.backwards if b.at < backward.at and not b.error and b.loss is not None]
    crossings = ((b, found) for b in reversed(earlier) if (found := crossing(case, backward, b)))
    first, crossed = next(crossings, (None, None))
    path: list[PathStep] = []
    if first is not None and crossed is not None:
        old, new = crossed
        made, used = case.seen_from(old.stack, backward.stack), case.seen_from(new.stack, backward.stack)
        inner = case.site(old.stack)
        if inner is not None and inner.function.endswith("__init__"):
            made = inner  # an object keeps it from its making on: what it is made by is not the fault
        if made is not None and used is not None:
            kept = False
            if made == used or inner == case.site(new.stack):
                made, used = _within(case, old, new) or (made, used)
            if all(case.place(b) != case.place(backward) for b in earlier):
                return shared(case, backward, first, old, new)
            again = _walked_again(case, backward, first, old)
            if again is not None:
                return again
            if (made.file, made.line) != (used.file, used.line):
                network = network_call(case, old)
                kept = _called_anew(case, backward, first, network)
                named = _stored(case, old) if kept else network
                made = case.seen_from(named.stack, backward.stack) or made
            where = made
            path = [
                PathStep(made, old.name, "computed here, before the first backward"),
                PathStep(used, new.name, "used again here, after it"),
            ]
            return _carried(case, backward, where, made, used, path, kept)
    if all(case.place(b) != case.place(backward) for b in earlier):
        for one in reversed(earlier):
            intruded = intrusion(case, backward, one)
            if intruded is not None:
                return intruded
    once = case.loss_site(backward)
    if once is not None and where is not None and once != where and _same_loss(backward, earlier):
        path = [PathStep(once, "loss", "computed here, once"), PathStep(where, "backward", "and walked again here")]
        return _carried(case, backward, once, once, where, path, False)
    used_up = case.site(earlier[-1].stack) if earlier else None
    if used_up is not None:
        path.append(PathStep(used_up, "backward", "the graph was used up here"))
    if where is not None:
        path.append(PathStep(where, "backward", "and is walked again here"))
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message="the same graph is backpropagated twice",
        why="backward() frees what it needs as it goes; a second pass over the same operations finds nothing.",
        fix="add the losses and call backward() once: (loss_1 + loss_2).backward(); retain_graph=True hides the "
        "error and keeps "
        "every old graph in memory",
        variables=(), where=where, label="this graph has been walked already", loss=case.loss_site(backward),
        path=tuple(path),
    )  # fmt: skip


def _walked_again(case: Case, backward: Backward, first: Backward, old: Op) -> Finding | None:
    """A function with the backward pass in it that is called again for what another function computed once."""
    called = shared_site(case.stack(old.stack), case.stack(backward.stack))
    made, again = case.led_from(old.stack, backward.stack), case.led_from(backward.stack, old.stack)
    asked, one = case.site(backward.stack), case.site(first.stack)
    apart = made is not None and again is not None and (made.file, made.function) == (again.file, again.function)
    if called is not None or not apart or made == again or again == asked or one != asked:
        return None
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(again)} backpropagates once more through what {quoted(made)} computed{at_line(made, again)}",
        why="backward() frees the operations it has walked. What was computed before, and kept, has been walked "
        "already when this is called again.",
        fix=f"compute it anew before each call of {quoted(again)}, from the states and actions that were stored; or "
        "call backward() once for the sum of the losses; retain_graph=True only hides the error",
        variables=(), where=again, label="walks the same graph again", loss=case.loss_site(backward),
        path=stations((made, old.name, "computed here, once"), (again, "call", "walked here, again"),
                      (asked, "backward", "the backward pass")),
    )  # fmt: skip


def _same_loss(backward: Backward, earlier: list[Backward]) -> bool:
    """Whether one line asks for the gradients of one loss, over and over: the loss stands before the loop."""
    return any(b.loss == backward.loss and b.stack == backward.stack for b in earlier)


def _carried(
    case: Case, backward: Backward, where: Site, made: Site, used: Site, path: list[PathStep], kept: bool
) -> Finding:
    same = (made.file, made.line) == (used.file, used.line)
    if same:
        label = "the result of the last update goes in again here, with its whole history"
        if is_store(made):
            label = "kept here for the next update, with its whole history"
        why = "State that is carried from one update to the next still hangs on the graph that backward() has freed."
        fix = "cut it between updates: h = h.detach() (for an LSTM both parts); retain_graph=True only hides the error"
    elif kept:
        label = "kept with its whole history, and compared with in every update"
        why = (
            "The network is called anew for each update; this is a record of what it said before the first one, and it "
            "still hangs on the graph that backward() has freed."
        )
        fix = (
            "keep the numbers alone: .detach() what is stored here, or compute it under torch.no_grad(); "
            "retain_graph=True only hides the error"
        )
    else:
        label = "computed once, and backpropagated in every update"
        why = (
            "backward() frees the operations it has walked; this result is from before the first backward() "
            "and is used again."
        )
        fix = f"compute {quoted(made)} anew in each update; retain_graph=True only hides the error"
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the backward pass{at_line(case.site(backward.stack), where)} runs into a graph that is "
        "already used up",
        why=why, fix=fix, variables=(), where=where, label=label, loss=case.loss_site(backward), path=tuple(path),
    )  # fmt: skip


def _within(case: Case, old: Op, new: Op) -> tuple[Site, Site] | None:
    """Both inside of one call of the model, which keeps the state itself: the lines there."""
    one, other = case.site(old.stack), case.site(new.stack)
    if one is None or other is None or not one.own or (one.file, one.function) != (other.file, other.function):
        return None
    if keeps_own_state(other):
        return one, other
    stored = put_away(other)
    return (stored, stored) if stored is not None else None


def _called_anew(case: Case, backward: Backward, first: Backward, network: Op) -> bool:
    """Whether the second loss calls the same layer again, after the first backward pass."""
    layer = {case.content[v] for v in network.inputs if v in case.content}
    after = (op for op in case.slice(backward).ops if op.at > first.at and op.carries)
    return any(case.content.get(v) in layer for op in after for v in op.inputs)


def _stored(case: Case, op: Op) -> Op:
    """Where a result was put away: the line that computed it, or wrote it to the buffer that was then reshaped."""
    written = {write.at for write in case.recording.writes}
    one = op
    while one.name in SHAPING and one.at not in written:
        alive = [made for v in one.inputs if (made := case.made_by.get(v)) is not None and made.carries]
        if len(alive) != 1:
            break
        one = alive[0]
    return one if one.at in written else op
