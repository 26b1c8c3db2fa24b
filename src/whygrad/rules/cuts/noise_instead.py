"""Noise that is decoded in the place of what an encoder made: `decoder(normal(z.shape))` for `decoder(z)`.

The decoder learns from the data, and the encoder from a penalty on its own output alone: no variable is without a
gradient. Told by what is left over: an output of the encoder, of the shape of the noise, that nothing uses.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.loss_terms import terms_of
from whygrad.rules.cuts.roles import fed_with
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.history import applied_of
from whygrad.rules.wording import at_line, plain_subject, quoted

_DRAWS = ("normal", "uniform")


def noise_instead(case: Case) -> Iterator[Finding]:
    """Told once for each loss."""
    done: set[int] = set()
    for backward in case.recording.backwards:
        if backward.implicit or backward.error or backward.loss not in case.recording.values or backward.stack in done:
            continue
        done.add(backward.stack)
        found = _decoded(case, backward)
        if found is not None:
            yield _finding(case, backward, *found)


def _decoded(case: Case, backward: Backward) -> tuple[Op, Op, set[int]] | None:
    """The operation that is given the noise, the one that made what is left over, and the encoder."""
    trained = applied_of(case, backward) or set()
    terms, sums = terms_of(case, backward)
    if not trained or not sums:
        return None
    read = {term: _trained_behind(case, term, backward, trained) for term in terms}
    for term, decoder in read.items():
        encoder = {v for other, theirs in read.items() if other != term for v in theirs}
        if not decoder or not encoder or decoder & encoder:
            continue
        part = reach.backward_slice(case.recording, term, case.made_by, backward.at, reach.CERTAIN)
        values = case.recording.values
        fed = [v for v in fed_with(case, decoder, part.ops) if values[v].floating and values[v].shape]
        if len(fed) != 1 or not _drawn(case, fed[0], backward):
            continue
        user = next(op for op in part.ops if fed[0] in op.inputs)
        left = _left_over(case, backward, encoder, values[fed[0]].shape)
        if left is not None:
            return user, left, encoder
    return None


def _drawn(case: Case, value: int, backward: Backward) -> bool:
    """Whether a value is drawn, and made of nothing else but numbers: a deviation, a mean."""
    part = reach.backward_slice(case.recording, value, case.made_by, backward.at, reach.CERTAIN)
    draws = [op for op in part.ops if any(word in op.name.lower() for word in _DRAWS)]
    others = {v for op in part.ops if op not in draws for v in op.outputs if not op.inputs}
    return bool(draws) and not any(case.recording.values[v].shape for v in others)


def _trained_behind(case: Case, value: int, backward: Backward, trained: set[int]) -> set[int]:
    part = reach.backward_slice(case.recording, value, case.made_by, backward.at, reach.CERTAIN)
    return {case.content[v] for v in part.values if v in case.content} & trained


def _left_over(case: Case, backward: Backward, encoder: set[int], shape: tuple[int | None, ...]) -> Op | None:
    """The last operation that makes something of this shape with the encoder, for nothing."""
    recording, began = case.recording, reach.began(case.recording, backward)
    ops = [op for at, op in recording.ops.items() if began < at < backward.at]
    consumed = {v for op in ops if op.name != "shape" for v in op.inputs}
    for op in reversed(ops):
        if not op.outputs or op.outputs[0] in consumed or op.kind != "compute":
            continue
        value = recording.values[op.outputs[0]]
        if value.floating and value.shape == shape and _trained_behind(case, value.id, backward, encoder):
            return op
    return None


def _finding(case: Case, backward: Backward, user: Op, left: Op, encoder: set[int]) -> Finding:
    where, made = case.seen_from(user.stack, backward.stack), case.seen_from(left.stack, backward.stack)
    loss, name = case.loss_site(backward), plain_subject(case, encoder)
    steps = [(made, left.name, f"what {name} makes, used by nothing"), (where, user.name, "noise is decoded instead"),
             (loss, "loss", "the loss")]  # fmt: skip
    return Finding(
        code="W105", rule="loss-ignores", severity="warning",
        message=f"{name} learns nothing from the data: what it makes{at_line(made, where)} is used by nothing",
        why=f"{quoted(where)} is given noise of the same shape. What is left for {name} to learn from is a penalty on "
        "its own output.",
        fix=f"give it what {name} makes{at_line(made, where)}", variables=case.names(encoder), where=where,
        label="decodes noise", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip
