"""Snake: how fast the game is, how fast one update is beside code written by hand, how long a training takes.

`python benchmarks/snake.py game`      steps per second of 1,024 boards, on each backend in a process of its own
`python benchmarks/snake.py update`    one update of TensorFlow.js' network, ours and by hand, turn by turn in one run
`python benchmarks/snake.py rule`      seconds until the mean return of 100 games is 100, TensorFlow.js' stopping rule
Results go into benchmarks/snake.json; `--backends jax …` chooses.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("snake.json")
BOARDS, STEPS, SECONDS, ROWS, ROUNDS = 1024, 200, 30, 64, 15


def game() -> dict[str, Any]:
    """Random actions; the actions and new games are part of the program."""
    import keras
    import numpy as np
    from keras import ops

    from whygrad.rl.agents.ppo import PPO
    from whygrad.rl.building import build
    from whygrad.rl.engine import engine_class
    from whygrad.rl.loops.compiled_lanes import CompiledLanes
    from whygrad.rl.worlds.snake import Snake

    world, agent = Snake(), PPO(hidden=(1,))
    engine = engine_class()(agent, build(agent, world.spaces, {"policy": _tiny(3), "value": _tiny(1)}), world.spaces)
    lanes = CompiledLanes(world, agent, BOARDS, 0, 1)

    def step(nets: Any, carry: Any) -> Any:
        moved, out = lanes.step(carry["lanes"], lanes.anything(carry["turn"]))
        return {"lanes": moved, "turn": carry["turn"] + 1}, out["reward"]

    def whole(inside: Any, carry: Any, given: Any) -> Any:
        return inside.loop(lambda inner, carry, i, _: inner.call(step, carry), carry, STEPS)

    run = engine.program(whole)
    carry = {"lanes": lanes.begin(list(range(BOARDS))), "turn": ops.zeros((), "int32")}
    rates: list[float] = []
    until = time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        begun = time.perf_counter()
        carry, reward = run(carry, {}, 0)
        float(np.sum(keras.ops.convert_to_numpy(reward)))  # waits for the device
        rates.append(BOARDS * STEPS / (time.perf_counter() - begun))
    # PyTorch makes machine code of what has run for some seconds; the others do in the first round, which is left out.
    return {"steps_per_second": round(max(rates)), "at_first": round(max(rates[1:4])), "boards": BOARDS}


def _tiny(outputs: int) -> Any:
    import keras

    return keras.Sequential([keras.Input((9, 9, 2)), keras.layers.Flatten(), keras.layers.Dense(outputs)])


def update() -> dict[str, Any]:
    """The median of each, and their ratio: above one, ours is faster."""
    import keras
    import numpy as np

    from whygrad.rl.agents.dqn import DQN
    from whygrad.rl.building import build
    from whygrad.rl.engine import engine_class
    from whygrad.rl.worlds.snake import Snake

    rng = np.random.default_rng(0)
    batch = {
        "observation": rng.integers(0, 3, (ROWS, 9, 9, 2)).astype("float32"),
        "next_observation": rng.integers(0, 3, (ROWS, 9, 9, 2)).astype("float32"),
        "action": rng.integers(3, size=ROWS).astype("int32"),
        "reward": rng.random(ROWS, "float32"),
        "discount": np.full(ROWS, 0.99, "float32"),
        "weight": np.ones(ROWS, "float32"),
    }
    agent = DQN(trunk="snake-dqn", double=False, huber=False, clip=None, target_every=1000)
    engine = engine_class()(agent, build(agent, Snake().spaces, None), Snake().spaces)
    given = {name: values[None] for name, values in batch.items()}

    def ours() -> float:
        return float(keras.ops.convert_to_numpy(engine.update(given, 1.0)["q"]["loss"])[0])

    by_hand = __import__(f"snake_by_hand_{keras.backend.backend()}").make(batch)
    times: dict[str, list[float]] = {"ours": [], "by_hand": []}
    for _ in range(3):
        ours(), by_hand()
    for _ in range(ROUNDS):
        for name, one in (("ours", ours), ("by_hand", by_hand)):
            begun = time.perf_counter()
            one()
            times[name].append(time.perf_counter() - begun)
    ours_s, hand_s = (statistics.median(times[name]) for name in ("ours", "by_hand"))
    return {"ours_ms": round(1e3 * ours_s, 2), "by_hand_ms": round(1e3 * hand_s, 2), "ratio": round(hand_s / ours_s, 3)}


def rule() -> dict[str, Any]:
    """PPO with TensorFlow.js' board, view and rewards; compilation is counted apart."""
    import numpy as np

    from whygrad.rl.agents.ppo import PPO
    from whygrad.rl.building import build
    from whygrad.rl.device import machine, precision
    from whygrad.rl.engine import engine_class
    from whygrad.rl.loops.compiled_rollout_loop import CompiledRolloutLoop
    from whygrad.rl.worlds.snake import Snake

    gpu = machine(None) == "gpu"
    sizes: dict[str, Any] = (
        {"lanes": 1024, "minibatch": 4096, "hidden": (64, 64, 128)}
        if gpu
        else {"lanes": 64, "minibatch": 512, "hidden": (16, 32, 64)}
    )
    agent = PPO(trunk="board", horizon=32, epochs=2, learning_rate=1e-3, entropy=0.01, reward_scale=0.1, **sizes)
    with precision("bfloat16" if gpu else "float32"):
        engine = engine_class()(agent, build(agent, Snake().spaces, None), Snake().spaces)
    loop = CompiledRolloutLoop(agent, engine, Snake(), 60_000_000, 0, 4)
    loop.restart(list(range(agent.lanes)))
    begun = time.perf_counter()
    loop.round()
    compiling, begun, before = time.perf_counter() - begun, time.perf_counter(), loop.steps
    last: deque[float] = deque(maxlen=100)
    while len(last) < 100 or np.mean(last) < 100.0:
        last.extend(episode.score for episode in loop.round().episodes[-100:])
    took = time.perf_counter() - begun
    return {
        "seconds": round(took, 2),
        "compiling": round(compiling, 1),
        "steps": loop.steps,
        "steps_per_second": round((loop.steps - before) / took),
        "on": "gpu" if gpu else "cpu",
    }


JOBS: dict[str, Callable[[], dict[str, Any]]] = {"game": game, "update": update, "rule": rule}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("--backends", nargs="*", default=["jax", "torch", "tensorflow"])
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        print("RESULT", json.dumps(JOBS[given.job]()))
        return
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for backend in given.backends:
        env = {**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
        done = subprocess.run(
            [sys.executable, __file__, given.job, "--here"], capture_output=True, text=True, env=env, check=False
        )
        found = [line[7:] for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        result = json.loads(found[0]) if found else {"failed": (done.stderr.strip().splitlines() or ["?"])[-1]}
        print(f"{given.job} {backend:10} {result}", flush=True)
        kept.setdefault(given.job, {})[backend] = result
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
