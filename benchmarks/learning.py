"""Returns after training with the presets: each algorithm, backend and seed in a process of its own.

The number that counts is the mean return of the *last* policy over fresh episodes, not of the best one on the way.
`python benchmarks/learning.py [--backends jax] [--only dqn ppo] [--jobs 1] [--out benchmarks/learning.json]`; results
that are in the file already are kept unless they are made again, so that a long benchmark can be made in parts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

WANTED = {
    "dqn": ("CartPole-v1", 50_000, 475),
    "ppo": ("CartPole-v1", 100_000, 490),
    "a2c": ("CartPole-v1", 500_000, 475),
    "reinforce": ("CartPole-v1", 300_000, 475),
    "ddpg": ("Pendulum-v1", 20_000, -160),
    "td3": ("Pendulum-v1", 20_000, -160),
    "sac": ("Pendulum-v1", 20_000, -160),
}
"""Environment, steps, and the return that the last policy should have. CQL has a benchmark of its own: offline.py."""
EPISODES, FRESH = 100, 99


def one(algo: str, seed: int, folder: str) -> dict[str, Any]:
    from whygrad.rl import train
    from whygrad.rl.catalogue import AGENTS
    from whygrad.rl.evaluation import play_episodes
    from whygrad.rl.loops.round import seeds
    from whygrad.rl.restoring import restore
    from whygrad.trainings.presets import preset

    env, steps, _ = WANTED[algo]
    agent = next(kind for kind in AGENTS if algo == kind.NAME)(**preset(algo, env))
    begun = time.perf_counter()
    run = train(agent, env, steps=steps, seed=seed, root=folder, quiet=True, tensorboard=False)
    took = time.perf_counter() - begun
    with restore(run.path, "last", count=20) as last:
        scores = play_episodes(last.policy, last.lanes, seeds(seed, FRESH, count=EPISODES))
    return {
        "return": round(scores.mean, 1),
        "deviation": round(scores.deviation, 1),
        "best_on_the_way": round(run.best.mean, 1) if run.best else None,
        "seconds": round(took, 1),
    }


def in_a_process(job: tuple[str, str, int]) -> dict[str, Any]:
    backend, algo, seed = job
    env = {**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, __file__, "--one", algo, str(seed), folder],
            capture_output=True,
            text=True,
            env=env,
            check=False,
        )
    found = [line[7:] for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not found:
        return {"failed": (done.stderr.strip().splitlines() or ["?"])[-1]}
    return json.loads(found[0])  # type: ignore[no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backends", nargs="*", default=["tensorflow", "torch", "jax"])
    parser.add_argument("--only", nargs="*", choices=WANTED, default=list(WANTED))
    parser.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print("RESULT", json.dumps(one(given.one[0], int(given.one[1]), given.one[2])))
        return
    jobs = [(b, algo, seed) for algo in given.only for b in given.backends for seed in given.seeds]
    kept = json.loads(given.out.read_text()) if given.out and given.out.exists() else {}
    with ThreadPoolExecutor(given.jobs) as pool:
        for (backend, algo, seed), result in zip(jobs, pool.map(in_a_process, jobs), strict=True):
            env, steps, least = WANTED[algo]
            good = "return" in result and result["return"] >= least
            print(
                f"{'ok  ' if good else 'MISS'} {algo:9} {env:12} {steps:7} {backend:10} seed {seed}: {result}",
                flush=True,
            )
            kept.setdefault(algo, {}).setdefault(backend, {})[str(seed)] = result
            if given.out:
                given.out.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
