"""W204 crossed-wires

What it checks
    A gradient goes to a variable that it is not the gradient of: two lists
    zipped that do not belong together, p.grad set from another network's
    gradients, the gradient asked for with respect to the wrong variables
    (argnums in JAX, an inner update included), gradients given to Optax with
    the state of another tree. Also the step of an optimizer that does not
    hold what the loss trains, in the place of the one that does; and two
    losses of which each is applied to the network of the other.

Why it matters
    Where shapes fit nothing is raised: the two networks of an actor-critic
    often have the same layers. One is pushed about by numbers that mean
    nothing to it, the other stands still.

Example
    PyTorch
        twin = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
        optimizer = torch.optim.SGD(
            [*net.parameters(), *twin.parameters()], lr=0.1
        )
        loss = F.mse_loss(net(states), targets)
        grads = torch.autograd.grad(loss, [*net.parameters()])
        for p, g in zip(twin.parameters(), grads):
            p.grad = g                 # gradients of net
        optimizer.step()
    TensorFlow
        twin = mlp(1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - targets) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(grads, twin.trainable_variables))
    JAX
        def loss_fn(params, target_params):
            goal = targets + 0.9 * net(target_params, states)
            return jnp.mean((net(params, states) - goal) ** 2)

        target_params = init(8, 4, 16, 1)
        grads = jax.grad(loss_fn, argnums=1)(params, target_params)
        new = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

Instead
    PyTorch
        twin = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
        optimizer = torch.optim.SGD(
            [*net.parameters(), *twin.parameters()], lr=0.1
        )
        loss = F.mse_loss(net(states), targets)
        grads = torch.autograd.grad(loss, [*net.parameters()])
        for p, g in zip(net.parameters(), grads):
            p.grad = g
        optimizer.step()
    TensorFlow
        twin = mlp(1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - targets) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
    JAX
        def loss_fn(params, target_params):
            goal = targets + 0.9 * net(target_params, states)
            return jnp.mean((net(params, states) - goal) ** 2)

        target_params = init(8, 4, 16, 1)
        grads = jax.grad(loss_fn, argnums=0)(params, target_params)
        new = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

What does not help
    Making the networks alike so that the shapes fit: turns an error into
    silence.
    zip(..., strict=True): compares lengths, not what belongs together.
    Sorting both lists by name: two networks have the same names.

When it is meant
    A worker that pushes its gradients to the network it was copied from
    (A3C, Reptile) is quiet, and so are full-precision copies of weights that
    are trained in half precision. Otherwise write `# whygrad: ok W204` on
    the line that the finding names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whygrad.flow.source import first_argument
from whygrad.flow.syntax import bound_at
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.ownership import within_reach
from whygrad.rules.updates import asked_in_vain, exchanged_terms, inner_updates, losses_mixed_up, taken_at_copies
from whygrad.rules.updates.applied_elsewhere import of_the_wrong_ones
from whygrad.rules.updates.asked_of_copies import AskedOfCopy, asked_of_copies
from whygrad.rules.updates.crossings import Crossing, crossings
from whygrad.rules.updates.given_twice import handed_over
from whygrad.rules.updates.history import history
from whygrad.rules.updates.never_asked import NeverAsked, never_asked
from whygrad.rules.updates.older_content import Older, asked_of_older
from whygrad.rules.updates.order import loss_name, optimizer_name, steps_of
from whygrad.rules.updates.other_tree import gradients_of_another_tree
from whygrad.rules.updates.swapped import Swapped, handed_crosswise, swapped
from whygrad.rules.updates.told_apart import told_apart
from whygrad.rules.updates.wrong_steps import wrong_steps
from whygrad.rules.wording import at_line, networks, plain_subject, quoted, subject, verb

CODE, NAME = "W204", "crossed-wires"
SUMMARY = "gradients of one set of variables applied to another, or the wrong optimizer stepped"


def check(case: Case) -> Iterator[Finding]:
    """Gradients that went to variables which they are not the gradient of; steps of the wrong optimizer."""
    for older in asked_of_older(case):
        yield _of_older(case, older)
    nevers = list(never_asked(case))
    for never in nevers:
        yield _never_asked(case, never)
    for copied in asked_of_copies(case):
        yield _of_copy(case, copied)
    yield from taken_at_copies.findings(case)
    yield from of_the_wrong_ones(case)
    yield from asked_in_vain.findings(case)
    yield from losses_mixed_up.findings(case)
    yield from exchanged_terms.findings(case)
    yield from inner_updates.findings(case)
    if not nevers:  # else it is said what they are the gradients of
        yield from gradients_of_another_tree(case)
    found = crossings(case)
    for stack, crossing in found.items():
        yield _crossed(case, stack, crossing)
    if not found:
        pairs = swapped(case)
        for pair in pairs:
            yield _swapped(case, pair)
        if not pairs:
            yield from wrong_steps(case)


# --- a gradient that goes to another variable -------------------------------------------------------------------------


def _crossed(case: Case, stack: int, crossing: Crossing) -> Finding:
    backward, wrong = crossing.backward, crossings(case)
    given = [edit.stack for edit in case.recording.edits if edit.call == "grad =" and edit.stack not in wrong]
    there = told_apart(case, stack, given or [step.stack for step in case.recording.steps])
    if there == case.site(stack):
        there = handed_over(case, backward, crossing.sources, crossing.targets) or there
    if case.recording.framework == "tensorflow" and there is not None:
        there = first_argument(there) or there  # what the call is given, where that stands on a line of its own
    asked = case.site(backward.stack)
    # A loss that could train them, and was never asked for their gradient: the request names the wrong variables.
    requests = [b for b in case.recording.backwards if b.loss == backward.loss]
    misasked = bool(backward.wanted) and crossing.targets <= within_reach(case, backward) and not any(
        crossing.targets & set(b.wanted) for b in requests
    )  # fmt: skip
    # Where they are moved by nothing else and the others are, it was their gradient, and the variables are wrong.
    moved = [step.applied for step in case.recording.steps if step.stack != stack]
    lost = not any(one & crossing.sources for one in moved) and any(one & crossing.targets for one in moved)
    # And what is kept in step with them by copies, a target network, waits for no gradient.
    lost |= any(c.source in crossing.sources and c.target in crossing.targets for c in case.recording.copies)
    paired = _serves_its_own(case, crossing) or _lies_unused(case, crossing) or _called_after_its_own(case, crossing)
    misasked = (misasked and not lost and not paired) or _asked_twice(case, crossing)
    where = asked if misasked else there
    theirs, ours = plain_subject(case, crossing.sources), plain_subject(case, crossing.targets)
    same, one = theirs == ours, len(networks(case, crossing.targets)) == 1
    loss = case.loss_site(backward)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, crossing.targets)} {verb(crossing.targets, case, 'is', 'are')} given the gradient of "
        + (subject(case, crossing.sources) if not same else "another of its variables" if one else "one another"),
        why=f"A gradient says how the loss{at_line(loss, where)} changes with the one variable it was computed for; "
        "for any other it is noise" + (". The shapes happen to fit." if _fit(case, crossing) else "."),
        fix=f"ask for the gradient of {ours} here" if misasked
        else "pair each gradient with its own variable: the two lists must be made from the same variables, in the "
        "same order",
        variables=case.names(crossing.targets), where=where,
        label=f"asks for {theirs}, and the result goes to {ours}" if misasked
        else f"gradients of {theirs} go to {ours}" if not same else "gradients and variables are in different orders",
        loss=loss,
        path=stations((asked, backward.call, f"gradients of {theirs}"), (there, crossing.call, f"given to {ours}")),
    )  # fmt: skip


def _serves_its_own(case: Case, crossing: Crossing) -> bool:
    """Whether what was asked for goes to its own variables as well: then the request is right, and the pairing not."""
    applied, at = history(case).applied, crossing.backward.at
    return any(v in step.applied for v in crossing.sources for step in applied.get((at, v), ()))


def _lies_unused(case: Case, crossing: Crossing) -> bool:
    """Whether the targets have a gradient of their own, from another loss, that is applied to nothing."""
    applied = history(case).applied
    own = [b for b in case.recording.backwards if b.loss != crossing.backward.loss and crossing.targets <= b.got]
    return any(not any((b.at, v) in applied for v in b.got) for b in own)


def _called_after_its_own(case: Case, crossing: Crossing) -> bool:
    """Of two networks that get each other's gradient: whether the gradient bears the name of the one it is of.

    Both requests fit their losses then, and it is the lists that were exchanged.
    """
    others = crossings(case).values()
    if not any(o.sources == crossing.targets and o.targets == crossing.sources for o in others):
        return False
    asked = case.site(crossing.backward.stack)
    bound = {part for name in (bound_at(asked) if asked is not None else ()) for part in _parts(name)}
    theirs, ours = ({part for v in some for part in _parts(case.variable(v).network)}
                    for some in (crossing.sources, crossing.targets))  # fmt: skip
    return bool(bound & (theirs - ours)) and not bound & (ours - theirs)


def _parts(name: str) -> list[str]:
    return re.split(r"[\W_]+", name.lower())


def _asked_twice(case: Case, crossing: Crossing) -> bool:
    """JAX: whether the same gradient was asked for before, for its own variables, and never that of the others."""
    backward, others = crossing.backward, case.recording.backwards
    if not backward.read or any(crossing.targets & set(b.wanted) for b in others):
        return False
    return any(b.read == backward.read and b.at < backward.at and b.wanted == backward.wanted for b in others)


def _fit(case: Case, crossing: Crossing) -> bool:
    shapes = sorted(str(case.variable(v).shape) for v in crossing.sources)
    return shapes == sorted(str(case.variable(v).shape) for v in crossing.targets)


def _of_older(case: Case, older: Older) -> Finding:
    """JAX: a target's parameters, which were the trained ones a while ago."""
    asked, there = case.site(older.backward.stack), case.site(older.step.stack)
    ours = plain_subject(case, older.variables)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, older.variables)} {verb(older.variables, case, 'is', 'are')} given the gradient of "
        "its own parameters of an earlier update: those of a copy",
        why="The function is differentiated with respect to a copy that was made some updates ago (a target network). "
        f"What {ours} is now enters the same loss as a constant, and has no gradient of its own.",
        fix=f"differentiate with respect to {ours} as it is now: the order of the arguments, or argnums, names the "
        "other one",
        variables=case.names(older.variables), where=asked,
        label=f"asks for older parameters than those of {ours} that the result is applied to",
        loss=case.loss_site(older.backward), seen=older.times,
        path=stations((asked, older.backward.call, "the gradient of a copy"),
                      (there, older.step.call, f"applied to {ours} as it is now")),
    )  # fmt: skip


def _never_asked(case: Case, never: NeverAsked) -> Finding:
    """JAX: an optimizer waits for a gradient, and the loss is differentiated with respect to another argument."""
    backward, got = never.backward, set(never.backward.got)
    asked, begun = case.site(backward.stack), case.site(never.begun.stack)
    meant = quoted(begun, "the optimizer's state")
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{loss_name(case, backward)} is differentiated with respect to {subject(case, got)}; nothing ever "
        f"asks for the gradient of what {meant}{at_line(begun, asked)} was made for",
        why="jax.grad and value_and_grad take the first argument, unless argnums says otherwise. The loss is computed "
        "with those parameters, and they enter it as constants." if never.inside
        else f"{plain_subject(case, got)} was computed with those parameters before, outside of the function that is "
        "differentiated; the gradient ends at what the function is given.",
        fix=f"name the argument that is to be trained: argnums, or the order of the arguments, in {quoted(asked)}"
        if never.inside else "give the parameters to the differentiated function, and compute the prediction inside of "
        "it: def loss(params, x, y)",
        variables=case.names(got), where=asked, label=f"asks for the gradient of {plain_subject(case, got)}",
        loss=case.loss_site(backward), seen=never.times,
        path=stations((begun, "optimizer", "begins with the parameters that are meant"),
                      (asked, backward.call, f"the gradient of {plain_subject(case, got)}")),
    )  # fmt: skip


def _of_copy(case: Case, copied: AskedOfCopy) -> Finding:
    """TensorFlow: the target's variables in the place of those of the network that learns."""
    where, theirs, ours = case.site(copied.backward.stack), set(copied.backward.wanted), copied.sources
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the gradient is asked for {subject(case, theirs)}, a copy of {plain_subject(case, ours)}; nothing "
        f"asks for {plain_subject(case, ours)} itself",
        why=f"{plain_subject(case, theirs)} only makes the target, which is stopped as it should be, so that it gets "
        f"no gradient. The same loss could train {plain_subject(case, ours)}.",
        fix=f"ask for {plain_subject(case, ours)} here",
        variables=case.names(theirs), where=where, label=f"asks for {plain_subject(case, theirs)}",
        loss=case.loss_site(copied.backward), seen=copied.times,
        path=stations((where, copied.backward.call, f"asks for {plain_subject(case, theirs)}")),
    )  # fmt: skip


# --- two optimizers that hold each other's variables ------------------------------------------------------------------


def _swapped(case: Case, pair: Swapped) -> Finding:
    built, stepped = case.built(pair.one), case.site(pair.step.stack)
    crosswise = handed_crosswise(case, pair)
    where = crosswise or (built if pair.built and built is not None else stepped)
    names = [optimizer_name(o, case.site(steps_of(case, o)[0].stack)) for o in (pair.one, pair.other)]
    held = [plain_subject(case, o.holds) for o in (pair.one, pair.other)]
    members = pair.one.holds | pair.other.holds
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"`{names[0]}` and `{names[1]}` hold each other's variables: each steps after the loss that trains "
        "what the other one holds",
        why=_why_swapped(pair, names, held),
        fix="take the two in the order in which they are handed out" if crosswise is not None
        else f"give `{names[0]}` the parameters of {held[1]}, and `{names[1]}` those of {held[0]}" if pair.built
        else f"step the optimizer that holds {held[1]} after this loss, and the other one after the other",
        variables=case.names(members), where=where,
        label="hands each of the two on by the name of the other" if crosswise is not None
        else f"holds {held[0]}, and steps after the loss of {held[1]}", loss=case.loss_site(pair.backward),
        path=stations((built, "optimizer", f"holds {held[0]}"),
                      (case.site(pair.backward.stack), "backward", f"trains {held[1]}"),
                      (stepped, "step", f"moves {held[0]}" if pair.opposed else "finds no gradient")),
    )  # fmt: skip


def _why_swapped(pair: Swapped, names: list[str], held: list[str]) -> str:
    if pair.both:
        then = "Neither finds a gradient of its own loss, so that nothing learns."
    elif pair.opposed:
        then = f"That loss goes through {held[0]} too: each of the two is moved by what the other one is to achieve."
    else:
        then = f"That loss has no gradient for it, and `{names[1]}` moves {held[1]} by the loss that is for {held[0]}."
    return f"`{names[0]}` holds {held[0]} and steps after a loss that trains {held[1]}. {then}"
