"""TensorFlow: a cross-entropy over one class, by a softmax of its own. It is zero whatever goes in.

What TensorFlow gives back for it need not be zero: the formula takes for granted that the labels of a row add up to
one, which those of a single unit do for one class only. That gradient belongs to no loss.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.numbers.flat_place import place_of
from whygrad.rules.numbers.flatness import Dead, behind
from whygrad.rules.numbers.origin import base_name
from whygrad.rules.numbers.softmaxes import structural
from whygrad.rules.wording import at_line, subject, verb


def single_class(case: Case, told: set[int]) -> Iterator[Finding]:
    """One for each such loss whose variables were not told of for a gradient of zero."""
    done: set[int] = set()
    for backward in case.recording.backwards if case.recording.framework == "tensorflow" else ():
        if backward.loss is None or backward.error or backward.loss not in case.recording.values:
            continue
        part = case.slice(backward, reach.CERTAIN)
        for op in part.ops:
            if "cross_entropy" not in base_name(op) or op.stack in done or not structural(case, op):
                continue
            members = behind(case, part, op.inputs[0], backward) & backward.got & case.trained
            if not members or members & told:
                continue
            done.add(op.stack)
            where = place_of(case, Dead(op, op.inputs[0], "flat", backward, members))
            loss = case.loss_site(backward)
            yield Finding(
                code="W401", rule="zero-gradient", severity="error",
                message=f"{subject(case, members)} {verb(members, case, 'learns', 'learn')} nothing from the loss"
                f"{at_line(loss, where)}: it is zero whatever goes in",
                why="It takes a softmax over one class, which is 1 for every row, and its logarithm is 0. What "
                "TensorFlow gives back as the gradient is what its formula makes of labels that do not add up to 1.",
                fix="give the last layer a unit for each class, or, for one unit, use activation='sigmoid' and "
                "binary_crossentropy",
                variables=case.names(members), where=where, label="a softmax over one entry is 1 whatever goes in",
                loss=loss, path=stations((where, "softmax", "one unit"), (loss, "loss", "the loss, which is zero")),
            )  # fmt: skip
