"""W402 non-finite

What it checks
    NaN or infinity reaches the loss, a gradient that an optimizer applies,
    or a variable. Named is the first operation that made it out of finite
    numbers, forward or backward, and the input that did: the logarithm of 0,
    a division by 0, an overflow in exp, the square root at 0 (finite, with
    an infinite slope), a where that hides a bad branch and does not stop it,
    a softmax over a row that is masked completely, an average over nothing,
    data that contain NaN.

Why it matters
    One NaN in a gradient is a NaN in every weight after one step, and the
    network is lost. No framework says where it came from: the loss prints
    nan some updates later.

Example
    PyTorch
        probs = torch.softmax(1000 * policy(states), dim=1)
        loss = (probs * torch.log(probs)).sum(dim=1).mean()
        loss.backward()                # log(0) is -inf, 0 * -inf is NaN
    TensorFlow
        with tf.GradientTape() as tape:
            probs = tf.nn.softmax(1000 * policy(states))
            terms = probs * tf.math.log(probs)
            loss = tf.reduce_mean(tf.reduce_sum(terms, 1))
        grads = tape.gradient(loss, policy.trainable_variables)        # NaN
    JAX
        def loss_fn(params):
            probs = jax.nn.softmax(1000 * policy(params, states))
            return jnp.mean(jnp.sum(probs * jnp.log(probs), axis=1))

        grads = jax.grad(loss_fn)(q_params)                            # NaN

Instead
    PyTorch
        log_probs = F.log_softmax(policy(states), dim=1)
        loss = (log_probs.exp() * log_probs).sum(dim=1).mean()
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            log_probs = tf.nn.log_softmax(policy(states))
            terms = tf.exp(log_probs) * log_probs
            loss = tf.reduce_mean(tf.reduce_sum(terms, 1))
        grads = tape.gradient(loss, policy.trainable_variables)
    JAX
        def loss_fn(params):
            log_probs = jax.nn.log_softmax(policy(params, states))
            return jnp.mean(jnp.sum(jnp.exp(log_probs) * log_probs, axis=1))

        grads = jax.grad(loss_fn)(q_params)

What does not help
    torch.where(x > 0, x.log(), 0.0) and tf.where: the forward pass is clean,
    the backward pass multiplies 0 by infinity. Replace the input first:
    x.clamp(min=1e-8).log().
    nan_to_num on the loss: the loss prints, its gradient is still NaN.
    clip_grad_norm_: the norm of NaN is NaN, and so is everything after it.
    A smaller learning rate: only when the numbers grow from update to
    update; log(0) is there in the first one.

When it is meant
    A -inf in masked logits, a non-finite value that nothing learns from, and
    the steps that a loss scaler skips are quiet. Otherwise write
    `# whygrad: ok W402` on the line that the finding names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whygrad.flow.events import Backward, Reading
from whygrad.flow.operations import Numbers, Op
from whygrad.flow.site import Site
from whygrad.flow.variables import Variable
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.growth import blown_up
from whygrad.rules.numbers.inner_gradients import inside_gradient
from whygrad.rules.numbers.layers import overshot, runaway
from whygrad.rules.numbers.origin import (
    Origin,
    Trouble,
    first_trouble,
    given_before,
    made_before,
    numbers_of,
    origin_of,
    steep,
)
from whygrad.rules.numbers.singular_points import explain
from whygrad.rules.numbers.suspects import nearest_to_edge, on_its_way_out
from whygrad.rules.updates.crossings import led_astray
from whygrad.rules.wording import at_line, count, plain_subject, quoted, subject, verb

CODE, NAME = "W402", "non-finite"
SUMMARY = "NaN or infinity reaches a loss, a gradient or a variable: the first operation that made it, and its input"


def check(case: Case) -> Iterator[Finding]:
    """The first operation that made something not finite."""
    first, case = case, case.over_time
    trouble = first_trouble(case)
    if trouble is None:
        refused = _refused(case)
        if refused is not None:
            yield refused
            return
        late = next((r for r in case.recording.readings if not r.finite), None)
        if late is not None and blown_up(case, None) is None:
            yield _late(case, late)
        return
    if blown_up(case, trouble) is not None or runaway(case, trouble) is not None or overshot(case, trouble) is not None:
        return  # W404: the numbers grew until they overflowed, and no operation is to blame
    if led_astray(first, trouble.at):
        return  # W204
    origin = _origin(case, trouble)
    if origin is not None and origin.variable is not None:
        earlier = given_before(case, trouble, origin.variable)
        trouble, origin = (trouble, origin) if earlier is None else (earlier, _origin(case, earlier))
    sent_out = made_before(first, origin) if origin is not None and origin.variable is None else None
    if sent_out is not None and trouble.backward is not None:
        yield _came_back(case, first, trouble, sent_out, trouble.backward)
    elif origin is None or trouble.backward is None:
        yield _unexplained(case, trouble)
    elif origin.variable is not None:
        yield _variable(case, trouble, origin, trouble.backward, case.variable(origin.variable))
    else:
        yield _operation(case, trouble, origin, trouble.backward)


def _origin(case: Case, trouble: Trouble) -> Origin | None:
    backward = trouble.backward
    if backward is None or backward.loss is None:
        return None
    found = origin_of(case, backward.loss, backward.at)
    if found is None:
        return steep(case, trouble)
    return inside_gradient(case, found) or found


def _operation(case: Case, trouble: Trouble, origin: Origin, backward: Backward) -> Finding:
    where, loss = case.site(origin.op.stack), case.loss_site(backward)
    point = explain(case, origin)
    kind = _kind(origin)
    total = numbers_of(case, backward.loss)
    if not origin.forward and total is not None and not total.finite:
        message = (
            f"the loss{at_line(loss, where)} is {_loss_kind(case, trouble)}: a gradient that it is computed from is "
            "not finite"
        )
        why = f"What is differentiated for it is finite, and its slope here is not. {_reaches(case, trouble)}"
    elif origin.forward:
        message = f"the loss{at_line(loss, where)} is {_loss_kind(case, trouble)}: {_made(origin, kind)}"
        why = _reaches(case, trouble)
    else:
        gets = verb(trouble.variables, case, "gets", "get")
        message = (
            f"{subject(case, trouble.variables)} {gets} a gradient that is not finite from the loss"
            f"{at_line(loss, where)}"
        )
        hidden = origin.bad is not None and not origin.bad.finite
        why = (
            "The result is hidden further on (a `where`, a mask), so that the loss is finite; the backward pass still "
            "goes through here, and 0 times infinity is NaN."
            if hidden
            else "The loss is finite. Only the backward pass, which multiplies by the slope, meets the infinity."
        )
        why += f" {_reaches(case, trouble)}"
    return Finding(
        code=CODE,
        rule=NAME,
        severity="warning" if trouble.harmless else "error",
        message=message,
        why=why,
        fix=point.fix,
        variables=case.names(trouble.variables),
        where=where,
        label=point.what,
        loss=loss,
        path=_path(where, origin.op.name, loss),
        first_update=_update(case, trouble.at),
        seen=trouble.seen,
    )


def _came_back(case: Case, first: Case, trouble: Trouble, origin: Origin, backward: Backward) -> Finding:
    """NaN left with an action, and the environment gave it back as data."""
    told = _operation(first, trouble, origin, backward)
    where, data = first.site(origin.op.stack), case.site(origin.op.stack)
    why = f"It was there before the first loss: it left the program with what {quoted(where or data)} is part of (an "
    return replace(told, why=f"{why}action), and came back in the data. {_reaches(case, trouble)}")


def _variable(case: Case, trouble: Trouble, origin: Origin, backward: Backward, variable: Variable) -> Finding:
    where = case.site(variable.created) or case.site(origin.op.stack)
    loss = case.loss_site(backward)
    return Finding(
        code=CODE,
        rule=NAME,
        severity="error",
        message=f"the loss{at_line(loss, where)} is {_loss_kind(case, trouble)}: `{variable.name}` was not finite "
        "before anything was computed with it",
        why=f"Its first values are not numbers: memory that was never filled (`empty`), or a file that holds NaN. "
        f"{_reaches(case, trouble)}",
        fix=f"give `{variable.name}` first values",
        variables=(variable.name,),
        where=where,
        label="not finite from the beginning",
        loss=loss,
        path=_path(where, "variable", loss),
        first_update=_update(case, trouble.at),
        seen=trouble.seen,
    )


def _unexplained(case: Case, trouble: Trouble) -> Finding:
    """Something is not finite and no recorded operation made it: say what is known."""
    backward, step = trouble.backward, trouble.step
    loss = case.loss_site(backward) if backward is not None else None
    where = loss or (case.site(step.stack) if step is not None else None)
    what = {"weights": "weights that are", "gradient": "a gradient that is", "loss": "a gradient that is"}[trouble.kind]
    from_loss = f" from the loss{at_line(loss, where)}" if loss is not None else ""
    return Finding(
        code=CODE,
        rule=NAME,
        severity="error",
        message=f"{subject(case, trouble.variables)} {verb(trouble.variables, case, 'has', 'have')} {what} not "
        f"finite{from_loss}",
        why="Every result of the forward pass that was looked at is finite, so the backward pass made it: a product "
        "of large slopes that overflows, or an operation that was not seen.",
        fix=_trace_advice(case),
        variables=case.names(trouble.variables),
        where=where,
        label="not finite",
        loss=loss,
        path=_path(where, "loss", None),
        first_update=_update(case, trouble.at),
        seen=trouble.seen,
    )


def _refused(case: Case) -> Finding | None:
    """The program stopped because a call was given NaN: who made it."""
    for failure in case.recording.failures:
        for value in failure.inputs:
            origin = origin_of(case, value, failure.at)
            if origin is None or origin.variable is not None or origin.bad is None:
                continue
            where, there, point = case.site(origin.op.stack), case.site(failure.stack), explain(case, origin)
            return Finding(
                code=CODE,
                rule=NAME,
                severity="error",
                message=f"`{failure.kind}`{at_line(there, where)} refuses its input: {_made(origin, _kind(origin))}",
                why="The program stops there; what it was given came out of this expression.",
                fix=point.fix,
                variables=(),
                where=where,
                label=point.what,
                loss=None,
                path=_path(where, origin.op.name, there),
                first_update=_update(case, failure.at),
            )
    return None


def _late(case: Case, reading: Reading) -> Finding:
    """NaN came after the traced updates."""
    before = max((r.update for r in case.recording.readings if r.finite and r.update < reading.update), default=0)
    last = max(before, case.recording.updates)
    where = case.site(reading.stack)
    steps = [s for s in case.recording.steps if s.optimizer == reading.optimizer]
    variables = steps[-1].applied if steps else frozenset()
    who = plain_subject(case, variables) if variables else "the network"
    if reading.at_end:
        return _at_end(case, variables, where)
    return Finding(
        code=CODE,
        rule=NAME,
        severity="error",
        message=f"{who} {'has' if who.count('`') else 'have'} a gradient that is not finite, first between update "
        f"{last} and update {reading.update}",
        why=f"The updates that were traced are finite, so the operation is not known. In update {reading.update} the "
        "gradient of this step was looked at and was NaN or infinite; the weights are lost from there on.",
        fix=f"to have the operation named, trace the update where it happens: start from a checkpoint shortly before "
        f"update {reading.update}, or run with --updates N for an N up to 64",
        variables=case.names(variables),
        where=where,
        label="applies a gradient that is not finite",
        path=_path(where, "step", None),
        first_update=reading.update,
    )


def _at_end(case: Case, variables: frozenset[int], applied: Site | None) -> Finding:
    """Compiled updates went by unseen, and the weights are lost at the end of the program."""
    updates = case.recording.updates
    suspect = on_its_way_out(case, variables)
    where = case.site(suspect.stack) if suspect is not None else applied
    nearest = nearest_to_edge(case, suspect) if suspect is not None else None
    lost = verb(variables, case, "is", "are") if variables else "is"
    return Finding(
        code=CODE,
        rule=NAME,
        severity="error",
        message=f"{subject(case, variables) if variables else 'the network'} {lost} NaN when the program ends; the "
        f"{count(updates, 'update')} that {'was' if updates == 1 else 'were'} traced "
        f"{'is' if updates == 1 else 'are'} finite",
        why="It came in a later update, which nobody looked into. "
        + (
            f"Of what the loss computes, {quoted(where)} can make it: its input has to stay away from 0, and "
            f"had come down to {nearest:.3g} when it was last seen."
            if suspect is not None and nearest is not None
            else "Which operation made it is not known."
        ),
        fix=_repair(case, suspect)
        if suspect is not None
        else f"run with --updates N for an N up to 64 if it comes early, or {_trace_advice(case)}",
        variables=case.names(variables),
        where=where,
        label="on its way to the edge of what it can compute" if suspect is not None else "applies what is NaN by now",
        path=_path(where, "step", None),
        first_update=updates + 1,
    )


def _repair(case: Case, op: Op) -> str:
    inputs = [numbers_of(case, v) for v in op.inputs]
    return explain(case, Origin(op, True, op.outputs[0], bad=Numbers(1, 0.0, 0.0, nans=1), inputs=inputs)).fix


# --- pieces -------------------------------------------------------------------------------------------------------


def _kind(origin: Origin) -> str:
    return "NaN" if origin.bad is not None and origin.bad.nans else "an infinity"


def _loss_kind(case: Case, trouble: Trouble) -> str:
    value = trouble.backward.loss if trouble.backward is not None else None
    known = case.recording.values.get(value) if value is not None else None
    return "infinite" if known is not None and known.numbers is not None and not known.numbers.nans else "NaN"


def _made(origin: Origin, kind: str) -> str:
    if not origin.op.inputs or origin.op.kind == "enter":
        return "the data that go into it are not finite"
    return f"`{origin.op.name.strip('_')}` makes {kind} out of finite numbers"


def _reaches(case: Case, trouble: Trouble) -> str:
    who = plain_subject(case, trouble.variables) if trouble.variables else "the network"
    if trouble.harmless:
        return f"The gradient of {who} is finite all the same, so the update is wasted and not lost."
    if trouble.step is not None:
        are = verb(trouble.variables, case, "is", "are") if trouble.variables else "is"
        return f"The step applies it, and {who} {are} lost from then on."
    return f"It goes into every gradient of {who}."


def _trace_advice(case: Case) -> str:
    if case.recording.framework == "torch":
        return "run one update under torch.autograd.detect_anomaly(): it names the backward function"
    if case.recording.framework == "tensorflow":
        return "run one update with tf.debugging.enable_check_numerics(): it names the operation"
    return "run one update with jax.config.update('jax_debug_nans', True): it names the operation"


def _update(case: Case, at: int) -> int:
    recording = case.recording
    return 1 + sum(1 for s in recording.steps if s.at < at) + recording.updates - len(recording.steps)


def _path(where: Site | None, op: str, loss: Site | None) -> tuple[PathStep, ...]:
    steps = [PathStep(where, op, "not finite from here on")] if where is not None else []
    if loss is not None and (where is None or (loss.file, loss.line) != (where.file, where.line)):
        steps.append(PathStep(loss, "loss", "the loss"))
    return tuple(steps)
