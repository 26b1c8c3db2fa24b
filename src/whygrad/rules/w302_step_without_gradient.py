"""W302 step-without-gradient

What it checks
    An optimizer steps and never has a gradient to apply: the step comes
    before backward() and what backward() leaves is cleared before the next
    one, or backward() is not called at all. Also scaler.step() twice without
    scaler.update(), and in Keras pairs of gradients and variables that were
    used up before apply_gradients() came to them.

Why it matters
    A step without gradients is no error in PyTorch: it does nothing. The
    network keeps its first values while every line of the loop runs.

Example
    PyTorch
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for update in range(3):
            loss = F.mse_loss(net(states), targets)
            optimizer.zero_grad()
            optimizer.step()           # nothing is there yet
            loss.backward()            # and this one is cleared next time
    TensorFlow
        Not possible in TensorFlow: Keras refuses to apply no gradients.
    JAX
        Not possible in JAX: an update is computed from a gradient.

Instead
    PyTorch
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for update in range(3):
            loss = F.mse_loss(net(states), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    TensorFlow
        Nothing to repair.
    JAX
        Nothing to repair.

What does not help
    Weight decay: shrinks nothing where .grad is None; the optimizer leaves
    such a variable out.
    A scheduler, more epochs, a higher learning rate: nothing is scaled.
    zero_grad() less often: the step then applies the gradient of the update
    before, to weights that the loss has not seen.

When it is meant
    An optimizer that waits (a policy with delayed updates, a warm-up) does
    not step and is quiet. Otherwise write `# whygrad: ok W302` on the line
    of the step.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Backward, Failure
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.cleared import meant_for
from whygrad.rules.updates.order import idle, optimizer_name, steps_of
from whygrad.rules.updates.swapped import swapped_variables
from whygrad.rules.updates.unused_losses import unused_loss
from whygrad.rules.wording import at_line, quoted, subject, verb

CODE, NAME = "W302", "step-without-gradient"
SUMMARY = "a step before backward, or with nothing to apply"


def check(case: Case) -> Iterator[Finding]:
    """Optimizers that step and never have anything to apply."""
    for optimizer in case.recording.optimizers.values():
        if not idle(case, optimizer) or optimizer.holds & swapped_variables(case):  # W204 tells the latter
            continue
        earlier = [o for o in case.recording.optimizers.values() if o.at < optimizer.at]
        if case.unheld and any(other.holds == optimizer.holds for other in earlier):
            continue  # W201: it was given what another one has already
        mine = {v for v in optimizer.holds if case.variable(v).trainable} - case.replaced.stale
        came, first = meant_for(case, optimizer), steps_of(case, optimizer)[0]
        if came and first.at < came[0].at:
            yield _too_early(case, optimizer, mine, came[0])
        elif not came and mine and case.recording.framework == "torch":
            term = unused_loss(case, optimizer)
            if term is not None:
                yield _no_backward(case, optimizer, mine, term)
    yield from _refused(case)
    yield from _used_up(case)


def _too_early(case: Case, optimizer: Optimizer, mine: set[int], came: Backward) -> Finding:
    steps = steps_of(case, optimizer)
    where, after = case.site(steps[0].stack), case.site(came.stack)
    if optimizer.by_hand:  # the call that makes the update, where a function of its own does
        where = case.seen_from(steps[0].stack, came.stack)
    cleared = next((c for c in case.recording.clears if c.at > came.at and c.variables & optimizer.holds), None)
    taken = case.site(cleared.stack) if cleared is not None else None
    stations = [
        (where, "step", "the step has nothing to apply yet"),
        (after, "backward", "the gradient comes here"),
        (taken, "zero_grad", "and is cleared here, before the next step"),
    ]
    mine = mine or set(optimizer.holds)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where, 'step()')} runs before {quoted(after, 'backward()')}: {subject(case, mine)} "
        f"{verb(mine, case, 'gets', 'get')} nothing in any update",
        why="A step applies what backward() has put into .grad. It comes first here, and what backward() leaves is "
        "cleared before the next step.",
        fix=f"the order is zero_grad, backward, step: move {quoted(where, 'the step')} behind "
        f"{quoted(after, 'backward()')}",
        variables=case.names(mine), where=where, label="there is no gradient yet at this point",
        loss=case.loss_site(came),
        path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None), seen=len(steps),
    )  # fmt: skip


def _no_backward(case: Case, optimizer: Optimizer, mine: set[int], term: Op) -> Finding:
    steps = steps_of(case, optimizer)
    where, loss = case.site(steps[0].stack), case.site(term.stack)
    name = optimizer_name(optimizer, where)
    stations = [(loss, "loss", "a loss for them, without backward()"), (where, "step", "nothing to apply")]
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"`{name}` steps without a gradient: no backward pass was run for {subject(case, mine)}",
        why=f"The loss{at_line(loss, where)} is computed and backward() is never called on it, so that every .grad is "
        "None and the step changes nothing.",
        fix=f"call backward() on the loss{at_line(loss, where)} before {quoted(where, 'the step')}",
        variables=case.names(mine), where=where, label="nothing to apply: no backward pass before it", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None), seen=len(steps),
    )  # fmt: skip


def _refused(case: Case) -> Iterator[Finding]:
    """The gradient scaler says so itself."""
    for failure in case.recording.failures:
        if failure.kind != "scaler.step":
            continue
        where = case.site(failure.stack)
        if "already been called" in failure.message:
            yield _scaler(case, failure, where, "is called a second time without scaler.update()",
                          "call scaler.update() after scaler.step(), once in each update")  # fmt: skip
        elif "No inf checks" in failure.message and not missing_gradients(case):
            yield _scaler(case, failure, where, "has no gradient to look at",
                          "run scaler.scale(loss).backward() before it, for a loss that this optimizer's variables "
                          "are part of")  # fmt: skip
        return


def _used_up(case: Case) -> Iterator[Finding]:
    """Keras: gradients came, and what should bring them to the optimizer is empty: a `zip` that was looked through."""
    for failure in case.recording.failures:
        before = [b for b in case.recording.backwards if b.at < failure.at and b.got and not b.implicit]
        since = before and not any(before[-1].at < step.at < failure.at for step in case.recording.steps)
        if failure.kind != "apply_gradients" or not since:
            continue
        where, asked, members = case.site(failure.stack), case.site(before[-1].stack), set(before[-1].got)
        stations = [(asked, "gradient", "the gradients come here"), (where, "apply_gradients", "none arrive here")]
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{quoted(where, 'apply_gradients()')} is given nothing: the gradient of {subject(case, members)} "
            "was computed and does not arrive",
            why="A zip or a generator gives its pairs once. Whoever goes through it before the optimizer does (a "
            "norm, a print, a list) leaves it empty.",
            fix="make a list of the pairs, list(zip(gradients, variables)), or zip again for the optimizer",
            variables=case.names(members), where=where, label="there are no pairs left",
            loss=case.loss_site(before[-1]),
            path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None),
        )  # fmt: skip
        return


def _scaler(case: Case, failure: Failure, where: Site | None, what: str, fix: str) -> Finding:
    return Finding(
        code=CODE, rule=NAME, severity="error", message=f"{quoted(where, 'scaler.step()')} {what}",
        why="A gradient scaler keeps account of each optimizer: scale, backward, step, update. "
        f"PyTorch refuses: {failure.message.splitlines()[0]}",
        fix=fix, variables=(), where=where, label="refused here",
        path=(PathStep(where, "scaler.step", "refused here"),) if where is not None else (),
    )  # fmt: skip
