"""W107 used-up"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.recording import Backward, Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.verdict import verdicts
from whygrad.rules.wording import at_line, from_verdict, quoted

CODE, NAME = "W107", "used-up"
SUMMARY = "a tape used twice, a graph backpropagated twice, a loss computed after the tape closed"


def check(case: Case) -> Iterator[Finding]:
    """Second passes over what one pass has freed, and losses that came too late for their tape."""
    for backward in case.recording.backwards:
        if backward.error and "second time" in backward.error:
            yield _second_backward(case, backward)
            break
        if backward.error and "persistent" in backward.error:
            yield _second_gradient(case, backward)
            break
    for verdict in verdicts(case):
        if verdict.code == CODE:
            tape = case.site(verdict.tape.stack) if verdict.tape is not None else None
            yield from_verdict(
                case, verdict, NAME,
                f"computed after the tape{at_line(tape, verdict.where)} was closed, so the tape never saw it",
                "A GradientTape records only while its `with` block is open; tape.gradient may be called later, but the "
                "loss must be computed inside.",
                f"move {quoted(verdict.where)} into the `with tf.GradientTape() as tape:` block",
            )  # fmt: skip


def _second_gradient(case: Case, backward: Backward) -> Finding:
    where = case.site(backward.stack)
    earlier = [b for b in case.recording.backwards if b.tape == backward.tape and b.at < backward.at and not b.error]
    path = [PathStep(case.site(earlier[-1].stack), "gradient", "the tape was used up here")] if earlier else []
    path = [step for step in path if step.site is not None]
    if where is not None:
        path.append(PathStep(where, "gradient", "and is asked again here"))
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message="a GradientTape that is not persistent is asked for gradients twice",
        why="A tape frees what it recorded as soon as gradient() has been called once.",
        fix="ask once for everything, tape.gradient(loss, [*actor_vars, *critic_vars]), or use one tape per loss, or "
        "tf.GradientTape(persistent=True) and `del tape` afterwards",
        variables=(), where=where, label="this tape has been used up", loss=None, path=tuple(path),
    )  # fmt: skip


def _second_backward(case: Case, backward: Backward) -> Finding:
    where = case.site(backward.stack)
    earlier = [b for b in case.recording.backwards if b.at < backward.at and not b.error and b.loss is not None]
    crossing = _crossing(case, backward, earlier[-1]) if earlier else None
    path: list[PathStep] = []
    if crossing is not None:
        old, new = crossing
        made, used = case.seen_from(old.stack, backward.stack), case.seen_from(new.stack, backward.stack)
        if made is not None and used is not None:
            where = made
            path = [
                PathStep(made, old.name, "computed here, before the first backward"),
                PathStep(used, new.name, "used again here, after it"),
            ]
            return _carried(case, backward, where, made, used, path)
    if earlier:
        first = case.site(earlier[-1].stack)
        if first is not None:
            path.append(PathStep(first, "backward", "the graph was used up here"))
    if where is not None:
        path.append(PathStep(where, "backward", "and is walked again here"))
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message="the same graph is backpropagated twice",
        why="backward() frees what it needs as it goes; a second pass over the same operations finds nothing.",
        fix="add the losses and call backward() once: (loss_1 + loss_2).backward(); retain_graph=True hides the error and keeps "
        "every old graph in memory",
        variables=(), where=where, label="this graph has been walked already", loss=case.loss_site(backward),
        path=tuple(path),
    )  # fmt: skip


def _carried(case: Case, backward: Backward, where: Site, made: Site, used: Site, path: list[PathStep]) -> Finding:
    same = (made.file, made.line) == (used.file, used.line)
    if same:
        label = "the result of the last update goes in again here, with its whole history"
        why = "State that is carried from one update to the next still hangs on the graph that backward() has freed."
        fix = "cut it between updates: h = h.detach() (for an LSTM both parts); retain_graph=True only hides the error"
    else:
        label = "computed once, and backpropagated in every update"
        why = "backward() frees the operations it has walked; this result is from before the first backward() and is used again."
        fix = f"compute {quoted(made)} anew in each update; retain_graph=True only hides the error"
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the backward pass{at_line(case.site(backward.stack), where)} runs into a graph that is already used up",
        why=why, fix=fix, variables=(), where=where, label=label, loss=case.loss_site(backward), path=tuple(path),
    )  # fmt: skip


def _crossing(case: Case, backward: Backward, first: Backward) -> tuple[Op, Op] | None:
    """A live value made before the first backward pass and used after it: (its maker, its user)."""
    recording = case.recording
    freed = {op.at for op in case.slice(first).ops}
    for op in case.slice(backward).ops:
        if op.at < first.at or not op.carries:
            continue
        for number in op.inputs:
            value = recording.values.get(number)
            made = case.made_by.get(number)
            if value is None or made is None or value.variable is not None:
                continue
            if made.at < first.at and value.live and made.carries and made.at in freed:
                return made, op
    return None
