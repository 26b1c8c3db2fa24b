"""PyTorch: gradients of a scaled loss that an optimizer applies as they are, because the scaler does not step."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Backward, Step
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.history import history
from whygrad.rules.updates.order import optimizer_name, steps_of
from whygrad.rules.wording import quoted, subject

CODE, NAME = "W303", "clipped-out-of-order"


def applied_scaled(case: Case) -> Iterator[Finding]:
    """Optimizers that step by themselves, every time on gradients that were not unscaled."""
    for optimizer in case.recording.optimizers.values() if case.recording.framework == "torch" else ():
        steps = [step for step in steps_of(case, optimizer) if step.applied and step.error is None]
        passes = [passed for step in steps if (passed := _scaled_pass(case, step)) is not None]
        if not passes or len(passes) < len(steps):
            continue
        where, came = case.site(steps[0].stack), case.site(passes[0].stack)
        name = optimizer_name(optimizer, where, "optimizer")
        stations = ((came, "backward", "the scaled gradient comes here"), (where, "step", "applied as it is"))
        members = set(steps[0].applied)
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{quoted(where, 'step()')} applies gradients that are still scaled to {subject(case, members)}",
            why="scaler.scale(loss) multiplies every gradient by the scale, often 65536. scaler.step() divides by it "
            "before the optimizer steps; a step of the optimizer's own does not.",
            fix=f"call scaler.step({name}) and scaler.update() in place of {quoted(where, 'step()')}",
            variables=case.names(members), where=where, label="the gradients are still multiplied by the scale",
            loss=case.loss_site(passes[0]), seen=len(steps),
            path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None),
        )  # fmt: skip


def _scaled_pass(case: Case, step: Step) -> Backward | None:
    """The pass over a scaled loss whose gradient a step applied, if nobody has divided by the scale since."""
    fed = history(case).fed.get(step.at, {})
    passes = [share.backward for shares in fed.values() for share in shares]
    if step.call != "step" or not passes or not all(scaled(case, backward) for backward in passes):
        return None
    first = min(backward.at for backward in passes)
    edited = any(
        first < e.at < step.at and e.kind != "clip" and e.variables & step.applied for e in case.recording.edits
    )
    return None if edited else passes[0]


def scaled(case: Case, backward: Backward) -> bool:
    """Whether the loss came out of `scaler.scale(...)`, perhaps divided for accumulation."""
    number = backward.loss
    for _ in range(4):
        made = case.made_by.get(number) if number is not None else None
        if made is None:
            return False
        if made.detail == "scaled":
            return True
        number = made.inputs[0] if made.inputs else None
    return False
