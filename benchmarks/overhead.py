"""What tracing costs, and how fast a recording is explained: ratios, measured in one run.

    python benchmarks/overhead.py [--quick] [--only torch|tensorflow|jax|explain] [--output FILE]

Each framework runs in a process of its own, on one thread, and CPU time is what is counted. Within a process the
variants take turns in rounds, in random order; a block of steps of each lies between two blocks of plain steps and
gives one ratio to them. What is printed is the median of those ratios with its quartiles. A full run writes
benchmarks/results.json; a partial or quick one writes only where --output says.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import gc
import importlib.metadata
import importlib.util
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from explaining import measure_explain_tensorflow, measure_explain_torch
from turns import FOREVER, Step, quartiles, seconds, take_turns, whygrad_variants

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
BATCH, OBSERVATION, HIDDEN, ACTIONS = 64, 8, 64, 4

PARTS = {
    "torch": ("torch", "torch-peers"),
    "tensorflow": ("tensorflow",),
    "jax": ("jax",),
    "explain": ("explain-torch", "explain-tensorflow"),
}
NEEDS = {"torch": "torch", "torch-peers": "torch", "explain-torch": "torch", "jax": "jax"}
TARGETS = {
    ("torch", "64x64 MLP", "deep"): 5.0,
    ("torch", "10 M parameters", "deep"): 2.0,
    ("tensorflow", "64x64 MLP, eager", "deep"): 5.0,
}


# --- PyTorch ----------------------------------------------------------------------------------------------------


def torch_training(sizes: list[int]) -> tuple[Any, Step, int]:
    """A model, its Adam training step, and how many parameters it has."""
    import torch

    torch.manual_seed(0)
    layers: list[Any] = []
    for wide, narrow in itertools.pairwise(sizes):
        layers += [torch.nn.Linear(wide, narrow), torch.nn.Tanh()]
    model = torch.nn.Sequential(*layers[:-1])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    states, targets = torch.randn(BATCH, sizes[0]), torch.randn(BATCH, sizes[-1])

    def step() -> None:
        optimizer.zero_grad()
        loss = ((model(states) - targets) ** 2).mean()
        loss.backward()
        optimizer.step()

    step()
    return model, step, sum(p.numel() for p in model.parameters())


SMALL = [OBSERVATION, HIDDEN, HIDDEN, ACTIONS]
LARGE = [784, 2048, 2048, 2048, 10]
LARGE_AND_DEEP = [64] + [400] * 62 + [10]


def measure_torch(quick: bool) -> dict[str, Any]:
    """(a) and (b): the small network beside anomaly mode, and two networks of 10 M parameters."""
    import torch

    torch.set_num_threads(1)
    _, step, count = torch_training(SMALL)
    plain, variants = whygrad_variants(step)

    @contextlib.contextmanager
    def anomaly() -> Iterator[Step]:
        with torch.autograd.set_detect_anomaly(True):
            step()
            yield step

    variants["anomaly mode"] = anomaly
    found = {"64x64 MLP": take_turns(plain, variants, 5 if quick else 25, 10) | {"parameters": count}}
    for name, sizes in {"10 M parameters": LARGE, "10 M parameters in 63 layers": LARGE_AND_DEEP}.items():
        _, step, count = torch_training(sizes)
        found[name] = take_turns(*whygrad_variants(step), 2 if quick else 7, 3) | {"parameters": count}
    return found


def measure_torch_peers(quick: bool) -> dict[str, Any]:
    """TorchLens and TrainCheck. Both leave the process changed, so each pair of measurements has a fresh one."""
    found: dict[str, Any] = {}
    for name, package, measure in (("TorchLens", "torchlens", torchlens_pair), ("TrainCheck", "traincheck", None)):
        if importlib.util.find_spec(package) is None:
            found[name] = "not installed"
            continue
        if quick and measure is None:
            found[name] = "skipped with --quick"
            continue
        try:
            ratios = [in_child(f"pair-{package}", quick) for _ in range(1 if quick else 3 if measure else 2)]
            found[name] = quartiles(ratios) | {"version": importlib.metadata.version(package)}
        except RuntimeError as error:
            found[name] = f"failed: {error}"
    return {"64x64 MLP": {"ratio_to_plain": found}}


def torchlens_pair(quick: bool) -> float:
    """A training step whose forward pass TorchLens logs, against the plain one before TorchLens was there."""
    import torch

    torch.set_num_threads(1)
    model, step, _ = torch_training(SMALL)
    plain = statistics.median(seconds(step) for _ in range(100))
    import torchlens

    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    states, targets = torch.randn(BATCH, OBSERVATION), torch.randn(BATCH, ACTIONS)

    def logged() -> None:
        optimizer.zero_grad()
        log = torchlens.trace(model, states)  # log_forward_pass, before TorchLens 2
        loss = ((log[log.output_layers[0]].out - targets) ** 2).mean()
        loss.backward()
        optimizer.step()

    logged()
    return statistics.median(seconds(logged) for _ in range(5 if quick else 20)) / plain


TRAINCHECK_SCRIPT = f"""
import statistics, time
import torch
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear({OBSERVATION}, {HIDDEN}), torch.nn.Tanh(),
                            torch.nn.Linear({HIDDEN}, {HIDDEN}), torch.nn.Tanh(), torch.nn.Linear({HIDDEN}, {ACTIONS}))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
states, targets = torch.randn({BATCH}, {OBSERVATION}), torch.randn({BATCH}, {ACTIONS})
spent = []
for i in range(12):
    start = time.process_time()
    optimizer.zero_grad()
    loss = ((model(states) - targets) ** 2).mean()
    loss.backward()
    optimizer.step()
    spent.append(time.process_time() - start)
print("SECONDS", statistics.median(spent[2:]))
"""


def traincheck_pair(quick: bool) -> float:
    """A script under TrainCheck's default collection (what its reference run needs), against the script alone.

    `traincheck-collect` rewrites the script; the rewritten one is run here, because the collector gives the process
    it starts a PYTHONPATH of its own.
    """

    def median_of(script: Path) -> float:
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=folder, timeout=300)
        said = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("SECONDS")]
        if not said:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return float(said[0])

    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "train.py"
        script.write_text(TRAINCHECK_SCRIPT)
        collect = [sys.executable, "-m", "traincheck.collect_trace", "--only-instr", "--pyscript", str(script)]
        output = Path(folder) / "out"
        collect += ["--models-to-track", "model", "--output-dir", str(output)]
        subprocess.run(collect, capture_output=True, cwd=folder, timeout=120)
        rewritten = next(iter(output.glob("_traincheck_*.py")), None)
        if rewritten is None:
            raise RuntimeError("traincheck-collect wrote no script")
        return median_of(rewritten) / median_of(script)


# --- TensorFlow -------------------------------------------------------------------------------------------------


def measure_tensorflow(quick: bool) -> dict[str, Any]:
    """(c): the same network and step with Keras, eager and as a `tf.function`."""
    import keras
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [keras.Input((OBSERVATION,))]
        + [keras.layers.Dense(HIDDEN, activation="tanh") for _ in range(2)]
        + [keras.layers.Dense(ACTIONS)]
    )
    optimizer = keras.optimizers.Adam(1e-4)
    states, targets = tf.random.normal((BATCH, OBSERVATION)), tf.random.normal((BATCH, ACTIONS))

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(states) - targets))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    step()
    compiled = tf.function(step)
    compiled()
    rounds = 4 if quick else 11
    found = {"64x64 MLP, eager": take_turns(*whygrad_variants(step), rounds, 6)}
    plain, variants = whygrad_variants(compiled)

    @contextlib.contextmanager
    def eager() -> Iterator[Step]:
        step()
        yield step

    variants["untraced eager step"] = eager
    found["64x64 MLP, tf.function"] = take_turns(plain, variants, rounds, 6)
    return found


# --- JAX --------------------------------------------------------------------------------------------------------


def jax_training() -> Step:
    """A new training step that was never traced: a DQN update of plain JAX and Optax, under `jit`."""
    import jax
    import jax.numpy as jnp
    import optax

    keys = jax.random.split(jax.random.key(0), 8)
    pairs = list(itertools.pairwise(SMALL))
    params = [(jax.random.normal(k, p) / p[0] ** 0.5, jnp.zeros(p[1])) for k, p in zip(keys, pairs, strict=False)]
    target, optimizer = jax.tree.map(jnp.copy, params), optax.adam(1e-4)
    state = optimizer.init(params)
    states, after = (jax.random.normal(key, (BATCH, OBSERVATION)) for key in keys[3:5])
    actions, rewards = jnp.zeros(BATCH, int), jax.random.normal(keys[5], (BATCH,))

    def values(params: Any, x: Any) -> Any:
        for weights, bias in params[:-1]:
            x = jnp.tanh(x @ weights + bias)
        return x @ params[-1][0] + params[-1][1]

    @jax.jit
    def update(params: Any, target: Any, state: Any) -> Any:
        def loss(params: Any) -> Any:
            best = rewards + 0.99 * jax.lax.stop_gradient(values(target, after)).max(1)
            return jnp.mean((values(params, states)[jnp.arange(BATCH), actions] - best) ** 2)

        updates, state = optimizer.update(jax.grad(loss)(params), state)
        return optax.apply_updates(params, updates), state

    def step() -> None:
        nonlocal params, state
        params, state = update(params, target, state)
        jax.block_until_ready(params)

    return step


def measure_jax(quick: bool) -> dict[str, Any]:
    """(c): the first four updates, which trace and compile the step, and the compiled updates that follow."""
    from whygrad.trace import loading
    from whygrad.trace.session import Session

    def run(depth: int | None) -> tuple[float, float]:
        step = jax_training()
        gc.collect()
        if depth is None:
            first = sum(seconds(step) for _ in range(4))
            return first, statistics.median(seconds(step) for _ in range(100))
        session = Session(depth=depth, ring=0)
        watch = loading.begin(session)
        try:
            first = sum(seconds(step) for _ in range(4))
            later = statistics.median(seconds(step) for _ in range(100 if depth == 4 else 10))
        finally:
            watch.end()
            session.finish()
        if session.notes:
            raise RuntimeError(f"tracing went wrong, so its cost means nothing: {session.notes}")
        return first, later

    run(None)
    run(4)
    found: dict[str, list[float]] = {"first four updates": [], "deep, once compiled": [], "released": []}
    bases = [run(None)]
    for _ in range(3 if quick else 15):
        first, released = run(4)
        _, deep = run(FOREVER)
        bases.append(run(None))
        base, compiled = ((bases[-2][i] + bases[-1][i]) / 2 for i in (0, 1))
        found["first four updates"].append(first / base)
        found["deep, once compiled"].append(deep / compiled)
        found["released"].append(released / compiled)
    plain = 1000 * statistics.median(base[1] for base in bases)
    ratios = {name: quartiles(numbers) for name, numbers in found.items()}
    four = statistics.median(base[0] for base in bases)
    return {"64x64 MLP, jit": {"plain_ms": plain, "first_four_seconds": four, "ratio_to_plain": ratios}}


# --- processes, table, file -------------------------------------------------------------------------------------


CHILDREN: dict[str, Callable[[bool], Any]] = {
    "torch": measure_torch,
    "torch-peers": measure_torch_peers,
    "tensorflow": measure_tensorflow,
    "jax": measure_jax,
    "explain-torch": measure_explain_torch,
    "explain-tensorflow": measure_explain_tensorflow,
    "pair-torchlens": torchlens_pair,
    "pair-traincheck": traincheck_pair,
}


def in_child(part: str, quick: bool) -> Any:
    """Run one part in a fresh interpreter, on one thread, and take its figures."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = os.environ | threads | {"TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow"}
    source = str(HERE.parent / "src")
    environment["PYTHONPATH"] = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [sys.executable, __file__, "--child", part, "--output", str(answer)] + ["--quick"] * quick
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode or not answer.exists():
            raise RuntimeError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
        return json.loads(answer.read_text())


def write_whole(path: Path, thing: Any) -> None:
    """All of the file or none of it."""
    beside = path.with_name(path.name + ".tmp")
    beside.write_text(json.dumps(thing, indent=2) + "\n")
    beside.replace(path)


def rounded(thing: Any) -> Any:
    """Four significant digits: more would be noise."""
    if isinstance(thing, float):
        return float(f"{thing:.4g}")
    if isinstance(thing, dict):
        return {key: rounded(value) for key, value in thing.items()}
    return [rounded(value) for value in thing] if isinstance(thing, list) else thing


def version(package: str) -> str | None:
    """The installed version of a package."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def machine() -> dict[str, Any]:
    """Where this was measured."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "threads_used": 1,
        "python": platform.python_version(),
        "torch": version("torch"),
        "tensorflow": version("tensorflow") or version("tensorflow-cpu"),
        "keras": version("keras"),
        "jax": version("jax"),
    }


def show_ratios(part: str, figures: dict[str, Any]) -> None:
    """The table of a framework."""
    for case, found in figures.items():
        plain = f"  (plain step {found['plain_ms']:.2f} ms)" if "plain_ms" in found else ""
        print(f"\n{part}: {case}{plain}")
        for name, ratio in found["ratio_to_plain"].items():
            if isinstance(ratio, str):
                print(f"  {name:<22} {ratio}")
                continue
            target = TARGETS.get((part, case, name))
            verdict = "" if target is None else f"   target {target:g}x: {_verdict(ratio['median'] <= target)}"
            spread = f"{ratio['q1']:.2f} to {ratio['q3']:.2f}"
            print(f"  {name:<22} {ratio['median']:>8.2f}x   quartiles {spread:<18}{verdict}")


def show_explained(part: str, figures: dict[str, Any]) -> None:
    """The table of diagnosis times."""
    for case, found in figures.items():
        if case == "memory":
            print(f"\n{part}: memory per recorded operation")
            for size, held in found.items():
                print(f"  {size:<24} {held:>8.0f} bytes")
            continue
        grows = f"{found['exponent']:.2f}, over the last three {found['exponent_of_last_three']:.2f}"
        print(f"\n{part}: {case}  (log-log slope {grows})")
        for row in found["rows"]:
            tenth = 9000 <= row["operations"] <= 12_500
            verdict = f"   target 1 s: {_verdict(row['seconds'] < 1)}" if tenth else ""
            codes = ", ".join(row["found"]) or "nothing found"
            print(f"  {row['operations']:>8,} operations {row['seconds']:>8.3f} s   {codes}{verdict}")


def _verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Measures what whygrad costs, as ratios, beside its peers.")
    parser.add_argument("--quick", action="store_true", help="few rounds: shows that it works, not what it costs")
    parser.add_argument("--only", choices=sorted(PARTS), help="one part")
    parser.add_argument("--output", type=Path, help="where to write (a full run writes benchmarks/results.json)")
    parser.add_argument("--child", choices=sorted(CHILDREN), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        write_whole(given.output, CHILDREN[given.child](given.quick))
        return 0
    result: dict[str, Any] = {
        "measured": datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes"),
        "quick": given.quick,
        "machine": machine(),
    }
    failed = False
    for group in [given.only] if given.only else PARTS:
        for part in PARTS[group]:
            package = NEEDS.get(part, "tensorflow")
            if importlib.util.find_spec(package) is None:
                result[part] = f"{package} is not installed"
                print(f"\n{part}: {result[part]}")
                continue
            try:
                result[part] = rounded(in_child(part, given.quick))
            except RuntimeError as error:
                print(f"\n{part}: failed: {error}")
                failed = True
                continue
            (show_explained if group == "explain" else show_ratios)(part, result[part])
            sys.stdout.flush()
    output = given.output or (None if given.quick or given.only else RESULTS)
    if output is not None and not failed:
        write_whole(output, result)
        print(f"\nwritten to {output}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
