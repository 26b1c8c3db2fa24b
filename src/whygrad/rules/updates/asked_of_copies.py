"""TensorFlow: a gradient that is asked for a target network, where the one that learns was meant.

`tape.gradient(critic_loss, target_critic.trainable_variables)`: the target is stopped, as it should be, and gets None.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.events import Backward
from whygrad.rules.case import Case
from whygrad.rules.ownership import within_reach


@dataclass(slots=True)
class AskedOfCopy:
    """A request for copies that get nothing, and what they are copies of."""

    backward: Backward
    sources: set[int]
    times: int


def asked_of_copies(case: Case) -> list[AskedOfCopy]:
    """Told where the loss would train the network that was copied, and nobody asks for that one."""
    recording = case.recording
    sources = {c.target: c.source for c in recording.copies if c.source != c.target}
    asked = {v for b in recording.backwards for v in b.wanted}
    found: dict[int, AskedOfCopy] = {}
    for backward in recording.backwards:
        wanted = set(backward.wanted)
        if recording.framework != "tensorflow" or not wanted or backward.got or backward.implicit:
            continue
        if backward.error is not None or not wanted <= sources.keys() or backward.loss not in recording.values:
            continue
        meant = {sources[v] for v in wanted}
        if backward.stack in found:
            found[backward.stack].times += 1
        elif not meant & asked and meant <= within_reach(case, backward):
            found[backward.stack] = AskedOfCopy(backward, meant, 1)
    return list(found.values())
