"""What an operation does at the point where it makes NaN or infinity, and what to write instead."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from whygrad.flow.operations import Numbers
from whygrad.flow.source import expression
from whygrad.rules.case import Case
from whygrad.rules.numbers.origin import DECOMPOSITIONS, PRODUCTS, Origin, base_name, exponent
from whygrad.rules.wording import quoted

_HALF = 65504.0
_MODULES = frozenset({"torch", "F", "tf", "jnp", "np", "jax", "keras", "ops", "math", "nn"})
_EXP_LIMIT = 88.0
_LOGS = ("log", "log2", "log10", "log1p", "xlogy")
_DIVISIONS = ("truediv", "div", "true_divide", "divide", "reciprocal", "floordiv", "real_div", "remainder", "fmod")
_ROOTS = ("sqrt", "rsqrt")
_POWERS = ("pow", "float_power", "integer_pow")
_EXPONENTIALS = ("exp", "expm1", "exp2", "cosh", "sinh", "logaddexp")
_SOFTMAX = ("softmax", "log_softmax", "sparse_softmax", "softmax_cross_entropy_with_logits",
            "sparse_softmax_cross_entropy_with_logits", "scaled_dot_product_attention")  # fmt: skip
_SPREAD = ("std", "var", "std_mean", "var_mean", "reduce_std", "reduce_variance", "moments")
_INVERSE = ("acos", "asin", "arccos", "arcsin", "atanh", "acosh", "arctanh")
_MEANS = ("mean", "reduce_mean", "nanmean", "cross_entropy", "nll_loss", "mse_loss", "smooth_l1_loss", "l1_loss")


@dataclass(frozen=True, slots=True)
class Point:
    """How to say it: what happened (under the expression), and the repair."""

    what: str
    fix: str


def explain(case: Case, origin: Origin) -> Point:
    """The story of one operation and the input that made it."""
    if not origin.op.inputs or origin.op.kind == "enter":
        return _data(origin)
    name = base_name(origin.op)
    first = origin.inputs[0] if origin.inputs else None
    second = origin.inputs[1] if len(origin.inputs) > 1 else None
    if not origin.forward and name in PRODUCTS and any(n is not None and n.infs for n in origin.inputs):
        return Point(
            "a factor is infinite, so the slope for the other one is infinite too; a gradient of 0 makes NaN of it",
            f"do not multiply by infinity: put the masked entries in place of the others, {_selected(case)}",
        )
    if not origin.forward and (origin.bad is None or origin.bad.finite):
        return _derivative(case, origin, name, first)
    if name in _LOGS and first is not None:
        return _log(case, origin, first)
    if name in _DIVISIONS:
        return _division(case, origin, name, first, second)
    if name in _ROOTS and first is not None:
        return _root(case, origin, name, first)
    if name in _POWERS and first is not None:
        return _power(case, origin, first)
    if name in _EXPONENTIALS and first is not None and first.high > _EXP_LIMIT / 8:
        return _exponential(case, origin, name, first)
    if name in _SOFTMAX or (name == "sub" and _called(case, origin) in _SOFTMAX):
        return Point(
            "in some row every entry is -inf: nothing is left to divide by, and the result is NaN",
            f"leave at least one entry of every row unmasked before {_here(case, origin)}, or drop such rows",
        )
    if name in _SPREAD:
        return _spread(case, origin, name)
    if name in _INVERSE and first is not None:
        return Point(
            f"`{name}` is only defined between -1 and 1; its input goes from {_n(first.low)} to {_n(first.high)}",
            f"limit the input to just inside: {_clamp(case, origin, '-1 + 1e-6', '1 - 1e-6')}",
        )
    if name in _MEANS and _empty(case, origin):
        return Point(
            "an average over nothing: its input has no entries, and 0/0 is NaN",
            f"skip {_here(case, origin)} when nothing was selected, or sum and divide by max(count, 1)",
        )
    return _general(case, origin, name, first, second)


def _data(origin: Origin) -> Point:
    bad = origin.bad
    what = _count(bad) if bad is not None else "something that is not finite"
    return Point(
        f"{what} in the data already, before the network has seen it",
        "find out where the data gets it (a missing value, a division, an empty episode) and clean it there; a loss "
        "cannot repair it",
    )


def _log(case: Case, origin: Origin, first: Numbers) -> Point:
    name = base_name(origin.op)
    if name == "log1p":
        return Point(
            f"the logarithm of 1 + x at x = {_n(first.low)}",
            f"keep the input above -1: {_clamp(case, origin, '-1 + 1e-6', None)}",
        )
    if first.low < 0:
        what = f"the logarithm of a negative number (the lowest input is {_n(first.low)}) is NaN"
    else:
        what = f"the logarithm of 0 is -inf{_of(first.zeros, first.size)}"
    better = {
        "torch": "F.log_softmax(logits, dim=-1) or F.logsigmoid(logits)",
        "tensorflow": "tf.nn.log_softmax(logits) or tf.math.log_sigmoid(logits)",
        "jax": "jax.nn.log_softmax(logits) or jax.nn.log_sigmoid(logits)",
    }[case.recording.framework]
    return Point(
        what,
        f"for the logarithm of a probability use {better}; else keep its input away from 0: "
        f"{_clamp(case, origin, '1e-8', None)}",
    )


def _division(case: Case, origin: Origin, name: str, first: Numbers | None, second: Numbers | None) -> Point:
    below = first if name == "reciprocal" or origin.op.name == "__rtruediv__" else second
    zero_above = first is not None and first.zeros > 0 and below is not first
    if below is not None and not below.zeros and below.finite:
        return Point(
            f"a division by {_n(min(abs(below.low), abs(below.high)))}: the result is too large for a number",
            f"keep what {_here(case, origin)} divides by away from 0",
        )
    what = "0/0 is NaN" if origin.bad is not None and origin.bad.nans and zero_above else "a division by 0"
    part = _of(below.zeros, below.size, "of the divisor's") if below is not None else ""
    return Point(
        f"{what}{part}",
        f"make sure that what {_here(case, origin)} divides by cannot be 0: add a small number to it (+ 1e-8), or "
        "replace the zeros before the division",
    )


def _root(case: Case, origin: Origin, name: str, first: Numbers) -> Point:
    if name == "rsqrt" and first.low == 0:
        what = f"1/sqrt of 0 is infinite{_of(first.zeros, first.size)}"
    else:
        what = f"the square root of a negative number (the lowest input is {_n(first.low)}) is NaN"
    return Point(what, f"keep the input above 0: {_clamp(case, origin, '1e-8', None)}")


def _power(case: Case, origin: Origin, first: Numbers) -> Point:
    raised = exponent(origin.op, origin.inputs)
    to = f" to the power {raised:g}" if raised is not None else " to a power"
    if first.low < 0 and origin.bad is not None and origin.bad.nans:
        return Point(
            f"a negative number ({_n(first.low)}){to} is NaN",
            f"raise the absolute value and keep the sign apart, or keep the base positive: "
            f"{_clamp(case, origin, '1e-8', None)}",
        )
    if first.zeros and first.high <= 1e18:
        return Point(f"0{to} is infinite", f"keep the base above 0: {_clamp(case, origin, '1e-8', None)}")
    return Point(
        f"{_n(max(-first.low, first.high))}{to} is too large for a number",
        f"keep the base of {_here(case, origin)} small: its input has grown beyond all bounds",
    )


def _exponential(case: Case, origin: Origin, name: str, first: Numbers) -> Point:
    stable = {
        "torch": "torch.softmax, torch.logsumexp, F.softplus",
        "tensorflow": "tf.nn.softmax, tf.reduce_logsumexp, tf.nn.softplus",
        "jax": "jax.nn.softmax, jax.nn.logsumexp, jax.nn.softplus",
    }[case.recording.framework]
    return Point(
        f"`{name}` of {_n(first.high)} is too large for a number: inf",
        f"limit the exponent: {_clamp(case, origin, '-20', '20')}; or use the function that does it safely ({stable})",
    )


def _spread(case: Case, origin: Origin, name: str) -> Point:
    return Point(
        "the spread of a single number is 0/0 with the unbiased estimator: NaN",
        "take it over more than one entry (check the dimension and the batch size), or use the biased one: "
        "unbiased=False",
    )


def _derivative(case: Case, origin: Origin, name: str, first: Numbers | None) -> Point:
    zeros = _of(first.zeros, first.size) if first is not None else ""
    if origin.op.spoils:
        return Point(
            f"the backward of {origin.op.name} makes NaN or infinity of a gradient that is finite",
            f"keep the formula in the backward of {origin.op.name} finite for every input: an exponential that "
            "overflows, divided by its own square, is inf/inf; torch.sigmoid and its like do not overflow",
        )
    if name == "norm":
        return Point(
            f"the norm of a zero vector is 0, and its slope there does not exist{zeros}",
            "put the small number under the root, jnp.sqrt(jnp.sum(x**2, axis=-1, keepdims=True) + 1e-8): added "
            "to the norm afterwards it comes too late",
        )
    if name == "std":
        return Point(
            "the spread of equal numbers is 0, and its slope there does not exist",
            "put a small number under the root, jnp.sqrt(jnp.var(x) + 1e-8): added to the spread afterwards it comes "
            "too late",
        )
    if name in _ROOTS or name in _POWERS:
        power = exponent(origin.op, origin.inputs)
        what = "the square root" if name in _ROOTS or power is None else f"x to the power {power:g}"
        return Point(
            f"{what} is finite at 0 and its slope there is infinite{zeros}",
            f"keep the input above 0: {_clamp(case, origin, '1e-8', None)}. A `where` around it does not help: "
            "0 times infinity is NaN",
        )
    if name in _LOGS and first is not None:
        return Point(
            f"the slope of the logarithm at {_n(first.low)} is too large for a number",
            f"keep its input away from 0: {_clamp(case, origin, '1e-8', None)}",
        )
    if name in _INVERSE and first is not None:
        return Point(
            f"the slope of `{name}` is infinite at -1 and 1; its input goes from {_n(first.low)} to {_n(first.high)}",
            f"limit the input to just inside: {_clamp(case, origin, '-1 + 1e-6', '1 - 1e-6')}",
        )
    if name in ("atan2", "arctan2"):
        return Point(
            "the angle of the point (0, 0) has no slope",
            f"replace the zeros before {_here(case, origin)}; a `where` around it does not help: 0 times NaN is NaN",
        )
    if name in DECOMPOSITIONS:
        return Point(
            "its derivative divides by the differences of the singular values or eigenvalues: infinite where two are "
            "equal",
            f"keep them apart (add a little noise to the matrix before {_here(case, origin)}), or use only the values "
            "and not the vectors",
        )
    return Point(
        f"the derivative of `{name}` is not finite here",
        f"keep the input of {_here(case, origin)} away from the point where its derivative does not exist",
    )


def _general(case: Case, origin: Origin, name: str, first: Numbers | None, second: Numbers | None) -> Point:
    infinite = any(n is not None and n.infs for n in origin.inputs)
    if infinite and origin.bad is not None and origin.bad.nans:
        how = "0 times infinity" if "mul" in name else "infinity minus infinity"
        return Point(
            f"{how} is NaN: an infinite value arrives here",
            f"do not compute with the infinite value at {_here(case, origin)}: mask with a large finite number "
            "(-1e9), or select after the computation",
        )
    largest = max((max(abs(n.low), abs(n.high)) for n in origin.inputs if n is not None), default=0.0)
    if largest > 1e15:
        return Point(
            f"the numbers are too large for `{name}`: its input reaches {_n(largest)}",
            "find out why they grow: normalise the inputs, lower the learning rate, clip the gradient norm",
        )
    if largest > _HALF / 64:
        return Point(
            f"`{name}` overflows: its input reaches {_n(largest)} (half precision ends at 65504, float32 at 3.4e38)",
            f"scale the input of {_here(case, origin)} down; in half precision, compute it in float32",
        )
    ranges = [f"{_n(n.low)} to {_n(n.high)}" for n in (first, second) if n is not None]
    seen = f" (its inputs go from {', and from '.join(ranges)})" if ranges else ""
    return Point(
        f"`{name}` makes {_count(origin.bad)} out of finite numbers{seen}",
        f"keep the inputs of {_here(case, origin)} inside what it is defined for",
    )


# --- pieces -------------------------------------------------------------------------------------------------------


def _here(case: Case, origin: Origin) -> str:
    return quoted(case.site(origin.op.stack))


def _selected(case: Case) -> str:
    where = {"torch": "torch.where", "tensorflow": "tf.where"}.get(case.recording.framework, "jnp.where")
    return f"{where}(mask, x, -1e9)"


def _clamp(case: Case, origin: Origin, low: str, high: str | None) -> str:
    x = _operand(case, origin)
    if case.recording.framework == "torch":
        inner = x if x.replace(".", "").replace("_", "").isalnum() else f"({x})"
        return f"{inner}.clamp(min={low}, max={high})" if high else f"{inner}.clamp(min={low})"
    if case.recording.framework == "tensorflow":
        return f"tf.clip_by_value({x}, {low}, {high})" if high else f"tf.maximum({x}, {low})"
    return f"jnp.clip({x}, {low}, {high})" if high else f"jnp.maximum({x}, {low})"


def _called(case: Case, origin: Origin) -> str:
    """The function that the user's expression calls, where the operation is a part of it: `jax.nn.softmax`."""
    site = case.site(origin.op.stack)
    try:
        call = ast.parse(expression(site, limit=10_000), mode="eval").body if site is not None else None
    except (SyntaxError, ValueError):
        return ""
    if not isinstance(call, ast.Call):
        return ""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _operand(case: Case, origin: Origin) -> str:
    """What the user gives the operation, in the user's words: `p` of `torch.log(p)` and of `p.log()`."""
    site = case.site(origin.op.stack)
    try:
        call = ast.parse(expression(site, limit=10_000), mode="eval").body if site is not None else None
    except (SyntaxError, ValueError):
        return "x"
    found: ast.expr | None = None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == base_name(origin.op):
        owner = ast.unparse(call.func.value)
        found = call.args[0] if call.args and owner.split(".")[0] in _MODULES else call.func.value
    elif isinstance(call, ast.BinOp) and isinstance(call.op, ast.Pow):
        found = call.left
    text = ast.unparse(found) if found is not None and not isinstance(found, ast.Starred) else "x"
    return text if len(text) <= 40 else "x"


def _count(numbers: Numbers | None) -> str:
    if numbers is None:
        return "NaN"
    kind = "NaN" if numbers.nans else "infinity"
    return kind if numbers.size == 1 else f"{kind} ({numbers.nans or numbers.infs} of {numbers.size} entries)"


def _of(zeros: int, size: int, what: str = "of its") -> str:
    if not zeros or size == 1:
        return ""
    return f" ({zeros} {what} {size} entries {'is' if zeros == 1 else 'are'} 0)"


def _empty(case: Case, origin: Origin) -> bool:
    shapes = [case.recording.values[i].shape for i in origin.op.inputs if i in case.recording.values]
    return any(0 in shape for shape in shapes) or all(n is None for n in origin.inputs)


def _n(number: float) -> str:
    return f"{number:.3g}"
