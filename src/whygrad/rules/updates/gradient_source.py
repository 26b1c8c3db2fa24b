"""Which loss gives variables their gradient, or could."""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.rules.case import Case
from whygrad.rules.cuts.roles import bare_output


def gradient_source(case: Case, members: set[int]) -> Backward:
    """The backward pass that gives (or could give) these variables a gradient.

    Best one that was written for them: an actor's loss comes through the critic, and makes large what that one says.
    """
    recording = case.recording
    asked = [b for b in recording.backwards if b.got & members]
    if asked:
        places = {b.stack: b for b in reversed(asked)}  # the first of each
        own = [b for b in places.values() if not bare_output(case, b, members)]
        wasted = [b for b in own if b.got <= case.unheld]  # nothing else learns from it: it is there for these
        return min(wasted or own or asked, key=lambda b: b.at)
    using = [b for b in recording.backwards if not b.implicit and any(case.uses(b, v) for v in members)]
    first = {b.stack: b for b in reversed(using)}  # the same request is made again in every update
    return next((b for b in using if first[b.stack] is b and _leads_to(case, b, members)), using[0])


def _leads_to(case: Case, backward: Backward, members: set[int]) -> bool:
    """Whether a gradient could get from a loss to these: what was made before the tape is data to it."""
    arrived = reach.gradient_reach(case.recording, case.slice(backward, reach.CERTAIN), backward.tape)
    return any(case.recording.values[value].variable in members for value in arrived)
