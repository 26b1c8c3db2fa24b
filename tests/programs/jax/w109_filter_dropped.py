"""The layer that is to be trained is marked in a copy of the filter, and the copy is dropped: nothing is trained."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

model = eqx.nn.MLP(3, 1, 8, 2, key=jax.random.key(0))
spec = jax.tree.map(lambda _: False, model)
eqx.tree_at(lambda m: (m.layers[-1].weight, m.layers[-1].bias), spec, replace=(True, True))  # fires: W109
x, y = jax.random.normal(jax.random.key(1), (16, 3)), jnp.ones((16, 1))
optimizer = optax.sgd(0.1)


@eqx.filter_jit
def step(model, state):
    trained, fixed = eqx.partition(model, spec)
    loss = lambda t: jnp.mean((jax.vmap(eqx.combine(t, fixed))(x) - y) ** 2)  # noqa: E731
    value, grads = eqx.filter_value_and_grad(loss)(trained)
    updates, state = optimizer.update(grads, state)
    return eqx.apply_updates(model, updates), state, value


state = optimizer.init(eqx.filter(model, spec))
for _ in range(4):
    model, state, value = step(model, state)
