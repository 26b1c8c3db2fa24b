"""Clipping that is given the variables of another network than the one that is updated there.

The actor's loss is followed by `clip_grad_norm_(critic.parameters())` and by the actor's step: what the critic had in
its gradients was applied before, or is cleared before its own step, and the actor's gradients are not clipped.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Edit, Step
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.history import history
from whygrad.rules.wording import at_line, quoted, subject

CODE, NAME = "W303", "clipped-out-of-order"


def clipped_others(case: Case, clips: list[Edit]) -> Iterator[Finding]:
    """One finding where every clipping of a line is for gradients that no step applies, beside one that is not."""
    known = [clip for clip in clips if not _open(case, clip)]
    steps = [step for clip in known if (step := _unclipped(case, clip)) is not None]
    if not known or len(steps) < len(known):
        return
    clip, step = known[0], steps[0]
    where, applied = case.site(clip.stack), case.site(step.stack)
    others, updated = subject(case, clip.variables), subject(case, step.applied)
    came = history(case).fed[step.at]
    backward = case.site(next(share.backward.stack for shares in came.values() for share in shares))
    stations = ((backward, "backward", "the gradient comes here"), (where, clip.call, "clips others"),
                (applied, step.call, "applied here, at its full size"))  # fmt: skip
    yield Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where, 'clipping')} clips the gradients of {others}, and the step{at_line(applied, where)} "
        f"applies those of {updated}, which nobody clips",
        why="What was clipped here is applied by no step: it was applied before, or it is cleared before the next one.",
        fix=f"give {clip.call} the parameters that {quoted(applied, 'the step')} updates: those of {updated}",
        variables=case.names(step.applied), where=where, label="not the gradients that the step applies",
        path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None), seen=len(clips),
    )  # fmt: skip


def _unclipped(case: Case, clip: Edit) -> Step | None:
    """The step that a clipping stands before, if it applies what nobody has clipped, and nobody applies the rest."""
    told = history(case)
    step = next((s for s in case.recording.steps if s.at > clip.at), None)
    if step is None or step.error is not None or step.applied & clip.variables:
        return None
    fed = told.fed.get(step.at, {})
    came = [share.backward.at for shares in fed.values() for share in shares if not share.spent]
    if not came or max(came) > clip.at or len(fed) < len(step.applied):
        return None
    between = [e for e in case.recording.edits if e.kind == "clip" and min(came) < e.at < step.at]
    if any(e.variables & step.applied for e in between):
        return None
    if not clip.variables & case.trained or not case.trained & step.applied:
        return None
    pending = told.pending.get(clip.at, {})
    for variable in clip.variables:
        for share in pending.get(variable, ()):
            used = told.applied.get((share.backward.at, share.variable), [])
            if any(s.at > clip.at for s in used):
                return None
    return step


def _open(case: Case, clip: Edit) -> bool:
    """Whether the recording ends before it is known what becomes of what was clipped."""
    told = history(case)
    shares = [share for found in told.pending.get(clip.at, {}).values() for share in found]
    keys = {(share.backward.at, share.variable) for share in shares}
    return any(key not in told.applied and key not in told.cleared for key in keys)
