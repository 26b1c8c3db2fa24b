"""Where a gradient dies because of the numbers: the way is there, and every slope on it is zero."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.events import Backward, Step
from whygrad.flow.operations import Numbers, Op
from whygrad.rules.case import Case
from whygrad.rules.numbers.masked_away import state_of
from whygrad.rules.numbers.origin import base_name, numbers_of
from whygrad.rules.numbers.softmaxes import QUOTIENTS, flat_softmax

PRODUCTS = frozenset({
    "mul", "rmul", "imul", "multiply", "matmul", "mm", "bmm", "linear", "addmm", "dot", "einsum", "mv", "baddbmm",
    "conv1d", "conv2d", "conv3d", "batch_mat_mul", "dot_general", "conv_general_dilated", "tensordot", "bilinear",
})  # fmt: skip
_KEEPS_ZERO = frozenset({
    "view", "reshape", "unsqueeze", "squeeze", "expand", "expand_dims", "detach", "stop_gradient", "to", "cast",
    "float", "double", "flatten", "permute", "transpose", "t", "clone", "contiguous", "identity", "broadcast_to",
    "read_value", "convert_element_type", "broadcast_in_dim", "getitem", "strided_slice", "gather", "index_select",
    "mul", "neg", "multiply", "truediv", "div", "stack", "cat", "concat", "dropout", "relu", "mean", "sum",
    "true_divide", "real_div", "index", "select", "repeat", "tile", "max_pool2d", "avg_pool2d",
})  # fmt: skip
"""Of zeros these make zeros: who made the zeros lies further back."""

_SUMS = frozenset({"add", "radd", "add_v2"})
_ADDS = _SUMS | {"iadd", "add_n", "losses", "stack", "cat", "concat"}
_BENDS = frozenset({"square", "pow", "integer_pow", "abs", "huber_loss"})
_SHAPES = frozenset({"broadcast", "broadcast_to", "broadcast_in_dim", "reshape", "expand_dims"})

CUSTOM = "custom_function"
"""The detail of a function with a backward pass that the program wrote."""


@dataclass(slots=True)
class Dead:
    """Variables whose gradient is zero, and the one operation that lets none through."""

    op: Op
    source: int
    """The input that gets nothing."""
    why: str
    """`flat`, `zero factor`, `zero weights`, `zero input`, `cancels`."""
    backward: Backward
    variables: set[int]
    zero: Op | None = None
    """For a zero factor: the operation that made the zeros."""
    zero_variable: int | None = None
    entering: int | None = None
    """For a zero input: what was given to the layer."""


_NOTHING = 1e-18
"""A gradient below this moves no weight in any number format that is trained in."""


_OFTEN, _HARDLY = 16, 0.9
"""So many updates without a gradient, and this share of all since: what lets a row through at times is dead as well."""


def is_nothing(gradient: Numbers) -> bool:
    """Exactly zero, or what a single row leaves that is not quite at the flat end of a sigmoid."""
    return gradient.all_zero or (gradient.finite and max(-gradient.low, gradient.high, gradient.norm) < _NOTHING)


def zero_gradients(case: Case) -> dict[int, list[Step]]:
    """Variables whose gradient is zero up to the last update that they were part of, with those updates.

    A layer that dies lets a row through now and then for a while: it counts as soon as hardly any update had one.
    """
    seen: dict[int, list[tuple[Step, bool]]] = {}
    for step in case.recording.steps:
        if step.error is None:
            for variable, numbers in step.gradients.items():
                seen.setdefault(variable, []).append((step, is_nothing(numbers)))
    found = {v: max(_up_to_the_last(steps), _hardly_any(steps), key=len) for v, steps in seen.items()}
    return {v: steps for v, steps in found.items() if steps and v not in case.recording.later_gradients}


def _up_to_the_last(steps: list[tuple[Step, bool]]) -> list[Step]:
    ended = next((i for i, (_, nothing) in enumerate(reversed(steps)) if not nothing), len(steps))
    return [step for step, _ in steps[len(steps) - ended :]]


def _hardly_any(steps: list[tuple[Step, bool]]) -> list[Step]:
    """The updates without a gradient since hardly any had one."""
    zeros, begin = 0, len(steps)
    for index in range(len(steps) - 1, -1, -1):
        zeros += steps[index][1]
        if steps[index][1] and zeros >= max(_OFTEN, _HARDLY * (len(steps) - index)):
            begin = index
    return [step for step, nothing in steps[begin:] if nothing]


def was_alive(case: Case, variable: int) -> bool:
    """Whether a variable had a gradient before it came to nothing."""
    return any(
        not is_nothing(numbers)
        for step in case.recording.steps
        if (numbers := step.gradients.get(variable)) is not None
    )


def pass_before(case: Case, step: Step, variable: int) -> Backward | None:
    """The backward pass that gave a step its gradient."""
    return next((b for b in reversed(case.recording.backwards) if b.at < step.at and variable in b.got), None)


def dead_ends(case: Case, backward: Backward, step: Step, variables: set[int]) -> list[Dead]:
    """For variables with a gradient of zero: where, walked from the loss, the gradient becomes zero."""
    recording = case.recording
    if backward.loss is None or backward.loss not in recording.values:
        return []
    part = case.slice(backward, reach.CERTAIN)
    alive = {part.loss}
    blocked: list[Dead] = []
    for op in reversed(part.ops):
        for target in op.outputs:
            if target not in alive:
                continue
            for source in dict.fromkeys(op.inputs):
                if not reach.carries(recording, op, source, target, backward.tape):
                    continue
                dead = _blocks(case, op, source, step, backward)
                if dead is None:
                    alive.add(source)
                else:
                    blocked.append(dead)
    open_variables = {case.content[v] for v in alive if v in case.content}
    wanted = variables - open_variables
    found = []
    for dead in blocked:
        if dead.source not in alive:
            dead.variables = behind(case, part, dead.source, backward) & wanted
            if dead.variables:
                found.append(dead)
    if len(found) > 1:  # where one stands open behind a wall, that wall counts before those with another behind them
        walls = {(dead.op.at, dead.source) for dead in blocked}
        found.sort(key=lambda dead: not behind(case, part, dead.source, backward, walls) & wanted)
        found.sort(key=lambda dead: dead.why == "zero constant")  # a term that is switched off by its weight is meant
    return found


def own_backwards(case: Case, backward: Backward, variables: set[int], zero: Collection[int]) -> list[Dead]:
    """JAX: functions with a backward pass of the program's own, behind which every gradient is zero.

    Only where nothing else says why: what that pass returned is not seen, but that it lets nothing through is.
    """
    if case.recording.framework != "jax" or backward.loss is None or backward.loss not in case.recording.values:
        return []
    if backward.got <= set(zero):
        return []
    part = case.slice(backward, reach.CERTAIN)
    reached = reach.gradient_reach(case.recording, part, backward.tape)
    for op in reversed(part.ops):
        if op.detail != CUSTOM or not any(v in reached for v in op.outputs):
            continue
        for source in dict.fromkeys(op.inputs):
            lost = behind(case, part, source, backward) & backward.got
            if lost & variables and lost <= set(zero):
                return [Dead(op, source, "flat", backward, lost & variables)]
    return []


def behind(
    case: Case, part: reach.Slice, source: int, backward: Backward, walls: Collection[tuple[int, int]] = ()
) -> set[int]:
    """Variables whose gradient has to come through a value; not beyond `walls`."""
    recording = case.recording
    below = {source}
    for op in reversed(part.ops):
        for target in op.outputs:
            if target in below:
                below.update(
                    s
                    for s in op.inputs
                    if (op.at, s) not in walls and reach.carries(recording, op, s, target, backward.tape)
                )
    return {case.content[v] for v in below if v in case.content}


def _blocks(case: Case, op: Op, source: int, step: Step, backward: Backward) -> Dead | None:
    if source in op.flat or flat_softmax(case, op):
        return Dead(op, source, "flat", backward, set())
    if cancels(case, op, backward):
        return Dead(op, source, "cancels", backward, set())
    state = state_of(op, source)
    known = numbers_of(case, state) if state is not None else None
    if state is not None and known is not None and known.all_zero:
        return Dead(op, source, "zero input", backward, set(), zero_maker(case, state), entering=state)
    if base_name(op) not in PRODUCTS:
        return None
    others = (
        [v for v in op.inputs if v != source]
        if base_name(op) not in ("linear", "addmm", "baddbmm")
        else (_factor_of(op, source))
    )
    for other in others:
        variable = case.content.get(other)
        if variable is not None:
            weights = step.weights.get(variable) or _any_weights(case, variable)
            if weights is not None and weights.all_zero:
                return Dead(op, source, "zero weights", backward, set(), zero_variable=variable)
            continue
        numbers = numbers_of(case, other)
        if numbers is not None and numbers.all_zero:
            why = "zero input" if case.content.get(source) is not None else "zero factor"
            return Dead(op, source, why, backward, set(), zero_maker(case, other), entering=other)
    output = numbers_of(case, op.outputs[0]) if op.outputs else None
    mine = numbers_of(case, source)
    alone = len(set(op.inputs)) == 1 and len(op.inputs) == 1
    if alone and output is not None and output.all_zero and mine is not None and not mine.all_zero:
        return Dead(op, source, "zero constant", backward, set())
    return None


_COPIES = frozenset({"clone", "copy", "contiguous", "identity", "read_value", "to", "cast", "astype", "asarray"})
DIFFERENCES = frozenset({"sub", "rsub", "isub", "subtract"})


def cancels(case: Case, op: Op, backward: Backward) -> bool:
    """Whether both sides of a difference or a quotient are the same and carry the gradient.

    What the one side gives the other takes.
    """
    recording = case.recording
    divides = base_name(op) in QUOTIENTS
    if not divides and base_name(op) not in DIFFERENCES:
        return False
    result = numbers_of(case, op.outputs[0])
    alive = all(reach.carries(recording, op, v, op.outputs[0], backward.tape) for v in op.inputs)
    if result is None or not alive or not (result.low == result.high == 1 if divides else result.all_zero):
        return False
    if _made_of_each_other(case, op, backward):
        return False  # a thing over its own sum, of one entry: a softmax by hand; where an iteration stands still
    if len(op.inputs) == 1:  # the very same value on both sides; a number that each entry equals is no variety
        mine = numbers_of(case, op.inputs[0])
        return mine is not None and mine.low < mine.high
    if any((known := numbers_of(case, v)) is not None and known.all_zero for v in op.inputs):
        return False  # nothing less nothing: a cross-entropy of logits of one sign has that inside
    sides = [_behind_value(case, v, backward) for v in op.inputs]
    return len(sides) == 2 and bool(sides[0]) and sides[0] == sides[1]


def _made_of_each_other(case: Case, op: Op, backward: Backward) -> bool:
    """Whether one side of an operation is computed from the other; a mere copy is that other itself."""
    for value, other in (op.inputs, op.inputs[::-1]) if len(op.inputs) == 2 else ():
        if other in _copied(case, value):
            return False
        part = reach.backward_slice(case.recording, value, case.made_by, backward.at, reach.CERTAIN)
        if any(other in made.inputs for made in part.ops):
            return True
    return False


def _copied(case: Case, value: int) -> set[int]:
    """The values that this one is a copy of."""
    seen: set[int] = set()
    while value not in seen:
        seen.add(value)
        made = case.made_by.get(value)
        if made is not None and base_name(made) in _COPIES and made.inputs:
            value = made.inputs[0]
    return seen


def _behind_value(case: Case, value: int, backward: Backward) -> set[int]:
    part = reach.backward_slice(case.recording, value, case.made_by, backward.at, reach.CERTAIN)
    arrived = reach.gradient_reach(case.recording, part, backward.tape)
    return {case.content[n] for n in arrived if n in case.content}


def _factor_of(op: Op, source: int) -> list[int]:
    """Of `linear(x, weight, bias)` what a gradient to `source` is multiplied by."""
    base = base_name(op)
    first, second = (0, 1) if base == "linear" else (1, 2)
    if len(op.inputs) <= second:
        return []
    if source == op.inputs[first]:
        return [op.inputs[second]]
    return [op.inputs[first]] if source == op.inputs[second] else []


def _any_weights(case: Case, variable: int) -> Numbers | None:
    """The content of a variable that this step does not train (a frozen one)."""
    return next((s.weights[variable] for s in reversed(case.recording.steps) if variable in s.weights), None)


def zero_maker(case: Case, value: int) -> Op | None:
    """Back from a value that is all zeros to the operation that made zeros of something else."""
    seen: set[int] = set()
    op: Op | None = None
    while value not in seen:
        seen.add(value)
        made = case.made_by.get(value)
        if made is None:
            return op
        op = made
        known = {v: n for v in made.inputs if (n := numbers_of(case, v)) is not None}
        zeros = [v for v, n in known.items() if n.all_zero]
        if made.flat or not zeros or (base_name(made) not in _KEEPS_ZERO | PRODUCTS and len(zeros) < len(known)):
            return made
        value = zeros[0]
    return op


def fed_by(case: Case, value: int) -> set[int]:
    """The variables of the layer that a value comes out of: the first ones met on the way back."""
    level, seen = [value], {value}
    while level:
        ops = [op for v in level if (op := case.made_by.get(v)) is not None]
        found = {case.content[v] for op in ops for v in op.inputs if v in case.content}
        matrices = {v for v in found if len(case.variable(v).shape) > 1}
        if matrices:
            owners = {case.variable(v).owner for v in matrices}
            return {v.id for v in case.recording.variables.values() if v.owner in owners} if "" not in owners else found
        level = [v for op in ops for v in op.inputs if v not in seen and v not in case.content]
        seen.update(level)
    return set()


def leads_through_weights(case: Case, dead: Dead) -> bool:
    """Whether trained variables lie between the dead operation and the loss: it is a layer, not part of the loss."""
    part = case.slice(dead.backward, reach.CERTAIN)
    after = set(dead.op.outputs)
    for op in part.ops:
        if op.at > dead.op.at and any(v in after for v in op.inputs):
            if any(v in case.content for v in op.inputs):
                return True
            after.update(op.outputs)
    return False


def ends_layer(case: Case, dead: Dead) -> bool:
    """Whether a flat operation is a layer's own activation, as against a hinge in the loss."""
    made = case.made_by.get(dead.source)
    if made is not None and base_name(made) in _SUMS:  # JAX: a product, and a bias that is brought into its shape
        sides = [op for v in made.inputs if (op := case.made_by.get(v)) is not None]
        bias = any(v in case.content for op in sides if base_name(op) in _SHAPES for v in op.inputs)
        product = any(v in case.content for op in sides if base_name(op) in PRODUCTS for v in op.inputs)
        if product and (bias or any(v in case.content for v in made.inputs)):
            return True
    return made is not None and any(v in case.content for v in made.inputs)


def satisfied(case: Case, dead: Dead) -> bool:
    """A hinge that is met: what comes out is zero and stays zero until it is added to the loss."""
    part = case.slice(dead.backward, reach.CERTAIN)
    zeros = {v for v in dead.op.outputs if (n := numbers_of(case, v)) is not None and n.all_zero}
    sums: set[int] = set()
    if not zeros:
        return False
    for op in part.ops:
        if op.at <= dead.op.at:
            continue
        if any(v in sums for v in op.inputs):
            if base_name(op) in _BENDS:
                return False  # `(output - target) ** 2`: the target was added to it, and no other term
            sums.update(op.outputs)
        elif any(v in zeros for v in op.inputs):
            made = [numbers_of(case, v) for v in op.outputs]
            if all(n is not None and n.all_zero for n in made):
                zeros.update(op.outputs)
            elif base_name(op) in _ADDS:
                sums.update(op.outputs)
            else:
                return False
    return True
