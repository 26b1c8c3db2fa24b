"""The network was initialised twice, and the second set of parameters is not used."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState

net = nn.Sequential([nn.Dense(8), nn.tanh, nn.Dense(1)])
params = net.init(jax.random.key(1), jnp.ones((1, 3)))
state = TrainState.create(apply_fn=net.apply, params=net.init(jax.random.key(0), jnp.ones((1, 3))), tx=optax.adam(0.01))
for i in range(5):
    x = jax.random.normal(jax.random.key(i), (16, 3))
    grads = jax.grad(lambda p: jnp.mean((net.apply(p, x)[:, 0] - x.sum(-1)) ** 2))(state.params)
    state = state.apply_gradients(grads=grads)
