"""W206 update-discarded

What it checks
    New parameters were computed and dropped: the next gradient is taken at
    the old ones. In PyTorch and TensorFlow an update by hand makes new
    tensors, or changes a copy, and nothing is written into the variable; so
    does an average of the weights that nobody stores; or an inner loop (MAML)
    makes parameters that no loss is computed with; or the old weights are
    loaded back after each step. In JAX the result of
    optax.apply_updates, of state.apply_gradients or of a compiled training
    step is not kept; a loop's last state is dropped, and the next round
    begins where this one did; an inner update (MAML) goes into no loss; the
    updates of an optimizer are never applied,
    or the bare gradients are applied in their place; or the optimizer starts
    from its first state again in every update.

Why it matters
    An update that is a new array teaches nothing where nobody keeps it, and
    there is no error and no warning. Arrays in JAX never change at all. An
    optimizer whose state is not kept counts every update as its first: Adam
    then takes a step of full size along the sign of the gradient.

Example
    PyTorch
        for _ in range(3):
            net.zero_grad()
            F.mse_loss(net(states), targets).backward()
            with torch.no_grad():
                for p in net.parameters():
                    p = p - 0.1 * p.grad     # a new tensor, and a name
    TensorFlow
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((net(states) - targets) ** 2)
            variables = net.trainable_variables
            for v, g in zip(variables, tape.gradient(loss, variables)):
                v = v - 0.1 * g              # a new tensor, and a name
    JAX
        for _ in range(3):
            grads = jax.grad(net_loss)(params)
            jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

Instead
    PyTorch
        for _ in range(3):
            net.zero_grad()
            F.mse_loss(net(states), targets).backward()
            with torch.no_grad():
                for p in net.parameters():
                    p -= 0.1 * p.grad
    TensorFlow
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((net(states) - targets) ** 2)
            variables = net.trainable_variables
            for v, g in zip(variables, tape.gradient(loss, variables)):
                v.assign_sub(0.1 * g)
    JAX
        for _ in range(3):
            grads = jax.grad(net_loss)(params)
            params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

What does not help
    A higher learning rate: what is dropped may have any size.
    jax.block_until_ready: the update was computed; it was not kept.
    donate_argnums: frees the old arrays. Using them again is then an error,
    which at least shows the fault.
    A global variable inside a jitted function: it is written once, while
    the function is traced, and never again.
    jax.jit around a step on Flax NNX objects: it changes a copy of them.
    nnx.jit carries the changes out.

When it is meant
    A line search, an inner loop (MAML) and a trial step compute parameters
    that are used and then dropped; whygrad is quiet where anything is
    computed from them. Otherwise write `# whygrad: ok W206` on the line.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Step
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates import unused_inner
from whygrad.rules.updates.dropped_averages import DroppedAverage, dropped_averages
from whygrad.rules.updates.dropped_copies import DroppedCopies, dropped_copies
from whygrad.rules.updates.dropped_steps import dropped_steps
from whygrad.rules.updates.dropped_sums import DroppedSum, dropped_sums
from whygrad.rules.updates.dropped_updates import Dropped, dropped_updates, let_go_at, numpy_updates
from whygrad.rules.updates.forgetful import Forgetful, forgetful
from whygrad.rules.updates.inner_loops import unused_inner_loops
from whygrad.rules.updates.let_fall import let_fall
from whygrad.rules.updates.never_added import never_added
from whygrad.rules.updates.passed_over import passed_over
from whygrad.rules.updates.restarted_rounds import restarted_rounds
from whygrad.rules.updates.rolled_back import RolledBack, rolled_back
from whygrad.rules.updates.undone import Undone, put_back, undone
from whygrad.rules.updates.updates_as_parameters import updates_as_parameters
from whygrad.rules.wording import plain_subject, quoted, subject, verb

CODE, NAME = "W206", "update-discarded"
SUMMARY = "new parameters were computed and dropped, or the optimizer's state was"


def check(case: Case) -> Iterator[Finding]:
    """Updates that the next gradient does not start from."""
    if case.recording.framework != "jax":
        unkept = (*dropped_updates(case), *numpy_updates(case))
        for one in unkept:
            yield _unused(case, one) if one.trained else _rebound(case, one)
        told = {v for one in unkept for v in one.variables}
        yield from (finding for variables, finding in unused_inner_loops(case) if not variables & told)
        copies = dropped_copies(case)
        if copies is not None:
            yield _copies(case, copies)
        yield from (_average(case, one) for one in dropped_averages(case))
        yield from (_undone(case, one) for one in (*undone(case), *put_back(case)))
        return
    dropped, told_of = dropped_steps(case)
    yield from told_of
    yield from never_added(case)
    yield from unused_inner.findings(case)
    yield from (_sum(case, one) for one in dropped_sums(case))
    yield from updates_as_parameters(case)
    for stack, taken in passed_over(case).items():
        yield _passed_over(case, case.site(stack), taken)
    if not dropped:
        rounds = rolled_back(case) or restarted_rounds(case)
        yield from (_rolled_back(case, one) for one in rounds)
        yield from (_forgetful(case, one) for one in forgetful(case))


def _rebound(case: Case, one: Dropped) -> Finding:
    torch = case.recording.framework == "torch"
    backward = next((b for b in case.recording.backwards if b.got & one.variables), None)
    functional = any(b.call == "func.grad" and b.given.keys() & one.variables for b in case.recording.backwards)
    where = let_go_at(case, one.op) if functional else case.site(one.op.stack)
    are, its = verb(one.variables, case, "keeps", "keep"), verb(one.variables, case, "its", "their")
    return Finding(
        code=CODE,
        rule=NAME,
        severity="error",
        message=f"{subject(case, one.variables)} {are} {its} first values: the update is computed and dropped",
        why="The result is a new tensor. Binding it to a name, or changing a copy, leaves the variable as it was.",
        fix=f"keep {quoted(where)} as the parameters of the next update, and write them into the network at the end "
        "(load_state_dict)"
        if functional
        else "change the parameter in place, under torch.no_grad(): p -= rate * p.grad, or let an optimizer do it"
        if torch
        else "write it into the variable: variable.assign_sub(rate * gradient), or let an optimizer do it",
        variables=case.names(one.variables),
        where=where,
        label="the new values are computed here, and nobody keeps them",
        loss=case.loss_site(backward) if backward is not None else None,
        path=tuple(
            PathStep(site, op, role)
            for site, op, role in (
                (case.site(backward.stack if backward is not None else None), "backward", "the gradient comes here"),
                (where, one.op.name, "computed and dropped"),
            )
            if site is not None
        ),
        seen=one.times // len(one.variables),
    )


def _sum(case: Case, one: DroppedSum) -> Finding:
    """Gradients are added up, and the optimizer is given the zeros that the sum began with."""
    stack = case.stack(one.op.stack)
    where = let_fall(stack) or (stack[0] if stack else None)
    applied = case.site(case.recording.unmoved[min(one.variables)])
    backward = next((b for b in case.recording.backwards if b.got & one.variables), None)
    stations = [
        (case.site(backward.stack if backward is not None else None), "grad", "the gradient comes here"),
        (where, one.op.name, "added up, and dropped"), (applied, "update", "zeros are applied here"),
    ]  # fmt: skip
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, one.variables)} {verb(one.variables, case, 'keeps its', 'keep their')} first values: "
        "the sum of the gradients is computed and dropped",
        why="Arrays in JAX do not change. The sum is a new array; what the optimizer is given are still the zeros that "
        "it began with.",
        fix=f"keep the result: total = {quoted(where, '…').strip('`')}",
        variables=case.names(one.variables), where=where, label="the new sum is computed here, and nobody keeps it",
        loss=case.loss_site(backward) if backward is not None else None,
        path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None),
        seen=one.times // len(one.variables),
    )  # fmt: skip


def _copies(case: Case, found: DroppedCopies) -> Finding:
    """Copies were trained, and the network that they were made of is as it was."""
    step = found.runs[0].steps[-1]
    trained, name = case.site(step.stack), plain_subject(case, found.base)
    where = case.site(found.last.stack) if found.last is not None else trained
    what = "what is computed from them is dropped" if found.last is not None else "nothing uses them afterwards"
    stations = [(trained, "step", "the copy is trained here")]
    if found.last is not None:
        stations.append((where, "dropped", "and its new values end here"))
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, found.base)} {verb(found.base, case, 'keeps its', 'keep their')} first values: copies "
        f"of {verb(found.base, case, 'it', 'them')} are trained, and {what}",
        why=f"Each of {len(found.runs)} trainings began with the same values of {name}. A copy has variables of its "
        "own: training it changes nothing in the original.",
        fix=f"load the result back into {name} ({_loads(case)}), or train {name} itself",
        variables=case.names(found.base), where=where,
        label="the new values end here" if found.last is not None else f"this trains a copy of {name}",
        path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None), seen=len(found.runs),
    )  # fmt: skip


def _average(case: Case, one: DroppedAverage) -> Finding:
    """The average of a network's weights goes nowhere, and what should keep it has its first values."""
    where, name, online = case.site(one.op.stack), plain_subject(case, one.targets), plain_subject(case, one.sources)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, one.targets)} {verb(one.targets, case, 'keeps its', 'keep their')} first values: the "
        f"average with {online} is computed and dropped",
        why="The result is a new tensor. Binding it to a name leaves the variable as it was.",
        fix="write it into the parameter, under torch.no_grad(): p_average.lerp_(p, share)"
        if case.recording.framework == "torch"
        else f"write it into the variable: variable.assign({quoted(where, '…').strip('`')})",
        variables=case.names(one.targets), where=where, label=f"the new values of {name} end here",
        path=(PathStep(where, one.op.name, "computed and dropped"),) if where is not None else (),
        seen=one.times // len(one.targets),
    )  # fmt: skip


def _undone(case: Case, one: Undone) -> Finding:
    """Every step is followed by a write that brings the old weights back."""
    where, step = case.site(one.write.stack), case.site(one.steps[-1].stack)
    why = f"All of the {len(one.steps)} updates that were looked at began from the same weights: what a step changes "
    why += "is overwritten before the next gradient."
    if one.rounds:
        why = (
            f"All of the {one.rounds} rounds of updates that were looked at began from the same weights: what a round "
        )
        why += "has changed is overwritten at its end, and nothing has looked at it."
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, one.variables)} {verb(one.variables, case, 'is', 'are')} updated, and "
        f"{quoted(where)} brings the old values back each time",
        why=why,
        fix=f"call {quoted(where)} once, before or after the loop, or give it the weights that are to be kept",
        variables=case.names(one.variables), where=where, label="writes the content from before the step",
        path=tuple(PathStep(site, op, role) for site, op, role in (
            (step, one.steps[-1].call, "updated here"), (where, one.write.by, "and overwritten here"),
        ) if site is not None), seen=len(one.steps),
    )  # fmt: skip


def _loads(case: Case) -> str:
    return "load_state_dict" if case.recording.framework == "torch" else "set_weights"


def _unused(case: Case, one: Dropped) -> Finding:
    """An inner loop that ends in nothing: its parameters go into no loss."""
    where = case.site(one.op.stack)
    network = plain_subject(case, one.variables)
    return Finding(
        code=CODE,
        rule=NAME,
        severity="warning",
        message=f"new values of {network} are computed from {verb(one.variables, case, 'its', 'their')} gradient, and "
        "nothing uses them",
        why="An inner step makes new tensors. Where no loss is computed with them, the outer update is the same as "
        "without the inner step.",
        fix="compute the next loss with the new values: torch.func.functional_call(model, new_values, inputs)",
        variables=case.names(one.variables),
        where=where,
        label="the new values are computed here, and nobody uses them",
        path=(PathStep(where, one.op.name, "computed and dropped"),) if where is not None else (),
        seen=one.times // len(one.variables),
    )


def _rolled_back(case: Case, one: RolledBack) -> Finding:
    """Updates built on one another, and the next round begins where they began."""
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, one.variables)} {verb(one.variables, case, 'is', 'are')} updated several times, and "
        "the last values are dropped: the next round begins where this one did",
        why="Arrays in JAX do not change. The updates made new ones, each from the one before, and the program goes on "
        "with those from before the first.",
        fix=f"keep what {quoted(one.where)} ends with, and go on with it",
        variables=case.names(one.variables), where=one.where, label="the last values are dropped here",
        path=(PathStep(one.where, one.steps[0].call, "updated here, and dropped"),), seen=len(one.steps),
    )  # fmt: skip


def _passed_over(case: Case, where: Site | None, steps: list[Step]) -> Finding:
    variables = set(steps[0].applied)
    made = next((e for e in case.recording.edits if e.call == "update" and e.variables & variables), None)
    stations = [(case.site(made.stack) if made is not None else None, "update", "the updates are made here")]
    stations.append((where, steps[0].call, "the gradients are added here"))
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the gradients are added to {subject(case, variables)} as they are: the optimizer's updates are "
        "computed and dropped",
        why="An optimizer turns a gradient into a step: against the slope, and as long as the learning rate says. A "
        "bare gradient points uphill.",
        fix="apply what the optimizer returned: updates, opt_state = tx.update(grads, opt_state, params); params = "
        "optax.apply_updates(params, updates)",
        variables=case.names(variables), where=where, label="adds the gradients, not the updates",
        path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None), seen=len(steps),
    )  # fmt: skip


def _forgetful(case: Case, one: Forgetful) -> Finding:
    """An optimizer that begins with the same state in every update, perhaps with the same parameters too."""
    who = subject(case, one.variables)
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"every update of {who} starts from the first parameters and the first state of its optimizer"
        if one.whole else f"the optimizer of {who} starts from its first state in every update",
        why="Arrays in JAX do not change. What the update made is used within it and then let go, so that each one "
        "begins where the first did." if one.whole
        else "The state holds the running averages of momentum and of Adam. Where the new state is not kept, every "
        "update is computed as if it were the first.",
        fix=f"keep what {quoted(one.where)} gives back, for the next update" if one.whole
        else f"call {quoted(one.where)} once, before the first update, and hand the state on" if one.anew
        else "keep the new state: updates, opt_state = tx.update(grads, opt_state, params)",
        variables=case.names(one.variables), where=one.where,
        label="the new parameters are not kept" if one.whole else "a new state in every update" if one.anew
        else "the new optimizer state is dropped",
        path=(PathStep(one.where, "update", "dropped" if one.whole else "state dropped"),) if one.where else (),
        seen=one.times,
    )  # fmt: skip
