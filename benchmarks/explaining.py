"""How fast a recording is explained, and what it holds in memory, against the number of recorded operations."""

from __future__ import annotations

import gc
import math
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

from turns import FOREVER, quartiles

PATIENCE = 2.0
"""Seconds: a series of diagnoses ends with the first that takes longer."""


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
