"""PyTorch: a layer whose weight is a plain tensor: `self.weight = torch.randn(n, m)`, beside a bias that is trained.

No gradient is asked for it and no optimizer gets it, so nothing is missing anywhere. What tells it from a table that is
meant to stay: it is drawn at random by the class that made the bias, and the bias is added to what it makes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.source import expression
from whygrad.flow.syntax import assigned_in, called_at, dotted
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import CONTRACTS, SUM

_DRAWS = ("rand", "normal", "uniform", "xavier", "kaiming", "orthogonal")
_BETWEEN = 3


@dataclass(slots=True)
class PlainWeight:
    """The line that keeps the tensor, what the class calls it, the operation that reads it and the bias beside it."""

    where: Site
    name: str
    used: Op
    bias: int


def plain_weights(case: Case) -> Iterator[PlainWeight]:
    """Each such weight, told once by its line."""
    done: set[tuple[str, int]] = set()
    ops = case.slice(case.recording.backwards[-1]).ops if case.recording.backwards else []
    for op in ops if case.recording.framework == "torch" else ():
        bias = _added_to(case, op, ops) if op.name in CONTRACTS else None
        site = case.site(op.stack) if bias is not None else None
        if bias is None or site is None or (site.file, site.line) in done:
            continue
        done.add((site.file, site.line))
        owner, own = site.function.rpartition(".")[0], case.names({bias})[0].rpartition(".")[2]
        for name in _attributes(site):
            if name == f"self.{own}":
                continue
            where = assigned_in(site.file, owner, name)
            if where is not None and _constant(case, op, owner) and _drawn(case, name, where):
                yield PlainWeight(where, name, op, bias)


def _added_to(case: Case, op: Op, ops: list[Op]) -> int | None:
    """The trained variable, made by the same class, that is added to what a linear map of constants makes."""
    site = case.site(op.stack)
    if site is None or not site.function.endswith(".forward"):
        return None
    one = op
    for _ in range(_BETWEEN):
        read = [case.content[v] for v in one.inputs if v in case.content]
        if read:
            owner = site.function.rpartition(".")[0]
            own = len(read) == 1 and (one.name in SUM or one is op) and len(case.variable(read[0]).shape) == 1
            return read[0] if own and read[0] in case.trained and _made_by(case, read[0], owner) else None
        users = [user for user in ops if any(v in one.outputs for v in user.inputs)]
        if len(users) != 1 or (users[0].name not in SUM and users[0].name not in CONTRACTS):
            return None
        one = users[0]
    return None


def _made_by(case: Case, variable: int, owner: str) -> bool:
    created = case.stack(case.variable(variable).created)
    return any(site.function == f"{owner}.__init__" for site in created)


def _constant(case: Case, op: Op, owner: str) -> bool:
    """Whether an operand is a matrix that the class made for itself and that no gradient is asked of."""
    for number in op.inputs:
        value, made = case.recording.values.get(number), case.made_by.get(number)
        if value is None or made is None or value.live or len(value.shape or ()) < 2:
            continue
        if any(site.function == f"{owner}.__init__" for site in case.stack(made.stack)):
            return True
    return False


def _drawn(case: Case, name: str, where: Site) -> bool:
    """Whether the tensor is drawn: where it is bound, or by a call on it afterwards (`self.weight.uniform_()`)."""
    for op in case.recording.ops.values():
        if not any(draw in op.name for draw in _DRAWS):
            continue
        site = case.site(op.stack)
        if site is None or site.file != where.file:
            continue
        if site.line == where.line or called_at(site).startswith(f"{name}.") or name in _attributes(site):
            return True
    return False


def _attributes(site: Site) -> list[str]:
    """The attributes of the object itself that an expression reads: `self.weight`."""
    try:
        tree = ast.parse(expression(site).strip(), mode="eval")
    except SyntaxError:
        return []
    names = [dotted(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return [name for name in dict.fromkeys(names) if name.startswith("self.") and name.count(".") == 1]
