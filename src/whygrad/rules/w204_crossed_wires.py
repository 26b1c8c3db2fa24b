"""W204 crossed-wires

What it checks
    A gradient goes to a variable that it is not the gradient of: two lists
    zipped that do not belong together, p.grad set from another network's
    gradients, the gradient asked for with respect to the wrong variables
    (argnums in JAX), gradients given to Optax with the state of another
    tree. Also the step of an optimizer that does not hold what
    the loss trains, in the place of the one that does.

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

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.events import Backward, Step
from whygrad.flow.site import Site
from whygrad.flow.source import first_argument
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.ownership import within_reach
from whygrad.rules.updates import asked_in_vain, taken_at_copies
from whygrad.rules.updates.adversaries import exchanged
from whygrad.rules.updates.asked_of_copies import AskedOfCopy, asked_of_copies
from whygrad.rules.updates.given_twice import handed_over
from whygrad.rules.updates.history import Share, begins_with, history, trace
from whygrad.rules.updates.leaks import leaks
from whygrad.rules.updates.never_asked import NeverAsked, never_asked
from whygrad.rules.updates.older_content import Older, asked_of_older
from whygrad.rules.updates.order import astray, loss_name, optimizer_name, passes, steps_of
from whygrad.rules.updates.other_tree import gradients_of_another_tree
from whygrad.rules.updates.swapped import Swapped, swapped
from whygrad.rules.updates.told_apart import told_apart
from whygrad.rules.wording import at_line, networks, plain_subject, quoted, subject, verb

CODE, NAME = "W204", "crossed-wires"
SUMMARY = "gradients of one set of variables applied to another, or the wrong optimizer stepped"


@dataclass(slots=True)
class _Crossing:
    """Gradients of `sources`, from `backward`, that went to `targets`."""

    backward: Backward
    sources: set[int]
    targets: set[int]
    call: str


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
    yield from asked_in_vain.findings(case)
    if not nevers:  # else it is said what they are the gradients of
        yield from gradients_of_another_tree(case)
    crossings = _crossings(case)
    for stack, crossing in crossings.items():
        yield _crossed(case, stack, crossing)
    if not crossings:
        pairs = swapped(case)
        for pair in pairs:
            yield _swapped(case, pair)
        if not pairs:
            yield from _wrong_steps(case)


# --- a gradient that goes to another variable -------------------------------------------------------------------------


def _crossings(case: Case) -> dict[int, _Crossing]:
    """By the place where gradient and variable were put together."""
    found: dict[int, _Crossing] = {}

    def add(stack: int, call: str, variable: int, shares: tuple[Share, ...]) -> None:
        wrong = {s.variable for s in shares} - case.replaced.fresh  # W202: the step was given what they replaced
        if wrong and variable not in wrong and not any(_related(case, v, variable) for v in wrong):
            one = found.setdefault(stack, _Crossing(shares[0].backward, set(), set(), call))
            one.sources |= wrong
            one.targets.add(variable)

    for step in case.recording.steps:
        for variable, value in step.taken.items():
            add(step.stack, step.call, variable, trace(case, value))
    for edit in case.recording.edits:
        if edit.call == "grad =" and edit.given:
            for variable in edit.variables:
                add(edit.stack, edit.call, variable, trace(case, edit.given[0]))
    for write in case.recording.writes:
        if write.variable is not None and write.variable in case.recording.hand_updated:
            op = case.recording.ops.get(write.at)
            given = write.given or (op.inputs if op is not None else ())
            sources = [v for v in given if v not in case.content]
            shares = tuple(s for v in sources for s in trace(case, v))
            begun = {v for source in sources for v in begins_with(case, source)}
            if begun - {write.variable} != {s.variable for s in shares}:
                add(write.stack, write.by, write.variable, shares)
    return found


def _related(case: Case, source: int, target: int) -> bool:
    """Whether one is a working copy of the other: workers push gradients to the network they were copied from."""
    one, two = case.variable(source), case.variable(target)
    if one.shape != two.shape:
        return False
    # Of a sum of gradients nothing is content of the variables that the gradients were computed with.
    pairs = {(c.source, c.target) for c in case.recording.copies if c.source != c.target and c.share != 0}
    pairs |= {(v.copy_of, v.id) for v in (one, two) if v.copy_of is not None}
    if (target, source) in pairs:
        return True
    if (source, target) in pairs:
        # Copied the other way: a trial step on fast weights, as long as the original learns too.
        return _moves(case, source)
    linked = {b for a, b in pairs if a in (source, target)} | {a for a, b in pairs if b in (source, target)}
    if _each_with_a_target(case, pairs, source, target):
        return False
    if linked:
        # Copied, but from another place: the gradient of one layer goes to the copy of another.
        return not any(case.variable(v).network in (one.network, two.network) for v in linked)
    # Copied unseen. A network that takes part in a loss itself has gradients of its own to wait for.
    used = any(target in case.used_by(b) for b in case.recording.backwards if b.loss is not None)
    return not used or not (one.parameter and two.parameter) or bool(one.copied or two.copied)


def _each_with_a_target(case: Case, pairs: set[tuple[int, int]], source: int, target: int) -> bool:
    """Whether both are trained on their own, and each has its own target network: twin critics."""
    asked = {v for b in case.recording.backwards if b.loss is not None for v in b.got}
    into = {b for a, b in pairs if b in (source, target)}
    ours, theirs = ({b for a, b in pairs if a == one} for one in (source, target))
    apart = bool(ours) and bool(theirs) and not ours & theirs and not (ours | theirs) & (case.trained | asked)
    # In JAX every copy is seen: one that nobody asks for is a twin whose gradient was asked of the other.
    alone = target in asked or case.recording.framework == "jax"
    return apart and not into and source in asked and alone


def _moves(case: Case, variable: int) -> bool:
    """Whether anything ever changes a variable, but for the copies that are made of it."""
    recording = case.recording
    written = any(w.variable == variable for w in recording.writes)
    return written or variable in recording.moved_later or any(variable in s.applied for s in recording.steps)


def crossed(case: Case) -> set[int]:
    """Variables whose gradient goes to others: that they stay as they are follows from it."""
    found: set[int] = set()
    for crossing in _crossings(case).values():
        owners = {case.variable(v).network for v in crossing.sources}
        found |= crossing.sources
        found |= {v for v in crossing.backward.got if case.variable(v).network in owners}  # left over by the same step
    return found


def _crossed(case: Case, stack: int, crossing: _Crossing) -> Finding:
    backward, there = crossing.backward, told_apart(case, stack, (s.stack for s in case.recording.steps))
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
    paired = _serves_its_own(case, crossing) or _lies_unused(case, crossing)
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
        path=_stations((asked, backward.call, f"gradients of {theirs}"), (there, crossing.call, f"given to {ours}")),
    )  # fmt: skip


def _serves_its_own(case: Case, crossing: _Crossing) -> bool:
    """Whether what was asked for goes to its own variables as well: then the request is right, and the pairing not."""
    applied, at = history(case).applied, crossing.backward.at
    return any(v in step.applied for v in crossing.sources for step in applied.get((at, v), ()))


def _lies_unused(case: Case, crossing: _Crossing) -> bool:
    """Whether the targets have a gradient of their own, from another loss, that is applied to nothing."""
    applied = history(case).applied
    own = [b for b in case.recording.backwards if b.loss != crossing.backward.loss and crossing.targets <= b.got]
    return any(not any((b.at, v) in applied for v in b.got) for b in own)


def _asked_twice(case: Case, crossing: _Crossing) -> bool:
    """JAX: whether the same gradient was asked for before, for its own variables, and never that of the others."""
    backward, others = crossing.backward, case.recording.backwards
    if not backward.read or any(crossing.targets & set(b.wanted) for b in others):
        return False
    return any(b.read == backward.read and b.at < backward.at and b.wanted == backward.wanted for b in others)


def _fit(case: Case, crossing: _Crossing) -> bool:
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
        path=_stations((asked, older.backward.call, "the gradient of a copy"),
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
        path=_stations((begun, "optimizer", "begins with the parameters that are meant"),
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
        path=_stations((where, copied.backward.call, f"asks for {plain_subject(case, theirs)}")),
    )  # fmt: skip


# --- two optimizers that hold each other's variables ------------------------------------------------------------------


def _swapped(case: Case, pair: Swapped) -> Finding:
    built, stepped = case.site(pair.one.created), case.site(pair.step.stack)
    where = built if pair.built and built is not None else stepped
    names = [optimizer_name(o, case.site(steps_of(case, o)[0].stack)) for o in (pair.one, pair.other)]
    held = [plain_subject(case, o.holds) for o in (pair.one, pair.other)]
    members = pair.one.holds | pair.other.holds
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"`{names[0]}` and `{names[1]}` hold each other's variables: each steps after the loss that trains "
        "what the other one holds",
        why=f"`{names[0]}` holds {held[0]} and steps after a loss that trains {held[1]}. "
        + ("Neither finds a gradient of its own loss, so that nothing learns." if pair.both
           else f"It never finds a gradient, and `{names[1]}` moves {held[1]} by the loss that is for {held[0]}."),
        fix=f"give `{names[0]}` the parameters of {held[1]}, and `{names[1]}` those of {held[0]}" if pair.built
        else f"step the optimizer that holds {held[1]} after this loss, and the other one after the other",
        variables=case.names(members), where=where,
        label=f"holds {held[0]}, and steps after the loss of {held[1]}", loss=case.loss_site(pair.backward),
        path=_stations((built, "optimizer", f"holds {held[0]}"),
                       (case.site(pair.backward.stack), "backward", f"trains {held[1]}"),
                       (stepped, "step", "finds no gradient")),
    )  # fmt: skip


# --- the wrong optimizer steps ----------------------------------------------------------------------------------------


def _wrong_steps(case: Case) -> Iterator[Finding]:
    told: set[int] = set()
    for pair in exchanged(case):
        step = next((s for s in case.recording.steps if s.at > pair.judges.at and s.applied & pair.maker), None)
        waiting = next((o for o in case.recording.optimizers.values() if o.holds & pair.judge), None)
        if step is not None:
            yield _wrong_step(case, step, pair.judges, pair.judge, waiting)
            return
    for leak in leaks(case):
        if leak.kind == "wrong step":
            waiting = next((o for o in case.recording.optimizers.values() if o.holds & leak.meant), None)
            told.add(leak.step.stack)
            yield _wrong_step(case, leak.step, leak.backward, leak.meant, waiting)
    for optimizer in case.recording.optimizers.values():
        found = instead_of(case, optimizer)
        if found is not None and found[0].stack not in told:
            told.add(found[0].stack)
            yield _wrong_step(case, *found, optimizer.holds & set(found[1].got), optimizer)


def instead_of(case: Case, optimizer: Optimizer) -> tuple[Step, Backward] | None:
    """For an optimizer that never steps: the step of another one that stands where its own belongs."""
    if steps_of(case, optimizer) or case.recording.cut_short or optimizer.skipped:
        return None
    elsewhere = {v for s in case.recording.steps for v in s.applied}
    came = [b for b in passes(case) if b.got & optimizer.holds - elsewhere and b.stack not in astray(case)]
    for backward in came:
        following = next((b.at for b in passes(case) if b.at > backward.at), None)
        step = next((s for s in case.recording.steps if s.at > backward.at), None)
        if step is None or (following is not None and step.at > following) or step.applied & optimizer.holds:
            continue
        fed = history(case).fed.get(step.at, {})
        fresh = [s for shares in fed.values() for s in shares if not s.spent]
        if not fresh and backward.got <= optimizer.holds:
            return step, backward
    return None


def _wrong_step(
    case: Case, step: Step, backward: Backward, meant: set[int], waiting: Optimizer | None
) -> Finding:  # fmt: skip
    where, came = case.site(step.stack), case.site(backward.stack)
    stepped = optimizer_name(case.recording.optimizers[step.optimizer], where)
    built = case.site(waiting.created) if waiting is not None else None
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"`{stepped}` steps after {loss_name(case, backward)}{at_line(came, where)}, which trains "
        f"{subject(case, meant)}: that gradient is not applied",
        why=f"`{stepped}` does not hold {plain_subject(case, meant)}. It applies what it finds in the .grad of its own "
        "variables: what was left there, or what this loss leaked into them.",
        fix=f"step the optimizer that holds {plain_subject(case, meant)}"
        + (f", built{at_line(built, where)}" if built is not None else ""),
        variables=case.names(meant), where=where, label=f"does not hold {plain_subject(case, meant)}",
        loss=case.loss_site(backward),
        path=_stations((built, "optimizer", f"holds {plain_subject(case, meant)}"),
                       (came, "backward", "the gradient comes here"), (where, "step", "the wrong optimizer")),
    )  # fmt: skip


def _stations(*steps: tuple[Site | None, str, str]) -> tuple[PathStep, ...]:
    return tuple(PathStep(site, op, role) for site, op, role in steps if site is not None)
