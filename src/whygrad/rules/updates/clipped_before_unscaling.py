"""Gradients that are clipped while they are still multiplied by the scale of the loss: how that is seen, the words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from whygrad.flow.events import Backward, Edit
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.updates.applied_scaled import scaled
from whygrad.rules.updates.history import comes_through, history
from whygrad.rules.wording import quoted, subject

CODE, NAME = "W303", "clipped-out-of-order"

_CUT = "A limit meant for the true gradient then cuts nearly all of it away"
_SCALED = {
    "torch": (
        f"scaler.scale(loss) multiplies every gradient by the scale, often 65536. {_CUT}, and step() divides what is "
        "left by the scale.",
        "call scaler.unscale_(optimizer) before",
    ),
    "tensorflow": (
        f"scale_loss(loss) multiplies every gradient by the scale, often 32768. {_CUT}, and the optimizer divides what "
        "is left by the scale.",
        "let the optimizer inside clip, after the division (Adam(clipnorm=…) in LossScaleOptimizer), in place of",
    ),
    "jax": (
        f"The loss was multiplied by a scale, and every gradient with it. {_CUT}, and what is left is divided by the "
        "scale afterwards.",
        "divide the gradients by the scale before",
    ),
}
"""By framework: why it does harm, and what to do."""


def still_scaled(case: Case, clip: Edit) -> Backward | None:
    """The backward pass of a scaled loss whose gradient is clipped before it was unscaled."""
    pending = history(case).pending.get(clip.at, {})
    shares = [share for found in pending.values() for share in found if not share.spent]
    if not shares:
        return None
    backward = shares[-1].backward
    unscaled = any(
        e.kind == "unscale" and backward.at < e.at < clip.at and e.variables & clip.variables
        for e in case.recording.edits
    )
    return backward if not unscaled and scaled(case, backward) else None


def divided_afterwards(case: Case, clips: list[Edit]) -> Iterator[Finding]:
    """JAX: the loss was multiplied by a scale, the gradients are clipped, and divided by that scale only afterwards."""
    made = {value for clip in clips for value in clip.made}
    for op in case.recording.ops.values():
        if op.inside or op.tapes or op.name not in ("div", "mul") or len(op.inputs) != 2:
            continue
        factor = _number(case, op.inputs[1]) or _number(case, op.inputs[0])
        if not factor or op.at < clips[0].at or not any(comes_through(case, v, made) for v in op.inputs):
            continue
        scale = factor if op.name == "div" else 1 / factor
        asked = [b for b in case.recording.backwards if b.at < clips[0].at and b.got & clips[0].variables]
        clipping = case.made_by.get(clips[0].made[0])
        if scale > 1 and clipping is not None and asked and _multiplied(case, asked[-1], scale):
            yield before_unscale(case, replace(clips[0], stack=clipping.stack), asked[-1])
            return


def _number(case: Case, value: int) -> float | None:
    """The content of a plain number."""
    known = case.recording.values[value]
    return known.numbers.low if known.numbers is not None and known.numbers.size == 1 and not known.shape else None


def _multiplied(case: Case, backward: Backward, scale: float) -> bool:
    """Whether the last thing that was done to the loss is to multiply it by a scale."""
    made = case.made_by.get(backward.loss) if backward.loss is not None else None
    if made is None or made.name != "mul":
        return False
    return any(n is not None and math.isclose(n, scale, rel_tol=1e-5) for n in (_number(case, v) for v in made.inputs))


def before_unscale(case: Case, clip: Edit, backward: Backward) -> Finding:
    """What is said of it, in the words of the framework."""
    where, came = case.site(clip.stack), case.site(backward.stack)
    why, fix = _SCALED[case.recording.framework]
    step = next((s for s in case.recording.steps if s.at > clip.at and s.applied & clip.variables), None)
    applied = case.site(step.stack if step else None)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where, 'clipping')} clips gradients that are still scaled: those of "
        f"{subject(case, clip.variables)} were not unscaled before",
        why=why, fix=f"{fix} {quoted(where, 'the clipping')}",
        variables=case.names(clip.variables), where=where, label="the gradients are still multiplied by the scale",
        path=stations((came, "backward", "the scaled gradient comes here"), (where, clip.call, "clipped here"),
                      (applied, "step", "unscaled and applied here")),
    )  # fmt: skip
