"""W102 stopped"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.rules.case import Case
from whygrad.rules.finding import Finding
from whygrad.rules.verdict import Verdict, verdicts
from whygrad.rules.wording import from_verdict, quoted

CODE, NAME = "W102", "stopped"
SUMMARY = "detach, stop_gradient or .data on the only way from the variable to the loss"


def check(case: Case) -> Iterator[Finding]:
    """Cuts that the program asked for."""
    for verdict in verdicts(case):
        if verdict.code == CODE:
            yield from_verdict(case, verdict, NAME, *_words(verdict))


def _words(verdict: Verdict) -> tuple[str, str, str]:
    written = {"detach": ".detach()", "detach_": ".detach_()", "data.__get__": ".data"}.get(
        verdict.op.name, "tf.stop_gradient"
    )
    label = f"the gradient stops here: {written} returns the value as a constant"
    why = f"Every way from these variables to the loss passes through {written}, which is there to stop a gradient."
    text = quoted(verdict.where)
    fix = f"take {written} away in {text}, or stop only the side that is meant to be a constant (the target)"
    return label, why, fix
