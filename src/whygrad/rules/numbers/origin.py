"""Where a NaN or an infinity was born: the first operation, forward or backward, and the input that made it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from whygrad.flow import reach
from whygrad.flow.events import Backward, Step
from whygrad.flow.operations import Numbers, Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import comes_from_variable

_PLACED = frozenset({
    "masked_fill", "full", "full_like", "new_full", "fill", "where", "tensor", "as_tensor", "setitem", "index_fill",
    "masked_scatter", "scatter", "triu", "tril", "select", "fill_diagonal", "constant", "pad",
    "dynamic_update_slice", "broadcast_in_dim", "select_n", "index_put", "masked_select",
})  # fmt: skip
"""Operations that put a value where it was asked for; an infinity from here is meant (a mask of logits)."""

PRODUCTS = frozenset({"mul", "multiply", "rmul", "imul"})
DECOMPOSITIONS = frozenset({
    "svd", "linalg_svd", "eigh", "linalg_eigh", "eig", "linalg_eig", "self_adjoint_eig", "self_adjoint_eig_v2",
    "selfadjointeigv2",
})  # fmt: skip
"""Their derivatives divide by the differences of the numbers they find, and nothing is known of those differences."""

_TINY = 1e-38


@dataclass(slots=True)
class Trouble:
    """The first time that something not finite reached a loss, a gradient that was applied, or a variable."""

    kind: str
    """`loss`, `gradient`, `weights`."""
    at: int
    backward: Backward | None
    step: Step | None
    variables: frozenset[int]
    """Those with a gradient or weights that are not finite; for a loss, those that it trains."""
    seen: int = 1
    harmless: bool = False
    """The gradient is finite all the same: an average over nothing, a repaired gradient."""


@dataclass(slots=True)
class Origin:
    """An operation that made something not finite out of finite numbers; `forward` is false for its derivative."""

    op: Op
    forward: bool
    value: int
    """What it made: the number of a value that is not finite (for a derivative: the operation's result)."""
    bad: Numbers | None = None
    variable: int | None = None
    """A variable that was not finite before anything was computed with it."""
    inputs: list[Numbers | None] = field(default_factory=list)


def base_name(op: Op) -> str:
    """`truediv` of `__rtruediv__` and of `__rdiv__`, `log` of `log_`."""
    name = op.name.strip("_").rsplit(".", 1)[-1].lower()
    return "truediv" if name in ("rtruediv", "itruediv", "rdiv") else name


# --- has anything happened ----------------------------------------------------------------------------------------


def first_trouble(case: Case) -> Trouble | None:
    """The first loss, applied gradient or variable that is not finite."""
    events = [*_in_steps(case), *_in_losses(case)]
    return min(events, key=lambda event: event.at) if events else None


def _in_steps(case: Case) -> list[Trouble]:
    found: list[Trouble] = []
    bad_steps = [s for s in case.recording.steps if s.error is None and _bad(s.gradients)]
    for step in case.recording.steps:
        broken = _bad(step.gradients)
        if broken and step.error is None:
            passes = [b for b in case.recording.backwards if b.at < step.at and b.error is None]
            found_in = [b for b in passes if _bad(b.gradients) & broken]
            backward = _first_since(case, found_in, step) or (passes[-1] if passes else None)
            at = backward.at if backward is not None else step.at
            found.append(Trouble("gradient", at, backward, step, frozenset(broken), len(bad_steps)))
            break
        broken = _bad(step.weights)
        if broken:
            found.append(Trouble("weights", step.at, None, step, frozenset(broken)))
            break
    return found


def _first_since(case: Case, passes: list[Backward], step: Step) -> Backward | None:
    """The first backward pass of a step's own update that gave it something not finite."""
    before = max((s.at for s in case.recording.steps if s.at < step.at and s.optimizer == step.optimizer), default=0)
    return next((b for b in passes if b.at > before), None)


def _in_losses(case: Case) -> list[Trouble]:
    """Losses that are not finite, where nobody can have skipped the step (a loss scaler does)."""
    recording = case.recording
    if any(edit.kind == "unscale" for edit in recording.edits):
        return []
    found: list[Trouble] = []
    for backward in recording.backwards:
        numbers = numbers_of(case, backward.loss)
        if backward.implicit or backward.error or numbers is None or numbers.finite:
            continue
        step = next((s for s in recording.steps if s.at > backward.at and s.applied & backward.got), None)
        harmless = not _bad(step.gradients if step is not None else backward.gradients)
        if harmless and not numbers.nans and not _overflows(case, backward):
            continue  # somebody repaired the gradient, or only a constant in the loss is infinite
        broken = _bad(backward.gradients) or set(backward.got)
        found.append(Trouble("loss", backward.at, backward, step, frozenset(broken), harmless=harmless))
        break
    return found


def given_before(case: Case, trouble: Trouble, variable: int) -> Trouble | None:
    """The pass that gave a variable something not finite, where the update that took it was not seen as one."""
    passes = (b for b in case.recording.backwards if b.at < trouble.at and not b.implicit and b.error is None)
    first = next((b for b in passes if variable in _bad(b.gradients)), None)
    if first is None:
        return None
    return Trouble("gradient", first.at, first, None, frozenset(_bad(first.gradients)), trouble.seen)


def _overflows(case: Case, backward: Backward) -> bool:
    """Whether an operation that a gradient passes made the infinity: the loss says nothing any more."""
    origin = origin_of(case, backward.loss, backward.at) if backward.loss is not None else None
    if origin is None or origin.variable is not None or _placed(case, origin) or not origin.op.carries:
        return False
    return bool(_variables_behind(case, origin.op, backward))


def _bad(numbers: dict[int, Numbers]) -> set[int]:
    return {variable for variable, one in numbers.items() if not one.finite}


def numbers_of(case: Case, value: int | None) -> Numbers | None:
    """What a value contained."""
    known = case.recording.values.get(value) if value is not None else None
    return known.numbers if known is not None else None


# --- the forward pass ---------------------------------------------------------------------------------------------


def origin_of(case: Case, value: int, until: int) -> Origin | None:
    """From something that is not finite back to the operation that made it of finite numbers."""
    numbers = numbers_of(case, value)
    if numbers is None or numbers.finite:
        return None
    return _origin(case, value, until, set())


def _origin(case: Case, value: int, until: int, seen: set[int]) -> Origin | None:
    while True:
        op = case.made_by.get(value)
        numbers = numbers_of(case, value)
        if op is None or op.at >= until or numbers is None or value in seen:
            return None
        seen.add(value)
        bad = [i for i in op.inputs if (n := _numbers_at(case, i, op.at)) is not None and not n.finite]
        broken_variable = next((case.content[i] for i in bad if i in case.content), None)
        nans = [i for i in bad if _has_nan(case, i)]
        here = Origin(op, True, value, numbers, inputs=[_numbers_at(case, i, op.at) for i in op.inputs])
        if numbers.nans and bad and not nans:  # NaN made of an infinity: who made that?
            sources = [s for i in bad if (s := _origin(case, i, until, seen)) is not None]
            computed = [s for s in sources if not _placed(case, s)]
            return min(computed, key=lambda s: s.op.at) if computed else here
        follow = nans or bad
        if not follow:
            return here
        if len(follow) > 1:
            sources = [s for i in follow if (s := _origin(case, i, until, seen)) is not None]
            if sources:
                return min(sources, key=lambda s: s.op.at)
        if broken_variable is not None and follow[0] in case.content:
            here.variable = broken_variable
            return here
        if case.made_by.get(follow[0]) is None:
            return here
        value = follow[0]


def made_before(case: Case, origin: Origin) -> Origin | None:
    """Where data are not finite: an operation of a network that made NaN earlier, outside of every loss.

    An agent's action goes out to the environment, and what that makes of NaN comes back as states and rewards.
    """
    if origin.op.inputs and origin.op.kind != "enter":
        return None
    for at, op in case.recording.ops.items():
        if at >= origin.op.at:
            return None
        inputs = [numbers_of(case, v) for v in op.inputs]
        made = next((v for v in op.outputs if _has_nan(case, v)), None)
        finite = bool(inputs) and all(n is None or n.finite for n in inputs) and any(n is not None for n in inputs)
        if made is not None and finite and base_name(op) not in _PLACED and comes_from_variable(case, made):
            return Origin(op, True, made, numbers_of(case, made), inputs=inputs)
    return None


def _numbers_at(case: Case, value: int, at: int) -> Numbers | None:
    """What a value contained when it was used: a variable is one value, and what was seen of it may be from later."""
    variable = case.content.get(value)
    if variable is not None:
        for step in case.recording.steps:
            if step.at > at and variable in step.weights:
                return step.weights[variable]
    return numbers_of(case, value)


def _has_nan(case: Case, value: int) -> bool:
    numbers = numbers_of(case, value)
    return numbers is not None and numbers.nans > 0


def _placed(case: Case, origin: Origin) -> bool:
    """Whether an infinity was put there rather than computed."""
    if base_name(origin.op) in _PLACED or origin.op.kind == "enter":
        return True
    return not any(n is not None for n in origin.inputs)


# --- the backward pass --------------------------------------------------------------------------------------------


def steep(case: Case, trouble: Trouble) -> Origin | None:
    """The operation whose derivative is not finite where the loss itself is: `sqrt` at 0, a branch that is hidden.

    Walked from the loss, the first such operation that lies between it and the variables concerned.
    """
    backward = trouble.backward
    if backward is None or backward.loss is None or backward.loss not in case.recording.values:
        return None
    part = case.slice(backward, reach.CERTAIN)
    arrived = reach.gradient_reach(case.recording, part, backward.tape)
    partial: Origin | None = None
    suspect: Origin | None = None
    for op in reversed(part.ops):
        if not any(v in arrived for v in op.outputs) or not op.carries:
            continue
        inputs = [numbers_of(case, i) for i in op.inputs]
        output = op.outputs[0] if op.outputs else -1
        numbers = numbers_of(case, output)
        hidden = hides_trouble(op, inputs, numbers)
        masked = numbers is not None and numbers.nans > 0 and not hidden and _of_placed(case, op, backward.at)
        known = hidden or masked or op.spoils or infinite_slope(op, inputs, numbers)
        if not known and (suspect is not None or base_name(op) not in DECOMPOSITIONS):
            continue
        behind = _variables_behind(case, op, backward)
        if not known:
            suspect = Origin(op, False, output, numbers, inputs=inputs) if trouble.variables <= behind else None
            continue
        if (hidden or masked) and numbers is not None and numbers.nans:
            behind |= _multiplied_with_nan(case, part, trouble.variables)
        if behind & trouble.variables:
            origin = Origin(op, False, output, numbers, inputs=inputs)
            if trouble.variables <= behind:
                return origin
            partial = partial or origin
    return partial or suspect


def hides_trouble(op: Op, inputs: list[Numbers | None], output: Numbers | None) -> bool:
    """Whether an operation made something not finite of finite numbers, which a finite loss does not show."""
    made = output is not None and not output.finite and all(n is None or n.finite for n in inputs)
    return made and base_name(op) not in _PLACED


def _of_placed(case: Case, op: Op, until: int) -> bool:
    """Whether NaN was made of nothing worse than an infinity that was put there: a softmax over a masked row."""
    bad = [v for v in op.inputs if (n := numbers_of(case, v)) is not None and not n.finite]
    origins = [_origin(case, v, until, set()) for v in bad if not _has_nan(case, v)]
    return bool(bad) and len(origins) == len(bad) and all(o is not None and _placed(case, o) for o in origins)


def _multiplied_with_nan(case: Case, part: reach.Slice, variables: Collection[int]) -> set[int]:
    """Those variables that NaN was multiplied with: a row that the loss leaves out gives their gradient 0 times NaN."""
    found: set[int] = set()
    for op in part.ops:
        read = {case.content[v] for v in op.inputs if v in case.content} & set(variables)
        if read and any(_has_nan(case, v) for v in op.inputs):
            found |= read
    return found


def infinite_slope(op: Op, inputs: list[Numbers | None], output: Numbers | None) -> bool:
    """Whether the derivative is infinite (or NaN) at one of these inputs although the result is finite."""
    name, first = base_name(op), inputs[0] if inputs else None
    if name in PRODUCTS:
        return any(n is not None and n.infs for n in inputs)
    if first is None:
        return False
    if name in ("sqrt", "rsqrt"):
        return first.low == 0
    if name in ("norm", "std") and op.detail == "undefined at 0":
        # JAX differentiates the root in it; the others define the slope at 0
        return bool(output.zeros if output is not None else first.zeros)
    if name in ("log", "log2", "log10"):
        return 0 <= first.low < _TINY
    if name in ("pow", "float_power") and (power := exponent(op, inputs)) is not None:
        return first.low == 0 and 0 < power < 1
    if name in ("acos", "asin", "arccos", "arcsin"):
        return first.low <= -1 or first.high >= 1
    if name in ("atan2", "arctan2"):
        return len(inputs) > 1 and inputs[1] is not None and bool(first.zeros and inputs[1].zeros)
    return False


def exponent(op: Op, inputs: list[Numbers | None]) -> float | None:
    """What something is raised to, where it is one number."""
    if op.detail.startswith("exponent "):
        return float(op.detail.split()[1])
    second = inputs[1] if len(inputs) > 1 else None
    return second.low if second is not None and second.finite and second.low == second.high else None


def _variables_behind(case: Case, op: Op, backward: Backward) -> set[int]:
    recording = case.recording
    part = reach.backward_slice(recording, op.outputs[0], case.made_by, backward.at, reach.CERTAIN)
    return {v for n in part.values if n in recording.values and (v := recording.values[n].variable) is not None}
