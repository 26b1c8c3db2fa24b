"""W304 never-cleared

What it checks
    A gradient that was applied is still in .grad when the next backward pass
    adds to it, and nobody clears it between the updates: zero_grad() is
    missing, stands before the loop, runs once per epoch, or clears other
    variables. Within one step of L-BFGS: the closure is called many times and
    does not clear. In TensorFlow and JAX: a sum of gradients that the program
    keeps itself is applied, and the next ones are added to it as it is.

Why it matters
    Each update applies the sum of all gradients so far. Most of the sum
    belongs to weights that no longer exist; it grows with every update, and
    the network runs past every minimum. It looks like a learning rate that
    is too high.

Example
    PyTorch
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for update in range(3):
            loss = -net(states).mean()
            loss.backward()            # adds to what is there
            optimizer.step()
    TensorFlow
        Not possible in TensorFlow: each tape gives a new gradient.
    JAX
        Not possible in JAX: each call gives a new gradient.

Instead
    PyTorch
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for update in range(3):
            loss = -net(states).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    TensorFlow
        Nothing to repair.
    JAX
        Nothing to repair.

What does not help
    A lower learning rate, clipping: make each wrong update smaller.
    optimizer.zero_grad without parentheses: names the method, calls nothing.
    zero_grad() of another optimizer, or of the target network: clears other
    variables.
    del loss, torch.cuda.empty_cache(): free memory; .grad belongs to the
    parameters.

When it is meant
    Accumulating over k batches is quiet: one step and one clearing come
    after k passes. So are closures (L-BFGS) that clear at their beginning,
    and several losses between two clearings. Otherwise write
    `# whygrad: ok W304` on the line of the backward pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whygrad.flow.events import Backward, Clear, Step
from whygrad.flow.source import is_given_back
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.closure_heaps import ClosureHeap, closure_heaps
from whygrad.rules.updates.heaps import Heap, heaps
from whygrad.rules.updates.history import Share, history
from whygrad.rules.updates.leaks import leaks
from whygrad.rules.updates.order import loss_name, optimizer_name, passes
from whygrad.rules.wording import at_line, plain_subject, quoted, subject, verb

CODE, NAME = "W304", "never-cleared"
SUMMARY = "gradients pile up over updates: nobody clears them"


def check(case: Case) -> Iterator[Finding]:
    """Gradients that were applied, and are still there when the next ones are added."""
    found: dict[tuple[int, int | None], set[int]] = {}
    counted: dict[tuple[int, int | None], int] = {}
    for variable, (backward, optimizer, times) in {**_by_hand(case), **_by_step(case)}.items():
        key = backward.stack, optimizer
        found.setdefault(key, set()).add(variable)
        counted[key] = max(counted.get(key, 0), times)
    for key, variables in found.items():
        yield _finding(case, variables, *key, counted[key])
    for heap in heaps(case):
        yield _kept(case, heap)
    for one in closure_heaps(case):
        if not any(one.variables & variables for variables in found.values()):
            yield _within_step(case, one)
    yield from _applied_twice(case, {v for variables in found.values() for v in variables})


def _applied_twice(case: Case, told: set[int]) -> Iterator[Finding]:
    """What one optimizer has applied lies there still when another loss adds to it for the next optimizer."""
    found: dict[tuple[int, int, int], set[int]] = {}
    times: dict[tuple[int, int, int], int] = {}
    applied = history(case).applied
    for step in case.recording.steps:
        seen: set[tuple[int, int, int]] = set()
        for variable, shares in history(case).fed.get(step.at, {}).items():
            fresh = [share.backward for share in shares if not share.spent]
            for share in shares:
                before = applied.get((share.backward.at, variable), ())
                others = any(s.optimizer != step.optimizer and s.at < step.at for s in before)
                alike = any(b.stack == share.backward.stack for b in fresh)
                if share.spent and share.variable == variable and fresh and others and not alike:
                    key = fresh[-1].stack, share.backward.stack, step.stack
                    found.setdefault(key, set()).add(variable)
                    seen.add(key)
        for key in seen:
            times[key] = times.get(key, 0) + 1
    for (new, old, stepped), variables in found.items():
        if times[new, old, stepped] > 1 and not variables & told:
            yield _twice(case, variables, new, old, stepped, times[new, old, stepped])


def _twice(case: Case, variables: set[int], new: int, old: int, stepped: int, times: int) -> Finding:
    backward, before = (next(b for b in passes(case) if b.stack == stack) for stack in (new, old))
    where, came, applied = case.site(new), case.site(old), case.site(stepped)
    steps = [(came, "backward", "this gradient was applied once"), (where, "backward", "adds to it"),
             (applied, "step", "applies both")]  # fmt: skip
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"{subject(case, variables)} {verb(variables, case, 'is', 'are')} given the gradient of "
        f"{loss_name(case, before)}{at_line(came, where)} a second time: nobody clears it before "
        f"{loss_name(case, backward)} adds to it",
        why="backward() adds to .grad, and a step leaves it there. What another optimizer has applied already is "
        f"applied again, with weights that it does not belong to. Seen in {times} of the traced updates.",
        fix=f"clear before {quoted(where, 'backward()')}: zero_grad() of the optimizer that steps{at_line(applied)}",
        variables=case.names(variables), where=where, label="what an earlier step has applied is still there",
        loss=case.loss_site(backward),
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None), seen=times,
    )  # fmt: skip


def _within_step(case: Case, heap: ClosureHeap) -> Finding:
    """PyTorch: an optimizer that calls the training step many times, and gets the sum of all its gradients so far."""
    where, stepped = case.site(heap.backward.stack), heap.steps[0]
    applied = case.site(stepped.stack)
    name = optimizer_name(case.recording.optimizers[stepped.optimizer], applied, "the optimizer")
    times = max(len(step.called_back) for step in heap.steps)
    steps = [(where, "backward", "adds to what is there"), (applied, "step", "calls the closure again and again")]
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the gradients of {subject(case, heap.variables)} pile up within a step: "
        f"{loss_name(case, heap.backward)} adds to those of the calls of the closure before",
        why=f"`{name}` calls its closure up to {times} times in one step, each time with other weights, and needs the "
        "gradient at those. backward() adds to .grad, and nothing clears it between two calls.",
        fix=f"clear within the closure, before {quoted(where, 'backward()')}: {name}.zero_grad()",
        variables=case.names(heap.variables), where=where,
        label=f"{verb(heap.variables, case, 'its', 'their')} gradient from the call before is still there",
        loss=case.loss_site(heap.backward),
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None), seen=len(heap.steps),
    )  # fmt: skip


def _kept(case: Case, heap: Heap) -> Finding:
    """JAX, TensorFlow: the sum that the program keeps itself."""
    where, applied = case.site(heap.added.stack), case.site(heap.step.stack)
    if where is not None and is_given_back(where):
        # A function that only adds knows nothing of updates: the call that hands it the old sum is to blame.
        where = case.led_from(heap.added.stack, heap.step.stack)
    came = case.site(heap.backward.stack)
    steps = [(came, "grad", "a gradient comes here"), (where, "+", "added to those of the updates before"),
             (applied, "update", "applies the whole sum")]  # fmt: skip
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the gradients of {subject(case, heap.variables)} pile up: {quoted(where, 'the sum')} adds to a sum "
        "that was applied before and never set to zero",
        why=f"The update{at_line(applied, where)} applies the sum and leaves it as it is. Each update applies all "
        "gradients so far, of which all but the last belong to weights that are long gone.",
        fix="begin a new sum after each update: "
        + ("jax.tree.map(jnp.zeros_like, params); or let optax.MultiSteps do it" if case.recording.framework == "jax"
           else "[tf.zeros_like(v) for v in variables]; or gradient_accumulation_steps of a Keras optimizer"),
        variables=case.names(heap.variables), where=where, label="the gradients of the updates before are still there",
        loss=case.loss_site(heap.backward),
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None), seen=heap.times,
    )  # fmt: skip


def _by_step(case: Case) -> dict[int, tuple[Backward, int, int]]:
    """Variables with an applied gradient that stayed and was applied again, with the pass that it came from."""
    heaps: dict[int, list[tuple[Backward, int]]] = {}
    misled = {v for leak in leaks(case) if leak.kind == "wrong step" for v in leak.variables}
    for step in case.recording.steps:
        for variable, shares in history(case).fed.get(step.at, {}).items():
            # The same loss again: what another loss leaves here is no heap, and other rules look at it.
            again = {share.backward.stack for share in shares if not share.spent}
            spent = [share for share in shares if share.spent and share.backward.stack in again]
            if spent and variable not in misled:
                backward = _own_pass(case, shares, spent, step)
                heaps.setdefault(spent[0].variable, []).append((backward, step.optimizer))
    edited = {v for e in case.recording.edits if e.kind == "other" and e.handed is None for v in e.variables}
    found = {}
    for variable, heap in heaps.items():
        first = next(b.at for b in passes(case) if variable in b.got)
        cleared = any(c.at > first and variable in c.variables for c in case.recording.clears)
        if variable not in edited and (not cleared or len(heap) > 1):
            found[variable] = (*heap[0], len(heap))
    return found


def _own_pass(case: Case, shares: Sequence[Share], spent: list[Share], step: Step) -> Backward:
    """The pass before which the clearing is missing: the first since another optimizer stepped.

    What a loss left here that another step was made for (a generator's, in its judge) has to be cleared as well.
    """
    before = max((s.at for s in case.recording.steps if s.at < step.at), default=0)
    places = {share.backward.stack for share in spent}
    fresh = [s.backward for s in shares if not s.spent and s.backward.at > before and s.backward.stack in places]
    return min(fresh, key=lambda b: b.at) if fresh else spent[0].backward


def _by_hand(case: Case) -> dict[int, tuple[Backward, None, int]]:
    """The same for weights that the program updates itself: `w -= rate * w.grad`."""
    recording = case.recording
    held = {v for o in recording.optimizers.values() for v in o.holds}
    found: dict[int, tuple[Backward, None, int]] = {}
    for write in recording.writes:
        variable = write.variable
        if variable is None or variable in held or not _from_own_gradient(case, write.at, variable):
            continue
        earlier = [b for b in passes(case) if b.at < write.at and variable in b.got]
        later = [b for b in passes(case) if b.at > write.at and variable in b.piled]
        between = [c for c in recording.clears if earlier and c.at > earlier[0].at and variable in c.variables]
        if earlier and later and not between:
            found.setdefault(variable, (earlier[0], None, len(later)))
    return found


def _from_own_gradient(case: Case, at: int, variable: int) -> bool:
    op = case.recording.ops.get(at)
    todo = list(op.inputs) if op is not None else []
    for _ in range(12):
        if not todo:
            return False
        made = case.made_by.get(todo.pop())
        if made is not None and made.name == ".grad" and made.detail == str(variable):
            return True
        if made is not None and made.kind != "write":
            todo.extend(made.inputs)
    return False


def _finding(case: Case, variables: set[int], stack: int, optimizer: int | None, times: int) -> Finding:
    backward = next(b for b in passes(case) if b.stack == stack)
    where = case.site(stack)
    step = next((s for s in case.recording.steps if s.optimizer == optimizer and s.applied & variables), None)
    applied = case.site(step.stack if step is not None else None)
    cleared = next((c for c in case.recording.clears if c.variables & variables), None)
    name = optimizer_name(case.recording.optimizers[optimizer], applied, "") if optimizer is not None else ""
    stations = [(where, "backward", "adds to what is there"), (applied, "step", "applies the whole heap")]
    label = f"{verb(variables, case, 'its', 'their')} gradient from the update before is still there"
    amiss = None if cleared else _clears_others(case, backward, variables)
    if amiss is not None:
        where, label = case.site(amiss.stack), f"clears {plain_subject(case, set(amiss.variables))}, once more"
    fix = f"{name}.zero_grad()" if name else "zero_grad()"
    if optimizer is None or (case.recording.optimizers[optimizer].by_hand and not cleared):
        fix = "w.grad = None for each of them"
    rarely = f"; {quoted(case.site(cleared.stack), 'the clearing')} does not run between the updates" if cleared else ""
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the gradients of {subject(case, variables)} pile up: {loss_name(case, backward)} adds to those of "
        f"the updates before{rarely}",
        why="backward() adds to .grad, and a step leaves it there. Each update applies the sum of all gradients so "
        f"far, of which all but one belong to weights that are long gone. Seen in {times} of the traced updates.",
        fix=f"clear before each backward pass: {fix} {'in place of' if amiss else 'before'} "
        f"{quoted(where, 'backward()')}",
        variables=case.names(variables), where=where, label=label,
        loss=case.loss_site(backward),
        path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None), seen=times,
    )  # fmt: skip


def _clears_others(case: Case, backward: Backward, variables: set[int]) -> Clear | None:
    """The clearing right before a pass, if it is of others, which another line clears for their own pass."""
    events = [*(b.at for b in case.recording.backwards), *(s.at for s in case.recording.steps)]
    found: list[Clear] = []
    for one in (b for b in passes(case) if b.stack == backward.stack):
        before = max((at for at in events if at < one.at), default=0)
        found += [c for c in case.recording.clears if before < c.at < one.at and not c.variables & variables]
    places = {c.stack for c in found}
    for clear in found:
        elsewhere = [c for c in case.recording.clears if c.variables == clear.variables and c.stack not in places]
        if clear.variables and elsewhere and not clear.variables & backward.got:
            return clear
    return None


def piled_up(case: Case) -> set[int]:
    """Variables of which this rule speaks: a foreign gradient in their heap is the smaller part of the fault."""
    return {*_by_step(case), *_by_hand(case), *(v for heap in closure_heaps(case) for v in heap.variables)}
