"""JAX: a step makes new parameters, and the next gradient is taken at the old ones."""

from __future__ import annotations

from whygrad.flow.events import Backward, Step
from whygrad.flow.site import Site
from whygrad.flow.syntax import around, at_node, spoken_in
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.updates.let_fall import handed_back, let_fall
from whygrad.rules.updates.rolled_back import values_used
from whygrad.rules.updates.told_apart import told_apart
from whygrad.rules.wording import plain_subject, quoted, subject, verb

CODE, NAME = "W206", "update-discarded"


def dropped_steps(case: Case) -> tuple[bool, list[Finding]]:
    """Whether any new parameters were let go, and what is to be said of it; letting go once may be a warm-up."""
    used = values_used(case)
    dropped: dict[tuple[Site | None, int], list[tuple[Step, set[int]]]] = {}
    kept: dict[tuple[Site | None, int], list[int]] = {}
    for step in case.recording.steps:
        after = _next(case, step)
        if after is None:
            continue
        stack = step.returned if step.returned is not None else step.stack
        where = case.site(stack), step.optimizer
        lost = {v for v, old in step.before.items() if after.read.get(v) == old and step.after[v] not in used}
        if lost and lost >= set(step.before) & set(after.read):
            dropped.setdefault(where, []).append((step, lost))
        else:
            kept.setdefault(where, []).append(stack)
    fine = [stack for stacks in kept.values() for stack in stacks]
    found: list[Finding] = []
    for where, steps in dropped.items():
        # Once is a call that warms up the compiler; a loop inside a compiled function is seen to run twice.
        inside = all(step.returned is None and _again(case, step) for step, _ in steps)
        if where not in kept and (len(steps) > 1 or inside):
            found.append(_dropped(case, _named(case, steps[0][0], fine), steps))
    return bool(dropped), found


def _next(case: Case, step: Step) -> Backward | None:
    """The next time that a gradient of the same variables was asked for."""
    return next((b for b in case.recording.backwards
                 if b.at > step.at and not b.implicit and set(b.read) & set(step.before)), None)  # fmt: skip


def _again(case: Case, step: Step) -> bool:
    """Whether the same line made the next update of the same variables, from the same values."""
    later = next((s for s in case.recording.steps if s.at > step.at and set(s.before) & set(step.before)), None)
    return later is not None and later.stack == step.stack and later.before == step.before


def _named(case: Case, step: Step, fine: list[int]) -> Site | None:
    """The line that drops an update; not that of a helper which other updates pass too, and whose result is kept."""
    stack = step.returned if step.returned is not None else step.stack
    where = told_apart(case, stack, fine)
    fallen = handed_back if where == case.site(stack) else let_fall
    return fallen(case.stack(stack)) or where


def _dropped(case: Case, where: Site | None, steps: list[tuple[Step, set[int]]]) -> Finding:
    step, lost = steps[0]
    who = subject(case, lost)
    network = plain_subject(case, lost).strip("`")
    how = {
        "apply_gradients": "state = state.apply_gradients(grads=grads)",
        "apply_updates": f"{network} = optax.apply_updates({network}, updates)",
    }.get(step.call, f"assign its result to `{network}`")
    here = step.returned is None and where == case.site(step.stack)
    how = f"keep it: {how}" if here else f"take what {quoted(where)} returns as the new `{network}`"
    why = (
        "Arrays in JAX do not change. The update made new ones, and the program goes on with those from before, so "
        "that every update begins where the first one did."
    )
    label = "the new parameters are computed here, and nobody keeps them"
    path = stations((where, step.call, "computed and dropped"))
    made = case.recording.ops.get(step.at)
    if here and made is not None and made.inside == "nnx.apply":
        how = f"compile the function with nnx.jit, or return nnx.state({network}) and nnx.update({network}, …) with it"
        why = (
            "jax.jit works on a copy of an NNX object: what is changed in it is lost when the function returns, and "
            "every update begins where the first one did."
        )
        compiled = _compiled_by(where) if where is not None else None
        if compiled is not None:
            where, label = compiled, f"this works on a copy of {plain_subject(case, lost)}"
            updated = case.site(step.stack)
            path = stations((where, "jit", "a copy goes in"), (updated, step.call, "computed and dropped"))
    return Finding(
        code=CODE,
        rule=NAME,
        severity="error",
        message=f"{who} {verb(lost, case, 'is', 'are')} updated, and the new values are dropped: the next gradient is "
        "taken at the old ones",
        why=why,
        fix=how,
        variables=case.names(lost),
        where=where,
        label=label,
        path=path,
        first_update=1,
        seen=len(steps),
    )


def _compiled_by(site: Site) -> Site | None:
    """The decorator by which the function around a line is compiled; not where it puts the object together itself."""
    _, _, function = around(site)
    marks = function.decorator_list if function is not None and "merge" not in spoken_in(function) else []
    found = next((mark for mark in marks if "jit" in spoken_in(mark)), None)
    return at_node(site, found) if found is not None else None
