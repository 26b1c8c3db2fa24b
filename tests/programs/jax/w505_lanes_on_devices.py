"""Agents on every device and in every lane of it, a loop of updates in each: the advantage is not stopped."""
import functools
import jax, jax.numpy as jnp, optax
import flax.linen as nn
from flax.training.train_state import TrainState
from flax import jax_utils

class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.tanh(nn.Dense(16)(x))
        return nn.Dense(3)(h), nn.Dense(1)(h)[..., 0]

net = Net()
tx = optax.adam(1e-3)

def make(key):
    return TrainState.create(apply_fn=net.apply, params=net.init(key, jnp.ones((1, 4))), tx=tx)

def update(state, key):
    k1, k2, k3 = jax.random.split(key, 3)
    obs = jax.random.normal(k1, (16, 4)); act = jax.random.randint(k2, (16,), 0, 3); ret = jax.random.normal(k3, (16,))
    def loss_fn(params):
        logits, value = state.apply_fn(params, obs)
        logp = jnp.take_along_axis(jax.nn.log_softmax(logits), act[:, None], 1)[:, 0]
        adv = ret - value
        pg = -(logp * adv).mean()  # fires: W505
        return pg + 0.5 * (adv ** 2).mean()
    loss, g = jax.value_and_grad(loss_fn)(state.params)
    g = jax.lax.pmean(jax.lax.pmean(g, "batch"), "device")
    return state.apply_gradients(grads=g), loss

@functools.partial(jax.pmap, axis_name="device")
def learn(states, keys):
    def run(state, key):
        return jax.lax.scan(update, state, jax.random.split(key, 5))
    return jax.vmap(run, axis_name="batch")(states, keys)

keys = jax.random.split(jax.random.key(0), 2)
state = make(keys[0])
states = jax.tree.map(lambda x: jnp.stack([x, x]) if hasattr(x, "shape") else jnp.stack([x, x]), state)
states = jax_utils.replicate(states)
for i in range(4):
    keys = jax.random.split(jax.random.key(i), 2)[None]
    states, loss = learn(states, keys)
print(loss.mean())
