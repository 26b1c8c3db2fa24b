"""Losses of a second derivative (the curvature in a differential equation) of a network made of straight pieces.

Between its corners a network of ReLUs is linear: its second derivative is 0, whatever the weights are, and what a loss
has of it trains nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.flatness import PRODUCTS, zero_gradients
from whygrad.rules.numbers.origin import base_name
from whygrad.rules.wording import at_line, count, plain_subject, subject, verb

CODE, NAME = "W401", "zero-gradient"

_CORNERS = frozenset({
    "relu", "relu6", "leaky_relu", "hard_tanh", "hard_sigmoid", "abs", "max", "maximum", "min", "minimum", "clip",
})  # fmt: skip
_SHAPES = frozenset({
    "read_value", "captured", "astype", "reshape", "squeeze", "expand_dims", "broadcast", "broadcast_to", "ravel",
    "transpose", "getitem", "slice", "split", "stack", "concatenate", "atleast_1d", "copy", "array", "asarray", "sum",
})  # fmt: skip
_LINEAR = _SHAPES | {"add", "sub", "neg", "mean", "where", "select_n", "dot", "div", "true_divide"}


@dataclass(slots=True)
class _Bend:
    """A corner that a second derivative is asked of, and what the losses there were to train."""

    op: Op
    asked: Op
    backward: Backward
    variables: set[int] = field(default_factory=set)
    seen: int = 0


def straight_pieces(case: Case) -> Iterator[Finding]:
    """JAX: second derivatives inside of a loss, of functions that have none."""
    if case.recording.framework != "jax":
        return
    found: dict[tuple[int, int], _Bend] = {}
    for backward in case.recording.backwards:
        wanted = backward.got & case.trained
        if backward.implicit or backward.error is not None or backward.loss is None or not wanted:
            continue
        for asked in case.slice(backward, reach.CERTAIN).ops:
            inner = _slope_of(case, asked) if asked.name == "gradient" else None
            corner = _only_corners(case, inner, set(asked.inputs[1:])) if inner is not None else None
            if inner is not None and corner is not None:
                bend = found.setdefault((corner.stack, asked.stack), _Bend(corner, asked, backward))
                part = reach.backward_slice(case.recording, inner.inputs[0], case.made_by, inner.at, reach.CERTAIN)
                bend.variables |= {case.content[v] for v in part.values if v in case.content} & wanted
                bend.seen += 1
    for bend in found.values():
        if bend.variables:
            yield _finding(case, bend)


def _slope_of(case: Case, asked: Op) -> Op | None:
    """The gradient that a gradient is asked of, where it is one."""
    made = case.made_by.get(asked.inputs[0]) if asked.inputs else None
    while made is not None and base_name(made) in _SHAPES and made.inputs:
        made = case.made_by.get(made.inputs[0])
    return made if made is not None and made.name == "gradient" and made.inputs else None


def _only_corners(case: Case, inner: Op, moved: set[int]) -> Op | None:
    """The first corner on the way from what is moved to what is differentiated, where all else is straight."""
    first: Op | None = None
    part = reach.backward_slice(case.recording, inner.inputs[0], case.made_by, inner.at, reach.CERTAIN)
    for op in sorted(part.ops, key=lambda one: one.at):
        moving = [v for v in op.inputs if v in moved]
        if not moving:
            continue
        name = base_name(op)
        if name in _CORNERS:
            first = first or op
        elif name in PRODUCTS or name in ("div", "true_divide"):
            if len(moving) > 1 or len(op.inputs) < 2 or (name not in PRODUCTS and moving[0] == op.inputs[1]):
                return None
        elif name not in _LINEAR:
            return None
        moved.update(op.outputs)
    return first if inner.inputs[0] in moved else None


def _finding(case: Case, bend: _Bend) -> Finding:
    where, asked, loss = case.site(bend.op.stack), case.site(bend.asked.stack), case.loss_site(bend.backward)
    every = bend.variables <= zero_gradients(case).keys()
    name = base_name(bend.op)
    learned = verb(bend.variables, case, "learns nothing of it", "learn nothing of it")
    if every:
        learned = verb(bend.variables, case, "gets", "get") + " a gradient of exactly zero"
    steps = [(where, bend.op.name, "straight pieces"), (asked, "gradient", "the second derivative is asked for here"),
             (loss, "loss", "the loss")]  # fmt: skip
    places = {(s.file, s.line): PathStep(s, op, role) for s, op, role in reversed(steps) if s is not None}
    return Finding(
        code=CODE, rule=NAME, severity="error" if every else "warning",
        message=f"the second derivative of {plain_subject(case, bend.variables)}{at_line(asked, where)} is zero: "
        f"{name} is made of straight pieces",
        why=f"Between its corners {name} is linear, and so is all that is computed from it here: the second derivative "
        f"is 0 whatever the weights are, and {subject(case, bend.variables)} {learned}. It was so in "
        f"{count(bend.seen, 'update')} that {'were' if bend.seen > 1 else 'was'} looked at.",
        fix=f"use a smooth activation in place of {name}: jnp.tanh, jnp.sin, jax.nn.softplus",
        variables=case.names(bend.variables), where=where, label=f"{name} has no second derivative", loss=loss,
        path=tuple(reversed(places.values())), seen=bend.seen,
    )  # fmt: skip
