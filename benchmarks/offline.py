"""CQL against plain offline Q-learning, from the same dataset: what the policies earn and what their values promise.

A DQN is trained online, and its policy and random actions fill a dataset, in shares of whole episodes. From it CQL and
the same agent with `alpha=0` (plain offline DQN) learn over several seeds. For each, the return of the last policy on
fresh episodes, and the mean value of their first observations beside what they really gave, discounted.

    KERAS_BACKEND=torch python benchmarks/offline.py
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np

from whygrad.rl import CQL, DQN, train
from whygrad.rl.collecting import collect
from whygrad.rl.dataset import Dataset, read_dataset, write_dataset
from whygrad.rl.evaluation import estimates, play_episodes
from whygrad.rl.loops.round import seeds
from whygrad.rl.restoring import restore
from whygrad.trainings.presets import preset

ENV = "CartPole-v1"


def make_dataset(options: argparse.Namespace, folder: Path) -> Path:
    """Train the policy that is shown, and mix what it does with random actions."""
    path = folder / "mixed.npz"
    trained = train(
        DQN(**preset("dqn", ENV)), ENV, steps=options.teacher_steps, seed=options.teacher_seed, root=folder,
        tensorboard=False, quiet=True,
    )  # fmt: skip
    with restore(trained.path, options.teacher) as restored:
        write_dataset(
            path, collect(ENV, options.rows, policy=restored.policy, mix=options.mix, seed=options.teacher_seed)
        )
    return path


def learn(alpha: float, seed: int, dataset: Path, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Train on the dataset, then play with what was learned last."""
    said = {name: getattr(options, name) for name in ("learning_rate", "gamma", "target_every")}
    given = {name: value for name, value in said.items() if value is not None}
    agent = CQL(**{**preset("cql", ENV), **given, "alpha": alpha, "double": not options.single})
    begun = time.perf_counter()
    trained = train(
        agent, ENV, dataset=dataset, steps=options.steps, seed=seed, root=folder, tensorboard=False, quiet=True,
        evaluate_every=max(1, options.steps // 10),
    )  # fmt: skip
    with restore(trained.path, "last", count=10) as restored:
        worth = estimates(restored.agent, restored.engine, restored.lanes)
        fresh = seeds(1_000 + seed, count=options.episodes)
        scores = play_episodes(restored.policy, restored.lanes, fresh, worth, agent.gamma)
    return {
        "alpha": alpha,
        "seed": seed,
        "return": scores.mean,
        "deviation": scores.deviation,
        "value": float(np.mean(scores.values)),
        "discounted_return": float(np.mean(scores.discounted)),
        "seconds": round(time.perf_counter() - begun, 1),
    }


def describe(dataset: Dataset) -> str:
    """How large it is and what its episodes gave."""
    facts = dataset.facts
    return f"{len(dataset):,} steps, {facts['random_steps']:,} of them random; mean return {facts['mean_return']:.0f}"


def main() -> None:
    """Make the dataset, train both, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000, help="steps in the dataset")
    parser.add_argument("--mix", type=float, default=0.5, help="share of random steps")
    parser.add_argument("--teacher", choices=("best", "last"), default="best", help="which policy of the DQN is shown")
    parser.add_argument("--teacher-steps", type=int, default=50_000, help="how long the DQN is trained")
    parser.add_argument("--teacher-seed", type=int, default=100)
    parser.add_argument("--dataset", type=Path, help="a dataset that is there already")
    parser.add_argument("--steps", type=int, default=20_000, help="updates of each training")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--alpha", type=float, nargs="+", default=[2.0, 0.0], help="0 is plain offline DQN")
    parser.add_argument("--learning-rate", type=float, help="these three: as in the preset, unless they are given")
    parser.add_argument("--gamma", type=float)
    parser.add_argument("--target-every", type=int)
    parser.add_argument("--single", action="store_true", help="without double Q-learning")
    parser.add_argument("--episodes", type=int, default=100, help="that each policy is judged by")
    parser.add_argument("--folder", type=Path, help="where runs and dataset stay; otherwise they are thrown away")
    parser.add_argument("--output", type=Path, help="write all figures here, as JSON, beside those of other backends")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = options.dataset or make_dataset(options, folder)
        told = describe(read_dataset(path))
        print(f"{ENV}, {keras.backend.backend()}, {options.steps:,} updates; dataset: {told}", flush=True)
        print(f"{'alpha':>6} {'seed':>5} {'return':>8} {'±':>6} {'value':>9} {'discounted return':>18} {'seconds':>8}")
        rows = []
        for alpha in options.alpha:
            for seed in options.seeds:
                row = learn(alpha, seed, path, options, folder)
                rows.append(row)
                print(
                    f"{alpha:6g} {seed:5} {row['return']:8.1f} {row['deviation']:6.1f} {row['value']:9.1f} "
                    f"{row['discounted_return']:18.1f} {row['seconds']:8.1f}",
                    flush=True,
                )
    for alpha in options.alpha:
        of = [row for row in rows if row["alpha"] == alpha]
        means = {key: np.mean([row[key] for row in of]) for key in ("return", "value", "discounted_return")}
        name = f"CQL, alpha {alpha:g}" if alpha else "plain offline DQN"
        over = means["value"] - means["discounted_return"]
        print(f"{name}: mean return {means['return']:.1f}; values {over:+.1f} against what came of them")
    if options.output:
        given = {k: v for k, v in vars(options).items() if not isinstance(v, Path)}
        before = json.loads(options.output.read_text()) if options.output.exists() else {}
        here = {"env": ENV, "options": given, "dataset": told, "runs": rows}
        options.output.write_text(json.dumps({**before, keras.backend.backend(): here}, indent=1) + "\n")


if __name__ == "__main__":
    main()
