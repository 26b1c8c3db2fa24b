"""Environment steps per second of whole training loops, beside Stable-Baselines3 and SBX, with the same settings.

Each contestant trains in a process of its own, one after the other, several times; what is compared are medians of one
run of this program on one machine. Two rates are kept: of the whole loop, and of its second part, when everything is
compiled. `python benchmarks/rl_speed.py [--repeat 3] [--only dqn]`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TASKS: dict[str, dict[str, Any]] = {
    "dqn": {
        "env": "CartPole-v1",
        "steps": 30_000,
        "ours": {
            "learning_rate": 2.3e-3,
            "train_every": 256,
            "updates": 128,
            "target_every": 128,
            "explore_share": 0.16,
            "explore_last": 0.04,
            "double": False,
        },
        "peer": {
            "learning_rate": 2.3e-3,
            "batch_size": 64,
            "buffer_size": 100_000,
            "learning_starts": 1000,
            "target_update_interval": 256,
            "train_freq": 256,
            "gradient_steps": 128,
            "exploration_fraction": 0.16,
            "exploration_final_eps": 0.04,
            "policy_kwargs": {"net_arch": [256, 256]},
        },
    },
    "ppo": {
        "env": "CartPole-v1",
        "steps": 60_000,
        "ours": {
            "lanes": 8,
            "horizon": 32,
            "minibatch": 256,
            "gae_lambda": 0.8,
            "gamma": 0.98,
            "epochs": 20,
            "learning_rate": 1e-3,
        },
        "peer": {
            "n_steps": 32,
            "batch_size": 256,
            "gae_lambda": 0.8,
            "gamma": 0.98,
            "n_epochs": 20,
            "learning_rate": 1e-3,
            "ent_coef": 0.0,
        },
        "lanes": 8,
    },
    "sac": {
        "env": "Pendulum-v1",
        "steps": 4_000,
        "ours": {"learning_rate": 1e-3, "buffer_size": 100_000, "learning_starts": 1000},
        "peer": {
            "learning_rate": 1e-3,
            "batch_size": 256,
            "buffer_size": 100_000,
            "learning_starts": 1000,
            "policy_kwargs": {"net_arch": [256, 256]},
        },
    },
}
CONTESTANTS = ("sb3", "sbx", "torch", "tensorflow", "jax")


def ours(task: str, backend: str, logging: bool, folder: str) -> list[tuple[int, float]]:
    os.environ["KERAS_BACKEND"] = backend
    from whygrad.rl import train
    from whygrad.rl.catalogue import AGENTS

    what = TASKS[task]
    agent = next(kind for kind in AGENTS if task == kind.NAME)(**what["ours"])
    marks = [(0, 0.0)]
    steps = what["steps"]
    options: dict[str, Any] = {"evaluate_every": 0, "checkpoint_every": 0, "check": False, "quiet": True}
    begun = time.perf_counter()
    run = train(agent, what["env"], steps=steps, root=folder, tensorboard=logging, **options)
    total = time.perf_counter() - begun
    rows = [json.loads(line) for line in (run.path / "metrics.jsonl").read_text().splitlines()]
    marks += [(row["step"], row["seconds"]) for row in rows]
    return [*marks, (steps, total)]


def peer(task: str, library: str) -> list[tuple[int, float]]:
    if library == "sbx":
        import sbx as library_module
    else:
        import stable_baselines3 as library_module
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.env_util import make_vec_env

    what = TASKS[task]
    marks = [(0, 0.0)]

    class Clock(BaseCallback):
        def _on_step(self) -> bool:
            if self.num_timesteps - marks[-1][0] >= what["steps"] // 100:
                marks.append((self.num_timesteps, time.perf_counter() - begun))
            return True

    settings = dict(what["peer"])
    env = make_vec_env(what["env"], n_envs=what.get("lanes", 1), seed=0)
    model = getattr(library_module, task.upper())("MlpPolicy", env, seed=0, **settings)
    begun = time.perf_counter()
    model.learn(what["steps"], callback=Clock())
    return [*marks, (what["steps"], time.perf_counter() - begun)]


def rates(marks: list[tuple[int, float]]) -> dict[str, float]:
    """Of the whole loop, and from its middle to its end."""
    steps, total = marks[-1]
    middle = next(mark for mark in marks if mark[0] >= steps // 2)
    last = marks[-2]
    return {"whole": steps / total, "compiled": (last[0] - middle[0]) / (last[1] - middle[1])}


def one(task: str, contestant: str) -> None:
    name, _, logging = contestant.partition("+")
    with tempfile.TemporaryDirectory() as folder:
        marks = peer(task, name) if name in ("sb3", "sbx") else ours(task, name, bool(logging), folder)
    print("RATES", json.dumps(rates(marks)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=TASKS, default=list(TASKS))
    parser.add_argument("--contestants", nargs="*", default=[*CONTESTANTS, "torch+log", "tensorflow+log", "jax+log"])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", nargs=2, metavar=("TASK", "CONTESTANT"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(*given.one)
        return
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for _ in range(given.repeat):
        for task in given.only:
            for name in given.contestants:
                done = subprocess.run(
                    [sys.executable, __file__, "--one", task, name], capture_output=True, text=True, check=False
                )
                line = [text for text in done.stdout.splitlines() if text.startswith("RATES")]
                if not line:
                    print(f"{task} {name}: did not run: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
                    continue
                for kind, rate in json.loads(line[0][6:]).items():
                    found.setdefault(task, {}).setdefault(name, {}).setdefault(kind, []).append(rate)
    results = {
        t: {n: {k: statistics.median(r) for k, r in kinds.items()} for n, kinds in f.items()} for t, f in found.items()
    }
    for task, names in results.items():
        print(f"\n{task} on {TASKS[task]['env']}, steps per second (against sb3, against sbx)")
        for name, kinds in names.items():
            shown = [
                f"{kind} {rate:8.0f}"
                + "".join(f" {rate / names[other][kind]:5.2f}x" for other in ("sb3", "sbx") if other in names)
                for kind, rate in kinds.items()
            ]
            print(f"  {name:15}", "   ".join(shown))
    if given.out:
        given.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
