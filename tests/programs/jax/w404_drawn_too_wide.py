"""The first weights of a deep network are drawn with a spread of one: its numbers grow from layer to layer."""
import jax
import jax.numpy as jnp
import optax


def init(key, sizes):
    pairs = zip(jax.random.split(key, len(sizes) - 1), sizes[:-1], sizes[1:], strict=True)
    return [jax.random.normal(k, (a, b)) for k, a, b in pairs]  # fires: W404


def forward(layers, x):
    for w in layers[:-1]:
        x = jax.nn.relu(x @ w)
    return x @ layers[-1]


params = init(jax.random.key(0), [32, *[64] * 8, 5])
tx = optax.sgd(0.01)
state = tx.init(params)


@jax.jit
def update(params, state, x, y):
    def loss_fn(params):
        return optax.softmax_cross_entropy_with_integer_labels(forward(params, x), y).mean()

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


for i in range(12):
    key = jax.random.key(i)
    params, state = update(params, state, jax.random.normal(key, (16, 32)), jax.random.randint(key, (16,), 0, 5))
