"""What is said of a gradient that is zero by value: how grave it is, what happens, why, and what to do."""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.finding import Severity
from whygrad.rules.numbers.flat_place import computed_outside, place_of, zero_row
from whygrad.rules.numbers.flatness import (
    CUSTOM,
    Dead,
    fed_by,
    leads_through_weights,
    satisfied,
    zero_gradients,
)
from whygrad.rules.numbers.never_filled import returns_beside
from whygrad.rules.numbers.origin import base_name, numbers_of
from whygrad.rules.numbers.softmaxes import QUOTIENTS, is_softmax, structural
from whygrad.rules.wording import at_line, plain_subject, quoted

RECTIFIERS = (
    "relu", "relu6", "threshold", "leaky_relu", "max", "gelu", "silu", "swish", "elu", "selu", "celu", "softplus",
)  # fmt: skip
_LIMITS = frozenset({"maximum", "fmax", "clamp", "clamp_min", "clip", "clip_by_value"})
SQUASHERS = ("tanh", "sigmoid", "logistic", "hard_tanh", "hard_sigmoid")


def story(case: Case, dead: Dead) -> tuple[Severity, str, str, str] | None:
    """Severity, label, why and fix; None where it may well be right."""
    name = base_name(dead.op)
    here = quoted(case.site(dead.op.stack))
    layer = plain_subject(case, fed_by(case, dead.source) or dead.variables)
    if dead.why == "flat" and place_of(case, dead) != case.site(dead.op.stack):
        here = f"the {name} after {layer}"
    in_network = leads_through_weights(case, dead)
    if dead.why == "zero weights" and dead.zero_variable is not None:
        zero = case.variable(dead.zero_variable).name
        if dead.zero_variable not in zero_gradients(case):
            return None  # it moves away from zero by itself
        return (
            "error",
            f"`{zero}` is all zeros",
            f"`{zero}` is all zeros and its own gradient is zero too, so nothing passes through it, ever.",
            f"give `{zero}`{_and_others(case, dead)} random first values; zeros are right for one side of a product "
            "only",
        )
    if dead.why == "cancels":
        stop = {"torch": "detach() it", "tensorflow": "tf.stop_gradient", "jax": "jax.lax.stop_gradient"}
        return (
            "error",
            f"a thing {'over' if name in QUOTIENTS else 'less'} itself: both sides carry the same gradient",
            f"The two sides of {here} are the same and are computed from the same variables, so that what the one side "
            "gives them the other takes away.",
            f"keep the side that is meant to stay (an old policy's) as a constant: {stop[case.recording.framework]}, "
            "from before the update",
        )
    if dead.why in ("zero factor", "zero constant"):
        return _zero_factor(case, dead, here)
    if dead.op.detail == CUSTOM:
        kind = "a custom_vjp function" if case.recording.framework == "jax" else "a custom autograd.Function"
        return (
            "error",
            f"the backward of {dead.op.name} returns zeros",
            f"What the backward of {kind} returns is the gradient, and that of {dead.op.name} "
            "returns zeros for what came in.",
            f"return the gradient in the backward of {dead.op.name}; for a step function the incoming one as it is "
            "(a straight-through estimator)",
        )
    if "softmax" in name or structural(case, dead.op) or is_softmax(case, dead.op):
        return _softmax(case, dead, here, layer)
    above = name == "relu6" and (made := numbers_of(case, dead.op.outputs[0])) is not None and made.high > 0
    if (name in RECTIFIERS and not above) or (
        in_network and _all_zero(case, dead.op)
    ):  # `maximum(x, 0)`, `clamp(min=0)`
        if not in_network and satisfied(case, dead):
            return None  # a hinge loss that is met
        units = dead.op.units
        off = f"all {units.total} units are" if units is not None and units.total > 1 else "it is"
        return (
            "error",
            f"dead: {off} off for the whole batch",
            f"The input of {here} is negative for every row, where its slope is zero: {layer} and what lies before it "
            "get nothing and cannot come back.",
            "look at what makes the input negative (a bias, inputs that are not normalised, a step that was too "
            f"large); use a lower learning rate or {leaky(case)} instead",
        )
    if name in SQUASHERS or above:
        return (
            "warning",
            f"saturated: every unit is at the flat end of {name}",
            f"The input of {here} is so large that the slope is zero in every row.",
            f"make the input of {name} smaller: normalise the inputs, smaller first weights, or a factor before it",
        )
    other = [v for v in dict.fromkeys(dead.op.inputs) if v != dead.source and case.recording.values[v].floating]
    limit = name not in ("where", "select") and all(not case.recording.values[v].shape for v in other)
    if name in ("minimum", "maximum", "min", "max", "fmin", "fmax", "where", "select") and not limit:
        return (
            "warning",
            "the other side is taken for every entry",
            f"{here} takes the other side for every entry, so this side gets no gradient.",
            f"check which side {here} should take, and the limit it compares with",
        )
    output = numbers_of(case, dead.op.outputs[0])
    if not in_network and satisfied(case, dead):
        return None
    limits = f" between {output.low:.3g} and {output.high:.3g}" if output is not None else ""
    itself = case.content.get(dead.source)
    return (
        "warning",
        "every entry lies outside the limits",
        f"{here} cuts every entry off (the result lies{limits}), and where it cuts, its slope is zero.",
        f"{_unclamped(case)}; or widen the limits"
        if itself is None
        else f"give `{case.variable(itself).name}` first values inside the limits, or widen them",
    )


def _all_zero(case: Case, op: Op) -> bool:
    """Whether a limit of zero is all that is left."""
    made = numbers_of(case, op.outputs[0]) if base_name(op) in _LIMITS else None
    return made is not None and made.all_zero


def _and_others(case: Case, dead: Dead) -> str:
    others = sorted(zero_weights(case, dead) - {dead.zero_variable})
    return "".join(f", `{case.variable(v).name}`" for v in others[:3]) + (", …" if len(others) > 3 else "")


def _softmax(case: Case, dead: Dead, here: str, layer: str) -> tuple[Severity, str, str, str]:
    if structural(case, dead.op):
        better = {"torch": "torch.sigmoid", "tensorflow": "tf.sigmoid (activation='sigmoid')", "jax": "jax.nn.sigmoid"}
        if base_name(dead.op) == "cross_entropy":
            better["torch"] = "F.binary_cross_entropy_with_logits"
        return (
            "error",
            "a softmax over one entry is 1 whatever goes in",
            f"{here} runs over a dimension of size 1, so the result is constant and has no slope.",
            f"give it the dimension of the classes, or, for one output, use {better[case.recording.framework]}",
        )
    return (
        "warning",
        "saturated: one entry of every row has all the probability",
        f"In every row of {here} one logit is so far above the others that their probability is zero, and with it the "
        "slope.",
        "make the logits smaller (normalise the inputs, smaller first weights), or take the loss from the logits with "
        "log_softmax",
    )


def _zero_factor(case: Case, dead: Dead, here: str) -> tuple[Severity, str, str, str] | None:
    if dead.why == "zero constant":
        return (
            "note",
            "multiplied by 0",
            f"{here} multiplies by 0, so nothing is learned through it.",
            "leave the term out, or give it a weight",
        )
    if dead.zero is None or dead.zero.kind == "enter" or not dead.zero.inputs:
        returns = returns_beside(case, dead)
        computed = computed_outside(case, dead)
        if returns is not None and computed is not None:
            return _all_zeros(case, dead, quoted(computed), here)
        if returns is not None:
            return (
                "warning",
                "advantages that are all zeros",
                f"{here} weighs a log-probability with data that are zero in every entry, while the returns in "
                f"{quoted(case.site(returns.stack))}{at_line(case.site(returns.stack))} are not: rewards came, and the "
                "advantages that should say so were never filled in.",
                "look at where the zeros come from: an array that is made with zeros and written to under another "
                "name, or not at all",
            )
        return (
            "note",
            "multiplied by data that are all zeros",
            f"{here} multiplies by data that are zero in every entry (rewards that are still zero, a mask).",
            "nothing to do if rewards are rare; else look at where the zeros come from",
        )
    return _all_zeros(case, dead, quoted(case.site(zero_row(case, dead.zero).stack)), here)


def _all_zeros(case: Case, dead: Dead, made: str, here: str) -> tuple[Severity, str, str, str]:
    return (
        "warning",
        "all zeros",
        f"{made} is zero in every entry, and {here}{at_line(case.site(dead.op.stack))} multiplies by it.",
        f"check what {made} is computed from: a difference of a thing with itself, a normalisation over one entry, a "
        "mask that is never true",
    )


def leaky(case: Case) -> str:
    """A rectifier that does not die, as the program's framework has it."""
    return {"torch": "F.leaky_relu", "tensorflow": "tf.nn.leaky_relu", "jax": "jax.nn.leaky_relu"}[
        case.recording.framework
    ]


def _unclamped(case: Case) -> str:
    huber = {"torch": "F.smooth_l1_loss", "tensorflow": "keras.losses.Huber()", "jax": "optax.huber_loss"}
    return f"to limit the gradient of an error use {huber[case.recording.framework]} or clip the gradient norm"


def zero_weights(case: Case, dead: Dead) -> set[int]:
    """Of the variables behind a layer of zeros those that are such layers too: the first one is the one to name."""
    found = {dead.zero_variable} if dead.zero_variable in dead.variables else set()
    for variable in dead.variables:
        content = next((s.weights[variable] for s in reversed(case.recording.steps) if variable in s.weights), None)
        if content is not None and content.all_zero and len(case.variable(variable).shape) > 1:
            found.add(variable)
    return {v for v in found if v is not None}
