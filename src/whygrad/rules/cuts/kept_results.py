"""TensorFlow: a loss that is computed with a variable which keeps what was computed from the one to be trained.

`alpha.assign(tf.exp(log_alpha))` after each update, and `alpha` in the loss of the temperature: it has the right
number, and is a variable of its own. No gradient goes through a store.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.stand_ins import severity_of
from whygrad.rules.finding import Finding, stations
from whygrad.rules.wording import at_line, plain_subject, quoted, subject, verb


def kept_results(case: Case, missing: Missing, unused: set[int]) -> Iterator[tuple[set[int], Finding]]:
    """Variables that the loss is not computed from, each with its finding at the use of what is kept of it."""
    for copy in sorted(case.used_by(missing.backward)):
        originals = set(case.variable(copy).derived_from)
        alike = {v for v in originals if case.variable(v).shape == case.variable(copy).shape}
        # What is computed from several (an average of the batch) stands for none of them.
        if len(originals) == 1 and alike <= unused and copy not in missing.backward.wanted and alike:
            finding = _finding(case, missing, alike, copy)
            if finding is not None:
                yield alike, finding


def _finding(case: Case, missing: Missing, members: set[int], copy: int) -> Finding | None:
    ops = case.slice(missing.backward, reach.CERTAIN).ops
    used = [op for op in ops if op.name != "read_value" and any(case.content.get(v) == copy for v in op.inputs)]
    where = case.seen_from(used[-1].stack, missing.backward.stack) if used else None
    if where is None:
        return None
    loss, kept, name = case.loss_site(missing.backward), plain_subject(case, {copy}), plain_subject(case, members)
    written = case.site(case.variable(copy).derived_from[min(members)])
    return Finding(
        code="W105", rule="loss-ignores", severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the loss"
        f"{at_line(loss, where)} is computed with {kept}, which only keeps what was computed from it",
        why=f"{kept} is a variable of its own, written{at_line(written, where)}. No gradient goes through a store, so "
        f"that none gets from it to {name}.",
        fix=f"compute it from {name} under the tape, in the place of {kept} in {quoted(where)}",
        variables=case.names(members), where=where, loss=loss,
        label=f"uses {kept}, and {name} is the one to be trained",
        path=stations(
            (written, "assign", f"{kept} is given what was computed from {name}"),
            (where, "use", f"computed with {kept}"),
            (loss, "loss", "the loss"),
        ),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip
