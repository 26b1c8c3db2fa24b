"""What can be wrong with a training that its user can put right: sentences instead of tracebacks."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from whygrad.cli import forms
from whygrad.cli.output import Stream, fail
from whygrad.faults import BrokenContract


def in_sentences(work: Callable[[], int]) -> int:
    """Do some work for its exit status: 2 after a refusal, 3 after a broken contract. Other faults keep a traceback."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = partial(_warn, warnings.showwarning)
            return work()
    except BrokenContract as error:
        stream = Stream(sys.stderr, 2).usable()
        if stream is not None:
            forms.print_text(error.report, stream, quiet=False)
        return 3
    except KeyboardInterrupt:
        fail("stopped")
        return 130
    except BrokenPipeError:
        raise
    except _refusals() as error:
        return fail(" ".join(str(error).split()))


def _warn(as_ever: Callable[..., None], message: Warning | str, category: type[Warning], *where: Any) -> None:
    """Warnings of our own without the line of our source that they come from."""
    if category.__module__.startswith("whygrad."):
        fail(str(message))
    else:
        as_ever(message, category, *where)


def _refusals() -> tuple[type[Exception], ...]:
    """Those that can have been raised: of modules that are imported. Importing the others could fail, and is slow."""
    return OSError, *(getattr(sys.modules[module], name) for module, name in _REFUSALS.items() if module in sys.modules)


_REFUSALS = {
    "gymnasium.error": "Error",
    "whygrad.cli.agent_settings": "BadSetting",
    "whygrad.interchange.bad_model": "BadModel",
    "whygrad.rl.checkpoint": "BadCheckpoint",
    "whygrad.rl.cluster.crew": "WorkersFailed",
    "whygrad.rl.cluster.joining": "NoCluster",
    "whygrad.rl.dataset_layouts": "BadDataset",
    "whygrad.rl.envs.stepping": "EnvironmentFailed",
    "whygrad.rl.plan": "BadPlan",
    "whygrad.rl.resuming": "CannotResume",
    "whygrad.live.run_folder": "BadRun",
    "whygrad.rl.spaces": "Unsupported",
    "whygrad.rl.sweeping.axes": "BadSweep",
}
