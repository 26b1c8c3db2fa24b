"""W103 left-framework

What it checks
    A value on the way to the loss leaves the framework (.numpy(), .item(),
    .tolist(), float(), predict(), a NumPy function, tf.numpy_function) and
    comes back as a constant (torch.tensor, torch.from_numpy, tf.constant, or
    arithmetic with the number). Both lines are shown. A network that runs in
    a data pipeline (dataset.map) is such a case: what comes out is data. A
    warning, where only one term of the loss left: `loss + 0.1 * p.item()`.

Why it matters
    Python numbers and NumPy arrays have no history. What is computed with
    them is right as a number and a constant to the gradient. The loss goes
    on being printed, and nothing behind the exit learns from it.

Example
    PyTorch
        dist = torch.distributions.Categorical(logits=policy(states))
        log_probs = [p.item() for p in dist.log_prob(taken)]
        loss = -(torch.tensor(log_probs) * returns).mean()
        loss.backward()    # RuntimeError: element 0 of tensors does not ...
    TensorFlow
        with tf.GradientTape() as tape:
            predictions = net.predict(states, verbose=0)
            loss = tf.reduce_mean((targets - predictions) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)    # all None
    JAX
        def loss_fn(params):
            values = [v.item() for v in net(params, states)]
            return jnp.mean((jnp.array(values) - returns) ** 2)

        grads = jax.grad(loss_fn)(params)    # all zeros; an error under jit

Instead
    PyTorch
        dist = torch.distributions.Categorical(logits=policy(states))
        log_probs = [p for p in dist.log_prob(taken)]
        loss = -(torch.stack(log_probs) * returns).mean()
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            predictions = net(states, training=True)
            loss = tf.reduce_mean((targets - predictions) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
    JAX
        def loss_fn(params):
            values = net(params, states)[:, 0]
            return jnp.mean((values - returns) ** 2)

        grads = jax.grad(loss_fn)(params)

What does not help
    torch.tensor(values, requires_grad=True): a new leaf. The error is gone,
    the gradient ends at the leaf, the network gets nothing.
    loss.requires_grad = True: the same, one step later.
    torch.from_numpy, torch.as_tensor: share the memory, not the history.
    tf.convert_to_tensor, tape.watch(constant): the constant is watched, what
    it was computed from is not.
    tf.numpy_function in place of NumPy: has no gradient. tf.py_function has
    one, if its body uses TensorFlow operations.
    jax.pure_callback: refuses to be differentiated without a custom rule.

When it is meant
    Logging, metrics, acting in the environment and filling a replay buffer
    may leave the framework: no loss hangs on them. A number that is meant as
    a constant in the loss (a running mean, an importance weight) is quiet
    while the network gets its gradient on another way. Otherwise write
    `# whygrad: ok W103` on the line where the value leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whygrad.rules.case import Case
from whygrad.rules.cuts.idle_terms import idle_terms
from whygrad.rules.cuts.numpy_factors import numpy_factors
from whygrad.rules.cuts.verdict import Verdict, verdicts
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import at_line, from_verdict, plain_subject, quoted

CODE, NAME = "W103", "left-framework"
SUMMARY = "the value went through NumPy or Python and came back as a constant"

PIPELINE = "data pipeline"
_WRITTEN = {
    "numpy": ".numpy()", "item": ".item()", "tolist": ".tolist()", "__array__": "NumPy", "__float__": "float()",
    "__int__": "int()", "__index__": "an index", "predict": "predict()", "predict_on_batch": "predict_on_batch()",
}  # fmt: skip


def check(case: Case) -> Iterator[Finding]:
    """Values that left the framework on the way to the loss."""
    found = [verdict for verdict in (*verdicts(case), *idle_terms(case)) if verdict.code == CODE]
    for verdict in found:
        yield from_verdict(case, verdict, NAME, *_words(case, verdict))
    told = {(v.where.file, v.where.line) for v in found if v.where is not None}
    for verdict in numpy_factors(case):
        if verdict.where is not None and (verdict.where.file, verdict.where.line) not in told:
            yield _factor(case, verdict)
    if case.recording.framework == "jax":
        yield from _refused(case)


def _factor(case: Case, verdict: Verdict) -> Finding:
    """TensorFlow: the variables learn, and a part of their gradient is missing."""
    finding = from_verdict(case, verdict, NAME, *_words(case, verdict))
    loss, text = case.loss_site(verdict.backward), quoted(verdict.where)
    name = plain_subject(case, verdict.variables)
    return replace(
        finding, severity="warning",
        message=f"the gradient of {name} is not that of the loss{at_line(loss, verdict.where)}: {text} is a constant "
        "to it",
        label=f"a NumPy function: what it returns is a constant to {name}",
        why=f"A NumPy function takes the numbers out of the tensor. {name} learns from the rest of the expression, as "
        "if this part of it did not depend on the weights.",
        fix=f"use the function of TensorFlow (tf, tf.math, keras.ops) in {text}; tf.stop_gradient(…) says that a "
        "constant is meant",
    )  # fmt: skip


def _refused(case: Case) -> Iterator[Finding]:
    """JAX does not differentiate through Python and NumPy in silence: it raises."""
    for failure in case.recording.failures:
        told = next((words for word, words in _REFUSALS.items() if word in failure.message), None)
        where = case.site(failure.stack)
        if told is None or where is None:
            continue
        what, fix = told
        yield Finding(
            code=CODE,
            rule=NAME,
            severity="error",
            message=f"JAX cannot {'compile' if failure.traced else 'differentiate'} {quoted(where)}: the value leaves "
            "the framework",
            why=_COMPILED if failure.traced else _DIFFERENTIATED,
            fix=fix,
            variables=(),
            where=where,
            label=f"the value leaves the framework here ({what})",
            path=(PathStep(where, what, "the gradient stops here"),),
        )
        return


_DIFFERENTIATED = (
    "While a gradient is computed the values are tracers, which stand for all numbers at once. Python and NumPy need "
    "one number, and give back a constant, through which no gradient passes."
)
_COMPILED = (
    "While a function is compiled the values are tracers, which stand for all numbers at once. Python and NumPy "
    "need one number, and there is none before the compiled function runs."
)
_REFUSALS = {
    "Pure callbacks do not support JVP": (
        "pure_callback",
        "write the function with jax.numpy operations, or give it a derivative with jax.custom_jvp or jax.custom_vjp",
    ),
    "IO callbacks do not support JVP": ("io_callback", "keep io_callback out of what is differentiated"),
    "TracerArrayConversionError": (
        "NumPy",
        "use jax.numpy (jnp) in place of numpy inside the function that is differentiated",
    ),
    "problem arose with the `float` function": (
        "float()",
        "stay with the array: drop float(), or use .astype(jnp.float32); log the number outside the function",
    ),
    "problem arose with the `int` function": ("int()", "keep the value an array: .astype(jnp.int32) has no derivative"),
    "problem arose with the `item` method": ("item()", "stay with the array: drop .item(); log the number outside"),
    "item() method of jax.Array": ("item()", "stay with the array: drop .item(); log the number outside"),
    "tolist() method was called": ("tolist()", "stay with the array: index it, or use jax.vmap in place of a list"),
}
"""What JAX says, what the user wrote, and what to write instead."""


def _words(case: Case, verdict: Verdict) -> tuple[str, str, str]:
    op, torch = verdict.op, case.recording.framework == "torch"
    if op.name == "NumPy copy":
        label = "the gradient stops here: this uses a NumPy copy of the array, which is a constant"
        why = "A NumPy array holds the numbers of that moment. It has no gradient, and no update changes it."
        return label, why, f"use the array of the function's argument in {quoted(verdict.where)}, not its copy"
    if op.name == PIPELINE:
        label = "runs in a data pipeline here: what comes out of it is data"
        why = "The pipeline's functions are compiled and run apart from the training step; no tape sees them."
        name = plain_subject(case, verdict.variables)
        return label, why, f"leave {name} out of the pipeline, and call it inside the tape with what the pipeline gives"
    if op.kind == "enter" and "numpy_function" not in op.name and "py_func" not in op.name:
        text = quoted(verdict.where)
        label = "the gradient stops here: this makes a new tensor from the numbers alone"
        why = (
            "A tensor built from values has no history: the framework cannot know what the numbers were computed from."
        )
        join = "torch.stack([...]) or torch.cat([...])" if torch else "tf.stack([...]) or tf.concat([...])"
        fix = f"keep the tensors in place of {text}; to put several together use {join}"
        return label, why, fix
    written = _WRITTEN.get(op.name, op.name)
    back = at_line(case.site(verdict.entry.stack) if verdict.entry is not None else None, verdict.where)
    label = f"the value leaves the framework here ({written})"
    label += f" and comes back{back} as a constant" if back else ""
    why = (
        "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to the framework."
    )
    if "numpy_function" in op.name or "py_func" in op.name:
        fix = (
            "write the function with tf / keras.ops operations, or use tf.py_function with TensorFlow operations inside"
        )
    elif op.name.startswith("predict"):
        fix = "call the model itself inside the tape, `model(x, training=True)`; predict() is for inference"
    else:
        maths = {"torch": "torch", "jax": "jax.numpy"}.get(case.recording.framework, "tf / keras.ops")
        text = quoted(verdict.where)
        stop = next((word for word in (".detach()", ".data") if word in text), None)
        drop = f"{stop} and {written}" if stop is not None and stop != written else written
        fix = f"stay in the framework up to the loss: drop {drop} in {text} and use {maths} functions"
    return label, why, fix
