"""W205 wrong-network-trained

What it checks
    A loss's gradient is applied to a network that it should leave alone. An
    actor loss makes the critic's output large and trains the actor through
    it; the critic has a loss of its own, and is moved by the actor loss all
    the same: one optimizer holds both, or the gradient that the actor loss
    leaves in the critic is not cleared before the critic's step. Also a
    target network that an optimizer trains, a discriminator that the
    generator's loss trains too, and a temperature's term of a joint loss
    that undoes the actor's.

Why it matters
    The cheapest way to make a critic's output large is to make the critic
    say large numbers. It does, the actor follows what it says, and returns
    fall while both losses look fine.

Example
    PyTorch
        optimizer = torch.optim.SGD(
            [*actor.parameters(), *critic.parameters()], lr=0.1
        )
        loss = -critic(states, actor(states)).mean()
        loss.backward()
        optimizer.step()               # moves the critic as well
    TensorFlow
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(critic([states, actor(states)]))
        both = actor.trainable_variables + critic.trainable_variables
        grads = tape.gradient(loss, both)
        optimizer.apply_gradients(zip(grads, both))
    JAX
        def loss_fn(actor_params, critic_params):
            return -jnp.mean(
                critic(critic_params, states, actor(actor_params, states))
            )

        both = actor_params, critic_params
        grads = jax.grad(loss_fn, argnums=(0, 1))(*both)
        actor_params, critic_params = jax.tree.map(
            lambda p, g: p - 0.1 * g, both, grads
        )

Instead
    PyTorch
        optimizer = torch.optim.SGD(actor.parameters(), lr=0.1)
        loss = -critic(states, actor(states)).mean()
        loss.backward()
        optimizer.step()
        critic_optimizer.zero_grad()   # before the critic's own loss
    TensorFlow
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(critic([states, actor(states)]))
        grads = tape.gradient(loss, actor.trainable_variables)
        optimizer.apply_gradients(zip(grads, actor.trainable_variables))
    JAX
        def loss_fn(actor_params, critic_params):
            return -jnp.mean(
                critic(critic_params, states, actor(actor_params, states))
            )

        grads = jax.grad(loss_fn)(actor_params, critic_params)
        actor_params = jax.tree.map(
            lambda p, g: p - 0.1 * g, actor_params, grads
        )

What does not help
    Detaching the critic's output in the actor loss: then the actor gets
    nothing either.
    torch.no_grad() around the critic: the same.
    A smaller learning rate for the critic in the shared optimizer: inflates
    it more slowly.

When it is meant
    A critic that gets a gradient from the actor loss and is cleared before
    its own step is quiet: a leak counts when it is applied. So are shared
    trunks, joint actor-critic losses and energies that are trained by their
    own output. Otherwise write `# whygrad: ok W205` on the line that the
    finding names.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Backward, Step
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.syntax import called_at
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.targets.compared import compared
from whygrad.rules.targets.objective import CONTRACTS, objectives
from whygrad.rules.targets.twins import target_networks
from whygrad.rules.updates.adversaries import Misasked, asked_of_one
from whygrad.rules.updates.history import history
from whygrad.rules.updates.leaks import Leak, leaks
from whygrad.rules.updates.one_sum import OneSum, sums_of_two_players
from whygrad.rules.updates.order import optimizer_name
from whygrad.rules.updates.past_the_mask import past_the_mask
from whygrad.rules.updates.weighed_twice import WeighedTwice, weighed_twice
from whygrad.rules.w304_never_cleared import piled_up
from whygrad.rules.wording import at_line, plain_subject, quoted, subject, verb

CODE, NAME = "W205", "wrong-network-trained"
SUMMARY = "a loss's gradient is applied to a network it should leave alone"


def check(case: Case) -> Iterator[Finding]:
    """Losses that move what they only look through, and targets that learn."""
    heaps = piled_up(case)
    for leak in leaks(case):
        if leak.kind != "wrong step" and not leak.variables & heaps:
            yield _leak(case, leak)
    yield from past_the_mask(case)
    for players in sums_of_two_players(case) if not leaks(case) else ():
        yield _summed(case, players)
    for found in weighed_twice(case):
        yield _weighed(case, found)
    targets = list(_targets(case))
    yield from targets
    if not targets and not leaks(case):
        yield from _met_halfway(case)
        yield from _misasked(case)


def _weighed(case: Case, found: WeighedTwice) -> Finding:
    """A term that is there for a number (a temperature, a multiplier) trains what the number weighs as well."""
    backward = found.objective.backward
    where, other, loss = case.site(found.both.stack), case.site(found.stopped.stack), case.loss_site(backward)
    moved, number = plain_subject(case, found.moved), f"`{case.names(found.number)[0]}`"
    stop = {"torch": ".detach()", "tensorflow": "tf.stop_gradient(…)"}
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"{subject(case, found.moved)} {verb(found.moved, case, 'is', 'are')} moved by the term that is there "
        f"to train {number}",
        why=f"In the term{at_line(other, where)} {number} is stopped, so that it only weighs what {moved} learns from. "
        f"This one is there for {number}; with the rest of it alive it pulls at {moved} with the same weight, and "
        "what the two say cancels out.",
        fix="stop what is weighed here, so that the term trains the weight alone: "
        + stop.get(case.recording.framework, "jax.lax.stop_gradient(…)"),
        variables=case.names(found.moved), where=where, label=f"trains {moved} too", loss=loss,
        path=stations((other, found.stopped.name, "the same, with the weight stopped"),
                      (where, found.both.name, "both of them alive"), (loss, "loss", "the loss")),
    )  # fmt: skip


def _summed(case: Case, found: OneSum) -> Finding:
    """Two players, and one gradient of the sum of their losses for both."""
    where, asked = case.loss_site(found.backward), case.site(found.backward.stack)
    maker, judge = plain_subject(case, found.maker), plain_subject(case, found.judge)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{judge} and {maker} are both moved by {quoted(where, 'the sum')}, the sum of the loss of either",
        why=f"The loss of {judge} is small where it tells what {maker} makes from the rest; that of {maker} is small "
        f"where {judge} is wrong about it. With respect to both, each undoes what the other teaches.",
        fix=f"take two gradients: of the loss of {judge} with respect to {judge} alone, and of that of {maker} with "
        f"respect to {maker} alone",
        variables=case.names(found.judge | found.maker), where=where, label="each loss moves the other network too",
        loss=where,
        path=stations((where, "add", "the sum of both losses"),
                      (asked, found.backward.call, "the gradient is computed here")),
    )  # fmt: skip


def _leak(case: Case, leak: Leak) -> Finding:
    torch = case.recording.framework == "torch"
    optimizer = case.recording.optimizers[leak.step.optimizer]
    asked, applied = case.site(leak.backward.stack), case.site(leak.step.stack)
    both = leak.kind == "holds both"
    built = case.built(optimizer) if both and torch else None
    jax = case.recording.framework == "jax"
    inside = _looked_through(case, leak) if jax and leak.own.stack == leak.backward.stack else None
    where = built or inside or (applied if jax or leak.kind == "stepped too" else asked)
    moved, meant = plain_subject(case, leak.variables), plain_subject(case, leak.meant)
    name = optimizer_name(optimizer, applied)
    loss = case.loss_site(leak.backward)
    if both and torch:
        label = f"holds {moved} beside {meant}"
        fix = f"give {meant} an optimizer of its own, and step only that one after this loss"
    elif leak.kind == "summed":
        label = f"one pass for both: it trains {moved} by what is there for {meant} too"
        fix = f"backpropagate the two apart, and clear {moved} ({name}.zero_grad()) before its own loss"
    elif leak.kind == "stepped too":
        label = f"steps {moved} after a loss that is there for {meant}"
        fix = f"step only the optimizer of {meant} after this loss, and clear {moved} before the pass of its own"
    elif torch:
        label = f"leaves a gradient in {moved}, which is applied{at_line(applied, where)}"
        fix = f"clear {moved} after it: call {name}.zero_grad() before the backward pass of its own loss"
    elif inside is not None:
        label = f"{moved} is used here with its gradient"
        fix = f"give this term the parameters of {moved} through jax.lax.stop_gradient: it is there for {meant}"
    elif jax:
        label = f"changes {moved} too"
        fix = f"take the gradient with respect to {meant} alone, and apply it to {meant} alone"
    elif asked is not None and called_at(asked).rpartition(".")[2] in ("fit", "train_on_batch"):
        label = f"trains {moved} too"
        rest = "it keeps learning in its own"
        if leak.taught:
            rest = "it has learned already"
            where = _called_inside(case, leak) or where
            label = f"the teacher's output; it is trained{at_line(asked, where)} too"
        fix = f"freeze {moved} (trainable = False) before this model is compiled: {rest}"
    elif not leak.meant & set(leak.backward.wanted):
        label = f"asks for {moved}, and nothing asks for {meant}"
        fix = f"ask for {meant} here, in the place of {moved}, and apply it to {meant}"
    else:
        label = f"asks for {moved} too"
        fix = f"ask for {meant} alone: leave the variables of {moved} out of this gradient and its apply_gradients"
    return Finding(
        code=CODE, rule=NAME, severity="warning" if leak.judged or leak.taught else "error",
        message=f"{subject(case, leak.variables)} {verb(leak.variables, case, 'is', 'are')} moved by the loss"
        f"{at_line(loss, where)}, which is there to train {meant}",
        why=(f"That loss compares the two, and is smallest wherever they agree. Applied to {moved} it makes "
             f"that one forget what it had learned from the loss{at_line(case.loss_site(leak.own), where)}."
             if leak.taught else
             f"That loss is small where {meant} tells what {moved} makes from the rest. Applied to {moved} it teaches "
             f"{moved} to be told apart, and undoes the loss{at_line(case.loss_site(leak.own), where)}."
             if leak.made else
             f"That loss is small where {moved} is wrong about what {meant} makes. Applied to {moved} it undoes "
             f"what the loss{at_line(case.loss_site(leak.own), where)} teaches." if leak.judged else
             f"A part of that sum makes the output of {moved} large and reaches {meant} through its input. Applied to "
             f"{moved} it only inflates that output." if leak.kind == "summed" else
             f"That loss makes the output of {moved} large and reaches {meant} through its input. Applied to {moved} "
             f"it only inflates that output; what {moved} is to predict it learns from the loss"
             f"{at_line(case.loss_site(leak.own), where)}."),
        fix=fix, variables=case.names(leak.variables), where=where, label=label, loss=loss,
        path=stations((built, "optimizer", "holds both networks"), (loss, "loss", "the loss"),
                      (asked, leak.backward.call, "the gradient is computed here"),
                      (applied, leak.step.call, "and applied here")),
    )  # fmt: skip


def _called_inside(case: Case, leak: Leak) -> Site | None:
    """Where the program's own loss calls a network, in what a `fit` runs."""
    ops = case.slice(leak.backward).ops
    reads = (op for op in ops if any(case.content.get(v) in leak.variables for v in op.inputs))
    sites = (case.site(op.stack) for op in reads)
    asked = case.site(leak.backward.stack)
    return next((site for site in sites if site is not None and site.own and site != asked), None)


def _looked_through(case: Case, leak: Leak) -> Site | None:
    """JAX: where one sum of both losses has the network judge what the other makes: the term that has to stop it."""
    for objective in objectives(case):
        if objective.backward.stack != leak.backward.stack:
            continue
        moved, meant = (
            sum(objective.bits[v] for v in one if v in objective.bits) for one in (leak.variables, leak.meant)
        )
        for op in objective.part.ops:
            live = [objective.live.get(v, 0) for v in op.inputs]
            weighs = any(mask & moved and not mask & ~moved for mask in live)
            if op.name in CONTRACTS and weighs and any(mask & meant for mask in live):
                return _own_call(case, leak, op, case.seen_from(op.stack, objective.backward.stack))
    return None


def _own_call(case: Case, leak: Leak, op: Op, site: Site | None) -> Site | None:
    """The call of that network alone, where the one in the loss runs others too: a function for each of its terms."""
    stack = case.stack(op.stack)
    calls = (stack[i:] for i in range(stack.index(site), -1, -1)) if site in stack else ()
    return next((call[0] for call in calls if case.reads_under.get(call, set()) <= leak.variables), site)


def _targets(case: Case) -> Iterator[Finding]:
    """A target is synced from the network that it is the target of; a gradient of its own pulls it away."""
    recording = case.recording
    begun = {v: step.at for step in reversed(recording.steps) for v in step.applied}
    # What is never trained itself may be followed all the same, unless it is the target: then W503 says what is wrong.
    first, targets = min(begun.values(), default=0), {v for twin in target_networks(case) for v in twin.members}
    late = [c for c in recording.copies if c.source != c.target and c.at > begun.get(c.source, first)]
    synced = {c.target: c.source for c in late if c.source not in targets}
    moved: dict[int, tuple[set[int], Backward, Step]] = {}
    for step in recording.steps:
        for variable, shares in history(case).fed.get(step.at, {}).items():
            source = synced.get(variable)
            both = [s.backward for s in shares if source in s.backward.got and variable in s.backward.got]
            if both:
                moved.setdefault(step.optimizer, (set(), both[0], step))[0].add(variable)
    for number, (variables, backward, step) in moved.items():
        if all(len(case.variable(v).shape) < 2 for v in variables):
            continue  # two biases whose outputs are added are the same for ever: one of them follows itself
        optimizer = recording.optimizers[number]
        built, asked = case.built(optimizer), case.site(backward.stack)
        where = (built if recording.framework == "torch" else asked) or asked
        sources = {synced[v] for v in variables}
        loss = case.loss_site(backward)
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{subject(case, variables)} {verb(variables, case, 'is', 'are')} trained by the loss"
            f"{at_line(loss, where)}, though {verb(variables, case, 'it is', 'they are')} a copy that follows "
            f"{plain_subject(case, sources)}",
            why="A target is there to stand still while the other network learns from it. With a gradient of its own "
            "it moves to meet the prediction, and both agree without having learned anything.",
            fix=f"leave {plain_subject(case, variables)} out of the optimizer, and compute the target under "
            + ("torch.no_grad()" if recording.framework == "torch" else "stop_gradient"),
            variables=case.names(variables), where=where,
            label=f"{'holds' if where is built else 'asks for'} {plain_subject(case, variables)} too", loss=loss,
            path=stations((built, "optimizer", "holds the target"), (loss, "loss", "the loss"),
                           (case.site(step.stack), step.call, "applied here")),
        )  # fmt: skip


def _met_halfway(case: Case) -> Iterator[Finding]:
    """Two networks that a loss compares and moves both: the one that should stand still goes to meet the other."""
    for pair in compared(case):
        step = next((s for s in case.recording.steps if s.at > pair.backward.at and s.applied & pair.still), None)
        if step is None:
            continue
        built = case.built(case.recording.optimizers[step.optimizer])
        asked, loss = case.site(pair.backward.stack), case.loss_site(pair.backward)
        where = built or asked
        still, follows = plain_subject(case, pair.still), plain_subject(case, pair.follows)
        yield Finding(
            code=CODE, rule=NAME, severity="warning",
            message=f"{subject(case, pair.still)} {verb(pair.still, case, 'is', 'are')} moved by the loss"
            f"{at_line(loss, where)}, which compares {verb(pair.still, case, 'it', 'them')} with {follows}",
            why=f"That loss is smallest where {still} and {follows} say the same, whatever it is. Nothing else trains "
            "either of them, so that they agree without having learned anything.",
            fix=f"leave {still} out of the optimizer, and compute its output under torch.no_grad()",
            variables=case.names(pair.still), where=where, label=f"holds {still} too", loss=loss,
            path=stations((built, "optimizer", "holds both networks"), (loss, "loss", "compares them"),
                           (case.site(step.stack), step.call, "and applied here")),
        )  # fmt: skip


def _misasked(case: Case) -> Iterator[Finding]:
    """A maker that learns by its judge's loss, or the judge by the maker's, while its own loss lies there unused."""
    told: set[int] = set()
    for pair in asked_of_one(case):
        if pair.backward.stack in told:
            continue
        told.add(pair.backward.stack)
        where, loss = case.site(pair.backward.stack), case.loss_site(pair.backward)
        own = case.seen_from(pair.own.stack, pair.backward.stack)
        name, other = plain_subject(case, pair.moved), plain_subject(case, pair.meant)
        why = {
            "made": f"That loss is small where {other} tells what {name} makes from the rest: it teaches {name} to be "
            "told apart. ",
            "judges": f"That loss is small where {name} is wrong about what {other} makes: it teaches {name} to be "
            "wrong. ",
            "beside": f"{other} is asked for by that loss too{at_line(case.site(_asked_for(case, pair)), where)}. ",
        }[pair.kind]
        yield Finding(
            code=CODE, rule=NAME, severity="warning",
            message=f"{subject(case, pair.moved)} {verb(pair.moved, case, 'is', 'are')} moved by the loss"
            f"{at_line(loss, where)}, which is there to train {other}",
            why=f"{why}The loss{at_line(own, where)} was computed for {name}, and nobody asks for its gradient.",
            fix=f"take the loss{at_line(own, where)} here", variables=case.names(pair.moved), where=where,
            label=f"asks {other}'s loss for {name}", loss=loss,
            path=stations((loss, "loss", f"the loss of {other}"), (own, "loss", f"that of {name}, used by nothing"),
                           (where, pair.backward.call, "the gradient is computed here")),
        )  # fmt: skip


def _asked_for(case: Case, pair: Misasked) -> int | None:
    asked = (b.stack for b in case.recording.backwards if b.loss == pair.backward.loss and b.got & pair.meant)
    return next(asked, None)
