"""W101 unrecorded"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.rules.case import Case
from whygrad.rules.finding import Finding
from whygrad.rules.verdict import Verdict, verdicts
from whygrad.rules.wording import at_line, from_verdict, quoted

CODE, NAME = "W101", "unrecorded"
SUMMARY = "the forward pass ran where nothing was recorded: outside the tape, under no_grad, with recording stopped"


def check(case: Case) -> Iterator[Finding]:
    """Cuts that are nothing but a recorder switched off."""
    for verdict in verdicts(case):
        if verdict.code == CODE:
            yield from_verdict(case, verdict, NAME, *_words(case, verdict))


def _words(case: Case, verdict: Verdict) -> tuple[str, str, str]:
    call = quoted(verdict.where, "this call")
    switch, tape = verdict.switch, verdict.tape
    if switch is not None:
        name = {"no_grad": "torch.no_grad()", "inference_mode": "torch.inference_mode()"}.get(
            switch.name, "tape.stop_recording()"
        )
        opened = at_line(verdict.switch_site, verdict.where)
        label = f"not recorded: it runs under {name}, opened{opened}" if opened else f"not recorded: {name} is on"
        why = f"What runs under {name} leaves no trace to differentiate, so the loss is a constant to everything before it."
        fix = f"compute {call} outside {name}; keep {name} for targets, evaluation and acting"
        if verdict.where == verdict.switch_site:
            label = "gradients are switched off here, and never on again"
            fix = "use `with torch.no_grad():` around the part that needs no gradient, so that it ends by itself"
        if switch.decorator:
            fix = f"take the decorator{opened} off the function that the loss is computed with, or call the network itself"
        return label, why, fix
    if tape is not None:
        opened = at_line(case.site(tape.stack), verdict.where)
        if verdict.op.at < tape.opened:
            label = f"computed before the tape{opened} was opened, so the tape never saw it"
        else:
            label = f"the tape{opened} was not recording here"
        why = "A GradientTape differentiates only what runs while it is open."
        fix = f"move {call} into the `with tf.GradientTape() as tape:` block"
        return label, why, fix
    return "nothing was recorded here", "Gradients were switched off for this thread.", f"record {call}"
