"""TensorFlow: a gradient that is asked of an empty list, because the model tracks none of the layers that it uses."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.rules.case import Case
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import at_line, quoted, subject


def asked_for_nothing(case: Case) -> Iterator[Finding]:
    """Where all that is on the way could learn, and nothing does: what was frozen is told by W109."""
    recording = case.recording
    done: set[int] = set()
    for backward in recording.backwards:
        empty = backward.tape is not None and not backward.wanted and not backward.asked_values
        if recording.framework != "tensorflow" or not empty or backward.implicit or backward.stack in done:
            continue
        if backward.loss not in recording.values:
            continue
        arrived = reach.gradient_reach(recording, case.slice(backward, reach.CERTAIN), backward.tape)
        on_way = {v for n in arrived if n in recording.values and (v := recording.values[n].variable) is not None}
        members = {v for v in on_way if recording.variables[v].parameter and recording.variables[v].trainable}
        if not members or members & case.trained or len(members) < len(on_way):
            continue
        done.add(backward.stack)
        where, made, loss = case.site(backward.stack), created_at(case, members), case.loss_site(backward)
        steps = [(made, "creation", "made here"), (where, backward.call, "asked for no variable")]
        yield Finding(
            code="W201", rule="not-in-optimizer", severity="error",
            message=f"{subject(case, members)} could learn from the loss{at_line(loss, where)}, and the list of "
            "variables that its gradient is asked for is empty",
            why=f"{quoted(where)} is given nothing to differentiate for: the model keeps none of the layers that it "
            "uses as its own.",
            fix="make the layers in __init__ and keep them as attributes of the model, or ask for the variables of the "
            "networks themselves",
            variables=case.names(members), where=where, label="asks for the gradient of nothing", loss=loss,
            path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        )  # fmt: skip
