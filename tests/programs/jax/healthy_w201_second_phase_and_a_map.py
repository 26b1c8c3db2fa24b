"""A trunk is trained first; then a new head learns on its features alone, and a map of an input is drawn."""
import jax
import jax.numpy as jnp
import optax

k1, k2, k3, key = jax.random.split(jax.random.key(0), 4)
tx, head_tx = optax.adam(1e-2), optax.sgd(1e-1)


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def loss_fn(params, x, labels):
    return cross_entropy(jnp.tanh(x @ params["trunk"]) @ params["out"], labels)


def head_loss(head, trunk, x, labels):
    return cross_entropy(jnp.tanh(x @ jax.lax.stop_gradient(trunk)) @ head["out"], labels)


@jax.jit
def pretrain(params, state, x, labels):
    updates, state = tx.update(jax.grad(loss_fn)(params, x, labels), state, params)
    return optax.apply_updates(params, updates), state


@jax.jit
def finetune(head, state, trunk, x, labels):
    updates, state = head_tx.update(jax.grad(head_loss)(head, trunk, x, labels), state, head)
    return optax.apply_updates(head, updates), state


def batch(step, classes):
    k, l = jax.random.split(jax.random.key(step))
    return jax.random.normal(k, (8, 4)), jax.random.randint(l, (8,), 0, classes)


params = {"trunk": jax.random.normal(k1, (4, 16)) * 0.5, "out": jax.random.normal(k2, (16, 3)) * 0.5}
state = tx.init(params)
for step in range(250):
    params, state = pretrain(params, state, *batch(step, 3))
head = {"out": jax.random.normal(k3, (16, 5)) * 0.5}
state = head_tx.init(head)
for step in range(50):
    head, state = finetune(head, state, params["trunk"], *batch(step, 5))
x, labels = batch(0, 5)
drawn = jax.grad(lambda x: head_loss(head, params["trunk"], x, labels))(x)
