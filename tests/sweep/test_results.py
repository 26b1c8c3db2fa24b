"""From the files of a sweep to its table, by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from whygrad.cli import sweep_table
from whygrad.live.run_folder import BadRun, RunFolder
from whygrad.rl.sweeping.axes import Axis
from whygrad.rl.sweeping.halving import Stopped
from whygrad.rl.sweeping.outcome import Found, Outcome
from whygrad.rl.sweeping.results import results
from whygrad.rl.sweeping.sweep_folder import Asked, SweepFolder, Trial


def made(folder: Path, configurations: int = 2, seeds: tuple[int, ...] = (1, 2)) -> tuple[SweepFolder, Asked]:
    rates = tuple(10.0**-place for place in range(1, configurations + 1))
    asked = Asked(
        agent="dqn", settings={"hidden": (8,)}, env="CartPole-v1", steps=100, backend="torch",
        axes=(Axis("learning_rate", rates), Axis("seed", seeds)), samples=5, sweep_seed=0,
        configurations=tuple({"learning_rate": rate} for rate in rates), seeds=seeds, rungs=(25, 50),
    )  # fmt: skip
    return SweepFolder.create(asked, folder), asked


def trained(folder: SweepFolder, asked: Asked, trial: Trial, *returns: float, state: str = "", **more: object) -> None:
    """A run with an evaluation every 25 steps."""
    where = folder.configuration(asked, trial.configuration)
    run = RunFolder.create(f"dqn-CartPole-v1-{trial.seed}", where)
    run.write_settings({"agent": "dqn", "plan": {"seed": trial.seed}})
    for place, value in enumerate(returns, 1):
        run.log({"step": 25 * place, "evaluation.return": value})
    run.close()
    if state:
        folder.write_outcome(asked, trial, Outcome(state, 25 * len(returns), run.path.name, **more))  # type: ignore[arg-type]


def test_what_was_asked_comes_back_as_it_was(tmp_path: Path) -> None:
    folder, asked = made(tmp_path)
    again = SweepFolder.open(folder.path)
    assert again.asked() == asked
    assert folder.path.name == "sweep-dqn-CartPole-v1-1"
    assert [trial.seed for trial in asked.trials()] == [1, 1, 2, 2]  # what is compared first has the same seed


def test_mean_and_deviation_over_seeds_and_the_best_first(tmp_path: Path) -> None:
    folder, asked = made(tmp_path)
    for seed, last in ((1, 10.0), (2, 14.0)):
        trained(folder, asked, Trial(0, seed), 1.0, 2.0, 3.0, last, state="done")
    for seed, last in ((1, 100.0), (2, 50.0)):
        trained(folder, asked, Trial(1, seed), 1.0, 2.0, 3.0, last, state="done")
    swept = results(folder, asked)
    assert swept.complete
    best, other = swept.rows
    assert (best.settings, best.mean, best.at, best.ended) == ({"learning_rate": 0.01}, 75.0, 100, 2)
    assert other.mean == 12.0
    assert math.isclose(other.deviation or 0, math.sqrt(8))  # of a sample: (2² + 2²) / 1
    assert [round(mean, 3) for _, mean, _ in other.curve()] == [1.0, 2.0, 3.0, 12.0]
    assert sweep_table.lines(swept, 80) == [
        "learning_rate  return  ± seeds  n  to the end",
        "         0.01    75.0     35.4  2      2 of 2",
        "          0.1    12.0      2.8  2      2 of 2",
    ]


def test_of_a_stopped_configuration_all_seeds_count_where_the_shortest_ends(tmp_path: Path) -> None:
    folder, asked = made(tmp_path, seeds=(1, 2, 3))
    trained(folder, asked, Trial(0, 1), 1.0, 2.0, 3.0, 90.0, state="done")
    trained(folder, asked, Trial(0, 2), 5.0, 4.0, state="stopped")
    folder.write_stopped(asked, Stopped(0, 50, 3.0, 4, 5))
    for seed in (1, 2, 3):
        trained(folder, asked, Trial(1, seed), 1.0, 2.0, 3.0, 2.0, state="done")
    swept = results(folder, asked)
    assert swept.complete  # its third seed is never trained
    assert [row.configuration for row in swept.rows] == [1, 0]  # better at step 50, but stopped
    stopped = swept.rows[1]
    assert (stopped.mean, stopped.at, len(stopped.counted), stopped.ended) == (3.0, 50, 2, 1)
    assert sweep_table.lines(swept, 80)[2].split() == [
        "0.1", "3.0", "1.4", "2", "50", "1", "of", "3", "stopped", "early",
    ]  # fmt: skip
    assert swept.best is swept.rows[0]


def test_a_seed_that_failed_has_no_return_and_is_counted_as_failed(tmp_path: Path) -> None:
    folder, asked = made(tmp_path, configurations=1, seeds=(1, 2))
    trained(
        folder, asked, Trial(0, 1), 1.0, 2.0, 3.0, 4.0, state="done", found=(Found("W402", "not-finite", "NaN", 7),)
    )
    trained(folder, asked, Trial(0, 2), 1.0, state="failed", found=(Found("", "EnvironmentFailed", "it broke"),))
    swept = results(folder, asked)
    (row,) = swept.rows
    assert (row.mean, row.deviation, len(row.counted), row.ended) == (4.0, None, 1, 1)
    assert sweep_table.lines(swept, 80)[1].split() == ["0.1", "4.0", "1", "1", "of", "2", "1", "failed"]
    assert sweep_table.findings(swept, 80) == [
        "W402  learning_rate=0.1, seed 1",
        "    NaN",
        "EnvironmentFailed  learning_rate=0.1, seed 2",
        "    it broke",
    ]
    folder.write_results(swept.as_data())
    kept = json.loads(folder.results_file.read_bytes())
    assert kept["findings"][0] == {
        "settings": {"learning_rate": 0.1}, "seed": 1, "run": "01_learning_rate=0.1/dqn-CartPole-v1-1-1",
        "code": "W402", "kind": "not-finite", "text": "NaN", "at": 7,
    }  # fmt: skip
    assert [seed["state"] for seed in kept["configurations"][0]["seeds"]] == ["done", "failed"]


def test_the_same_finding_of_several_seeds_is_told_once_with_the_earliest_update(tmp_path: Path) -> None:
    folder, asked = made(tmp_path, configurations=1, seeds=(1, 2, 3))
    for seed, at in ((1, 30), (2, 20), (3, 40)):
        found = (Found("W402", "not-finite", f"NaN in update {at}", at),)
        trained(folder, asked, Trial(0, seed), 1.0, 1.0, 1.0, 1.0, state="done", found=found)
    swept = results(folder, asked)
    assert len(swept.wrong) == 3
    assert sweep_table.findings(swept, 80) == ["W402  learning_rate=0.1, seeds 1, 2, 3", "    NaN in update 20"]


def test_what_is_left_is_what_has_no_outcome(tmp_path: Path) -> None:
    folder, asked = made(tmp_path)
    trained(folder, asked, Trial(0, 1), 1.0, 2.0, 3.0, 4.0, state="done")
    trained(folder, asked, Trial(1, 1), 1.0)  # killed
    swept = results(folder, asked)
    assert set(swept.left) == {Trial(1, 1), Trial(0, 2), Trial(1, 2)}
    remarks = [line.rpartition("of 2")[2].strip() for line in sweep_table.lines(swept, 80)[1:]]
    assert remarks == ["1 unfinished", "2 unfinished"]


def test_what_is_no_sweep_is_said(tmp_path: Path) -> None:
    folder, _ = made(tmp_path)
    with pytest.raises(BadRun, match=r"There is no sweep at .*: no such folder\. The newest sweeps there: .*-v1-1'"):
        SweepFolder.open(tmp_path / "sweep-dqn-CartPole-v1-2")
    with pytest.raises(BadRun, match=r"is not a sweep: it has no sweep\.json"):
        SweepFolder.open(tmp_path)
    (folder.path / "sweep.json").write_text("{")
    with pytest.raises(BadRun, match="is not JSON any more"):
        folder.asked()
