"""What a callback that watches has left in its run."""

import os
from pathlib import Path

import numpy as np


def where(faults):
    """The folder of a run for a training that is to be watched."""
    return os.path.join(os.environ["RUNS"], "+".join(faults)) if "watch" in faults else False


def watched(callback):
    if callback.watching is None:
        return None
    from whygrad.live.reading import Reading
    from whygrad.live.run_liveness import live

    reading = Reading(callback.watching.path)
    return {
        "groups": {
            group.name: {
                "updates": group.updates,
                "looks": group.looks,
                "variables": [variable.name for variable in group.variables],
                "norms": [float(np.nansum(look.rows[:, 1])) for look in reading.looks(group.id)],
            }
            for group in reading.groups()
        },
        "scalars": {name: [one.mean for one in values] for name, values in reading.scalars().items()},
        "steps": {name: values[-1].last for name, values in reading.scalars().items()},
        "events": [[event.code, event.variable] for event in reading.events()],
        "live": live(Path(callback.watching.path)),
    }
