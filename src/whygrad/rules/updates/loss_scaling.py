"""TensorFlow: an optimizer that divides gradients by the scale of a loss: clipped before that, or never multiplied."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Backward, Edit
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.applied_scaled import scaled
from whygrad.rules.updates.history import Share, trace
from whygrad.rules.wording import quoted, subject

CODE, NAME = "W303", "clipped-out-of-order"


def clipped_scaled(case: Case, clips: list[Edit]) -> Backward | None:
    """The pass over a scaled loss whose gradients are clipped every time before the optimizer divides them."""
    if case.recording.framework != "tensorflow":
        return None
    passes: list[Backward] = []
    for clip in clips:
        later = [e for e in _unscalings(case) if e.at > clip.at and _through(case, e, set(clip.made))]
        shares = [share for value in clip.given for share in trace(case, value)]
        if not later or not shares or not all(scaled(case, share.backward) for share in shares):
            return None
        passes.append(shares[0].backward)
    return passes[0] if passes else None


def never_scaled(case: Case) -> Iterator[Finding]:
    """Gradients that an optimizer divides by its scale, of a loss that nobody has multiplied by it."""
    sites: dict[int, list[tuple[Edit, list[Share]]]] = {}
    for edit in _unscalings(case):
        sites.setdefault(edit.stack, []).append((edit, [s for value in edit.given for s in trace(case, value)]))
    for found in sites.values():
        if not all(shares and not any(_multiplied(case, s.backward) for s in shares) for _, shares in found):
            continue
        edit, shares = found[0]
        where, asked = case.site(edit.stack), case.site(shares[0].backward.stack)
        loss = case.loss_site(shares[0].backward)
        stations = ((loss, "loss", "not multiplied by the scale"), (asked, "gradient", "differentiated here"),
                    (where, edit.call, "divided by the scale here"))  # fmt: skip
        yield Finding(
            code=CODE, rule=NAME, severity="warning",
            message=f"{quoted(where, 'the step')} divides the gradients of {subject(case, edit.variables)} by a loss "
            f"scale of {edit.limit:g}, and the loss was never multiplied by it",
            why=f"{edit.call} expects the gradients of scale_loss(loss). Of the plain loss they come out "
            f"{edit.limit:g} times too small: the weights hardly move, and float16 loses small gradients all the same.",
            fix="differentiate optimizer.scale_loss(loss), computed inside the tape; the optimizer divides by itself",
            variables=case.names(edit.variables), where=asked or where, label="of a loss that is not scaled",
            loss=loss, path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None),
            seen=len(found),
        )  # fmt: skip


def _unscalings(case: Case) -> list[Edit]:
    if case.recording.framework != "tensorflow":
        return []
    edits = case.recording.edits
    return [e for e in edits if e.kind == "unscale" and e.limit is not None and e.limit > 1 and e.variables]


def _through(case: Case, edit: Edit, made: set[int]) -> bool:
    """Whether what is divided was clipped before, and perhaps changed since."""
    todo, seen = list(edit.given), set(edit.given)
    while todo:
        number = todo.pop()
        if number in made:
            return True
        op = case.made_by.get(number)
        fresh = [v for v in op.inputs if v not in seen] if op is not None and op.name != "gradient" else []
        seen.update(fresh)
        todo.extend(fresh)
    return False


def _multiplied(case: Case, backward: Backward) -> bool:
    """Whether a loss came out of `scale_loss`, or was multiplied by hand by something that the program keeps."""
    made = case.made_by.get(backward.loss) if backward.loss is not None else None
    by_hand = made is not None and any(v in case.content or not case.recording.values[v].shape for v in made.inputs)
    by_hand = by_hand and made is not None and made.name in ("mul", "multiply", "*")
    return by_hand or scaled(case, backward)
