"""One update of TensorFlow.js' snake-dqn in plain JAX with Optax, as one would write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import optax

SHAPES = {"c1": (3, 3, 2, 128), "c2": (3, 3, 128, 256), "c3": (3, 3, 256, 256), "d1": (2304, 100), "d2": (100, 3)}


def start(key: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Weights, and the averages of the two normalisations."""
    init = jax.nn.initializers.glorot_uniform()
    params: dict[str, Any] = {}
    for name, shape in SHAPES.items():
        key, one = jax.random.split(key)
        params[name] = {"w": init(one, shape), "b": jnp.zeros(shape[-1])}
    for name, size in (("n1", 128), ("n2", 256)):
        params[name] = {"scale": jnp.ones(size), "shift": jnp.zeros(size)}
    return params, {n: {"mean": jnp.zeros(s), "var": jnp.ones(s)} for n, s in (("n1", 128), ("n2", 256))}


def conv(x: Any, p: Any) -> Any:
    """Valid, with ReLU."""
    y = jax.lax.conv_general_dilated(x, p["w"], (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(y + p["b"])


def norm(x: Any, p: Any, held: Any, training: bool) -> tuple[Any, Any]:
    """BatchNormalization, and its new averages."""
    mean, var = (x.mean((0, 1, 2)), x.var((0, 1, 2))) if training else (held["mean"], held["var"])
    new = {"mean": 0.99 * held["mean"] + 0.01 * mean, "var": 0.99 * held["var"] + 0.01 * var}
    return (x - mean) * jax.lax.rsqrt(var + 1e-3) * p["scale"] + p["shift"], new


def forward(params: Any, held: Any, x: Any, key: Any = None) -> tuple[Any, Any]:
    """Values of the three actions; with a key in training mode."""
    x, n1 = norm(conv(x, params["c1"]), params["n1"], held["n1"], key is not None)
    x, n2 = norm(conv(x, params["c2"]), params["n2"], held["n2"], key is not None)
    x = conv(x, params["c3"]).reshape(len(x), -1)
    x = jax.nn.relu(x @ params["d1"]["w"] + params["d1"]["b"])
    if key is not None:
        x = jnp.where(jax.random.bernoulli(key, 0.75, x.shape), x / 0.75, 0.0)
    return x @ params["d2"]["w"] + params["d2"]["b"], {"n1": n1, "n2": n2}


def make(batch: Mapping[str, Any]) -> Callable[[], float]:
    """A function that makes one update on the batch and gives its loss."""
    params, held = start(jax.random.key(0))
    target = jax.tree.map(jnp.array, (params, held))
    optimizer = optax.adam(1e-3)
    state = {"params": params, "held": held, "moments": optimizer.init(params), "key": jax.random.key(1)}

    @partial(jax.jit, donate_argnums=0)
    def step(state: Any, target: Any, rows: Any) -> Any:
        key, one = jax.random.split(state["key"])
        wanted = rows["reward"] + rows["discount"] * forward(*target, rows["next_observation"])[0].max(axis=1)

        def loss_of(params: Any) -> Any:
            values, new = forward(params, state["held"], rows["observation"], one)
            return jnp.mean((wanted - jnp.take_along_axis(values, rows["action"][:, None], 1)[:, 0]) ** 2), new

        (loss, new), grads = jax.value_and_grad(loss_of, has_aux=True)(state["params"])
        updates, moments = optimizer.update(grads, state["moments"])
        params = optax.apply_updates(state["params"], updates)
        return {"params": params, "held": new, "moments": moments, "key": key}, loss

    def run() -> float:
        nonlocal state
        state, loss = step(state, target, dict(batch))
        return float(loss)

    return run
