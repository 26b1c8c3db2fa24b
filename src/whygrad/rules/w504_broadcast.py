"""W504 broadcast

What it checks
    A column of numbers, shape (B, 1), meets a plain row of B numbers, shape
    (B,), in a difference, a sum, a product or a loss function, and the
    (B, B) result goes into the loss. Also where the row was laid out beside
    the column by hand, with expand(), and the difference is squared; and
    where an index makes the pairs: q[arange(B), actions] with actions of
    shape (B, 1), or q[:, actions]. And in PyTorch a column of predictions,
    (B, 1), that a loss function like mse_loss is given together with several
    targets for each, (B, k).

Why it matters
    Broadcasting pairs every entry of one with every entry of the other. The
    mean of that matrix is a fine number, its gradient exists, and it pulls
    every prediction towards the mean of all targets. The loss falls to the
    variance of the targets and stays there.

Example
    PyTorch
        values = net(states)                 # (8, 1)
        loss = ((values - returns) ** 2).mean()          # (8, 1) - (8,)
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            values = net(states)             # (8, 1)
            loss = tf.reduce_mean((values - returns) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
    JAX
        def loss_fn(params):
            values = net(params, states)     # (8, 1)
            return jnp.mean((values - returns) ** 2)
        grads = jax.grad(loss_fn)(params)

Instead
    PyTorch
        values = net(states).squeeze(1)      # (8,)
        loss = ((values - returns) ** 2).mean()
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            values = tf.squeeze(net(states), axis=1)
            loss = tf.reduce_mean((values - returns) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
    JAX
        def loss_fn(params):
            values = net(params, states)[:, 0]
            return jnp.mean((values - returns) ** 2)
        grads = jax.grad(loss_fn)(params)

What does not help
    Silencing PyTorch's warning about a target size that is different: it is
    this fault.
    squeeze() without an axis: it also removes a batch dimension of one.
    Taking the sum instead of the mean: the pairs are still the wrong ones.

When it is meant
    Pairs are quiet where the program asks for them: x[:, None] - x, an axis
    inserted in the very expression, a matrix that is masked, exponentiated or
    normalised before it is reduced. Otherwise write `# whygrad: ok W504` on
    the line.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.operations import Op
from whygrad.rules.batches import paired_indices
from whygrad.rules.batches.branches import limits, one_number, shape_of
from whygrad.rules.batches.several_targets import several_targets
from whygrad.rules.batches.squared_pairs import in_vain, meets_own_target
from whygrad.rules.batches.stretched_rows import stretched_row
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import DIFFERENCE, is_log_probability
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.targets.objective import MINUS, PRODUCT, SHAPING, SUM, Objective, objectives
from whygrad.rules.wording import at_line, quoted

CODE, NAME = "W504", "broadcast"
SUMMARY = "(B, 1) against (B,): a (B, B) loss"

_PAIRING = DIFFERENCE | SUM | PRODUCT | frozenset({
    "div", "truediv", "__truediv__", "maximum", "minimum", "binary_cross_entropy", "l1_loss", "max", "min",
})  # fmt: skip
_SIGN = frozenset({"neg", "negative", "__neg__"})
_MATRIX = frozenset({
    "matmul", "__matmul__", "mm", "bmm", "einsum", "softmax", "log_softmax", "logsumexp", "diag", "diagonal", "exp",
    "cross_entropy", "nll_loss", "topk", "sort", "argsort", "argmax", "argmin", "gather", "tril", "triu", "cumsum",
    "masked_fill", "masked_select", "masked_fill_", "matrix_diag_part", "matrix_band_part", "sigmoid", "logsigmoid",
    "softplus", "reduce_max", "reduce_min", "getitem", "__getitem__", "strided_slice", "boolean_mask", "linear",
    "dot_general", "addmm", "reshape", "view", "flatten", "t", "transpose", "T.__get__", "relu", "log", "cos", "sin",
    "index_add_", "scatter_add_", "floor", "ceil", "amax", "amin",
})  # fmt: skip
"""What a program does with a matrix of pairs that it wanted."""

_BENDS = frozenset({"relu", "softplus", "sigmoid", "logsigmoid", "log_sigmoid"})
"""Of these, what a margin is put through as well, relu(1 - label * score), and what a network ends with."""


def check(case: Case) -> Iterator[Finding]:
    """The first operation of each loss that pairs every row with every row."""
    seen: set[int] = set()
    for objective in objectives(case):
        found = _first(case, objective)
        if found is not None and found.stack not in seen:
            seen.add(found.stack)
            chosen = _chosen(case, objective, found)
            yield paired_indices.finding(case, objective, found) if chosen else _finding(case, objective, found)
        for op, finding in several_targets(case, objective) if found is None else ():
            if op.stack not in seen:
                seen.add(op.stack)
                yield finding


def _first(case: Case, objective: Objective) -> Op | None:
    pairs = {op.at: op for op in objective.part.ops if _pairs(case, objective, op) or _chosen(case, objective, op)}
    if not pairs:
        return None
    tainted: set[int] = set()
    first: list[Op] = []
    values = case.recording.values
    told_apart = (
        limits(case, objective) if not any(_stood_up(case, op, v) for op in pairs.values() for v in op.inputs) else ()
    )
    columns = all(paired_indices.by_columns(case, op) for op in pairs.values())
    margins = all(_labelled(case, objective, op) for op in pairs.values())
    for op in objective.part.ops:
        touched = any(v in tainted for v in op.inputs)
        if op.at in pairs and not touched:
            first.append(op)
            tainted.update(op.outputs)
        elif touched:
            ratio = op.name == "exp" and _of_logarithms(case, op.inputs[0], pairs)
            if op.at in told_apart:
                tainted.update(op.outputs)
                continue
            bent = op.name in _BENDS and (margins or meets_own_target(case, objective, op))
            wanted = op.name in _MATRIX and not ratio and not bent
            wanted = wanted and not (columns and paired_indices.formula(op.name))
            if wanted or not _elementwise(case, op, tainted):
                return None
            tainted.update(v for v in op.outputs if v in values)
    wrong = [op for op in first if not _only_averaged(case, objective, op) and not _evenly_weighed(case, objective, op)]
    return wrong[0] if wrong and objective.part.loss in tainted else None


def _chosen(case: Case, objective: Objective, op: Op) -> bool:
    """Whether an index makes the pairs, of what a network gave for each row."""
    if not op.inputs or not objective.read.get(op.inputs[0], 0) or op.inputs[0] in case.content:
        return False
    return paired_indices.by_columns(case, op) or paired_indices.by_all(case, objective, op)


def _labelled(case: Case, objective: Objective, op: Op) -> bool:
    """Whether a trained column is multiplied by a row of data, each as it came: scores by labels, or by weights."""
    live = [bool(objective.live.get(v, 0) & objective.trained) for v in op.inputs[:2]]
    return op.name in PRODUCT and sum(live) == 1 and not any(_stood_up(case, op, v) for v in op.inputs[:2])


def _only_averaged(case: Case, objective: Objective, op: Op) -> bool:
    """Whether rows are only added and then averaged: the mean of all aᵢ + bⱼ is that of all aᵢ and that of all bⱼ."""
    if op.name not in SUM | MINUS:
        return False
    values, follow, averaged = case.recording.values, set(op.outputs), False
    for later in objective.part.ops:
        if later.at <= op.at or not any(v in follow for v in later.inputs):
            continue
        if later.name in ("mean", "reduce_mean") and later.outputs and values[later.outputs[0]].shape == ():
            averaged = True
        elif later.name in SUM | MINUS | _SIGN or (later.name in PRODUCT and _by_a_number(case, later, follow)):
            follow.update(later.outputs)
        else:
            return False
    return averaged


def _evenly_weighed(case: Case, objective: Objective, op: Op) -> bool:
    """Whether rows are multiplied by data that is the same for all: a column of ones mixes nothing up.

    Unless the matrix meets another row of the batch later: a batch without an end has ones for `1 - done`, too.
    """
    if op.name not in PRODUCT:
        return False
    known = [case.recording.values[_base(case, v)] for v in op.inputs[:2]]
    data = [one.numbers for one in known if one.variable is None and _came_so(case, one.id) and one.numbers is not None]
    even = any(numbers.finite and numbers.low == numbers.high for numbers in data)
    return even and not _meets_row(case, objective, op)


def _meets_row(case: Case, objective: Objective, op: Op) -> bool:
    """Whether a matrix that an operation makes is added to a row of the batch, or held against one."""
    follow, square = set(op.outputs), case.recording.values[op.outputs[0]].shape
    for later in objective.part.ops:
        if later.at <= op.at or not any(v in follow for v in later.inputs):
            continue
        beside = [v for v in later.inputs if v not in follow]
        if later.name in DIFFERENCE | SUM | MINUS and any(shape_of(case, v) == square[:1] for v in beside):
            return True
        if all(case.recording.values[v].shape == square for v in later.outputs):
            follow.update(later.outputs)
    return False


def _by_a_number(case: Case, op: Op, follow: set[int]) -> bool:
    """Whether an operation multiplies with one number for all."""
    return all(v in follow or shape_of(case, v) == () for v in op.inputs)


def _pairs(case: Case, objective: Objective, op: Op) -> bool:
    """Whether an operation makes a matrix of a column and a row that belong to one batch, without being asked to."""
    if op.name not in _PAIRING or len(op.inputs) < 2 or op.kind == "write":
        return False
    values = case.recording.values
    left, right = op.inputs[:2]
    for column, row in ((left, right), (right, left)):
        if column in case.content or row in case.content or not (values[column].floating or values[row].floating):
            continue  # labels may be integers
        tall, wide = shape_of(case, column), shape_of(case, row)
        mapped = values[column].mapped is not None or values[row].mapped is not None
        if len(tall) != 2 or tall[1] != 1 or not tall[0] or tall[0] < 2:
            continue
        flat = wide == tall[:1] or (wide == (1, tall[0]) and _came_so(case, row))
        flat = flat or stretched_row(case, objective, op, column, row)
        made = values[op.outputs[0]].shape if op.outputs and op.outputs[0] in values else None
        if not flat or made not in ((tall[0], tall[0]), ()) or (mapped and not made):
            continue
        if not (objective.read.get(column, 0) or objective.read.get(row, 0)):
            continue
        same = _base(case, column) == _base(case, row)
        asked = [value for value in (column, row) if made != () and _inserted_here(case, value, op)]
        if not same and (not asked or (asked == [column] and in_vain(case, objective, op))):
            return True
    return False


def _of_logarithms(case: Case, value: int, pairs: dict[int, Op]) -> bool:
    """Whether a value is a difference of log-probabilities: its exponential is a ratio, not a kernel."""
    made = case.made_by.get(value)
    return made is not None and made.at in pairs and any(is_log_probability(case.made_by, v) for v in made.inputs)


def _came_so(case: Case, value: int) -> bool:
    """Whether data entered in this shape: `torch.tensor([rewards])`."""
    made = case.made_by.get(value)
    return made is None or made.kind == "enter"


def _base(case: Case, value: int) -> int:
    made = case.made_by.get(value)
    while made is not None and made.name in SHAPING and made.name != "gather" and len(made.inputs) >= 1:
        value = made.inputs[0]
        made = case.made_by.get(value)
    return value


def _inserted_here(case: Case, value: int, op: Op) -> bool:
    """Whether an axis was put in by the very expression that pairs: `x[:, None] - y`."""
    made = case.made_by.get(value)
    if made is None or made.name not in SHAPING or not made.inputs:
        return False
    source, values = case.recording.values[made.inputs[0]], case.recording.values
    here, there = case.site(op.stack), case.site(made.stack)
    longer = len(source.shape) < len(values[value].shape)
    return longer and here is not None and there is not None and (here.file, here.line) == (there.file, there.line)


def _stood_up(case: Case, op: Op, value: int) -> bool:
    """Whether an axis was put in for this: quantiles are held against each other so, by a formula with branches.

    What a rollout kept as a column, in a function of its own, was not made one to be paired here.
    """
    made, here = case.made_by.get(value), case.site(op.stack)
    while made is not None and made.name in SHAPING and made.inputs:
        if len(shape_of(case, made.inputs[0])) < len(shape_of(case, made.outputs[0])):
            there = case.site(made.stack)
            apart = here is not None and there is not None and here.first_line != there.first_line
            return not apart or case.recording.values[value].live
        made = case.made_by.get(made.inputs[0])
    return False


def _elementwise(case: Case, op: Op, tainted: set[int]) -> bool:
    """Whether an operation treats each entry alike, or reduces; another matrix beside it means pairs are wanted."""
    for number in op.inputs:
        shape = shape_of(case, number)
        made = case.made_by.get(number)
        stretched = made is not None and made.name in ("expand", "expand_as", "broadcast_to")
        stretched = stretched or one_number(case, number)
        if number not in tainted and not stretched and len(shape) >= 2 and shape[0] == shape[1] and shape[0] != 1:
            return False
    return op.kind not in ("discrete",)


def _finding(case: Case, objective: Objective, op: Op) -> Finding:
    where, loss = case.site(op.stack), case.loss_site(objective.backward)
    one, other = shape_of(case, op.inputs[0]), shape_of(case, op.inputs[1])
    rows = max(one[0] or 0, other[0] or 0)
    trained = objective.variables(objective.trained)
    shapes = f"{_written(one)} against {_written(other)}"
    steps = [(where, op.name, "every row meets every row"), (loss, "loss", "the loss")]
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where)} pairs every row of the batch with every row: {shapes}",
        why=f"Broadcasting makes a ({rows}, {rows}) matrix of the two, and the loss{at_line(loss, where)} takes in all "
        f"of it. {_effect(case, objective, op, rows)}",
        fix=_fix(case.recording.framework, one, other, _meets_column(case, objective, op, rows)),
        variables=case.names(trained), where=where,
        label=f"{shapes} gives ({rows}, {rows})", loss=loss,
        path=tuple(PathStep(site, name, role) for site, name, role in steps if site is not None),
        first_update=1 + sum(1 for step in case.recording.steps if step.at < objective.backward.at),
    )  # fmt: skip


def _written(shape: tuple[int | None, ...]) -> str:
    return f"({', '.join(str(n) for n in shape)}{',' if len(shape) == 1 else ''})"


def _effect(case: Case, objective: Objective, op: Op, rows: int) -> str:
    """What a matrix of pairs does to the training."""
    if op.name in PRODUCT:
        return f"Each row is weighed by all {rows} weights, and which weight belongs to which row is lost."
    if any(is_log_probability(case.made_by, v) for v in op.inputs[:2]):
        return "Each row is compared with all the others, and only the diagonal is meant."
    if all(objective.live.get(v, 0) & objective.trained for v in op.inputs[:2]) and op.name in SUM:
        return "Each row is added to all the others, and only the diagonal is meant."
    return f"Its gradient pulls each prediction to the mean of all {rows} targets."


def _meets_column(case: Case, objective: Objective, op: Op, rows: int) -> bool:
    """Whether what the operation makes is held against a column later: then it has to be a column too."""
    follow, values = set(op.outputs), case.recording.values
    for later in objective.part.ops:
        if later.at > op.at and any(v in follow for v in later.inputs):
            others = [values[v].shape for v in later.inputs if v in values and v not in follow]
            if later.name in _PAIRING and (rows, 1) in others:
                return True
            follow.update(later.outputs)
    return False


def _fix(framework: str, one: tuple[int | None, ...], other: tuple[int | None, ...], as_column: bool) -> str:
    column, row = ("first", "second") if len(one) == 2 and one[1] == 1 else ("second", "first")
    call = {"torch": ".squeeze(1)", "tensorflow": "tf.squeeze(…, axis=1)"}.get(framework, "[:, 0]")
    rows = max(one[0] or 0, other[0] or 0)
    if (rows, rows) in (one, other):
        shape = "tf.reshape(…, (-1, 1))" if framework == "tensorflow" else ".reshape(-1, 1)"
        return f"do not lay the row out beside the column: {shape} makes the plain row a column too, ({rows}, 1)"
    if as_column or len(one) == len(other):
        call = "tf.reshape(…, (-1, 1))" if framework == "tensorflow" else ".reshape(-1, 1)"
        return f"give both the same shape before they meet: {call} on the {row} makes it ({rows}, 1)"
    return f"give both the same shape before they meet: {call} on the {column} makes it ({rows},)"
