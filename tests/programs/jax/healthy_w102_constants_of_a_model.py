"""Arrays of a model that it stops by name where it uses them: the full weights under LoRA, and a table."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Lora(eqx.Module):
    weight: jax.Array
    a: jax.Array
    b: jax.Array

    def __call__(self, x):
        return jax.lax.stop_gradient(self.weight) @ x + self.b @ (self.a @ x)


class Net(eqx.Module):
    table: jax.Array
    body: Lora
    head: eqx.nn.Linear

    def __call__(self, x):
        return self.head(jnp.tanh(self.body(x * jax.lax.stop_gradient(self.table))))


k = jax.random.split(jax.random.key(0), 4)
body = Lora(jax.random.normal(k[0], (8, 3)), jax.random.normal(k[1], (2, 3)), jnp.zeros((8, 2)))
net = Net(jnp.array([1.0, 2.0, 0.5]), body, eqx.nn.Linear(8, 1, key=k[2]))
tx = optax.adam(0.01)
state = tx.init(eqx.filter(net, eqx.is_array))
x = jax.random.normal(k[3], (16, 3))


@eqx.filter_value_and_grad
def mse(net, x):
    return jnp.mean((jax.vmap(net)(x)[:, 0] - x.sum(-1)) ** 2)


for _ in range(5):
    loss, grads = mse(net, x)
    updates, state = tx.update(grads, state)
    net = eqx.apply_updates(net, updates)
