"""W106 not-watched

What it checks
    A gradient is asked of something that nothing tracks. PyTorch: the result
    of an operation in place of the leaf, a tensor that did not require a
    gradient when it was used, a non-leaf given to an optimizer. TensorFlow: a
    constant, a tensor that the tape was not told to watch, a variable under
    watch_accessed_variables=False. JAX: an integer, a tree in which a filter
    has left no array, a curve's float that was to be fitted, or a float in a
    field that is declared as an array.

Why it matters
    Gradients are kept for leaves (PyTorch), for trainable variables and
    watched tensors (TensorFlow), for the arguments of the differentiated
    function (JAX). Everything else is a constant or an intermediate result.
    The typical victims are the loose ones: a temperature, a log-std, a
    learned input.

Example
    PyTorch
        log_alpha = torch.zeros(1, requires_grad=True) - 1.0
        loss = (log_alpha.exp() * targets).mean()
        loss.backward()
        log_alpha.grad                 # None: log_alpha is no leaf
    TensorFlow
        log_alpha = tf.constant(-1.0)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.exp(log_alpha) * targets)
        grads = tape.gradient(loss, [log_alpha])                # [None]
    JAX
        def loss_fn(weights):          # reads params, not its argument
            return jnp.mean((net(params, states) - targets) ** 2)

        grads = jax.grad(loss_fn)(params)                       # all zeros

Instead
    PyTorch
        log_alpha = torch.full((1,), -1.0, requires_grad=True)
        loss = (log_alpha.exp() * targets).mean()
        loss.backward()
        log_alpha.grad
    TensorFlow
        log_alpha = tf.Variable(-1.0)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.exp(log_alpha) * targets)
        grads = tape.gradient(loss, [log_alpha])
    JAX
        def loss_fn(weights):
            return jnp.mean((net(weights, states) - targets) ** 2)

        grads = jax.grad(loss_fn)(params)

What does not help
    x.requires_grad_() or tape.watch(x) after the forward pass: too late for
    what was computed before.
    x.retain_grad() to make the optimizer take it: silences "can't optimize a
    non-leaf Tensor". The optimizer then moves the intermediate result, and
    the leaf that it is computed from stays.
    torch.tensor(x, requires_grad=True) or nn.Parameter(x) in every update: a
    new leaf each time. The optimizer holds the first one.
    Moving a leaf with .to(device) afterwards: makes a non-leaf again where
    it copies. Create it on the device.

When it is meant
    To look at the gradient of an intermediate result, call x.retain_grad()
    before backward(), or tape.watch(x) before x is used: both are quiet.
    Otherwise write `# whygrad: ok W106` on the line that the finding names.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Tape
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.cuts.rebound import rebound_under_no_grad, variable_behind
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.asked_for_nothing import SYMBOLIC, asked_of_no_array
from whygrad.rules.updates.plain_numbers import floats_beside_arrays
from whygrad.rules.wording import at_line, quoted, subject, verb

CODE, NAME = "W106", "not-watched"
UNSEEN = "tensor data"
"""What the recorder calls a tensor that it meets in use: where it was made it has not seen."""
SUMMARY = "a gradient was asked of a constant, of an unwatched tensor, or of something that is no leaf"


def check(case: Case) -> Iterator[Finding]:
    """Gradients asked of things that cannot have one."""
    seen: set[tuple[Site | None, Site | None]] = set()
    for backward in _told_once(case):
        for finding in _of_values(case, backward):
            key = finding.where, finding.loss
            if key not in seen:
                seen.add(key)
                yield finding
    yield from _rebound(case)
    yield from _unwatched_variables(case)
    yield from _no_leaf_for_optimizer(case)
    yield from _integers(case)
    yield from (found for found in asked_of_no_array(case) if found.code == CODE)
    yield from floats_beside_arrays(case)
    yield from _symbolic(case)


def _told_once(case: Case) -> list[Backward]:
    """Requests for gradients. Of several looks at the `.grad` of one result, the last: guards and prints come first."""
    looks: dict[int, list[Backward]] = {}
    for backward in case.recording.backwards:
        made = case.made_by.get(backward.asked_values[0]) if backward.call == ".grad" else None
        if made is not None:
            looks.setdefault(made.stack, []).append(backward)
    passed = {b.at for of in looks.values() for b in of}
    for of in looks.values():
        passed.discard([b for b in of if b.asked_values == of[0].asked_values][-1].at)
    return [b for b in case.recording.backwards if b.at not in passed]


def _of_values(case: Case, backward: Backward) -> Iterator[Finding]:
    recording = case.recording
    asked_at = case.site(backward.stack)
    for number in backward.asked_values:
        value = recording.values.get(number)
        if value is None:
            continue
        made = case.made_by.get(number)
        made_at = case.site(made.stack) if made is not None and made.name != UNSEEN else None
        where = asked_at or made_at
        rebound = variable_behind(case, number) is not None
        if rebound and (backward.call == ".grad" or not _watched(case, backward, number)):
            what, where = quoted(made_at, "a tensor"), made_at
            label = "the name now stands for a new tensor, the result of this operation, and no longer for the variable"
            why = (
                "An update that makes a new tensor leaves the variable as it was; what is trained must be written into."
            )
            fix = (
                "update in place: `with torch.no_grad(): w -= lr * w.grad`"
                if recording.framework == "torch"
                else "write into the variable: w.assign_sub(lr * gradient)"
            )
        elif backward.call == ".grad" and value.live:
            what = quoted(made_at, "this tensor")
            label = "asked of a tensor that is no leaf: it is the result of an operation"
            why = (
                "Only leaves keep a .grad. An operation on a leaf (`* 0.1`, `.to(device)`, `w - lr * g`) "
                "makes a new tensor."
            )
            fix = (
                "make the leaf last (`torch.randn(3, device=d).mul_(0.1).requires_grad_()`), update it in "
                "place under no_grad"
            )
        elif recording.framework == "torch" and not value.live:
            what = quoted(made_at, "a tensor")
            label = "this tensor does not require a gradient when the loss is computed from it"
            why = "autograd follows only tensors that required a gradient before they were used."
            fix = f"call .requires_grad_() on {what} before the forward pass"
        elif backward.tape is not None and not (value.floating or backward.got or backward.got_values):
            what = quoted(made_at, "a tensor")
            label = "asked of an integer"
            why = "Only floating-point numbers change by a little; a tape follows no integer, watched or not."
            fix = "make it a float (dtype=tf.float32, or tf.cast before the loss is computed from it)"
        elif not value.floating:
            continue  # beside others that have a gradient: ids among a network's inputs
        elif (late := _watched_after_use(case, backward, number)) is not None:
            what, where = quoted(made_at, "a tensor"), late
            label = "what the gradient is asked of was computed from it before this line"
            why = "A tape follows only what is computed after tape.watch() and while the tape is open."
            fix = f"call {quoted(late)} first thing in the block"
        elif backward.tape is not None and _watched_too_late(case, backward, number):
            what = quoted(made_at, "a tensor")
            label = "the loss is computed from something made of it before the tape watched it"
            why = "A tape follows only what is computed after tape.watch() and while the tape is open."
            fix = "do the preparation inside the block, after tape.watch(x)"
        elif backward.tape is not None and not _watched(case, backward, number):
            what = quoted(made_at, "a tensor")
            label = "the tape does not watch this tensor: it is a constant"
            why = "A GradientTape watches trainable variables by itself, and tensors only when it is told to."
            fix = "call `tape.watch(x)` first thing in the block, or make it a tf.Variable"
        else:
            continue
        path = []
        if made_at is not None and made is not None and made_at != where:
            path.append(PathStep(made_at, made.name, "made here"))
        if asked_at is not None:
            path.append(PathStep(asked_at, backward.call, "its gradient is asked for here"))
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"the gradient of {what} is asked for{at_line(asked_at)}, and nothing tracks it",
            why=why, fix=fix, variables=(), where=where, label=label,
            loss=case.loss_site(backward) if backward.loss is not None else None, path=tuple(path),
        )  # fmt: skip


def _rebound(case: Case) -> Iterator[Finding]:
    """PyTorch: the update was made under no_grad, and its result goes by the variable's name."""
    for backward in case.recording.backwards:
        found = rebound_under_no_grad(case, backward)
        if not found:
            continue
        first, asked_at, members = min(found.values(), key=lambda op: op.at), case.site(backward.stack), set(found)
        where = case.site(first.stack)
        stations = [(where, first.name, "a new tensor by the old name"), (asked_at, "backward", "fails here")]
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"the name of {subject(case, members)} stands for a new tensor after the update, and nothing "
            "tracks it",
            why="An update under torch.no_grad() that makes a new tensor makes one that asks for no gradient. The "
            "variable itself stays as it was, and the next loss is computed from constants.",
            fix="update in place: `with torch.no_grad(): w -= lr * w.grad`",
            variables=case.names(members), where=where, label="makes a new tensor, which does not require a gradient",
            loss=case.loss_site(backward),
            path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None),
        )  # fmt: skip
        return


def _symbolic(case: Case) -> Iterator[Finding]:
    """Keras: `model.inputs` and `layer.output` are places in a model, and no tensors that a tape could follow."""
    refused = [(b.at, b.stack, b.call) for b in case.recording.backwards if SYMBOLIC in (b.error or "")]
    refused += [(f.at, f.stack, "watch") for f in case.recording.failures if f.kind == "watch"]
    for _, stack, call in sorted(refused)[:1]:
        where = case.site(stack)
        watches = call == "watch"
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{quoted(where)} is given a symbolic tensor of Keras, which no tape follows",
            why="model.inputs and layer.output say how a model was put together; they hold no numbers. What was "
            "computed are the tensors that the model was called with, and those that it returned.",
            fix="watch and ask for the tensor that the model is called with (tape.watch(x), tape.gradient(loss, x)); "
            "for a layer inside, call keras.Model(model.inputs, [layer.output, model.output])",
            variables=(), where=where, label=f"{'watches' if watches else 'asks for'} a place in the model, no tensor",
        )  # fmt: skip


def _watched_after_use(case: Case, backward: Backward, number: int) -> Site | None:
    """TensorFlow: the call of watch(), where all that leads from a tensor to the loss was computed before it."""
    tape = case.recording.tapes.get(backward.tape) if backward.tape is not None else None
    if tape is None or number not in tape.watched_from or number in backward.got_values:
        return None
    since, stack = tape.watched_from[number]
    uses = [op.at for op in case.slice(backward, reach.CERTAIN).ops if number in op.inputs]
    return case.site(stack) if uses and all(tape.opened < at < since for at in uses) else None


def _watched_too_late(case: Case, backward: Backward, number: int) -> bool:
    recording = case.recording
    tape = recording.tapes.get(backward.tape) if backward.tape is not None else None
    if tape is None or number not in tape.watched or number in backward.got_values:
        return False
    part = case.slice(backward, reach.PROVED)
    return any(cut.op.at < tape.opened for cut in reach.value_cuts(recording, part, number, tape.id))


def _watched(case: Case, backward: Backward, number: int) -> bool:
    """Watched, or computed on the tape from something that is."""
    recording = case.recording
    tape = recording.tapes.get(backward.tape) if backward.tape is not None else None
    if tape is None or number in tape.watched or number in backward.got_values:
        return True
    made = case.made_by.get(number)
    recorded = made is not None and made.carries and tape.id in made.tapes and bool(made.inputs)
    return recorded and (recording.framework == "jax" or _of_watched(case, tape, number))


def _of_watched(case: Case, tape: Tape, number: int) -> bool:
    """TensorFlow: a tape that is open sees what is computed from constants, too, and follows none of it."""
    todo, seen = [number], {number}
    while todo:
        value = todo.pop()
        variable = case.content.get(value)
        if value in tape.watched or (variable is not None and case.variable(variable).trainable):
            return True
        made = case.made_by.get(value)
        if made is not None and made.carries and tape.id in made.tapes:
            fresh = set(made.inputs) - seen
            seen |= fresh
            todo.extend(fresh)
    return False


def _unwatched_variables(case: Case) -> Iterator[Finding]:
    for missing in missing_gradients(case):
        tape = case.recording.tapes.get(missing.backward.tape) if missing.backward.tape is not None else None
        if tape is None or tape.watches_variables:
            continue
        members = frozenset(v for v in missing.variables if v not in tape.watched)
        if not members:
            continue
        where = case.site(missing.backward.stack)
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the tape"
            f"{at_line(case.site(tape.stack), where)} does not watch it",
            why="With watch_accessed_variables=False a tape records only what it is told to watch.",
            fix="call tape.watch(variable) for each variable to train, or drop watch_accessed_variables=False",
            variables=case.names(members), where=where, label="asked of a tape that watches nothing by itself",
            loss=case.loss_site(missing.backward), path=(), first_update=missing.update, seen=missing.seen,
        )  # fmt: skip


def _no_leaf_for_optimizer(case: Case) -> Iterator[Finding]:
    for failure in case.recording.failures:
        if "can't optimize a non-leaf Tensor" in failure.message:
            where = case.site(failure.stack)
            yield Finding(
                code=CODE, rule=NAME, severity="error",
                message="the optimizer was given a tensor that is no leaf: it is the result of an operation",
                why="An optimizer changes leaves. A tensor computed from something else has no .grad of its own.",
                fix="give it the leaf, or make the result one: x.detach().requires_grad_() or nn.Parameter(x)",
                variables=(), where=where, label="this needs leaf tensors",
            )  # fmt: skip


def _integers(case: Case) -> Iterator[Finding]:
    """JAX refuses to differentiate with respect to an integer."""
    for failure in case.recording.failures:
        if "requires real- or complex-valued inputs" in failure.message:
            where = case.site(failure.stack)
            yield Finding(
                code=CODE, rule=NAME, severity="error",
                message=f"the gradient of {failure.about or 'an integer'} is asked for, and an integer has none",
                why="jax.grad follows every leaf of the arguments it differentiates, and only floating-point numbers "
                "change by a little.",
                fix="make it a float (1.0 in place of 1, dtype=jnp.float32) if it is to learn; if it is a counter or "
                "an index, keep it out of the differentiated argument and pass it as another one",
                variables=(), where=where, label="this differentiates with respect to an integer",
                path=(PathStep(where, "grad", "its gradient is asked for here"),) if where is not None else (),
            )  # fmt: skip
            return
