"""W201 not-in-optimizer

What it checks
    A variable of the model gets a gradient, and no optimizer holds it: it was
    left out of the list, or it was made after the optimizer was built. Or
    its optimizer never steps (apply_gradients is never called), though the
    gradients come again and again; or every step is zero (a learning rate
    of 0). JAX: or a loop shows the loss and the size of its gradient in every
    round, and there is no update at all.

Why it matters
    The gradient is computed in every update and thrown away. The variable
    keeps its first values, and no framework says so. The loss still falls a
    little, because the rest of the network learns around it.

Example
    PyTorch
        optimizer = torch.optim.Adam(value_head.parameters())
        loss = F.mse_loss(value_head(body(states)), targets)
        loss.backward()                # body gets a gradient
        optimizer.step()               # and keeps its values
    TensorFlow
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((value_head(body(states)) - targets) ** 2)
        mine = [body.trainable_variables, value_head.trainable_variables]
        of_body, of_head = tape.gradient(loss, mine)
        optimizer.apply_gradients(zip(of_head, mine[1]))     # without body
    JAX
        def loss_fn(head, trunk):
            return jnp.mean((mlp(head, mlp(trunk, states)) - targets) ** 2)

        grads = jax.grad(loss_fn)(head, trunk)     # argnums=0: head alone
        head = jax.tree.map(lambda p, g: p - 0.1 * g, head, grads)

Instead
    PyTorch
        optimizer = torch.optim.Adam(
            [*body.parameters(), *value_head.parameters()]
        )
        loss = F.mse_loss(value_head(body(states)), targets)
        loss.backward()
        optimizer.step()
    TensorFlow
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((value_head(body(states)) - targets) ** 2)
        mine = body.trainable_variables + value_head.trainable_variables
        grads = tape.gradient(loss, mine)
        optimizer.apply_gradients(zip(grads, mine))
    JAX
        def loss_fn(head, trunk):
            return jnp.mean((mlp(head, mlp(trunk, states)) - targets) ** 2)

        grads = jax.grad(loss_fn, argnums=(0, 1))(head, trunk)
        head, trunk = jax.tree.map(
            lambda p, g: p - 0.1 * g, (head, trunk), grads
        )

What does not help
    requires_grad=True on the variable: it has that, or it would get no
    gradient.
    clip_grad_norm_ over all parameters: scales a gradient that nobody
    applies, and lets it count in the norm that clips the others.
    A higher learning rate: is not used on what the optimizer does not hold.
    Registering a layer that forward() makes on its first call: the optimizer
    was built before it. Build the optimizer last, or add_param_group().

When it is meant
    A critic that gets a gradient from the actor loss is quiet: its own
    optimizer holds it. So are target networks, variables that are updated
    by hand, and a model whose matrices have low-rank ones learning beside
    them (LoRA). A part that is not to learn: freeze it
    (requires_grad_(False), trainable = False), which saves its backward pass
    too. Otherwise write
    `# whygrad: ok W201` on the line that builds the optimizer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from whygrad.flow.events import Backward
from whygrad.flow.site import Site
from whygrad.flow.source import first_argument
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.cuts.rebound import variable_behind
from whygrad.rules.cuts.roles import serves_as_critic, serves_as_target
from whygrad.rules.cuts.second_slopes import without_slope
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.targets.objective import feeds_trained
from whygrad.rules.updates.asked_aside import asked_aside
from whygrad.rules.updates.asked_for_nothing import asked_for_nothing
from whygrad.rules.updates.crossings import crossed
from whygrad.rules.updates.dict_of_optimizers import dict_without
from whygrad.rules.updates.gradient_source import gradient_source
from whygrad.rules.updates.history import applied_of
from whygrad.rules.updates.joined_late import refused_to_join
from whygrad.rules.updates.leaks import leaks
from whygrad.rules.updates.left_by_hand import left_out, not_comparable
from whygrad.rules.updates.losses_mixed_up import losses_mixed_up
from whygrad.rules.updates.low_rank import adapted
from whygrad.rules.updates.mistaken_holds import given_by_mistake
from whygrad.rules.updates.never_applied import NeverApplied, never_applied
from whygrad.rules.updates.only_looked_at import only_looked_at
from whygrad.rules.updates.passed_on_unchanged import passed_on
from whygrad.rules.updates.replaced import UNNAMED
from whygrad.rules.updates.siblings import built_among, called_for_another
from whygrad.rules.updates.taken_at_copies import taken_at_copies
from whygrad.rules.updates.towers import one_of_two_towers
from whygrad.rules.updates.unstepped import Unstepped, optimizer_called, unstepped
from whygrad.rules.updates.used_up_lists import used_up_lists
from whygrad.rules.updates.zero_updates import zero_updates
from whygrad.rules.w202_stale_parameters import left_behind
from whygrad.rules.w203_unregistered import in_objects
from whygrad.rules.wording import at_line, networks, plain_subject, subject, verb

CODE, NAME = "W201", "not-in-optimizer"
SUMMARY = "a variable gets a gradient that nobody applies"


def check(case: Case) -> Iterator[Finding]:
    """Gradients that no optimizer takes."""
    recording = case.recording
    for found in unstepped(case):
        yield _unstepped(case, found)
    for let_go in never_applied(case):
        yield _never_applied(case, let_go)
    yield from only_looked_at(case)
    yield from asked_for_nothing(case)
    yield from used_up_lists(case)
    yield from refused_to_join(case)
    if not losses_mixed_up(case):  # W204: zeros are what the gradient of another loss is made of
        yield from (found for found in zero_updates(case) if found.code == CODE)
    mistaken = [(o, members) for o, members in given_by_mistake(case) if not members & case.replaced.fresh]  # W202
    for optimizer, members in mistaken[:1]:
        yield _finding(case, case.variable(min(members)).network, members, optimizer)
    if not any(step.applied and step.error is None for step in recording.steps):
        return
    idle = case.unheld - case.replaced.fresh - recording.hand_updated - _used_by_hand(case) - not_comparable(case)
    idle |= left_out(case)
    idle = {v for v in idle if recording.variables[v].registered and not recording.variables[v].copied}
    idle -= crossed(case) | recording.unmoved.keys() | {v for _, members in mistaken for v in members}
    idle -= in_objects(case)  # W203
    idle -= {v for lost in missing_gradients(case) for v in lost.variables}  # W101 to W109
    idle -= {variable_behind(case, value) for b in recording.backwards for value in b.asked_values}  # W106
    idle -= {v for leak in leaks(case) for v in leak.meant}  # W205: its loss moves the other one instead
    idle -= {v for b in recording.backwards if b.error is not None for v in b.wanted}  # asked for, and refused: W107
    idle -= {v for b in recording.backwards if not b.implicit for v in without_slope(case, b, idle & set(b.wanted))}
    if recording.failed:
        # The program stopped in its first update, and the step may stand further down.
        times = Counter(v for b in recording.backwards if not b.implicit for v in b.wanted)
        idle -= {v for v, number in times.items() if number == 1}
        idle -= {v for v in idle if _lone_number(case, v)}  # so may what writes it: a copy of the temperature
    if recording.framework == "jax":
        idle -= left_behind(case)  # W202: the updates go to another copy of the model
        idle -= {v for one in taken_at_copies(case) for v in one.variables}  # W204: they go to what it is a copy of
        idle -= asked_aside(case)
    idle -= adapted(case, idle)
    asked = {v for b in recording.backwards for v in b.got}
    for network, group in networks(case, idle).items():
        members = set(group)
        named = recording.framework != "torch" and bool(members & asked)  # somebody asked for just these gradients
        whole = _whole(case, network, members)
        judges = serves_as_target(case, network, members) or (
            whole and not named and serves_as_critic(case, members)  # a penalty on an encoder's output looks the same
        )
        judges = judges and not _asked_beside(case, network, members) and not one_of_two_towers(case, network, members)
        if judges and not feeds_trained(case, members) and not _taught_alone(case, network):
            idle -= members
        elif recording.framework == "jax" and not whole:
            idle -= members - passed_on(case)  # of other parts an update may be written so that it is not recognised
    emptied = {case.site(refused.stack) for refused in recording.given_nothing if refused.used_up}
    for network, group in networks(case, idle).items():
        finding = _finding(case, network, set(group))
        if finding.where is None or finding.where not in emptied:  # why they are missing there is told already
            yield finding


def _lone_number(case: Case, variable: int) -> bool:
    """A number or a vector that is no part of a network."""
    one = case.variable(variable)
    return not one.model and len(one.shape) < 2


def _used_by_hand(case: Case) -> set[int]:
    """PyTorch: variables whose gradient the program asks for and computes with: an inner loop, a step of its own."""
    if case.recording.framework != "torch":
        return set()
    used = {v for op in case.recording.ops.values() for v in op.inputs}
    return {v for b in case.recording.backwards for v, value in b.given.items() if value in used}


def _asked_beside(case: Case, network: str, members: set[int]) -> bool:
    """TensorFlow: whether a tape is asked for these together with others of the same network, which are trained."""
    if case.recording.framework != "tensorflow":
        return False
    own = {v for v in case.trained if case.variable(v).network == network}
    return any(b.got & members and b.got & own for b in case.recording.backwards if not b.implicit)


def _taught_alone(case: Case, network: str) -> bool:
    """PyTorch: whether a loss gives this one alone a gradient, again and again: what only judges is passed through."""
    passes = [b for b in case.recording.backwards if b.call == "backward" and b.got]
    own = [b.stack for b in passes if all(case.variable(v).network == network for v in b.got)]
    return len(own) > len(set(own)) and not any(op.name == ".grad" for op in case.recording.ops.values())


def _unstepped(case: Case, found: Unstepped) -> Finding:
    torch = case.recording.framework == "torch"
    where, made = case.site(found.backward.stack), case.site(found.optimizer.created)
    name = optimizer_called(case, found.optimizer) or found.optimizer.name
    if (applied := applied_of(case, found.backward)) and not applied & found.optimizer.holds:
        again, among = called_for_another(case, found.optimizer), built_among(case, found.optimizer)
        if again is not None or among is not None:
            return _sibling(case, found, name, again, among)
    call = f"{name}.step()" if torch else f"{name}.apply_gradients(zip(gradients, variables))"
    steps = [(made, "optimizer", "made here, and never used"), (where, found.backward.call, "the gradient comes here")]
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, found.variables)} {verb(found.variables, case, 'gets', 'get')} a gradient that nobody "
        f"applies: `{name}` never {'steps' if torch else 'applies one'}",
        why=f"The gradient is computed here, {found.rounds} times in this run, and "
        f"{verb(found.variables, case, 'it keeps its', 'they keep their')} first values.",
        fix=f"call {call} after it",
        variables=case.names(found.variables), where=where, label="computed, and never applied",
        loss=case.loss_site(found.backward),
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None), seen=found.rounds,
    )  # fmt: skip


def _sibling(case: Case, found: Unstepped, name: str, again: Site | None, among: Site | None) -> Finding:
    """A network whose like are trained by a method of their own, which is never called for this one."""
    where, came, who = again or among, case.site(found.backward.stack), plain_subject(case, found.variables)
    steps = [(among, "creation", "made here"), (again, "call", "trains another of its kind, a second time"),
             (came, found.backward.call, "a gradient comes here, from another one's loss")]  # fmt: skip
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, found.variables)} {verb(found.variables, case, 'gets', 'get')} a gradient that nobody "
        f"applies: its `{name}` never steps",
        why="Networks of its kind are trained by a loss and an optimizer of their own. For this one that is never "
        f"done: what gradient it gets comes from another one's loss{at_line(came, where)}, and it keeps its first "
        "values.",
        fix=f"make one of the two calls for {who}" if again is not None else f"train {who} as the others are",
        variables=case.names(found.variables), where=where,
        label=f"the same once more, and never for {who}" if again is not None else f"{who} is never trained",
        loss=case.loss_site(found.backward),
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None), seen=found.rounds,
    )  # fmt: skip


def _never_applied(case: Case, found: NeverApplied) -> Finding:
    """JAX: nothing is ever made of the gradients."""
    where, made = case.site(found.backward.stack), case.site(found.begun.stack)
    steps = [(made, "optimizer", "a state is made for them here"), (where, "grad", "the gradient comes here")]
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, found.variables)} {verb(found.variables, case, 'gets', 'get')} a gradient that nobody "
        "applies: nothing is made of it",
        why=f"The gradient is computed here, again and again for the same values, and dropped. The state that"
        f"{at_line(made, where)} was made for them is never used.",
        fix="make an update of it and keep the result: updates, state = tx.update(grads, state, params); "
        "params = optax.apply_updates(params, updates)",
        variables=case.names(found.variables), where=where, label="computed, and never applied",
        loss=case.loss_site(found.backward),
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None), seen=found.rounds,
    )  # fmt: skip


def _finding(case: Case, network: str, members: set[int], mistaken: Optimizer | None = None) -> Finding:
    torch = case.recording.framework == "torch"
    backward = gradient_source(case, members)
    optimizer = mistaken or _responsible(case, network, backward)
    asks = not torch and not (optimizer.by_hand and backward.got & members)
    where, label = _place(case, optimizer, backward, members) if asks else (None, "")
    if where is None:
        where = case.built(optimizer) or case.site(_step_stack(case, optimizer))
        label = f"this optimizer does not hold {plain_subject(case, members)}"
        if optimizer.by_hand:  # the call that names what is to be updated, where a function of its own writes it
            where = case.seen_from(_step_stack(case, optimizer) or 0, backward.stack)
            label = f"this update leaves out {plain_subject(case, members)}"
    made, loss, left_out = created_at(case, members), case.loss_site(backward), where
    if made is not None and made.own and left_out is not None and not left_out.own:
        # A library built the optimizer, of what there was: what came too late is the program's own.
        where, label = made, f"no optimizer holds this; the one of {Path(left_out.file).name} was built without it"
    steps = [
        (made, "creation", "made here"),
        (left_out, optimizer.name, "left out here"),
        (loss, "loss", "the loss, which gives them a gradient"),
    ]
    late = torch and not optimizer.by_hand and min(case.variable(v).born for v in members) > optimizer.at
    alone = len(members) == 1 and case.names(members) == (network,)  # a tensor by itself, in no module
    if late:
        fix = "build the optimizer after the last layer exists, or add_param_group() the new ones"
    elif mistaken is not None:
        given = f"[{network}]" if alone else f"{network}.parameters()"
        fix = f"build it with {given}: no loss uses what it holds now"
    elif optimizer.by_hand:
        other = "do not let it ask for a gradient" if torch else "do not ask for the gradient"
        fix = f"update {'it' if len(members) == 1 else 'them'} there as well, or {other}"
    elif torch:
        given = f" ([{network if alone else f'*{network}.parameters()'}, …])" if network != UNNAMED else ""
        fix = f"give it to the optimizer as well{given}, or freeze it if it is not meant to learn"
    elif case.recording.framework == "jax" and not _whole(case, network, members):
        fix = f"apply it too, as the others of {network} are, or ask for the gradient of those others alone"
    elif case.recording.framework == "jax":
        fix = f"apply it too: give the gradient of {network} to the optimizer, and keep the updated {network}"
    else:
        asked_for = f"[{network}]" if alone else f"{network}.trainable_variables"
        fix = f"ask for it and apply it: {asked_for} belongs into tape.gradient and apply_gradients"
    return Finding(
        code=CODE,
        rule=NAME,
        severity="error" if _whole(case, network, members) and torch else "warning",
        message=f"{subject(case, members)} {_what(case, members, backward, optimizer)}",
        why=f"The loss{at_line(loss, where)} depends on it and could train it, but no update ever reaches it: "
        "it keeps its "
        "first values.",
        fix=fix,
        variables=case.names(members),
        where=where,
        label=label,
        loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )


def _what(case: Case, members: set[int], backward: Backward, optimizer: Optimizer) -> str:
    if backward.got & members and optimizer.by_hand:
        return f"{verb(members, case, 'gets', 'get')} a gradient that the update by hand does not apply"
    if backward.got & members:
        return f"{verb(members, case, 'gets', 'get')} a gradient that no optimizer applies"
    return "could learn from the loss, and nobody asks for the gradient"


def _place(case: Case, optimizer: Optimizer, backward: Backward, members: set[int]) -> tuple[Site | None, str]:
    """TensorFlow: the call that leaves the variables out, tape.gradient or apply_gradients."""
    if not backward.got & members:
        return case.site(backward.stack), f"{plain_subject(case, members)} is not asked for here"
    others = {v for v in backward.got if v not in members}
    step = next((s for s in case.recording.steps if s.at > backward.at and s.applied & others), None)
    if step is not None:
        applied = case.site(step.stack)
        kept = dict_without(applied, case.names(members), case.names(others)) if applied is not None else None
        kept = kept or _begun_without(case, backward, members, others)
        return kept or _argument(
            applied
        ), f"{plain_subject(case, members)} {verb(members, case, 'is', 'are')} left out here"
    return case.site(backward.stack), "these gradients are never applied"


def _begun_without(case: Case, backward: Backward, members: set[int], others: set[int]) -> Site | None:
    """JAX: where the only optimizer was begun, for the other networks of this loss (`tx.init(decoder)`)."""
    begun = case.recording.begun
    if len(begun) != 1 or all(_lone_number(case, v) for v in members):
        return None
    values = case.recording.values
    owners = {values[v].variable for v in begun[0].values if v in values}
    site = case.site(begun[0].stack)
    return site if site is not None and site.own and owners == others and not owners & members else None


def _argument(site: Site | None) -> Site | None:
    """What a call is given, where that stands on a line of its own."""
    return (site and first_argument(site)) or site


def _whole(case: Case, network: str, members: set[int]) -> bool:
    return case.family(network, members) <= members


def _responsible(case: Case, network: str, backward: Backward) -> Optimizer:
    """The optimizer that steps after the gradient came, best one that holds the rest of the same network."""
    recording = case.recording
    stepped = {s.optimizer for s in recording.steps}
    candidates = [o for o in recording.optimizers.values() if o.id in stepped]
    until = next((b.at for b in recording.backwards if b.at > backward.at and not b.implicit), math.inf)
    near = {s.optimizer for s in recording.steps if backward.at < s.at < until}
    twice = [o for o in candidates if any(p.at < o.at and p.holds and p.holds == o.holds for p in candidates)]
    if twice:
        # It was given what another one has already: it was built for something else. The one that steps here is meant.
        alike = [o for o in candidates if o.holds == twice[0].holds and o.id in near]
        return alike[0] if len(alike) == 1 else twice[0]
    same = [o for o in candidates if any(recording.variables[v].network == network for v in o.holds)]
    if same:  # of two optimizers for parts of one network the one that follows the gradient
        return next((o for o in same if o.id in near), same[0])
    following = [s.optimizer for s in recording.steps if s.at > backward.at]
    return recording.optimizers[following[0]] if following else candidates[-1]


def _step_stack(case: Case, optimizer: Optimizer) -> int | None:
    return next((s.stack for s in case.recording.steps if s.optimizer == optimizer.id), None)
