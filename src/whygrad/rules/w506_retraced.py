"""W506 retraced

What it checks
    A compiled function (tf.function, jax.jit) is traced and compiled again in
    nearly every call, because something about the call is new each time: a
    Python number among the arguments, a shape that keeps changing, or a
    function object that is made anew inside the loop.

Why it matters
    Tracing runs the Python body, builds a graph and optimizes it: a hundred
    to a thousand times the cost of a call. Training looks alive and is slower
    than without compilation; every graph stays in memory.

Example
    PyTorch
        Not possible in PyTorch: eager code is not traced, and torch.compile
        gives up by itself after a few recompilations.
    TensorFlow
        traced = []
        @tf.function
        def update(states, epsilon):
            traced.append(epsilon)               # runs only while tracing
            return epsilon * tf.reduce_mean(net(states))
        for step in range(6):
            update(states, 1.0 - 0.1 * step)     # six Python numbers
    JAX
        traced = []
        for step in range(6):
            @jax.jit
            def update(params):                  # a new function each time
                traced.append(step)
                return net_loss(params)
            update(params)

Instead
    PyTorch
        Nothing to repair.
    TensorFlow
        traced = []
        @tf.function
        def update(states, epsilon):
            traced.append(epsilon)
            return epsilon * tf.reduce_mean(net(states))
        for step in range(6):
            update(states, tf.constant(1.0 - 0.1 * step))
    JAX
        traced = []
        @jax.jit
        def update(params):
            traced.append(1)
            return net_loss(params)
        for step in range(6):
            update(params)

What does not help
    Raising the logging level: TensorFlow's warning goes away, the tracing
    does not.
    jit_compile=True: compiling each trace makes it slower still.

When it is meant
    A handful of traces, one for each shape that occurs, is what compilation
    is for, and is quiet. Otherwise write `# whygrad: ok W506` on the line.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Retrace
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.made_anew import made_anew
from whygrad.rules.wording import called_from

CODE, NAME = "W506", "retraced"
SUMMARY = "tf.function or jit compiles again in nearly every call"

_OFTEN = 5
_OFTEN_BY_SHAPE = 10
_MANY = 20


def check(case: Case) -> Iterator[Finding]:
    """Functions of which nearly every call was traced."""
    for retrace in case.recording.retraces:
        kind = retrace.reason.partition(" ")[0]
        often = _OFTEN_BY_SHAPE if kind in ("shape", "object", "other", "") else _OFTEN
        where = case.site(retrace.stack)
        again = retrace.count >= 0.8 * retrace.calls
        again |= kind == "number" and (_counts_on(retrace) or _warms_up(retrace))
        if where is None or retrace.count < often or not again:
            continue
        if case.recording.framework == "jax" and not retrace.calls:
            continue  # nobody calls it: a library asks for the shapes of what it would give (`eval_shape`)
        where = (made_anew(where) or where) if kind == "new" else where
        why, fix, label = _words(case.recording.framework, retrace, kind)
        path = (PathStep(where, retrace.function, label), *called_from(case, retrace.stack, where))
        yield Finding(
            code=CODE, rule=NAME, severity="warning",
            message=f"`{retrace.function}` was traced in {retrace.count} of {retrace.calls} calls",
            why=f"{why} Tracing costs a hundred times a call and more, and every trace is kept.",
            fix=fix, variables=(), where=where, label=label, path=path, seen=retrace.count,
        )  # fmt: skip


def _counts_on(retrace: Retrace) -> bool:
    """Whether new numbers keep coming to the end: the epoch as an argument, for which some calls each are made."""
    return retrace.count >= 0.2 * retrace.calls and retrace.last > 0.7 * retrace.calls


def _warms_up(retrace: Retrace) -> bool:
    """Whether each call was given a new fraction until it settled: a weight that is annealed.

    Whole numbers may be the few sizes that a function is traced for in advance; few traces in a long run cost nothing.
    """
    fraction = "." in retrace.reason or "e-" in retrace.reason
    return fraction and retrace.count == retrace.last and retrace.count >= min(0.2 * retrace.calls, _MANY)


def _words(framework: str, retrace: Retrace, kind: str) -> tuple[str, str, str]:
    """Why it is traced again, what to do, and what to write under the line."""
    compiled = "jax.jit" if framework == "jax" else "tf.function"
    if kind == "new":
        return (f"A function that {compiled} makes anew has no traces yet, so that its first call is traced.",
                "make the compiled function once, before the loop, and call that in the loop",
                f"a new {compiled} at each pass of the loop")  # fmt: skip
    if kind == "number":
        made = "pass it as a tensor: tf.constant(…), or a tf.Variable"
        made = "pass it as an array, no static argument" if framework == "jax" else made
        return (f"A Python number is part of what a trace is for: {retrace.reason.removeprefix('number ')} are two "
                "traces.", made, "called with another Python number each time")  # fmt: skip
    if kind == "held":
        name = retrace.reason.removeprefix("held ").rpartition(".")[2]
        return (f"An argument holds a function (`{name}`) that is made anew for each call, and a trace is for the one "
                "that it was made with.", "make what holds it (an optimizer, a train state) once, before the loop, and "
                "pass that at each call", "an argument holds a new function each time")  # fmt: skip
    if kind == "shape":
        made = "pad to a few sizes" if framework == "jax" else "pad to a few sizes, or use reduce_retracing=True"
        return (f"A trace is for one set of shapes: {retrace.reason.removeprefix('shape ')} are two traces.",
                made, "called with another shape each time")  # fmt: skip
    return ("A Python object among the arguments is part of what a trace is for, and each one is new.",
            "pass tensors, or the same object at each call", "called with another object each time")  # fmt: skip
