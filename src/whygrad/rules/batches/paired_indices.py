"""Pairs that an index makes: one entry of each row was to be chosen, and each row is read at the index of all rows.

`q[arange(B), actions]` broadcasts its indices as arithmetic does: actions of shape (B, 1) beside (B,) rows choose B x B
entries. `q[:, actions]` and `gather(q, actions, axis=1)` read every row at all B actions.
"""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.targets.objective import SHAPING, Objective
from whygrad.rules.wording import at_line, quoted

CODE, NAME = "W504", "broadcast"
_CHOOSES = frozenset({"getitem", "__getitem__", "gather", "take", "index_select", "index"})
_MEETS = frozenset({
    "sub", "rsub", "__sub__", "__rsub__", "subtract", "mul", "__mul__", "__rmul__", "multiply", "squared_difference",
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "huber", "l2_loss",
})  # fmt: skip
_FORMULA = frozenset({"exp", "log", "relu", "softplus", "sigmoid", "logsigmoid", "log_sigmoid"})
"""What the entries of single rows are put through as well: a ratio, a likelihood."""


def by_columns(case: Case, op: Op) -> bool:
    """Whether the rows of a batch are counted beside a column of indices that nobody stood up for it.

    The shapes tell: of (B, k) numbers, (B, 1) alone would choose (B, 1, k) or (B, B, 1).
    """
    rows = _square(case, op)
    given = _given(case, op) if rows else []
    shapes = [case.recording.values[v].shape for v in given]
    if (rows, 1) not in shapes or any(shape not in ((rows,), (rows, 1)) for shape in shapes):
        return False
    outer = shapes[0] == (rows, 1) and (rows,) in shapes  # numpy.ix_: rows in a column, and columns in a row
    return not outer and not any(_stood_up(case, v, op) for v in given)


def by_all(case: Case, objective: Objective, op: Op) -> bool:
    """Whether each row is read at the indices of all rows, and then held against one number for each row.

    More indices than there are columns choose some twice: these are no features that were picked.
    """
    rows = _square(case, op)
    columns = case.recording.values[op.inputs[0]].shape[1] if rows else None
    if not rows or columns is None or columns >= rows:
        return False
    given = _given(case, op)
    shapes = {case.recording.values[v].shape for v in given}
    return shapes == {(rows,)} and _meets_rows(case, objective, op, rows)


def formula(name: str) -> bool:
    """Whether a function that makes a kernel of differences is usual after a choice of one entry for each row."""
    return name in _FORMULA


def _square(case: Case, op: Op) -> int | None:
    """The length of a batch of which an operation chose a square: (B, k, …) became (B, B, …)."""
    values = case.recording.values
    if op.name not in _CHOOSES or len(op.inputs) < 2 or len(op.outputs) != 1 or op.outputs[0] not in values:
        return None
    source, made = values[op.inputs[0]], values[op.outputs[0]]
    if len(source.shape) < 2 or not source.floating or source.mapped is not None:
        return None
    rows = source.shape[0]
    return rows if rows and rows > 1 and made.shape == (rows, rows, *source.shape[2:]) else None


def _given(case: Case, op: Op) -> list[int]:
    """The indices as the program wrote them, in order: JAX puts them together by operations of the same expression."""
    found: list[int] = []
    todo, seen = list(op.inputs[1:]), set(op.inputs)
    while todo:
        number = todo.pop(0)
        made = case.made_by.get(number)
        if made is not None and made.stack == op.stack and made.kind != "enter" and made.inputs:
            fresh = [v for v in made.inputs if v not in seen]
            seen.update(fresh)
            todo = fresh + todo
        elif number in case.recording.values and case.recording.values[number].shape:
            found.append(number)
    return found


def _stood_up(case: Case, value: int, op: Op) -> bool:
    """Whether an axis was put in by the line that chooses: `q[rows, actions[:, None]]` asks for all pairs."""
    made, values = case.made_by.get(value), case.recording.values
    if made is None or made.name not in SHAPING | {"broadcast"} or not made.inputs:
        return False
    here, there = case.site(op.stack), case.site(made.stack)
    longer = len(values[made.inputs[0]].shape) < len(values[value].shape)
    return longer and here is not None and there is not None and (here.file, here.line) == (there.file, there.line)


def _meets_rows(case: Case, objective: Objective, op: Op, rows: int) -> bool:
    """Whether what was chosen meets one number for each row, in a difference or a product."""
    follow, values = set(op.outputs), case.recording.values
    for later in objective.part.ops:
        if later.at <= op.at or not any(v in follow for v in later.inputs):
            continue
        others = [v for v in later.inputs if v not in follow and v in values and v not in case.content]
        if later.name in _MEETS and any(values[v].shape in ((rows,), (rows, 1)) for v in others):
            return True
        if all(values[v].shape != (rows, rows) for v in later.outputs if v in values):
            continue  # it was reduced before it met anything
        follow.update(later.outputs)
    return False


def finding(case: Case, objective: Objective, op: Op) -> Finding:
    """Told at the choice."""
    where, loss = case.site(op.stack), case.loss_site(objective.backward)
    rows = case.recording.values[op.inputs[0]].shape[0]
    columns = by_columns(case, op)
    indices = f"rows ({rows},) beside an index ({rows}, 1)" if columns else f"each of {rows} rows at {rows} indices"
    how = (
        "Indices are broadcast like numbers: a column of them is laid against all rows"
        if columns
        else "The index is used for each row as a whole, not one entry of it for each row"
    )
    steps = [(where, op.name, "each row at the index of every row"), (loss, "loss", "the loss")]
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where)} pairs every row of the batch with every row: {indices}",
        why=f"{how}. That makes a ({rows}, {rows}) matrix, and the loss{at_line(loss, where)} takes in all of it: each "
        "row learns at entries that other rows chose.",
        fix=_fix(case.recording.framework, columns, rows),
        variables=case.names(objective.variables(objective.trained)), where=where,
        label=f"{indices} gives ({rows}, {rows})", loss=loss,
        path=stations(*steps),
        first_update=1 + sum(1 for step in case.recording.steps if step.at < objective.backward.at),
    )  # fmt: skip


def _fix(framework: str, columns: bool, rows: int | None) -> str:
    if columns:
        call = {"torch": ".squeeze(1)", "tensorflow": "tf.squeeze(…, axis=1)"}.get(framework, "[:, 0]")
        return f"give the indices the same shape: {call} on the column makes it ({rows},)"
    call = {
        "torch": "q[torch.arange(len(q)), index]",
        "tensorflow": "tf.gather(q, index, batch_dims=1)",
    }.get(framework, "q[jnp.arange(len(q)), index]")
    return f"choose one entry for each row: {call}"
