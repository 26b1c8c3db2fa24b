"""W505 sampled-action

What it checks
    Two ways lead from a sampled action to a policy's gradient. The score
    function: -log_prob(action) * advantage, where action and advantage are
    constants. The reparameterised sample: -critic(state, action), where the
    gradient flows through the action. This rule finds the two mixed up: a log
    probability of a sample that still carries its gradient, a critic fed with
    a plain sample, an advantage or return that carries a gradient.

Why it matters
    log_prob of mean + std * noise, differentiated through both, does not
    depend on the mean at all: the policy's mean gets exactly zero. A plain
    sample gives the critic's term no gradient, and only the entropy is
    trained. An advantage with a gradient lets the policy loss pull the value
    estimates: it is cheaper to predict a large value than to act better.

Example
    PyTorch
        logits = policy_head(body(states))
        dist = torch.distributions.Categorical(logits=logits)
        values = value_head(body(states)).squeeze(1)
        advantage = returns - values
        policy_loss = -(dist.log_prob(taken) * advantage).mean()
        policy_loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            logits = policy_head(body(states))
            values = value_head(body(states))[:, 0]
            advantage = returns - values
            log_probs = tf.nn.log_softmax(logits)
            chosen = tf.gather(log_probs, taken, axis=1, batch_dims=1)
            policy_loss = -tf.reduce_mean(chosen * advantage)
        grads = tape.gradient(policy_loss, value_head.trainable_variables)
    JAX
        def policy_loss(heads):
            features = mlp(heads["body"], states)
            log_probs = jax.nn.log_softmax(mlp(heads["policy"], features))
            values = mlp(heads["value"], features)[:, 0]
            advantage = returns - values
            return -jnp.mean(log_probs[jnp.arange(8), taken] * advantage)
        grads = jax.grad(policy_loss)(heads)

Instead
    PyTorch
        logits = policy_head(body(states))
        dist = torch.distributions.Categorical(logits=logits)
        values = value_head(body(states)).squeeze(1)
        advantage = (returns - values).detach()
        policy_loss = -(dist.log_prob(taken) * advantage).mean()
        policy_loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            logits = policy_head(body(states))
            values = value_head(body(states))[:, 0]
            advantage = tf.stop_gradient(returns - values)
            log_probs = tf.nn.log_softmax(logits)
            chosen = tf.gather(log_probs, taken, axis=1, batch_dims=1)
            policy_loss = -tf.reduce_mean(chosen * advantage)
        grads = tape.gradient(policy_loss, value_head.trainable_variables)
    JAX
        def policy_loss(heads):
            features = mlp(heads["body"], states)
            log_probs = jax.nn.log_softmax(mlp(heads["policy"], features))
            values = mlp(heads["value"], features)[:, 0]
            advantage = jax.lax.stop_gradient(returns - values)
            return -jnp.mean(log_probs[jnp.arange(8), taken] * advantage)
        grads = jax.grad(policy_loss)(heads)

What does not help
    Detaching the log probability: then the policy gets nothing (W102).
    A small coefficient for the value loss: the wrong pull stays in the policy
    loss.
    Detaching Q in a reparameterised actor loss: the gradient has to go
    through Q to the action.

When it is meant
    In TensorFlow, where one network carries both heads and the value has its
    own term in the same loss, a live advantage is only a note: Keras' own
    example does it, and that term holds the value in place. That is for
    returns made of rewards; with a target that the value head made itself
    (bootstrapped, or advantages of a rollout) it is a warning there too.
    Objectives that train a value through the policy's term on purpose are
    rare: write `# whygrad: ok W505` on the line. Entropy terms, importance
    ratios, SAC's alpha * log_prob(rsample) - Q(rsample), all-action policy
    gradients and weights that are probabilities are quiet.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.batches.live_weights import WEIGHT_WAY, LiveWeight, live_weights
from whygrad.rules.batches.plain_samples import drawn_in, fed_critic
from whygrad.rules.batches.weighed_samples import is_pure, weight_of
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import is_log_probability
from whygrad.rules.finding import Finding, PathStep, Severity
from whygrad.rules.targets.objective import CONTRACTS, MINUS, PRODUCT, SUM, Objective, objectives, size
from whygrad.rules.wording import at_line, called_from, plain_subject, quoted

CODE, NAME = "W505", "sampled-action"
SUMMARY = "score-function and reparameterised gradients mixed up; an advantage that carries gradient"

_SQUARES = frozenset({"square", "pow", "__pow__", "integer_pow"})
_STEPS = 40


def check(case: Case) -> Iterator[Finding]:
    """Each loss whose gradient takes the wrong one of the two ways."""
    seen: set[tuple[str, int]] = set()
    products: set[int] = set()
    for objective in objectives(case):
        for finding in (
            *_live_weights(case, objective, products),
            *_live_samples(case, objective),
            *_plain_samples(case, objective),
        ):
            place = (finding.where.file, finding.where.line) if finding.where is not None else ("", 0)
            if place not in seen:
                seen.add(place)
                yield finding


# --- an advantage that carries a gradient -----------------------------------------------------------------------


def _live_weights(case: Case, objective: Objective, told: set[int]) -> Iterator[Finding]:
    for one in live_weights(case, objective):
        if one.product.stack not in told:
            told.add(one.product.stack)
            yield _weight_finding(case, objective, one)


def _weight_finding(case: Case, objective: Objective, one: LiveWeight) -> Finding:
    op, product, loss = one.product, case.site(one.product.stack), case.loss_site(objective.backward)
    leaks = objective.variables(objective.live[one.weight] & objective.trained)
    made = one.enters or case.made_by.get(one.weight)
    origin = case.site(made.stack) if made is not None else None
    where = case.seen_from(one.enters.stack, op.stack) if one.enters is not None else product
    name = plain_subject(case, leaks)
    text = quoted(origin, "the weight")
    stop = {"torch": "with .detach()", "tensorflow": "with tf.stop_gradient"}.get(
        case.recording.framework, "with jax.lax.stop_gradient"
    )
    steps = [(origin, made.name if made is not None else "", "the weight, with a gradient"),
             (product, op.name, "weighs a log-probability"), (loss, "loss", "the loss")]  # fmt: skip
    return _made(
        case, objective, where, "note" if one.meant else "warning", one.enters or op,
        message=f"the weight of a log-probability{at_line(product, where)} carries a gradient into {name}",
        label=f"the weight {'is made here, and' if one.enters else 'here'} carries a gradient into {name}",
        why="The weight says how good an action was; it is a constant to the policy's gradient. With a gradient "
        "through it the policy loss also moves the value estimates, towards whatever makes this product smaller.",
        fix=f"stop the weight {stop}: {text} must reach {'the' if one.enters else 'this'} product as a constant; the "
        "value has its own loss",
        variables=leaks, steps=steps,
    )  # fmt: skip


# --- the log-probability of a sample that carries its gradient --------------------------------------------------


def _live_samples(case: Case, objective: Objective) -> Iterator[Finding]:
    told: set[int] = set()
    for op in objective.part.ops:
        if op.name not in MINUS or len(op.inputs) != 2 or not any(v in objective.reached for v in op.outputs):
            continue
        sample, mean = op.inputs
        if op.stack in told or not objective.live.get(mean, 0) & objective.trained:
            continue
        made = _reparameterised(case, objective, sample, mean)
        if made is None:
            continue
        told.add(op.stack)  # one expression in a loop over a rollout says the same each time
        product = _weighed(case, objective, op, sample)
        if product is not None:
            yield _sample_finding(case, objective, made, op, product)


def _reparameterised(case: Case, objective: Objective, sample: int, mean: int) -> Op | None:
    """The sum mean + std * noise that a sample was made by, if its gradient still leads to that mean.

    Or to that of the same network, asked again for the log-probability.
    """
    todo, seen = [sample], {sample}
    while todo and len(seen) < _STEPS:
        op = case.made_by.get(todo.pop())
        if op is None or op.name in CONTRACTS or not op.carries:
            continue
        if op.name in SUM and len(op.inputs) == 2 and _centre(case, objective, op, mean) is not None:
            return op
        fresh = [v for v in op.inputs if v not in seen and objective.live.get(v, 0)]
        seen.update(fresh)
        todo.extend(fresh)
    return None


def _centre(case: Case, objective: Objective, op: Op, mean: int) -> int | None:
    """The mean in a sum of a mean and scaled noise: this one, or another that the same variables made.

    Errors that are added back to the values that they are errors of are no noise: they were made of those.
    """
    if mean in op.inputs:
        return None if any(case.is_made_of(v, (mean,), _STEPS) for v in op.inputs if v != mean) else mean
    wanted = objective.live.get(mean, 0) & objective.trained
    for centre, noise in (op.inputs, op.inputs[::-1]):
        scaled, same = case.made_by.get(noise), objective.live.get(centre, 0) & objective.trained == wanted
        if same and scaled is not None and scaled.name in PRODUCT:
            constant = [v for v in scaled.inputs if not objective.live.get(v, 0) and size(case, v) > 1]
            known = [case.recording.values[v].numbers for v in constant]
            begun = any(numbers is not None and numbers.all_zero for numbers in known)  # a sum over a loop, no noise
            return centre if constant and not begun else None
    return None


def _weighed(case: Case, objective: Objective, start: Op, sample: int) -> Op | None:
    """The product with a weight for each row, on the way from the distance of a sample to its mean to the loss."""
    follow = set(start.outputs)
    density: set[int] = set()  # made of the square of that distance: a Gaussian's exponent, written out by hand
    for op in objective.part.ops:
        if op.at <= start.at or not any(v in follow for v in op.inputs):
            continue
        if op.name in CONTRACTS:
            return None
        if op.name in _SQUARES or (op.name in PRODUCT and len(op.inputs) > 1 and all(v in follow for v in op.inputs)):
            density.update(op.outputs)
        chance = next((v for v in op.inputs if v in follow), None)
        if op.name in PRODUCT and chance is not None:
            logged = is_log_probability(case.made_by, chance)
            likely = logged or (chance in density and not _used_beside(case, objective, start, sample, chance))
            weight = weight_of(case, objective, [v for v in op.inputs if v not in follow], sample, logged)
            if likely and weight is not None and is_pure(case, objective, chance, sample) and _told_later(case, weight):
                return op
        follow.update(op.outputs)
        if any(v in density for v in op.inputs):
            density.update(op.outputs)
    return None


def _used_beside(case: Case, objective: Objective, start: Op, sample: int, chance: int) -> bool:
    """Whether the weighed value takes the sample in by another way too: a prior's density, as in a VAE's KL term."""
    wanted = {chance}
    for op in reversed(objective.part.ops):
        if any(v in wanted for v in op.outputs):
            if sample in op.inputs and op.at != start.at:
                return True
            wanted.update(op.inputs)
    return False


def _told_later(case: Case, weight: int) -> bool:
    """Whether a weight came from outside (a return) or is a difference with such: not noise, not a scale."""
    made = case.made_by.get(weight)
    return made is None or made.kind in ("enter", "stop") or made.name in WEIGHT_WAY or made.switch is not None


def _drawn_at(case: Case, objective: Objective, made: Op, distance: Op) -> Site | None:
    """The line that draws a sample, in the function that also made its mean or takes its log-probability.

    A distribution's sample() that only computes with what it holds is right by itself: the call of it is the fault.
    """
    inner, stack = case.site(made.stack), case.stack(made.stack)
    centre = _centre(case, objective, made, distance.inputs[1])
    mean = case.made_by.get(centre) if centre is not None else None
    if inner is None or mean is None or "rsample(" in quoted(inner, ""):
        return inner
    seen = [site for other in (mean, distance) if (site := case.led_from(made.stack, other.stack)) in stack]
    return min(seen, key=stack.index, default=inner)


def _sample_finding(case: Case, objective: Objective, made: Op, distance: Op, product: Op) -> Finding:
    where = _drawn_at(case, objective, made, distance)
    used, loss = case.site(product.stack), case.loss_site(objective.backward)
    policy = objective.variables(objective.live[made.outputs[0]] & objective.trained)
    drawn = quoted(where, "")
    plain = {
        "torch": f"{drawn.replace('rsample(', 'sample(')} in place of {drawn}"
        if "rsample(" in quoted(case.site(made.stack), "")
        else "detach() it",
        "tensorflow": "tf.stop_gradient around the action",
    }.get(case.recording.framework, "jax.lax.stop_gradient around the action")
    steps = [(where, made.name, "the sample, with a gradient"), (used, product.name, "its log-probability, weighed"),
             (loss, "loss", "the loss")]  # fmt: skip
    return _made(
        case, objective, where, "error", made,
        message=f"{quoted(where)} carries a gradient into its own log-probability{at_line(used, where)}",
        label="this sample carries its gradient along",
        why="Weighed by a return, a log-probability must be taken of a constant action. Through mean + std * noise "
        "the distance of the action from its mean no longer depends on the mean, and the mean's gradient is zero.",
        fix=f"take the action as a constant: {plain}; keep the reparameterised sample for a critic's gradient",
        variables=policy, steps=steps,
    )  # fmt: skip


# --- a critic fed with a plain sample ---------------------------------------------------------------------------


def _plain_samples(case: Case, objective: Objective) -> Iterator[Finding]:
    fed = fed_critic(case, objective, drawn_in(case, objective))
    if fed is not None:
        yield _critic_finding(case, objective, *fed)


def _critic_finding(case: Case, objective: Objective, source: Op, critic: Op) -> Finding:
    where, used, loss = case.site(source.stack), case.site(critic.stack), case.loss_site(objective.backward)
    used = case.seen_from(critic.stack, objective.backward.stack) or used
    policy = objective.variables(objective.read[source.outputs[0]] & objective.trained)
    other = {"torch": "dist.rsample()", "tensorflow": "mean + std * tf.random.normal(…)"}.get(
        case.recording.framework, "mean + std * noise"
    )
    steps = [(where, source.name, "a plain sample, without a gradient"),
             (used, critic.name, "the critic's value of it"),
             (loss, "loss", "the loss")]  # fmt: skip
    return _made(
        case, objective, where, "error", source,
        message=f"{quoted(where)} is a plain sample: the critic's term of the loss{at_line(loss, where)} "
        "trains nothing",
        label="drawn as a constant: the critic's gradient stops here",
        why="The loss wants the critic's value of the action to grow, and the only way from that value to the policy "
        "is through the action. A plain sample is a constant; only the other terms of the loss train the policy.",
        fix=f"draw it reparameterised: {other}, so that the gradient flows through the action",
        variables=policy, steps=steps,
    )  # fmt: skip


def _made(
    case: Case, objective: Objective, where: Site | None, severity: Severity, op: Op, *, message: str, label: str,
    why: str, fix: str, variables: frozenset[int], steps: list[tuple[Site | None, str, str]],
) -> Finding:  # fmt: skip
    path = [PathStep(site, name, role) for site, name, role in steps if site is not None]
    if where is not None:
        path += called_from(case, op.stack, where)
    return Finding(
        code=CODE, rule=NAME, severity=severity,
        message=message, why=why, fix=fix, variables=case.names(variables), where=where, label=label,
        loss=case.loss_site(objective.backward), path=tuple(path),
        first_update=1 + sum(1 for step in case.recording.steps if step.at < objective.backward.at),
    )  # fmt: skip
