"""A trunk learns first; of the classifier that is built on it then, labels freeze the new layer as well."""
import jax
import jax.numpy as jnp
import optax

key = jax.random.key(0)
k1, k2, k3, key = jax.random.split(key, 4)
params = {"trunk": jax.random.normal(k1, (4, 16)) * 0.5, "out": jax.random.normal(k2, (16, 3)) * 0.5}
tx = optax.adam(1e-2)
state = tx.init(params)


@jax.jit
def pretrain(params, state, x, labels):
    def loss_fn(params):
        logits = jnp.tanh(x @ params["trunk"]) @ params["out"]
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


for step in range(30):
    key, k, l = jax.random.split(key, 3)
    params, state, loss = pretrain(params, state, jax.random.normal(k, (8, 4)), jax.random.randint(l, (8,), 0, 3))

model = {"trunk": params["trunk"], "head": jax.random.normal(k3, (16, 5)) * 0.5}
labels_of = {name: "learns" if name == "classifier" else "frozen" for name in model}
fine_tx = optax.multi_transform({"learns": optax.adam(1e-2), "frozen": optax.set_to_zero()}, labels_of)  # fires: W109
fine_state = fine_tx.init(model)


@jax.jit
def finetune(model, state, x, labels):
    def loss_fn(model):
        logits = jnp.tanh(x @ model["trunk"]) @ model["head"]
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(model)
    updates, state = fine_tx.update(grads, state, model)
    return optax.apply_updates(model, updates), state, loss


for step in range(30):
    key, k, l = jax.random.split(key, 3)
    x, labels = jax.random.normal(k, (8, 4)), jax.random.randint(l, (8,), 0, 5)
    model, fine_state, loss = finetune(model, fine_state, x, labels)
