"""A trunk is trained first; then a new head learns on its features alone, and a map of an input is drawn."""
import jax
import jax.numpy as jnp
import optax

key = jax.random.key(0)
k1, k2, k3, key = jax.random.split(key, 4)
trunk = {"w": jax.random.normal(k1, (4, 16)) * 0.5}
old_head = {"w": jax.random.normal(k2, (16, 3)) * 0.5}


def features(trunk, x):
    return jnp.tanh(x @ trunk["w"])


def loss_fn(params, x, labels):
    trunk, head = params
    return optax.softmax_cross_entropy_with_integer_labels(features(trunk, x) @ head["w"], labels).mean()


tx = optax.adam(1e-2)


@jax.jit
def pretrain(params, state, x, labels):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, labels)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


params = (trunk, old_head)
state = tx.init(params)
for step in range(250):
    key, k1, k2 = jax.random.split(key, 3)
    params, state, loss = pretrain(params, state, jax.random.normal(k1, (8, 4)), jax.random.randint(k2, (8,), 0, 3))
print(loss)

trunk, _ = params
head = {"w": jax.random.normal(k3, (16, 5)) * 0.5}
head_tx = optax.sgd(1e-1)


def head_loss(head, trunk, x, labels):
    logits = features(jax.lax.stop_gradient(trunk), x) @ head["w"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


@jax.jit
def finetune(head, state, trunk, x, labels):
    loss, grads = jax.value_and_grad(head_loss)(head, trunk, x, labels)
    updates, state = head_tx.update(grads, state, head)
    return optax.apply_updates(head, updates), state, loss


state = head_tx.init(head)
for step in range(50):
    key, k1, k2 = jax.random.split(key, 3)
    head, state, loss = finetune(head, state, trunk, jax.random.normal(k1, (8, 4)), jax.random.randint(k2, (8,), 0, 5))
print(loss)
saliency = jax.grad(lambda x: head_loss(head, trunk, x, jnp.zeros(8, int)))(jax.random.normal(k1, (8, 4)))
print(jnp.abs(saliency).mean())
