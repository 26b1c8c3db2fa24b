"""What is seen of a sweep while it runs."""

from __future__ import annotations

import io
import pickle
import sys

from whygrad.rl.sweeping.axes import Axis
from whygrad.rl.sweeping.halving import Stopped
from whygrad.rl.sweeping.outcome import Found, Outcome
from whygrad.rl.sweeping.progress import SweepProgress
from whygrad.rl.sweeping.sweep_folder import Asked, Trial

ASKED = Asked(
    agent="dqn", settings={}, env="CartPole-v1", steps=1_000, backend="torch",
    axes=(Axis("hidden", ((8,), (8, 8))), Axis("seed", (1, 2))), samples=5, sweep_seed=0,
    configurations=({"hidden": (8,)}, {"hidden": (8, 8)}), seeds=(1, 2), rungs=(250, 500),
)  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(progress: SweepProgress) -> None:
    progress.began(Trial(0, 1))
    progress.began(Trial(1, 1))
    progress.evaluated(Trial(0, 1), 250, 20.0)
    progress.evaluated(Trial(1, 1), 250, 10.0)
    progress.tick()
    progress.stopped(Stopped(1, 250, 10.0, 2, 2), never=1)
    progress.ended(Trial(1, 1), Outcome("stopped", 250, "run", (Found("W402", "not-finite", "NaN", 7),)))
    progress.evaluated(Trial(0, 1), 1_000, 100.0)
    progress.ended(Trial(0, 1), Outcome("done", 1_000, "run"))
    progress.began(Trial(0, 2))
    progress.ended(Trial(0, 2), Outcome("failed", 300, "run", (Found("", "EnvironmentFailed", "it broke"),)))
    progress.close()


LINES = """\
stopped    hidden=8,8: 10.0 at step 250, place 2 of 2 configurations
1 of 3     hidden=8,8 seed=1: return 10.0 at step 250, stopped  [W402]
2 of 3     hidden=8 seed=1: return 100.0
3 of 3     hidden=8 seed=2: EnvironmentFailed at step 300
"""


def test_elsewhere_than_on_a_terminal_it_is_a_line_for_each_training() -> None:
    file = io.StringIO()
    told(SweepProgress(ASKED, 4, file=file))
    assert file.getvalue() == LINES


def test_on_a_terminal_a_last_line_says_how_far_it_is_and_goes_away() -> None:
    file = Terminal()
    told(SweepProgress(ASKED, 4, file=file))
    drawn = "\r\x1b[K0 of 4 over  2 running  25% of them"
    assert file.getvalue() == f"{drawn}\r\x1b[K{LINES}"


def test_quiet_is_quiet() -> None:
    file = Terminal()
    told(SweepProgress(ASKED, 4, quiet=True, file=file))
    assert file.getvalue() == ""


def test_tune_can_keep_a_copy_although_a_terminal_cannot_be_kept() -> None:
    pickle.dumps(SweepProgress(ASKED, 4, file=sys.__stdout__))
