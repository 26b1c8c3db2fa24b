"""W103 left-framework"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.rules.case import Case
from whygrad.rules.finding import Finding
from whygrad.rules.verdict import Verdict, verdicts
from whygrad.rules.wording import at_line, from_verdict, quoted

CODE, NAME = "W103", "left-framework"
SUMMARY = "the value went through NumPy or Python and came back as a constant"

_WRITTEN = {
    "numpy": ".numpy()", "item": ".item()", "tolist": ".tolist()", "__array__": "NumPy", "__float__": "float()",
    "__int__": "int()", "__index__": "an index", "predict": "predict()", "predict_on_batch": "predict_on_batch()",
}  # fmt: skip


def check(case: Case) -> Iterator[Finding]:
    """Values that left the framework on the way to the loss."""
    for verdict in verdicts(case):
        if verdict.code == CODE:
            yield from_verdict(case, verdict, NAME, *_words(case, verdict))


def _words(case: Case, verdict: Verdict) -> tuple[str, str, str]:
    op, torch = verdict.op, case.recording.framework == "torch"
    if op.kind == "enter":
        text = quoted(verdict.where)
        label = "the gradient stops here: this makes a new tensor from the numbers alone"
        why = (
            "A tensor built from values has no history: the framework cannot know what the numbers were computed from."
        )
        join = "torch.stack([...]) or torch.cat([...])" if torch else "tf.stack([...]) or tf.concat([...])"
        fix = f"keep the tensors in place of {text}; to put several together use {join}"
        return label, why, fix
    written = _WRITTEN.get(op.name, op.name)
    back = at_line(case.site(verdict.entry.stack) if verdict.entry is not None else None, verdict.where)
    label = f"the value leaves the framework here ({written})"
    label += f" and comes back{back} as a constant" if back else ""
    why = (
        "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to the framework."
    )
    if op.name.startswith("predict"):
        fix = "call the model itself inside the tape, `model(x, training=True)`; predict() is for inference"
    else:
        maths = "torch" if torch else "tf / keras.ops"
        fix = (
            f"stay in the framework up to the loss: drop {written} in {quoted(verdict.where)} and use {maths} functions"
        )
    return label, why, fix
