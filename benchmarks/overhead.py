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
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
FOREVER = 1_000_000
PATIENCE = 2.0
"""Seconds: a series of diagnoses ends with the first that takes longer."""
BATCH, OBSERVATION, HIDDEN, ACTIONS = 64, 8, 64, 4
Step = Callable[[], Any]
Variant = Callable[[], AbstractContextManager[Step]]

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


# --- measuring --------------------------------------------------------------------------------------------------


def quartiles(numbers: list[float]) -> dict[str, float]:
    """Median and quartiles."""
    if len(numbers) < 2:
        return {"median": numbers[0], "q1": numbers[0], "q3": numbers[0], "rounds": len(numbers)}
    q1, median, q3 = statistics.quantiles(numbers, n=4, method="inclusive")
    return {"median": median, "q1": q1, "q3": q3, "rounds": len(numbers)}


def seconds(step: Step) -> float:
    """CPU time of one step: on one thread it is the time that passes, less what other programs took."""
    start = time.process_time()
    step()
    return time.process_time() - start


def take_turns(plain: Variant, variants: dict[str, Variant], rounds: int, steps: int) -> dict[str, Any]:
    """Every variant once in every round, in random order, each between two blocks of plain steps."""

    def block(variant: Variant) -> list[float]:
        gc.collect()
        with variant() as step:
            return [seconds(step) for _ in range(steps)]

    shuffled = random.Random(0)
    ratios: dict[str, list[float]] = {name: [] for name in variants}
    first: list[float] = []
    bases = [statistics.median(block(plain))]
    for _ in range(rounds):
        for name in shuffled.sample(list(variants), len(variants)):
            spent = block(variants[name])
            bases.append(statistics.median(block(plain)))
            base = (bases[-2] + bases[-1]) / 2
            ratios[name].append(statistics.median(spent) / base)
            if name == "deep":
                first.append(spent[0] / base)
    found = {name: quartiles(numbers) for name, numbers in (ratios | {"deep, first step": first}).items()}
    return {"plain_ms": 1000 * statistics.median(bases), "steps_per_block": steps, "ratio_to_plain": found}


def whygrad_variants(step: Step) -> tuple[Variant, dict[str, Variant]]:
    """The step untraced; and traced, and after a recorder has seen enough and let go."""
    from whygrad.trace import loading
    from whygrad.trace.session import Session

    def warm_up() -> None:
        for _ in range(2):
            step()

    @contextlib.contextmanager
    def plain() -> Iterator[Step]:
        warm_up()
        yield step

    @contextlib.contextmanager
    def traced(depth: int) -> Iterator[Step]:
        warm_up()
        session = Session(depth=depth, ring=0)
        watch = loading.begin(session)
        try:
            if depth == 1:
                step()  # the one update it looks at
                warm_up()
            yield step
        finally:
            watch.end()
            session.finish()
        if session.notes:
            raise RuntimeError(f"tracing went wrong, so its cost means nothing: {session.notes}")

    return plain, {"deep": lambda: traced(FOREVER), "released": lambda: traced(1)}


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


# --- explaining -------------------------------------------------------------------------------------------------


def recorded(training: Callable[[], Any]) -> Any:
    """The session of a training that has just run under the recorder."""
    from whygrad.trace import loading
    from whygrad.trace.session import Session

    session = Session(depth=FOREVER)
    watch = loading.begin(session)
    try:
        training()
    finally:
        watch.end()
    return session


def explain_once(training: Callable[[], Any]) -> tuple[int, float, list[str]]:
    """Operations recorded, CPU seconds to explain them, and the codes found."""
    from whygrad.diagnose import diagnose

    session = recorded(training)
    gc.collect()
    start = time.process_time()
    recordings = session.finish()
    findings, notes = diagnose(recordings)
    spent = time.process_time() - start
    operations = sum(len(recording.ops) for recording in recordings)
    if session.notes or notes:
        raise RuntimeError(f"notes: {session.notes + notes}")
    return operations, spent, sorted({finding.code for finding in findings})


def explain_series(make: Callable[[int], Callable[[], Any]], sizes: list[int], repeats: int) -> dict[str, Any]:
    """Seconds to explain against operations, and the exponent of a straight line through their logarithms."""
    rows = []
    for size in sizes:
        training = make(size)
        runs = [explain_once(training) for _ in range(repeats)]
        spent = quartiles([run[1] for run in runs])
        row = {"operations": runs[0][0], "seconds": spent["median"], "q1": spent["q1"], "q3": spent["q3"]}
        rows.append(row | {"found": runs[0][2]})
        if spent["median"] > PATIENCE:
            break
    points = [(row["operations"], row["seconds"]) for row in rows]
    return {"rows": rows, "exponent": exponent(points), "exponent_of_last_three": exponent(points[-3:])}


def exponent(points: list[tuple[float, float]]) -> float | None:
    """The slope in a log-log plot: 1 is linear growth."""
    if len(points) < 2:
        return None
    logs = [(math.log(x), math.log(y)) for x, y in points]
    return statistics.linear_regression(*zip(*logs, strict=True)).slope


def torch_chain(operations: int, width: int = 8, batch: int = 8) -> Callable[[], Any]:
    """One update through a long recurrence, three operations a turn; a detach before the head cuts the gradient."""
    import torch

    encoder, recurrent, head = torch.nn.Linear(width, width), torch.nn.Linear(width, width), torch.nn.Linear(width, 1)
    optimizer = torch.optim.Adam([*encoder.parameters(), *recurrent.parameters(), *head.parameters()])
    data = torch.randn(batch, width)

    def train() -> None:
        optimizer.zero_grad()
        hidden = encoder(data)
        for _ in range(operations // 3):
            hidden = torch.tanh(hidden @ recurrent.weight + recurrent.bias)
        loss = head(hidden.detach()).mean()
        loss.backward()
        optimizer.step()

    return train


def torch_detach_each_turn(operations: int) -> Callable[[], Any]:
    """A recurrence that is detached in every turn: as many cuts as turns."""
    import torch

    encoder, head = torch.nn.Linear(8, 8), torch.nn.Linear(8, 1)
    optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()])
    data = torch.randn(8, 8)

    def train() -> None:
        optimizer.zero_grad()
        total = head(data).mean()
        for _ in range(operations // 4):
            total = total + encoder(data).detach().mean()
        total.backward()
        optimizer.step()

    return train


def torch_cut_heads(operations: int) -> Callable[[], Any]:
    """Many small networks, the output of each detached: cuts and variables both grow with the operations."""
    import torch

    heads = torch.nn.ModuleList(torch.nn.Linear(4, 1) for _ in range(operations // 4))
    whole = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD([*heads.parameters(), *whole.parameters()], lr=0.1)
    data = torch.randn(4, 4)

    def train() -> None:
        optimizer.zero_grad()
        total = whole(data).mean()
        for head in heads:
            total = total + head(data).detach().mean()
        total.backward()
        optimizer.step()

    return train


def torch_layers(operations: int) -> Callable[[], Any]:
    """A network whose depth (and number of variables) grows with the operations, cut before its head."""
    import torch

    layers = [layer for _ in range(operations // 2) for layer in (torch.nn.Linear(4, 4), torch.nn.Tanh())]
    trunk, head = torch.nn.Sequential(*layers), torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD([*trunk.parameters(), *head.parameters()], lr=0.1)
    data = torch.randn(4, 4)

    def train() -> None:
        optimizer.zero_grad()
        loss = head(trunk(data).detach()).mean()
        loss.backward()
        optimizer.step()

    return train


def torch_updates(operations: int) -> Callable[[], Any]:
    """Many short updates, all traced, as `whygrad.record()` around a whole training does."""
    import torch

    trunk, head = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh()), torch.nn.Linear(8, 1)
    optimizer = torch.optim.Adam([*trunk.parameters(), *head.parameters()])
    data = torch.randn(8, 8)

    def train() -> None:
        for _ in range(operations // 5):
            optimizer.zero_grad()
            loss = head(trunk(data).detach()).mean()
            loss.backward()
            optimizer.step()

    return train


def measure_explain_torch(quick: bool) -> dict[str, Any]:
    """(d) and (e): diagnosis time and memory against the number of recorded operations."""
    import torch

    torch.set_num_threads(1)
    explain_once(torch_chain(300))
    sizes = [1000, 2000, 5000] if quick else [1000, 2000, 5000, 10_000, 20_000]
    repeats = 1 if quick else 3
    short = [250, 500, *sizes]
    return {
        "one long update": explain_series(torch_chain, sizes, repeats),
        "one long update, a cut in every turn": explain_series(torch_detach_each_turn, sizes, repeats),
        "one long update, every fourth operation cuts another network": explain_series(torch_cut_heads, sizes, 1),
        "one long update, as many variables as operations": explain_series(torch_layers, sizes, repeats),
        "an update every five operations, all traced": explain_series(torch_updates, short, 1),
        "memory": {
            f"tensors of {batch * width * 4:,} bytes": bytes_per_operation(torch_chain(3000, width, batch))
            for width, batch in ((4, 4), (256, 64))
        },
    }


def bytes_per_operation(training: Callable[[], Any]) -> float:
    """Python memory that a recording holds, per operation recorded."""
    training()
    tracemalloc.start()
    try:
        training()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        session = recorded(training)
        gc.collect()
        held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    operations = sum(len(recording.ops) for recording in session.finish())
    return held / operations


def tensorflow_chain(operations: int) -> Callable[[], Any]:
    """The long recurrence in TensorFlow, cut by `tf.stop_gradient`."""
    import keras
    import tensorflow as tf

    start, weight = tf.Variable(tf.random.normal((8, 8))), tf.Variable(tf.random.normal((8, 8)))
    bias, head = tf.Variable(tf.zeros(8)), tf.Variable(tf.random.normal((8, 1)))
    variables = [start, weight, bias, head]
    optimizer = keras.optimizers.Adam()
    data = tf.random.normal((8, 8))

    def train() -> None:
        with tf.GradientTape() as tape:
            hidden = data @ start
            kernel, offset = weight.read_value(), bias.read_value()
            for _ in range(operations // 3):
                hidden = tf.tanh(hidden @ kernel + offset)
            loss = tf.reduce_mean(tf.stop_gradient(hidden) @ head)
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables, strict=True) if g is not None])

    return train


def measure_explain_tensorflow(quick: bool) -> dict[str, Any]:
    """(d) and (e) on TensorFlow: one long update."""
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    explain_once(tensorflow_chain(300))
    sizes = [1000, 2000, 5000] if quick else [1000, 2000, 5000, 10_000, 20_000]
    return {
        "one long update": explain_series(tensorflow_chain, sizes, 1 if quick else 3),
        "memory": {"tensors of 256 bytes": bytes_per_operation(tensorflow_chain(3000))},
    }


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
