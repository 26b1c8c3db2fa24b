"""What workers on Ray bring and cost: steps per second by number of workers, cost per transition, sizes, memory.

    KERAS_BACKEND=torch python benchmarks/scale.py --out benchmarks/scale.json

The environment sleeps for 5 ms in every step, as a slow simulator would, so that two cores can stand for many.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import platform
import statistics
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from whygrad.live.run_folder import RunFolder
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.agents.ppo import PPO
from whygrad.rl.cluster.joining import joined
from whygrad.rl.plan import Plan
from whygrad.rl.trainer import make_trainer
from whygrad.rl.training import train

AGENT = DQN(hidden=(64, 64), batch_size=64, learning_starts=200, train_every=1, target_every=200)
QUIET = {"quiet": True, "tensorboard": False, "check": False, "evaluate_every": 0, "checkpoint_every": 0}


class Slow(gymnasium.Wrapper):
    """CartPole with a simulator that takes its time."""

    def __init__(self, pause: float = 0.005) -> None:
        super().__init__(gymnasium.make("CartPole-v1"))
        self._pause = pause

    def step(self, action: Any) -> Any:
        time.sleep(self._pause)
        return self.env.step(action)


def rate(agent: Any, workers: int, steps: int, root: str, **options: Any) -> dict[str, float]:
    """Steps per second of a training after its first quarter, in which everything is compiled."""
    trained = train(agent, Slow, steps=steps, root=root, workers=workers, log_every=steps // 20, **QUIET, **options)
    rows = [row for row in RunFolder.open(trained.path).rows() if "seconds" in row]
    rows = [row for row in rows if row["step"] >= steps // 4]
    passed = rows[-1]["seconds"] - rows[0]["seconds"]
    found = {"steps_per_second": (rows[-1]["step"] - rows[0]["step"]) / passed}
    for name in ("learner_busy", "policy_lag", "policy_lag_most"):
        values = [row[name] for row in rows if name in row]
        if values:
            found[name] = max(values) if name.endswith("most") else statistics.mean(values)
    return found


@contextmanager
def trainer(agent: Any, workers: int, env: Any, steps: int = 10**9) -> Any:
    """A training under way, to be looked at from inside."""
    plan = Plan(env=None, steps=steps, workers=workers, check=False, evaluate_every=0, checkpoint_every=0)
    made = make_trainer(agent, plan, env)
    with made:
        made.restart()
        yield made


def cost_per_transition(seconds: float) -> dict[str, float]:
    """A worker that steps as fast as it can, a learner that only takes in: what a transition costs each of them."""
    idle = replace(AGENT, learning_starts=10**9)  # nothing is learned; random actions
    with trainer(idle, 1, "CartPole-v1") as made:
        while not made.steps:
            made.round()
        crew = made._loop.crew
        wait, spent = crew.wait, 0.0

        def timed(timeout: float) -> Any:
            nonlocal spent
            ready = crew._ray.wait([place.asked[0] for place in crew._places], num_returns=1, timeout=timeout)[0]
            began = time.perf_counter()
            found = wait(0.0) if ready else []
            spent += time.perf_counter() - began
            return found

        crew.wait = timed
        began, before = time.perf_counter(), made.steps
        while time.perf_counter() - began < seconds:
            made.round()
        passed, count = time.perf_counter() - began, made.steps - before
    with trainer(idle, 0, "CartPole-v1") as made:
        for _ in range(100):
            made.round()
        began, before = time.perf_counter(), made.steps
        while time.perf_counter() - began < seconds:
            made.round()
        local = (made.steps - before) / (time.perf_counter() - began)
    return {
        "transitions_per_second": count / passed,
        "transitions_per_second_in_one_process": local,
        "learner_microseconds_per_transition": 1e6 * spent / count,
    }


def round_trip(ray: Any, times: int = 300) -> dict[str, float]:
    """A call to a worker that does nothing, and sharing the weights of the network."""

    class Nothing:
        def work(self, order: Any, weights: Any) -> None:
            return None

    actor = ray.remote(Nothing).remote()
    ray.get(actor.work.remote(None, None))
    weights = {f"w{i}": np.zeros((64, 64), np.float32) for i in range(4)}
    calls, puts = [], []
    for _ in range(times):
        began = time.perf_counter()
        ray.get(actor.work.remote(None, None))
        calls.append(time.perf_counter() - began)
        began = time.perf_counter()
        ray.put(weights)
        puts.append(time.perf_counter() - began)
    ray.kill(actor)
    return {"call_ms": 1e3 * statistics.median(calls), "share_64_kB_ms": 1e3 * statistics.median(puts)}


def sizes() -> dict[str, float]:
    """Bytes of the messages themselves, as they are packed."""
    from whygrad.rl.cluster.gathering import Gathering
    from whygrad.rl.cluster.post import GatherOrder, Post
    from whygrad.rl.worlds.making import make_lanes

    with trainer(AGENT, 0, "CartPole-v1") as made:
        engine, lanes = made._engine, make_lanes("CartPole-v1", 1)
        weights = engine.weights(["q"])
        post = Post(agent=AGENT, env="CartPole-v1", env_options={}, networks=None, lanes=1, first_lane=0, all_lanes=1,
                    total=10**6, precision="float32", processes=False)  # fmt: skip
        part = Gathering(post, AGENT, engine, lanes)
        found = {"weights": len(pickle.dumps(weights, 5)), "parameters": sum(v.size for v in weights.values())}
        for count in (1, 16, 128):
            part.take(GatherOrder(steps=0, limit=count, seconds=60, seeds=[1], entropy=[1]))
            found[f"bytes_per_transition_{count}_at_a_time"] = len(pickle.dumps(part.go_on(60.0), 5)) / count
    return found


def memory(seconds: float) -> dict[str, float]:
    """Resident megabytes of a worker and of the learner, and what Ray itself takes."""

    def resident(pid: int) -> float:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    with trainer(AGENT, 2, "CartPole-v1") as made:
        began = time.perf_counter()
        while time.perf_counter() - began < seconds or not made.steps:
            made.round()
        found: dict[str, list[float]] = {"worker_MB": [], "ray_MB": []}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if words.startswith("ray::Worker"):
                    found["worker_MB"].append(resident(int(folder.name)))
                elif "raylet" in words.split(" ")[0] or "gcs_server" in words.split(" ")[0]:
                    found["ray_MB"].append(resident(int(folder.name)))
            except (OSError, StopIteration):
                continue
        return {
            "worker_MB": statistics.mean(found["worker_MB"]),
            "raylet_and_gcs_MB": sum(found["ray_MB"]),
            "learner_MB": resident(os.getpid()),
        }


def shared_update(learners: int, seconds: float) -> dict[str, float]:
    """Milliseconds of an update that so many learners share, for a small and a wide network."""
    found = {}
    for name, hidden in (("64x64", (64, 64)), ("1024x1024", (1024, 1024))):
        agent = replace(AGENT, hidden=hidden, batch_size=256, learning_starts=64)
        plan = Plan(env="CartPole-v1", steps=10**9, learners=learners, check=False, evaluate_every=0)
        with make_trainer(agent, plan, "CartPole-v1") as made:
            made.restart()
            while made.updates < 5:
                made.round()
            began, before = time.perf_counter(), made.updates
            while time.perf_counter() - began < seconds:
                made.round()
            found[f"update_ms_{name}"] = 1e3 * (time.perf_counter() - began) / (made.updates - before)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument(
        "--only-learners", action="store_true", help="measure updates that learners share, keep the rest"
    )
    parser.add_argument("--only-off-policy", action="store_true", help="measure that part again, and keep the rest")
    options = parser.parse_args()
    found: dict[str, Any] = {
        "machine": {"cpus": os.cpu_count(), "load": os.getloadavg()[0], "python": platform.python_version()},
        "backend": os.environ.get("KERAS_BACKEND"),
    }
    if options.only_learners:
        found = {**json.loads(options.out.read_text()), **found}
        with joined():
            found["learners"] = {str(n): shared_update(n, options.seconds) for n in (1, 2)}
        options.out.write_text(json.dumps(found, indent=2) + "\n")
        print(found["learners"])
        return
    if options.only_off_policy and options.out and options.out.exists():
        found = {**json.loads(options.out.read_text()), **found}
    with tempfile.TemporaryDirectory() as root:
        os.environ["RAY_OVERRIDE_RESOURCES"] = '{"CPU": 8}'
        with joined() as ray:
            run = partial(rate, root=root)
            if not options.only_off_policy:
                found["sizes"] = sizes()
                found["round_trip"] = round_trip(ray)
                found["cost"] = cost_per_transition(options.seconds)
                found["memory"] = memory(options.seconds)
            found["off_policy_5_ms"] = {
                str(workers): run(AGENT, workers, steps)
                for workers, steps in ((0, 1200), (1, 1200), (2, 2400), (8, 6000))
            }
            if not options.only_off_policy:
                rollouts = PPO(hidden=(64, 64), lanes=8, horizon=32, minibatch=64, epochs=4)
                found["on_policy_5_ms"] = {
                    str(workers): run(rollouts, workers, steps)
                    for workers, steps in ((0, 2048), (1, 2048), (2, 4096), (8, 8192))
                }
    text = json.dumps(found, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
