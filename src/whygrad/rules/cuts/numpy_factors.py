"""TensorFlow: a NumPy function of a live tensor within the tape, whose result goes on into the loss.

`np.exp(-log_variance)` returns numbers where `tf.exp` returns a tensor, and says nothing. Whoever means to stop a
gradient writes so; here the rest of the expression is alive, and the gradient lacks what this factor would bring.
"""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import Missing, cuts_of
from whygrad.rules.cuts.verdict import Verdict, judge

_SMOOTH = frozenset({
    "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sqrt", "square", "power", "float_power", "tanh", "sin",
    "cos", "sinh", "cosh", "arctan", "abs", "absolute", "maximum", "minimum", "clip", "add", "subtract", "multiply",
    "divide", "true_divide", "negative", "reciprocal", "logaddexp", "dot", "matmul", "sum", "mean", "var", "std",
})  # fmt: skip
_PASSES = 4


def numpy_factors(case: Case) -> list[Verdict]:
    """One for each line, of variables that learn on other ways."""
    if case.recording.framework != "tensorflow":
        return []
    found: dict[int, Verdict] = {}
    passes = [
        b for b in case.recording.backwards if b.tape is not None and b.error is None and b.got and not b.implicit
    ]
    for backward in passes[:_PASSES]:
        tape = case.recording.tapes.get(backward.tape) if backward.tape is not None else None
        part = case.slice(backward, reach.PROVED)
        for cut in cuts_of(case, part, set(backward.got), backward.tape):
            op = cut.op
            inside = tape is not None and tape.opened < op.at < (tape.closed or backward.at)
            smooth = op.kind == "leave" and op.name.removeprefix("np.") in _SMOOTH and op.name.startswith("np.")
            if inside and smooth and op.stack not in found:
                verdict = judge(case, Missing(backward, cut.variables, [cut], part), cut)
                verdict.idle = True
                found[op.stack] = verdict
    return list(found.values())
