"""Flax NNX: the optimizer is given the low-rank adapters alone; what they adapt gets a gradient, and stays."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx

rngs = nnx.Rngs(0)


def adapter(path, node):
    if isinstance(node, nnx.Linear):
        return nnx.LoRA(node.in_features, 2, node.out_features, base_module=node, rngs=rngs)
    return node


model = nnx.recursive_map(adapter, nnx.Sequential(nnx.Linear(4, 8, rngs=rngs), nnx.Linear(8, 8, rngs=rngs)))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.LoRAParam)


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda model: jnp.mean((model(x) - y) ** 2))(model)
    optimizer.update(model, grads)
    return loss


for step in range(12):
    x = jax.random.normal(jax.random.key(step), (16, 4))
    train_step(model, optimizer, x, jnp.tanh(x @ jnp.ones((4, 8))))
