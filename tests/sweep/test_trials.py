"""One training of a sweep, in this process: what it writes down, however it ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import odd_environments
import pytest
from tiny import QUICK, TINY, rows

from whygrad.rl import DQN, train
from whygrad.rl.agent import settings
from whygrad.rl.sweeping.axes import Axis
from whygrad.rl.sweeping.halving import Stopped
from whygrad.rl.sweeping.sweep_folder import Asked, SweepFolder, Trial
from whygrad.rl.sweeping.trials import NoSuchFolder, Task, given_up, run_trial

STEPS = 240


def made(root: Path, env: str = "CartPole-v1", rate: float = 1e-3, **more: Any) -> tuple[Task, SweepFolder, Asked]:
    agent = DQN(**TINY)
    asked = Asked(
        agent="dqn", settings=settings(agent), env=env, steps=STEPS, backend="torch",
        axes=(Axis("learning_rate", (rate,)), Axis("seed", (3,))), samples=1, sweep_seed=0,
        configurations=({"learning_rate": rate},), seeds=(3,), rungs=(60, 120), plan={**QUICK, **more},
    )  # fmt: skip
    folder = SweepFolder.create(asked, root)
    return Task(folder.path, agent, env), folder, asked


def ignored(step: int, value: float) -> None:
    pass


def test_a_trial_is_the_training_that_train_makes(tmp_path: Path) -> None:
    task, folder, asked = made(tmp_path)
    told = []
    run_trial(task, Trial(0, 3), lambda step, value: told.append((step, value)))
    outcome = folder.outcome(asked, Trial(0, 3))
    assert outcome is not None
    assert (outcome.state, outcome.steps, outcome.found) == ("done", STEPS, ())
    alone = train(
        replace(DQN(**TINY), learning_rate=1e-3), "CartPole-v1", steps=STEPS, seed=3, root=tmp_path / "alone",
        quiet=True, **QUICK,
    )  # fmt: skip
    run = folder.run(asked, Trial(0, 3))
    assert run is not None
    assert rows(run) == rows(alone.path)
    assert told == [(row["step"], row["evaluation.return"]) for row in rows(run) if "evaluation.return" in row]
    told.clear()
    run_trial(task, Trial(0, 3), lambda step, value: told.append((step, value)))
    assert told == []  # it is over, and not made again


def test_one_that_was_cut_off_goes_on_from_its_checkpoint_and_ends_the_same(tmp_path: Path) -> None:
    task, folder, asked = made(tmp_path, checkpoint_every=80)
    told: list[int] = []

    def cut(step: int, value: float) -> None:
        told.append(step)
        if step >= 150:
            raise SystemExit  # as a process that is killed: nothing of ours catches it

    with pytest.raises(SystemExit):
        run_trial(task, Trial(0, 3), cut)
    assert folder.outcome(asked, Trial(0, 3)) is None
    again: list[int] = []
    run_trial(task, Trial(0, 3), lambda step, value: again.append(step))
    # A round is 8 steps, and an evaluation follows the first that passes a multiple of 12: 88 after 84, 160 after 156.
    assert (told[-1], again[0], again[-1]) == (160, 88, STEPS)
    outcome = folder.outcome(asked, Trial(0, 3))
    assert outcome is not None
    assert outcome.state == "done"
    whole, other, _ = made(tmp_path, checkpoint_every=80)
    run_trial(whole, Trial(0, 3), ignored)
    first, second = (one.run(asked, Trial(0, 3)) for one in (folder, other))
    assert first is not None
    assert second is not None
    assert rows(first) == rows(second)


def test_one_whose_configuration_is_stopped_ends_after_its_next_evaluation(tmp_path: Path) -> None:
    task, folder, asked = made(tmp_path)

    def stop(step: int, value: float) -> None:
        if step >= 60:
            folder.write_stopped(asked, Stopped(0, 60, value, 4, 4))

    run_trial(task, Trial(0, 3), stop)
    outcome = folder.outcome(asked, Trial(0, 3))
    assert outcome is not None
    assert (outcome.state, outcome.steps) == ("stopped", 64)  # the first evaluation after 60


def test_a_learning_rate_that_is_too_large_is_found_by_the_watch(tmp_path: Path) -> None:
    task, folder, asked = made(tmp_path, rate=1e30)
    run_trial(task, Trial(0, 3), ignored)
    outcome = folder.outcome(asked, Trial(0, 3))
    assert outcome is not None
    assert outcome.state == "done"
    assert [(found.code, found.kind) for found in outcome.found] == [("W402", "not-finite")]
    assert outcome.found[0].text.startswith("The gradient of q.dense.kernel and 3 more is NaN in update ")


def test_an_environment_that_raises_is_an_outcome_with_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(odd_environments.Crashes, "steps", 0)
    task, folder, asked = made(tmp_path, env="odd_environments:Crashes-v0")
    run_trial(task, Trial(0, 3), ignored)
    outcome = folder.outcome(asked, Trial(0, 3))
    assert outcome is not None
    assert outcome.state == "failed"
    assert 0 < outcome.steps < STEPS
    assert outcome.found[0].kind == "EnvironmentFailed"
    assert outcome.found[0].text.endswith("the simulator has crashed")
    where = folder.configuration(asked, 0)
    assert 'raise RuntimeError("the simulator has crashed")' in (where / "seed-3.error.txt").read_text()


def test_a_loss_that_breaks_its_contract_is_found_with_its_rule(tmp_path: Path) -> None:
    from own_agent import CutOff

    task, folder, asked = made(tmp_path)
    run_trial(replace(task, agent=CutOff(**TINY)), Trial(0, 3), ignored)
    outcome = folder.outcome(asked, Trial(0, 3))
    assert outcome is not None
    assert outcome.state == "failed"
    assert [(found.code, found.kind) for found in outcome.found] == [("W102", "BrokenContract")]
    assert "own_agent.py:" in outcome.found[0].text


def test_a_process_that_dies_again_and_again_is_given_up(tmp_path: Path) -> None:
    _, folder, asked = made(tmp_path)
    given_up(folder, asked, Trial(0, 3), "its process ended without a word")
    outcome = folder.outcome(asked, Trial(0, 3))
    assert outcome is not None
    assert (outcome.state, outcome.steps, outcome.run) == ("failed", 0, "")
    assert outcome.found[0].text == "its process ended without a word"


def test_a_machine_that_does_not_see_the_folder_says_so(tmp_path: Path) -> None:
    task, _, _ = made(tmp_path)
    with pytest.raises(NoSuchFolder, match="every machine of the cluster has to see this folder"):
        run_trial(replace(task, path=tmp_path / "elsewhere"), Trial(0, 3), ignored)
