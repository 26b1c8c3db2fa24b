"""W501 target-not-stopped

What it checks
    A loss compares a prediction with a bootstrap target, reward plus
    discounted prediction for the next state, and the gradient flows through
    the target as well, into variables that this loss trains. A distribution
    that is moved by the reward and compared by cross-entropy is a target too.

Why it matters
    The target is the number to move towards. With a gradient through it the
    loss also moves the target towards the prediction: the values of the next
    states are pulled to fit those of the states before, which is another
    algorithm (residual gradient), slower and often wrong for noisy
    transitions. No error tells of it; learning crawls or settles elsewhere.

Example
    PyTorch
        target = rewards + 0.99 * q_net(next_states).max(dim=1).values
        q = q_net(states).gather(1, taken[:, None]).squeeze(1)
        loss = F.mse_loss(q, target)
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            future = tf.reduce_max(q_net(next_states), axis=1)
            target = rewards + 0.99 * future
            q = tf.gather(q_net(states), taken, axis=1, batch_dims=1)
            loss = tf.reduce_mean((target - q) ** 2)
        grads = tape.gradient(loss, q_net.trainable_variables)
    JAX
        def loss_fn(params):
            target = rewards + 0.99 * q_net(params, next_states).max(axis=1)
            q = q_net(params, states)[jnp.arange(8), taken]
            return jnp.mean((target - q) ** 2)
        grads = jax.grad(loss_fn)(q_params)

Instead
    PyTorch
        with torch.no_grad():
            target = rewards + 0.99 * q_net(next_states).max(dim=1).values
        q = q_net(states).gather(1, taken[:, None]).squeeze(1)
        loss = F.mse_loss(q, target)
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            following = tf.reduce_max(q_net(next_states), axis=1)
            target = tf.stop_gradient(rewards + 0.99 * following)
            q = tf.gather(q_net(states), taken, axis=1, batch_dims=1)
            loss = tf.reduce_mean((target - q) ** 2)
        grads = tape.gradient(loss, q_net.trainable_variables)
    JAX
        def loss_fn(params):
            following = q_net(params, next_states).max(axis=1)
            target = jax.lax.stop_gradient(rewards + 0.99 * following)
            q = q_net(params, states)[jnp.arange(8), taken]
            return jnp.mean((target - q) ** 2)
        grads = jax.grad(loss_fn)(q_params)

What does not help
    Stopping the prediction instead: then nothing trains the network on its
    own states (W102).
    Leaving the target network out of the optimizer while the target is
    computed with the online network: the gradient goes to the online one.
    A smaller learning rate or a smaller discount: the direction stays wrong.

When it is meant
    Residual-gradient methods and path consistency learning train through
    both sides. Write `# whygrad: ok W501` on the line of the target. A target
    network that gets a gradient which no optimizer applies is only wasteful,
    and quiet.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.site import Site, Stack
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import is_log_probability
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.targets.distributions import distributions
from whygrad.rules.targets.live_views import LiveView, live_views
from whygrad.rules.targets.objective import PRODUCT, Bootstrap, Objective, bootstraps, objectives, roots
from whygrad.rules.w502_target_is_online import aliases
from whygrad.rules.wording import at_line, called_from, plain_subject, quoted

CODE, NAME = "W501", "target-not-stopped"
SUMMARY = "the gradient flows through the bootstrap target"


def check(case: Case) -> Iterator[Finding]:
    """Targets through which a loss trains what it should only move towards."""
    seen: set[tuple[str, int]] = set()
    one = {v for alias in aliases(case) for v in alias[0]}
    for objective in objectives(case):
        targets = (*bootstraps(case, objective, live=True), *distributions(case, objective, live=True))
        fitting = [found for found in targets if not _through(found) <= one and _one_network(case, found)]
        leaks = [found for found in fitting if not _only_weighs(case, found)]
        calls = [call for found in leaks if (call := _asked_by(case, found))]
        for found in leaks:
            inside = [call for call in calls if case.stack(found.added.stack)[-len(call) :] == call]
            at_use = not inside and (_in_loop(found) or _stopped_beside(case, found))
            where = case.site(found.difference.stack if at_use else found.added.stack)
            where = inside[0][0] if inside else where
            place = (where.file, where.line) if where is not None else ("", 0)
            if place not in seen:
                seen.add(place)
                yield _finding(case, found, where, at_use)
        view = next(live_views(case, objective), None)
        where = case.site(view.compared.stack) if view is not None else None
        if view is not None and where is not None and (where.file, where.line) not in seen:
            seen.add((where.file, where.line))
            yield _view_finding(case, objective, view, where)


def _through(found: Bootstrap) -> frozenset[int]:
    return found.objective.variables(found.objective.live[found.value] & found.objective.trained)


def _asked_by(case: Case, found: Bootstrap) -> Stack:
    """The call of a function that only computes with what it is given: whoever gave it live values is to stop them.

    The same returns are made for a log, or under no_grad. A function that asks a network itself is the place to stop.
    """
    stack, other = case.stack(found.added.stack), case.stack(found.difference.stack)
    alike = next((n for n in range(min(len(stack), len(other))) if stack[-n - 1] != other[-n - 1]), 0)
    call, beside = stack[len(stack) - alike - 1 :], other[len(other) - alike - 1 :]
    if len(call) == len(stack) or (call[0].file, call[0].function) != (beside[0].file, beside[0].function):
        return ()
    return call if call[0].own and not case.reads_under.get(call) else ()


def _in_loop(found: Bootstrap) -> bool:
    """JAX: whether the target was summed up round by round in a `scan`; the line to change is where it is used."""
    rounds = found.difference.times
    return any(op.times > rounds and op.stack == found.added.stack for op in found.objective.part.ops)


def _stopped_beside(case: Case, found: Bootstrap) -> bool:
    """Whether the loss has the same target, or what was made of it, stopped on another way: `delta.detach()`.

    Then the target is alive on purpose, each use is to stop it for itself, and this one does not.
    """
    follow = set(found.added.outputs)
    for op in case.slice(found.objective.backward).ops:
        if op.at <= found.added.at or op.at == found.difference.at or not any(v in follow for v in op.inputs):
            continue
        if op.kind == "stop":
            return True
        if op.carries:
            follow.update(op.outputs)
    return False


def _one_network(case: Case, found: Bootstrap) -> bool:
    """Whether both sides are predictions of one network, of twins, or of two networks for two batches."""
    objective = found.objective
    ours = objective.live[found.prediction] & objective.trained
    theirs = objective.live[found.value] & objective.trained
    if ours & theirs:
        return True
    shapes = [sorted(str(case.variable(v).shape) for v in objective.variables(mask)) for mask in (ours, theirs)]
    return shapes[0] == shapes[1] or not roots(case, found.prediction) & roots(case, found.value)


def _only_weighs(case: Case, found: Bootstrap) -> bool:
    """Whether the difference is an advantage and nothing else: what is wrong with that is for W505 to say."""
    objective = found.objective
    follow = set(found.difference.outputs)
    for op in objective.part.ops:
        if op.at <= found.difference.at or op.kind == "stop" or not any(v in follow for v in op.inputs):
            continue
        others = [v for v in op.inputs if v not in follow]
        if op.name in PRODUCT and any(objective.live.get(v, 0) and is_log_probability(case.made_by, v) for v in others):
            continue
        follow.update(op.outputs)
    return objective.part.loss not in follow


def _finding(case: Case, found: Bootstrap, where: Site | None, at_use: bool) -> Finding:
    objective, through = found.objective, _through(found)
    loss = case.loss_site(objective.backward)
    name = plain_subject(case, through)
    steps = [(case.site(found.added.stack), found.added.name, "the target, with a gradient"),
             (case.site(found.difference.stack), found.difference.name, "compared with the prediction"),
             (loss, "loss", "the loss")]  # fmt: skip
    path = [PathStep(site, op, role) for site, op, role in steps if site is not None]
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"the loss{at_line(loss, where)} trains {name} through its own target",
        why="The target is the number that the prediction should move to. With a gradient through it the loss also "
        "moves the target to the prediction, so that the values of the next states are fitted to those before them.",
        fix=_fix(case.recording.framework, None if at_use else where),
        variables=case.names(through), where=where,
        label=f"{'the target compared here' if at_use else 'this target'} carries a gradient into {name}", loss=loss,
        path=tuple(path) + (tuple(called_from(case, found.added.stack, where)) if where is not None else ()),
        first_update=1 + sum(1 for step in case.recording.steps if step.at < objective.backward.at),
    )  # fmt: skip


def _view_finding(case: Case, objective: Objective, view: LiveView, where: Site) -> Finding:
    through = objective.variables(objective.live[view.features] & objective.trained)
    made, loss = case.made_by.get(view.features), case.loss_site(objective.backward)
    features, compared = "features of the other view, with a gradient", "the prediction is compared with them"
    steps = [(case.site(made.stack), made.name, features)] if made is not None else []
    steps += [(where, view.compared.name, compared), (loss, "loss", "the loss")]
    stop = {"torch": ".detach()", "tensorflow": "tf.stop_gradient(…)"}
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"the loss{at_line(loss, where)} trains {plain_subject(case, through)} through its own target",
        why="Each view is predicted from the other, and what is to be predicted moves towards the prediction as well. "
        "Nothing holds the features apart: that all inputs get the same ones makes this loss smallest.",
        fix="stop the features that the prediction is compared with: put "
        f"{stop.get(case.recording.framework, 'jax.lax.stop_gradient(…)')} around them, in both directions",
        variables=case.names(through), where=where, label="what is to be predicted carries a gradient here", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        first_update=1 + sum(1 for step in case.recording.steps if step.at < objective.backward.at),
    )  # fmt: skip


def _fix(framework: str, where: Site | None) -> str:
    text = quoted(where, "the target")
    if framework == "tensorflow":
        return f"stop the target: put tf.stop_gradient(…) around {text}, or compute it before the tape"
    if framework == "jax":
        return f"stop the target: put jax.lax.stop_gradient(…) around {text}"
    return (
        f"stop the target: compute {text if where is not None else 'it'} under `with torch.no_grad():`, or detach() it"
    )
