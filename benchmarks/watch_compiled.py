"""What watching costs where the step is compiled: a 64x64 MLP in TensorFlow and JAX, with and without.

As `watch.py`: contestants train the same network from the same weights and take turns. On a quiet machine the median
over rounds counts, of a block's time by that of the plain step in the same round, in blocks of seconds: how often is
looked follows from how fast a training gets on over half seconds. On a busy one only the fastest blocks say something,
and these are short (`--seconds 0.02 --rounds 150`); then the default looks too often, because the others' turns are
pauses to it, and what an update costs that is not looked at stands beside it. Processor time is that of the process,
the thread that stores included.
`python benchmarks/watch_compiled.py [--only jax] [--out benchmarks/watch.json]`
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

MODES = ("tensorflow function", "tensorflow xla", "jax jit")
CONTESTANTS: dict[str, dict[str, Any] | None] = {
    "plain": None,
    "whygrad": {},
    "whygrad, not looked at": {"every": 10**9},
    "whygrad every update": {"every": 1},
}
X = np.random.default_rng(0).normal(size=(64, 8)).astype("f")
Y = np.random.default_rng(1).normal(size=(64, 4)).astype("f")
Run = Callable[[int], None]


def in_tensorflow(watched: dict[str, Any] | None, compiled: bool) -> Run:
    """So many steps of a Keras model with Adam and clipping."""
    import keras
    import tensorflow as tf

    from whygrad import watch

    keras.utils.set_random_seed(0)
    layers = [keras.layers.Dense(64, "tanh"), keras.layers.Dense(64, "tanh"), keras.layers.Dense(4)]
    net, optimizer = keras.Sequential([keras.Input((8,)), *layers]), keras.optimizers.Adam(1e-4, global_clipnorm=1.0)
    x, y, variables = tf.constant(X), tf.constant(Y), net.trainable_variables
    if watched is not None:
        watch(net, optimizer, run=tempfile.mkdtemp(), **watched)

    @tf.function(jit_compile=compiled)
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(x) - y))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    def run(steps: int) -> None:
        for _ in range(steps):
            loss = step()
        loss.numpy()

    return run


def in_jax(watched: dict[str, Any] | None) -> Run:
    """So many steps with Optax' Adam behind a clip."""
    import jax
    import jax.numpy as jnp
    import optax

    from whygrad import watch

    keys, sizes = jax.random.split(jax.random.PRNGKey(0), 3), ((8, 64), (64, 64), (64, 4))
    params = [
        {"w": jax.random.normal(key, size) * 0.1, "b": jnp.zeros(size[1])}
        for key, size in zip(keys, sizes, strict=True)
    ]
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-4))
    if watched is not None:
        tx = watch(None, tx, run=tempfile.mkdtemp(), **watched)

    def loss(params: Any) -> Any:
        first, second, third = params
        hidden = jnp.tanh(jnp.tanh(X @ first["w"] + first["b"]) @ second["w"] + second["b"])
        return jnp.mean((hidden @ third["w"] + third["b"] - Y) ** 2)

    @jax.jit
    def step(params: Any, state: Any) -> Any:
        updates, state = tx.update(jax.grad(loss)(params), state, params)
        return optax.apply_updates(params, updates), state

    held = [params, tx.init(params)]

    def run(steps: int) -> None:
        now, state = held
        for _ in range(steps):
            now, state = step(now, state)
        jax.block_until_ready(now)
        held[:] = now, state

    return run


def measure(mode: str, rounds: int, seconds: float) -> dict[str, Any]:
    """Ratios of all contestants to the plain step."""
    framework, _, how = mode.partition(" ")
    runs = {
        name: in_jax(watched) if framework == "jax" else in_tensorflow(watched, how == "xla")
        for name, watched in CONTESTANTS.items()
    }
    for run in runs.values():
        run(200)
    count = max(1, round(seconds * 200 / _timed(runs["plain"], 200)[0]))
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for at in range(rounds + 1):
        for name, run in runs.items():
            took = _timed(run, count)
            if at:  # the first round warms up
                times[name].append(took)
    return {
        "steps_in_a_block": count,
        "rounds": rounds,
        "load": round(os.getloadavg()[1], 1),
        "contestants": {
            name: {
                "ratio": _ratio(took, times["plain"], 0),
                "ratio of processor time": _ratio(took, times["plain"], 1),
                "ratio of the fastest fifth": round(_fifth(took) / _fifth(times["plain"]), 3),
                "microseconds": round(1e6 * min(one for one, _ in took) / count, 1),
            }
            for name, took in times.items()
        },
    }


def _timed(run: Run, count: int) -> tuple[float, float]:
    began, spent = time.perf_counter(), time.process_time()
    run(count)
    return time.perf_counter() - began, time.process_time() - spent


def _ratio(some: list[tuple[float, float]], plain: list[tuple[float, float]], which: int) -> float:
    return round(statistics.median(one[which] / other[which] for one, other in zip(some, plain, strict=True)), 3)


def _fifth(some: list[tuple[float, float]]) -> float:
    return sorted(one for one, _ in some)[len(some) // 5]


def main() -> None:
    """Measure each in a process of its own and write down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="the beginning of a mode's name")
    parser.add_argument("--here", choices=MODES, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=2.0, help="of a block")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.here:
        os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3")
        print(json.dumps(measure(options.here, options.rounds, options.seconds)))
        return
    for mode in MODES:
        if not mode.startswith(options.only):
            continue
        command = [sys.executable, __file__, "--here", mode, "--rounds", str(options.rounds)]
        done = subprocess.run(
            [*command, "--seconds", str(options.seconds)], check=True, stdout=subprocess.PIPE, text=True
        )
        found = json.loads(done.stdout.splitlines()[-1])
        print(json.dumps({mode: found}, indent=2), flush=True)
        if options.out:
            kept = json.loads(options.out.read_text()) if options.out.exists() else {}
            kept.setdefault("compiled, 64x64 MLP", {"machine": f"{os.cpu_count()} cores"})[mode] = found
            options.out.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
